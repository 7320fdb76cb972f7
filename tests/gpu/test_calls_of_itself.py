"""Routines that call themselves, with arrays for their kernels."""

from __future__ import annotations

from pathlib import Path

from tests.support import CUDA_C, Corpus, Pair

TEXT = """\
module itself
  implicit none
contains
  recursive subroutine halved(a, n, depth)
    integer, intent(in) :: n, depth
    real(8), intent(inout) :: a(n)
    real(8) :: t(n)
    integer :: i
    t = a*0.5d0
    if (depth > 0) call halved(t, n, depth - 1)
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) + t(i)
    end do
  end subroutine halved
  recursive subroutine other(a, n, depth)
    integer, intent(in) :: n, depth
    real(8), allocatable, intent(inout) :: a(:)
    real(8), allocatable :: t(:)
    integer :: i
    allocate(t(n), source=a)
    if (depth > 0) call between(t, n, depth - 1)
    !@parallelRegion
    do i = 1, n
      a(i) = a(i) - 0.25d0*t(i)
    end do
  end subroutine other
  recursive subroutine between(a, n, depth)
    integer, intent(in) :: n, depth
    real(8), allocatable, intent(inout) :: a(:)
    call other(a, n, depth)
    a(2) = -a(2)
  end subroutine between
  subroutine run()
    real(8), allocatable :: v(:)
    integer :: i
    v = [(i*1d0, i = 1, 7)]
    call halved(v, 7, 3)
    print *, v
    call other(v, 7, 3)
    print *, v
  end subroutine run
end module itself
"""


def test_what_a_call_of_itself_comes_before_is_brought_to_the_device(tmp_path: Path) -> None:
    """The run ended: "not on the device"."""
    files = {"itself.f90": TEXT}
    Corpus([Pair("itself", files, files, "itself")], tmp_path, {"itself": (CUDA_C,)}).check_one("itself", CUDA_C)
