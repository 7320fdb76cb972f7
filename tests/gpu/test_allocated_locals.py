"""Allocatable local arrays of called routines that no kernel can hold: refused, where their bounds may be others."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """module m
contains
subroutine column(n, x)
integer, intent(inout) :: n
real(8), intent(inout) :: x(5)
real(8), allocatable :: w(:)
BODY
x(1) = x(1) + sum(w)
end subroutine column
subroutine again(w)
real(8), allocatable, intent(inout) :: w(:)
deallocate (w)
allocate (w(3))
w(:) = 1
end subroutine again
subroutine step(a, n)
integer, intent(in) :: n
real(8), intent(inout) :: a(5,n)
integer :: i, five
!@parallelRegion{private(five)}
do i = 1, n
five = 5
call column(five, a(:,i))
end do
end subroutine step
end module m
"""
TAKEN = "allocate (w(5))\nw(:) = x"
BODIES = {
    "under a condition": "if (x(1) > 1) allocate (w(2))\nif (x(1) <= 1) allocate (w(3))\nw(:) = 1",
    "in a branch": "if (x(1) > 1) then\nallocate (w(2))\nelse\nallocate (w(3))\nend if\nw(:) = 1",
    "in one branch": "if (x(1) > 1) then\nallocate (w(2))\nw(:) = 1\nend if",
    "in one line": "if (x(1) > 1) allocate (w(2))\nif (x(1) > 1) w(:) = 1",
    "freed in one line": "allocate (w(2))\nw(:) = 1\nif (x(1) > 1) deallocate (w)",
    "twice": "allocate (w(2))\nw(:) = 1\ndeallocate (w)\nallocate (w(3))\nw(:) = 1",
    "by an assignment": "allocate (w(2))\nw(:) = 1\nw = x",
    "by a routine": "allocate (w(2))\nw(:) = 1\ncall again(w)",
    "asked for": "allocate (w(2))\nw(:) = 1\nif (.not. allocated(w)) x(2) = 1",
    "bounds that change": "n = 3\nallocate (w(n))\nw(:) = 1",
    "bounds that functions give": "allocate (w(merge(2, 3, x(1) > 1)))\nw(:) = 1",
    "values from elsewhere": "allocate (w, source=x)",
}


def translated(body: str, backend: str) -> list[str]:
    done = translate_text({"m.f90": TEXT.replace("BODY", body)}, target="gpu", backend=backend)
    return [d.code for d in done.errors]


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_one_statement_allocates_them(backend: str) -> None:
    assert translated(TAKEN, backend) == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_others_are_refused(body: str) -> None:
    assert set(translated(body, "cuda-c")) == {"HF702"}
