"""An error outside of regions costs those that it comes from, and no others."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.making import deep
from hfpy.options import Options, silent
from hfpy.pipeline import found_regions
from hfpy.transform.loops.foundregions import with_found_regions
from hfpy.transform.settled import read_settled
from tests.support import write_files

SOLVER = """module solver
  implicit none
contains
  subroutine apply(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x(1) = 0
  end subroutine apply
  subroutine between(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    call apply(x, n)
  end subroutine between
  subroutine solve(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) * 2 + i
    end do
    call between(x, n)
  end subroutine solve
  subroutine beside(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) * 2 + i
    end do
  end subroutine beside
end module solver
"""


def test_callers_are_asked_first(tmp_path: Path) -> None:
    """Of an error in a routine without regions, before the rest of its file."""
    path = write_files({"solver.f90": SOLVER}, tmp_path)[0]

    def judge(facts: Facts, effects: Effects, only: Collection[str] | None = None) -> list[Diagnostic]:
        guilty = any(identity.routine == "solver::solve" for identity in facts.positions.regions)
        place = Place(facts.application.files[0].path, 7)
        return [error("HF603", "solve has a region", place)] if guilty else []

    with deep():
        made = with_found_regions(
            read_settled([path], Options(auto=True, target="gpu", backend="cuda-c"), silent), judge
        )
    assert {v.key: v.why for v in made.verdicts} == {"solver::solve": "solve has a region", "solver::beside": ""}


INTERNAL = """module host
  implicit none
contains
  subroutine work(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i, j
    do j = 1, n
      x(j) = x(j) + j
    end do
    i = 4
    do j = 1, n
      call count
    end do
    x(1) = x(1) + i
  contains
    subroutine count
      i = i + 1
    end subroutine count
  end subroutine work
end module host
"""


def test_internal_procedures_are_not_their_hosts(tmp_path: Path) -> None:
    """An error in one comes from the loops that call it, not from all of its host."""
    found = found_regions(write_files({"host.f90": INTERNAL}, tmp_path), Options())
    assert [(v.place.line, bool(v.region)) for v in found.verdicts] == [(8, True), (12, False)]


ON_A_LABEL = """subroutine work(n, m, x, y, z)
  integer n, m, i, j
  double precision x(n), y(n), z(m), s
  do i = 1, n
    x(i) = sqrt(y(i)) + exp(y(i))*i
  end do
  j = 1
  do 10 while (j < m)
    do i = 1, n
      y(i) = y(i) + exp(x(i))*j
    end do
    j = j + 1
10 z(j) = z(j - 1) + y(1)
  do i = 1, n
    x(i) = x(i) + sqrt(y(i))*z(2)
  end do
end subroutine work
"""


def test_what_has_no_place_in_a_loop_costs_the_regions_in_that_loop(tmp_path: Path) -> None:
    paths = write_files({"work.f90": ON_A_LABEL}, tmp_path)
    found = found_regions(paths, Options(target="gpu", backend="cuda-c"))
    said = {v.place.line: (v.region, v.why) for v in found.verdicts}
    assert said[4][0] and said[14][0]
    assert "has no place after this statement" in said[9][1]


def test_files_around_what_was_refused_are_judged_first(tmp_path: Path) -> None:
    """Each refusal cost a judgement of the whole program."""
    loop = "    do i = 1, n\n      x(i) = x(i)*2 + i\n    end do\n"
    unit = "subroutine {}(n, x)\n    integer, intent(in) :: n\n    real(8), intent(inout) :: x(n)\n    integer :: i\n"
    files = {
        f"{name}.f90": unit.format(name) + 3 * loop + f"end subroutine {name}\n" for name in ("one", "two", "three")
    }
    paths = write_files(files, tmp_path)
    judged: list[set[str] | None] = []

    def judge(facts: Facts, effects: Effects, only: Collection[str] | None = None) -> list[Diagnostic]:
        """Refuses the first region of the second file as long as it has one."""
        judged.append(None if only is None else {Path(p).name for p in only})
        regions = facts.routine("::two").regions
        return [error("HF603", "no", regions[0].header.line.place(str(paths[1])))] if regions else []

    with deep():
        made = with_found_regions(read_settled(paths, Options(auto=True, backend="openmp"), silent), judge)
    assert [v.key for v in made.verdicts if v.region] == [*3 * ["::one"], *3 * ["::three"]]
    assert judged == [None, {"two.f90"}, {"two.f90"}, {"two.f90"}, None]
