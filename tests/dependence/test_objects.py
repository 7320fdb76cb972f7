"""Objects that are read as a whole: each point has its own where it has set all components before."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
type inner
  real(8) :: p, q(2)
end type
type pt
  real(8) :: x
  type(inner) :: in
end type
contains
subroutine s(n, a, list)
integer, intent(in) :: n
real(8), intent(inout) :: a(n)
type(pt), intent(inout) :: list(n)
type(pt) :: c, d
integer :: i
!@parallelRegion{{domName(i), domSize(n)}}
do i = 1, n
{statements}
end do
!@end parallelRegion
end subroutine s
end module m
"""
ALL = "c%x = i\nc%in%p = 2\nc%in%q = 3\n"


def codes(statements: str) -> list[str]:
    return translate_text({"m.f90": SOURCE.format(statements=statements)}, backend="openmp").codes("error")


@pytest.mark.parametrize(
    "statements",
    [
        ALL + "d = c\na(i) = d%in%q(1)",
        "c%x = i\nc%in%p = 2\nc%in%q(2) = 3\nc%in%q(1) = 1\nd = c\na(i) = d%x",
        "c%x = i\nc%in = inner(1d0, [2d0, 3d0])\nlist(i) = c",
        ALL + "list(i) = c\nlist(i)%x = list(i)%x + 1",
    ],
)
def test_objects_that_are_complete(statements: str) -> None:
    assert not codes(statements)


@pytest.mark.parametrize(
    "statements",
    [
        "c%x = i\nc%in%p = 2\nd = c\na(i) = d%x",
        "c%x = i\nc%in%p = 2\nc%in%q(2) = 3\nd = c\na(i) = d%x",
        ALL.replace("c%x", "if (i > 2) c%x") + "d = c\na(i) = d%x",
        "c = list(n-i+1)\nlist(i)%x = c%x",
        "list(i)%in%q(1) = i\nc = list(1)\na(i) = c%x",
    ],
)
def test_objects_that_lack_a_component_or_are_set_by_others(statements: str) -> None:
    assert "HF504" in codes(statements)
