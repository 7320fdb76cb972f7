"""Arguments that regions leave a value in: it counts where the routine ends with it."""

from __future__ import annotations

import pytest

from tests.support import translate_text

DUMMY = """subroutine s(n, a, b, k)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: a(n), b(n), k
  integer :: i, t
  do t = 1, 2
    !@parallelRegion
    do i = 1, n
      k = a(i)
      b(i) = k
    end do
    BEHIND
  end do
end subroutine s
"""


@pytest.mark.parametrize(
    ("behind", "given_back"),
    [
        ("k = 3", False),
        ("b(1) = k; k = 3", True),
        ("if (b(1) > 2) k = 3", True),
        ("if (b(1) > 2) return; k = 3", True),
        ("if (b(1) > 2) exit; k = 3", True),
        ("if (b(1) > 2) cycle; k = 3", True),
    ],
)
def test_an_argument_that_is_set_again_has_no_last_value(behind: str, given_back: bool) -> None:
    """What a region leaves in an argument counts only as far as nothing sets it before the routine ends."""
    text = translate_text({"s.f90": DUMMY.replace("BEHIND", behind)}, backend="openmp").require().text
    assert ("lastprivate(k)" in text) == given_back
