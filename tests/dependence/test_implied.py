"""Implied loops in a region: their variables have nothing to do with what scalars of these names hold."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
contains
subroutine s(n, a, b)
integer, intent(in) :: n
real(8), intent(inout) :: a(n), b(n,n)
integer :: i, k
!@parallelRegion{{domName(i), domSize(n)}}
do i = 1, n
{statements}
end do
!@end parallelRegion
end subroutine s
real(8) function twice(x)
real(8), intent(in) :: x
twice = 2*x
end function twice
end module m
"""


@pytest.mark.parametrize(
    "statements",
    [
        "k = i\na(i) = sum([(a(k), k = 1, n)])",
        "k = i\na(i) = 1 + sum((/ (a(k), k = 1, n) /))",
        "k = i\na(i) = sum([(twice(a(k)), k = 1, n)])",
        "k = i\nb(i,:) = [(b(k,1), k = 1, n)]",
        "k = i\na(i) = sum([(a(k), k = n, 1, -1)])",
    ],
)
def test_points_that_read_what_others_set(statements: str) -> None:
    found = translate_text({"m.f90": SOURCE.format(statements=statements)}, backend="openmp").codes()
    assert {"HF500", "HF504"} & set(found), found


@pytest.mark.parametrize(
    "statements",
    [
        "a(i) = sum([(b(i,k), k = 1, n)])",
        "b(i,:) = [(b(i,k), k = 1, n)]",
        "a(i) = sum([(a(k), k = i, i)])",
        "a(i) = sum([((b(i,k), k = 1, i), i = i, i)])",
    ],
)
def test_points_that_read_their_own(statements: str) -> None:
    found = translate_text({"m.f90": SOURCE.format(statements=statements)}, backend="openmp").codes()
    assert not {"HF500", "HF504"} & set(found), found
