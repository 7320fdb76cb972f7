"""Variables with a value for each point in routines that regions call for one of them."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 2
  real(8) :: t, column(nz)
  @domainDependant{{attribute(autoDom), domName(i,j), domSize(nx,ny)}}
  t, column
  @end domainDependant
contains
  subroutine point(v, i, j)
    real(8), intent(in) :: v
    integer, intent(in) :: i, j
    {statement}
  end subroutine point
  subroutine through(v, i, j)
    real(8), intent(in) :: v
    integer, intent(in) :: i, j
    call point(v, i, j)
  end subroutine through
  subroutine step(a, b)
    real(8), intent(inout) :: a(nx,ny), b(nx,ny)
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    call {called}(a(i,j), i, j)
    b(i,j) = t + column(1)
    @end parallelRegion
  end subroutine step
end module m
"""
# Each statement, what is called, and whether it can be right.
CASES = {
    "written": ("t = v", "point", False),
    "read": ("print *, t + v", "point", False),
    "upper": ("T = V", "point", False),
    "below": ("t = v", "through", False),
    "element": ("column(2) = v", "point", False),
    "whole": ("column = v", "point", False),
    "all_indices": ("t(i,j) = v", "point", True),
    "all_indices_of_the_column": ("column(2,i,j) = v", "through", True),
}


@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c"])
@pytest.mark.parametrize("name", CASES)
def test_the_point_must_be_known(name: str, backend: str) -> None:
    statement, called, right = CASES[name]
    target = "gpu" if backend == "cuda-c" else "cpu"
    done = translate_text(PROGRAM.format(statement=statement, called=called), target=target, backend=backend)
    reported = [d for d in done.errors if d.code == "HF302"]
    assert bool(reported) is not right
    if reported:
        assert reported[0].place.line == 12
        assert "has a value for each point, and 'point' is called for one of them" in reported[0].message
