"""Updates of reduction variables that threads could not join: they are refused with HF503, by whatever name."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """subroutine s(n, x, y, top, m)
  implicit none
  integer, intent(in) :: n, x(n)
  real(8), intent(in) :: y(n)
  real(8), intent(inout) :: top
  integer, intent(inout) :: m
  integer :: i
  !@parallelRegion{{domName(i), domSize(n), explicit, reduction({reduction})}}
  do i = 1, n
    {text}
  end do
  !@end parallelRegion
end subroutine s
"""

REFUSED = {
    "a value with the variable": ("min:top", "if (y(i) - top < top) top = y(i) - top"),
    "in a block": ("max:top", "if (y(i) + top > top) then\n top = y(i) + top\n end if"),
    "another comparison": ("max:top", "if (y(i) > top .and. top < 3) top = y(i)"),
    "one of two": (
        "max:top",
        "if (y(i) > top) then\n top = y(i)\n else if (2*y(i) > top) then\n top = 2*y(i)\n end if",
    ),
    "else more": ("max:top", "if (y(i) > top) then\n top = y(i)\n else\n top = max(top, 2*y(i))\n end if"),
    "merge with the variable": ("max:top", "top = merge(y(i) - top, top, y(i) - top > top)"),
    "merge with another comparison": ("max:top", "top = merge(y(i), top, y(i) > top .and. top < 3)"),
    "an integer that cuts off": ("+:m", "m = m + y(i)"),
    "an integer that cuts off a literal": ("+:m", "m = m + 0.7"),
    "an integer that is divided": ("*:m", "m = m / x(i)"),
}
ACCEPTED = {
    "a comparison": ("min:top", "if (y(i) < top) top = y(i)"),
    "the other way": ("min:top", "if (top > y(i)) top = y(i)"),
    "in a block": ("max:top", "if (y(i) > top) then\n top = y(i)\n end if"),
    "an empty side": ("max:top", "if (y(i) <= top) then\n else\n top = y(i)\n end if"),
    "after another condition": (
        "max:top",
        "if (x(i) > 1) then\n top = max(top, y(i))\n else if (y(i) > top) then\n top = y(i)\n end if",
    ),
    "beside what is not the variable": ("max:top", "if (y(i) > top .and. x(i) > 3) top = y(i)"),
    "merge": ("max:top", "top = merge(y(i), top, y(i) > top)"),
    "an integer": ("+:m", "m = m + x(i)/2"),
    "a rounded value": ("+:m", "m = m + nint(y(i))"),
    "a real that is divided": ("*:top", "top = top / y(i)"),
}


def _codes(reduction: str, text: str) -> list[str]:
    return translate_text({"s.f90": SOURCE.format(reduction=reduction, text=text)}, backend="openmp").codes()


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert _codes(*REFUSED[name]) == ["HF503"]


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    assert _codes(*ACCEPTED[name]) == []
