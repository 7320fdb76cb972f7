"""Macros in regions: C does not know them, so kernels get what they mean."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """\
#define NZ 6
#define HALF 0.5d0
#define SUM2(a,b) (a + b)
#define LOOSE NZ + 1
module m
contains
  subroutine s(nx, nz, t)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nx, 9)
    integer :: k
    @parallelRegion{domName(x), domSize(nx)}
    do k = 1, NZ - nz
      t(x, k) = STATEMENT
    end do
    @end parallelRegion
  end subroutine s
end module m
"""


def kernel(value: str) -> str:
    """The kernel file."""
    result = translate_text({"m.h90": SOURCE.replace("STATEMENT", value)}, target="gpu").require()
    return result.files["m.cu"]


def test_macros_are_expanded_by_their_case() -> None:
    text = kernel("HALF * t(x, k)")
    assert "for (k = 1; k <= 6 - nz; ++k) {" in text
    assert "t(x, k) = 0.5e0 * t(x, k);" in text


def test_macros_with_arguments_are_expanded() -> None:
    assert "t(x, k) = 2e0 * (k + t(x, k));" in kernel("2d0 * SUM2(k, t(x, k))")


@pytest.mark.parametrize("value", ["2 * LOOSE", "t(x, LOOSE)"])
def test_a_macro_whose_parts_could_be_torn_apart_is_refused(value: str) -> None:
    result = translate_text({"m.h90": SOURCE.replace("STATEMENT", value)}, target="gpu")
    assert [(d.code, d.place.line) for d in result.errors] == [("HF702", 13)]
