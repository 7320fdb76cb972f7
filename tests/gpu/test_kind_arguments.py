"""Constant arrays in the kinds of intrinsic functions: with OpenACC kernels have variables in place of such arrays."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """subroutine s(n, a, j)
  integer, intent(in) :: n, j
  real(8), intent(inout) :: a(n)
  integer, parameter :: kinds(3) = [4, 8, 2]
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = a(i) + VALUE
  end do
end subroutine s
"""


@pytest.mark.parametrize(
    "value", ["real(i, kinds(2))", "real(i, kind=kinds(1))", "nint(a(i), kinds(1))", "abs(int(a(i), kinds(1)))"]
)
def test_they_are_refused(value: str) -> None:
    made = translate_text({"s.f90": TEXT.replace("VALUE", value)}, target="gpu", backend="openacc")
    assert made.codes() == ["HF702"]
    assert "in a kind" in made.errors[0].message


@pytest.mark.parametrize("value", ["kinds(j)", "real(kinds(2), 8)", "max(i, kinds(1))", "real(kinds(2))"])
def test_elsewhere_they_are_not(value: str) -> None:
    translate_text({"s.f90": TEXT.replace("VALUE", value)}, target="gpu", backend="openacc").require()
