"""An error outside of regions costs those that it comes from, and no others."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.making import deep
from hfpy.options import Options, silent
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
