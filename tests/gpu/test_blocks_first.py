"""A ``block`` right after ``target data``: a compiler takes it for all of that construct (OpenMP 5.2, 1.2.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import OPENACC, OPENMP_TARGET, Corpus, Pair, Variant

PROGRAM = """module first
  implicit none
contains
  subroutine of_the_users(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    block
      real(8) :: x
      x = 3
      b(2) = x
    end block
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    b(3) = a(4)
  end subroutine of_the_users
  subroutine of_a_region(n, a, b, k)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer, intent(out) :: k
    integer :: i
    !@parallelRegion
    do i = 1, n
      k = 2*i
      a(i) = a(i) + k
    end do
    b(3) = a(4)
  end subroutine of_a_region
  subroutine run
    real(8) :: a(20), b(20)
    integer :: k
    a = 1
    b = 2
    call of_the_users(20, a, b)
    call of_a_region(20, a, b, k)
    print '(10f6.1)', a, b, real(k)
  end subroutine run
end module first
"""


@pytest.mark.parametrize("variant", [OPENMP_TARGET, OPENACC], ids=lambda v: v.label)
def test_a_block_at_the_beginning(variant: Variant, tmp_path: Path) -> None:
    files = {"first.f90": PROGRAM}
    Corpus([Pair("first", files, files, "first")], tmp_path, {"first": (variant,)}).check_one("first", variant)
