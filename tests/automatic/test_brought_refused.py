"""Loops whose regions are refused where routines bring arrays to the device: they are judged without that, too."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, error
from hfpy.options import Options
from hfpy.transform.loops.foundregions import with_found_regions
from hfpy.transform.loops.verdicts import Automatic
from hfpy.transform.settled import read_settled
from tests.support import write_files

SOURCE = """module held
  implicit none
  real(8) :: t(64,64), f(64,64)
contains
  subroutine step()
    integer :: i, j
    do j = 2, 63
      do i = 2, 63
        f(i,j) = t(i-1,j) + t(i+1,j)
      end do
    end do
    do j = 2, 63
      do i = 2, 63
        t(i,j) = f(i,j)*0.5d0
      end do
    end do
  end subroutine step

  subroutine steps(n)
    integer, intent(in) :: n
    integer :: k
    do k = 1, n
      call step()
      print *, k
    end do
  end subroutine steps
end module held
"""
# The rest of the program, which is longer than that.
OTHER = "subroutine other(x)\n  real(8) :: x\n" + 40 * "  x = x + 1\n" + "end subroutine other\n"
_FIRST = 7  # the line of the first nest


class _Judge:
    """Refuses the first region of the routine: where arrays are brought, or in any case. ``asked`` says of each
    judgement whether it was one with arrays that are brought, and of which files it was.
    """

    def __init__(self, always: bool) -> None:
        self.always = always
        self.asked: list[tuple[bool, Collection[str] | None]] = []

    def __call__(self, facts: Facts, effects: Effects, only: Collection[str] | None) -> list[Diagnostic]:
        brought = any("transferHere" in line for f in facts.application.files for line in f.source.lines)
        self.asked.append((brought, only))
        for construct in facts.application.routines["held::step"].regions:
            line = facts.application.user_line("held::step", construct.header.line.first + 1)
            if line == _FIRST and (brought or self.always) and construct.region is not None:
                return [error("HF702", "no kernel", construct.region.place)]
        return []


def _found(judge: _Judge, folder: Path) -> Automatic:
    paths = write_files({"held.f90": SOURCE, "other.f90": OTHER}, folder)
    return with_found_regions(read_settled(paths, Options(target="gpu", backend="cuda-c", auto=True)), judge)


def _regions(found: Automatic) -> list[tuple[int, int]]:
    return sorted((v.place.line, len(v.iterators)) for v in found.verdicts if v.region)


def test_a_region_is_kept_that_is_refused_only_with_what_is_brought(tmp_path: Path) -> None:
    judge = _Judge(always=False)
    found = _found(judge, tmp_path)
    assert (_regions(found), dict(found.brought)) == ([(7, 2), (12, 2)], {})
    path = str(tmp_path / "held.f90")
    assert judge.asked == [(True, None), (False, frozenset({path})), (False, None)]


def test_a_region_that_is_refused_anyway_is_given_up_without_another_look_at_the_program(tmp_path: Path) -> None:
    judge = _Judge(always=True)
    found = _found(judge, tmp_path)
    assert (7, 2) not in _regions(found)
    assert (12, 2) in _regions(found)
    assert (False, None) not in judge.asked
    assert judge.asked[0] == (True, None)
    assert judge.asked[-1] == (True, None)
    assert found.brought
