"""Loops around calls of the routine that they are in, as over the grids within a grid: they are serial, and loops in
what they call are regions. Loops around calls of entries.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """module nests
  implicit none
  type grid
    integer :: n, inner
    real(8), allocatable :: a(:)
    type(grid), pointer :: child => null()
  end type grid
contains
  recursive subroutine advance(g)
    type(grid), intent(inout) :: g
    integer :: k
    do k = 1, g%n
      g%a(k) = g%a(k) + 1
    end do
    call smooth(g%n, g%a)
    if (.not. associated(g%child)) return
    do k = 1, g%inner
      call {called}(g%child)
    end do
  end subroutine advance
  recursive subroutine between(g)
    type(grid), intent(inout) :: g
    call advance(g)
  end subroutine between
  subroutine smooth(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = 0.5d0*a(i)
    end do
  end subroutine smooth
end module nests
"""


@pytest.mark.parametrize(
    ("called", "why"),
    [
        ("advance", "it calls 'advance', which it is in (line 18)"),
        ("between", "it calls 'between', which calls 'advance', which it is in (line 18)"),
    ],
)
@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_loops_around_calls_of_their_own_routine(called: str, why: str, target: str, tmp_path: Path) -> None:
    """The loop has its reason; those below it and beside it are not lost."""
    backend = {"cpu": "openmp", "gpu": "cuda-c"}[target]
    paths = write_files({"nests.f90": TEXT.format(called=called)}, tmp_path)
    made = found_regions(paths, Options(target=target, backend=backend))
    said = {v.place.line: (v.region, v.why) for v in made.verdicts}
    assert said == {12: (True, ""), 17: (False, why), 29: (True, "")}


ENTRIES = """module entries
  implicit none
contains
  subroutine first(x)
    real(8), intent(inout) :: x
    x = x + 1
    return
    entry second(x)
    x = x + 2
  end subroutine first
  subroutine all_of(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      call second(a(i))
    end do
  end subroutine all_of
end module entries
"""


def test_a_call_of_an_entry_is_named(tmp_path: Path) -> None:
    """It was called a routine whose source is not there."""
    made = found_regions(write_files({"entries.f90": ENTRIES}, tmp_path), Options(target="cpu", backend="openmp"))
    assert [v.why for v in made.verdicts] == ["it calls 'second', another entry of 'first' (line 16)"]
