"""Errors that follow from others are not reported; those that do not follow are."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module objects
  implicit none
  integer, parameter :: nx = 4, ny = 3
  type state
    real :: t(nx,ny), q(nx,ny)
  end type state
contains
  subroutine step(s, b, n)
    type(state), intent(inout) :: s
    real, intent(inout) :: b(nx,ny)
    integer, intent(in) :: n
    integer :: i, j
    real :: x
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    b
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    call add(s%t(i,j), b(i,j))
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = b(i,j) + s%q(i,j)*n
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    x = far(1.0)
    @end parallelRegion
  end subroutine step
  subroutine add(x, y)
    real, intent(inout) :: x
    real, intent(in) :: y
    x = x + y
    call twice(x)
  end subroutine
  subroutine twice(x)
    real, intent(inout) :: x
    x = 2*x
  end subroutine
  subroutine driver(s, b)
    type(state), intent(inout) :: s
    real, intent(inout) :: b(nx,ny)
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    b
    @end domainDependant
    call step(s, b, 3)
  end subroutine
end module objects
"""
FAR = "HF702"  # what is told of the last region, whatever is wrong in others


def codes(old: str, new: str, backend: str) -> list[str]:
    assert old in PROGRAM
    done = translate_text(PROGRAM.replace(old, new, 1), target="gpu", backend=backend)
    return [d.code for d in done.errors]


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc"])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x = 2*x", "x = 2*x)", [FAR, "HF110"]),
        ("call twice(x)", "call twice(x, x)", [FAR, "HF400"]),
        ("b(i,j) = b(i,j) + s%q(i,j)*n", "return", ["HF405", FAR]),
        ("b(i,j) = b(i,j) + s%q(i,j)*n", "b(i,j,1) = s%q(i,j)*n", ["HF304", FAR]),
        ("b(i,j) = b(i,j) + s%q(i,j)*n", "b(i,j) = b(i,j-1)", ["HF504", FAR]),
        ("domSize(nx,ny)}\n    b", "domSize(nx,ny), reduction(+:p)}\n    b", ["HF300", FAR]),
        ("    b\n    @end domainDependant\n    call", "    b, s\n    @end domainDependant\n    call", [FAR, "HF605"]),
        ("    b\n    @end domainDependant\n    @par", "    b, s\n    @end domainDependant\n    @par", ["HF605"]),
        ("x = far(1.0)", "x = far(1.0))", ["HF110"]),
        ("    integer :: i, j\n", "    integer :: i, j\n    integer :: i\n", ["HF301"]),
    ],
)  # fmt: skip
def test_what_follows_is_not_told(old: str, new: str, expected: list[str], backend: str) -> None:
    assert codes(old, new, backend) == expected


def test_calls_that_do_not_fit_are_told_once() -> None:
    done = translate_text(PROGRAM.replace("call step(s, b, 3)", "call step(b, 3)").replace("x = far(1.0)", "x = 1"))
    assert [d.code for d in done.errors] == ["HF400"]


def test_a_size_that_is_not_known_is_told_once() -> None:
    text = PROGRAM.replace("domSize(nx,ny), attribute", "domSize(nx,mz), attribute", 1).replace("    b\n", "    b, c\n")
    text = text.replace("b(nx,ny)", "b(nx), c(nx)", 1).replace("b(nx,ny)", "b(nx,ny), c(nx,ny)")
    text = text.replace("(s, b", "(s, b, c").replace("x = far(1.0)", "x = 1")
    found = [d for d in translate_text(text).errors if d.code == "HF307"]
    assert [d.message for d in found] == ["'b' gets a dimension of size mz, but 'mz' is not known here"]
    assert [r.message for r in found[0].related] == ["'c' gets one, too"]


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("  end subroutine step\n", "subroutine 'step' is not closed"),
        ("x = 2*x\n  end subroutine\n", "subroutine 'twice'"),
    ],
)
def test_a_unit_without_an_end_is_told_once(gone: str, message: str) -> None:
    text = PROGRAM.replace("  end subroutine\n", "  end subroutine {}\n").replace(
        "x = 2*x\n  end subroutine {}\n", "x = 2*x\n"
    )
    text = PROGRAM.replace(gone, "x = 2*x\n" if gone.startswith("x") else "", 1)
    done = translate_text(text)
    assert [d.code for d in done.errors] == ["HF109"] and done.errors[0].message.startswith(message), done.errors


ELSEWHERE = """module work
implicit none
contains
subroutine one(n, a, b)
integer, intent(in) :: n
real(8), intent(inout) :: a(n), b(n)
integer :: i, k
real(8) :: w(4)
!@parallelRegion{domName(i), domSize(n), private(w)}
do i = 1, n
forall (k = 1:4) w(k) = a(i)*k
associate (t => b(i))
t = sum(w)
end associate
end do
!@end parallelRegion
end subroutine
subroutine two(nx, ny, depth, a, b)
integer, intent(in) :: nx, ny, depth
real(8), intent(inout) :: a(nx,ny), b(nx,ny,depth)
integer :: i, j
!@parallelRegion{domName(i,j), domSize(nx,ny)}
do j = 1, ny
do i = 1, nx
b(i,j,1) = a(i,j)
end do
end do
!@end parallelRegion
end subroutine
end module
"""


def test_an_error_elsewhere_makes_kernels_refuse_nothing() -> None:
    """The plain form, from which kernels are printed, has the errors of the user's text, and no others."""
    done = translate_text({"m.f90": ELSEWHERE}, target="gpu", backend="cuda-c", layout="j i k")
    assert [d.code for d in done.errors] == ["HF308"]
