"""Optional arrays in kernels: an array without elements that is given is present, one that is not given is absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENCL, OPENMP_TARGET, Corpus, Variant, pair, some_soon

OWN = """  subroutine own(nx, n, a, e)
    integer, intent(in) :: nx, n
    real(8), intent(inout) :: a(nx)
    real(8), intent(in), optional :: e(n)
    integer :: i
    @parallelRegion{domName(i), domSize(nx)}
    if (present(e)) then
      a(i) = a(i) + i
      if (n > 0) a(i) = a(i) + 100*e(1)
    else
      a(i) = a(i) + 10
    end if
    @end parallelRegion
  end subroutine own
"""
CALLED = """  subroutine called(nx, n, a, e)
    integer, intent(in) :: nx, n
    real(8), intent(inout) :: a(nx)
    real(8), intent(in) :: e(n)
    integer :: i
    @parallelRegion{domName(i), domSize(nx)}
    call inner(a(i), n, e)
    call inner(a(i), n, e(1:n))
    call inner(a(i), 0)
    @end parallelRegion
  end subroutine called
  subroutine inner(x, n, e)
    real(8), intent(inout) :: x
    integer, intent(in) :: n
    real(8), intent(in), optional :: e(n)
    if (present(e)) then
      x = x + 1
      if (n > 0) x = x + 100*e(1)
    else
      x = x + 10
    end if
  end subroutine inner
"""
SOURCE = """module given
  implicit none
contains
  subroutine run()
    real(8) :: a(3), e(2)
    real(8), allocatable :: none(:)
    a = 0
    e = 2
    allocate(none(0))
    call WHICH(3, 2, a, e)
    print *, a
    call WHICH(3, 0, a, none)
    print *, a
    call WHICH(3, 0, a, e(2:1))
    print *, a
    ABSENT
    print *, a
  end subroutine run
{routines}end module given
"""


def _text(which: str, absent: str, routines: str) -> str:
    return SOURCE.format(routines=routines).replace("WHICH", which).replace("ABSENT", absent)


SHAPED = OWN.replace("e(n)", "e(0:)").replace("e(1)", "e(0) + ubound(e, 1)")
CASES = {
    "own": _text("own", "call own(3, 0, a)", OWN),
    "shaped": _text("own", "call own(3, 0, a)", SHAPED),
    "called": _text("called", "", CALLED),
}


@pytest.mark.parametrize("variant", some_soon((CUDA_C, OPENCL, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)))
@pytest.mark.parametrize("which", CASES)
def test_arrays_without_elements_are_present(which: str, variant: Variant, tmp_path: Path) -> None:
    if which == "called" and variant is CUDA_FORTRAN:
        pytest.skip("optional arrays of called routines are refused")
    plain = CASES[which].replace("    @parallelRegion{domName(i), domSize(nx)}\n", "    do i = 1, nx\n")
    plain = plain.replace("    @end parallelRegion\n", "    end do\n")
    Corpus([pair("given", CASES[which], plain)], tmp_path, {"given": (variant,)}).check("given")


NEVER_GIVEN = """module absent
  implicit none
contains
  subroutine run()
    real(8) :: a(3)
    integer :: i
    a = 2
    @parallelRegion{domName(i), domSize(3)}
    call halve(a)
    @end parallelRegion
    print *, a
  end subroutine run
  subroutine halve(x, before)
    real(8), intent(inout) :: x
    real(8), intent(out), optional :: before
    if (present(before)) before = x
    x = 0.5d0*x
  end subroutine halve
end module absent
"""


@pytest.mark.parametrize("variant", [CUDA_C, OPENCL], ids=lambda v: v.label)
def test_a_routine_may_set_an_argument_that_no_kernel_gives(variant: Variant, tmp_path: Path) -> None:
    plain = NEVER_GIVEN.replace("    @parallelRegion{domName(i), domSize(3)}\n", "do i = 1, 3\n")
    plain = plain.replace("    @end parallelRegion\n", "end do\n").replace("halve(a)", "halve(a(i))")
    made = pair("absent", NEVER_GIVEN, plain)
    Corpus([made], tmp_path, {made.name: (variant,)}).check_one(made.name, variant)
