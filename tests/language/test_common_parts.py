"""Common blocks that a routine divides into arrays in its own way, below a routine that has them on the device."""

import pytest

from tests.support import Translated, translate_text

PROGRAM = """subroutine change()
DECLARED
integer :: i
!@parallelRegion
do i = 1, 10
BODY
end do
end subroutine
subroutine between()
call change()
end subroutine
program p
real(8) :: a(10), b(10)
common /field/ a, b
integer :: i, k
!@parallelRegion
do i = 1, 10
a(i) = i
b(i) = 10*i
end do
do k = 1, 2
call between()
!@parallelRegion
do i = 1, 10
a(i) = a(i) + b(i)
end do
end do
print *, a, b
end program
"""
PLACE = PROGRAM[: PROGRAM.index("BODY")].count("\n") + 2  # the declarations take two lines


def translated(declared: str, body: str, backend: str = "cuda-c", auto: bool = False) -> Translated:
    """The program with a division of the block, and what a region of the routine does to it."""
    text = PROGRAM.replace("DECLARED", declared).replace("BODY", body)
    if auto:
        text = text.replace("!@parallelRegion\n", "")
    return translate_text({"p.f90": text}, target="gpu", backend=backend, auto=auto)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc", "openmp-target"])
@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("real(8) :: ab(20)\ncommon /field/ ab", "ab(i) = ab(i)*2"),
        ("real(8) :: x(5), ab(10)\ncommon /field/ x, ab", "ab(i) = i"),
        ("real(4) :: one, ab(2,11)\ncommon /field/ one, ab", "ab(1,i) = ab(2,i)"),
        ("complex(8) :: ab(6)\ncommon /field/ ab", "if (i < 7) ab(i) = ab(i)*2"),
    ],
)
def test_parts_of_what_the_device_has(declared: str, body: str, backend: str) -> None:
    """Refused; device memory is for each array by itself."""
    done = translated(declared, body, backend)
    assert done.codes() == ["HF603"] and done.errors[0].place.line == PLACE
    assert "'ab' covers a part of 'a'" in done.errors[0].message


def test_loops_that_stay_serial() -> None:
    """hfpy makes no region of such a loop by itself."""
    declared, body = "real(8) :: ab(20)\ncommon /field/ ab", "ab(i) = ab(i)*2"
    rows = translated(declared, body, auto=True).require().text.splitlines()
    assert body in rows
    assert body not in translated("real(8) :: ab(10)\ncommon /field/ ab", body, auto=True).require().text.splitlines()


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("real(8) :: x(10), y(10)\ncommon /field/ x, y", "y(i) = x(i)"),
        ("real(8) :: x(3), y(7), z(10)\ncommon /field/ x, y, z", "if (i < 7) y(i) = z(i)"),
        ("complex(8) :: x(5)\ncommon /field/ x", "if (i < 6) x(i) = 2*x(i)"),
        ("real(8) :: x(20)\ncommon /other/ x", "x(i) = i"),
    ],
)
def test_what_lies_within_an_array_of_the_device(declared: str, body: str) -> None:
    assert not translated(declared, body).errors
