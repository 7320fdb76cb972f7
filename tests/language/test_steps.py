"""Regions whose loops go downwards, or either way, or have no turn: the plain results on every backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.opencl import has_opencl
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENCL, OPENMP, OPENMP_TARGET, Corpus, Pair

SOURCE = """module steps
  implicit none
  integer, parameter :: back = -2
contains
  subroutine work(n, a, b, first, last, by, s, total)
    integer, intent(in) :: n, first, last, by
    real(8), intent(inout) :: a(n,4), b(n), s
    real(8), intent(inout) :: total
    integer :: i, j
    !@parallelRegion{domName(i), domSize(n), explicit}
    do i = n, 2, -1
      b(i) = 2*a(i,1)
      s = b(i)
    end do
    !@end parallelRegion
    print '(5f9.1)', b, s
    !@parallelRegion
    do i = n - 1, 2, back
      b(i) = b(i) + a(i-1,1)
      s = b(i)
    end do
    print '(5f9.1)', b, s
    !@parallelRegion
    do j = 4, 1, -1
      do i = first, last, by
        a(i,j) = a(i,j) + i*j
        s = a(i,j)
      end do
    end do
    print '(5f9.1)', a, s
    !@parallelRegion{reduction(+:total)}
    do i = first, last, by
      total = total + a(i,1)
    end do
    print '(f9.1)', total
    !@parallelRegion{reduction(+:total), domName(i), domSize(n), explicit}
    do i = n, 3, -3
      total = total + a(i,2)
    end do
    !@end parallelRegion
    print '(f9.1)', total
  end subroutine work

  subroutine run
    integer, parameter :: n = 7
    real(8) :: a(n,4), b(n), s, total
    integer :: i, j, way
    integer, parameter :: ways(3,6) = reshape([1,7,2, 7,1,-1, 6,2,-3, 3,2,2, 2,3,-4, 4,4,-5], [3,6])
    do way = 1, 6
      print *, ways(:,way)
      do j = 1, 4
        do i = 1, n
          a(i,j) = i + 10*j
        end do
      end do
      b = 0
      s = -1
      total = 0.5d0
      call work(n, a, b, ways(1,way), ways(2,way), ways(3,way), s, total)
    end do
  end subroutine run
end module steps
"""
FILES = {"steps.f90": SOURCE}
PAIR = Pair("steps", FILES, FILES, "steps")
SOON = (OPENMP, CUDA_C, CUDA_FORTRAN)
VARIANTS = (*SOON, OPENACC, OPENMP_TARGET, OPENCL)


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v not in SOON)) for v in VARIANTS]
)
def test_results(variant: object, tmp_path: Path) -> None:
    if variant is OPENCL and not has_opencl():
        pytest.skip("no OpenCL")
    Corpus([PAIR], tmp_path, {PAIR.name: VARIANTS}).check_one(PAIR.name, variant)
