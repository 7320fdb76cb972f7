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


MUTUAL = """subroutine dlarge(x, n, d)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x
  real(8), intent(out) :: d(n)
  real(8) :: v(n)
  integer :: k
  do k = 1, n
    d(k) = exp(-x*x)*k
  end do
  if (x < 0) then
    call vlarge(-x, n, v)
    d = d + v
  end if
end subroutine dlarge
subroutine vlarge(x, n, v)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x
  real(8), intent(out) :: v(n)
  integer :: k
  do k = 1, n
    v(k) = exp(x*x)/k
  end do
  if (x < 0) call dlarge(-x, n, v)
end subroutine vlarge
subroutine third(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8), intent(out) :: b(n)
  integer :: i
  do i = 1, n
    call dlarge(a(i), 1, b(i))
  end do
  do i = 1, n
    a(i) = 2*a(i)
  end do
end subroutine third
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_routines_that_call_each_other_without_a_word(target: str, tmp_path: Path) -> None:
    """All loops of the file were serial."""
    paths = write_files({"old.f90": MUTUAL}, tmp_path)
    made = found_regions(paths, Options(target=target, backend={"cpu": "openmp", "gpu": "cuda-c"}[target]))
    refused = {v.place.line: v.why for v in made.verdicts if not (v.region or v.inside)}
    assert refused == (
        {33: "the recursive routine 'dlarge' cannot be translated for a kernel"} if target == "gpu" else {}
    )
