"""What statement functions read belongs to the statements that name them, in regions and in routines called there."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """
module statement_functions
  implicit none
  real(8) :: field(10)
contains
  real(8) function near(i)
    integer, intent(in) :: i
    real(8) :: element, further
    integer :: k
    element(k) = field(k)
    further(k) = 2*element(k)
    near = further(i-1)
  end function near
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i, k
    real(8) :: element, scaled, x, y
    element(k) = field(k)
    scaled(y) = x*y
    x = 3
    !@parallelRegion{{domName(i), domSize(n)}}
    do i = 1, n
      {body}
    end do
    !@end parallelRegion
    a = a + x
  end subroutine work
end module statement_functions
"""
TOLD = {
    "an array, in the region": ("field(i) = a(i)\n a(i) = element(max(1, i-1))", "HF500", "element"),
    "an array, in a called function": ("field(i) = a(i)\n a(i) = near(i)", "HF500", "further"),
    "a scalar that only some points set": ("if (i > 2) x = a(i)\n a(i) = scaled(2d0)", "HF500", "x"),
}


@pytest.mark.parametrize("what", TOLD)
def test_told(what: str) -> None:
    """Without a word such regions gave other numbers with several threads."""
    body, code, named = TOLD[what]
    done = translate_text({"m.f90": PROGRAM.format(body=body)})
    assert any(d.code == code and f"'{named}'" in d.message for d in done.diagnostics), done.diagnostics


def test_what_no_point_sets_is_read() -> None:
    done = translate_text({"m.f90": PROGRAM.format(body="a(i) = scaled(element(i)) + near(i)")})
    assert not done.diagnostics
