"""A local variable may have the name of an external procedure elsewhere in the program (Fortran 2018, 19.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions, translate
from tests.support import write_files

WORK = """subroutine work(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  real(8) :: flux
  do i = 1, n
    flux = 2*a(i)
    b(i) = flux + flux**2
  end do
  flux = 0
  do i = 1, n
    flux = flux + a(i)
    b(i) = flux
  end do
end subroutine
"""
IMPLICIT = WORK.replace("  real(8) :: flux\n", "").replace("implicit none", "implicit real(8) (f)")
INSIDE = WORK.replace("  do i", "  call inner()\ncontains\n  subroutine inner()\n  do i", 1)
INSIDE = INSIDE.replace("end subroutine\n", "  end subroutine\nend subroutine\n")
ELSEWHERE = {
    "subroutine": "subroutine flux(x)\n  real(8) :: x\n  x = 1\nend subroutine\n",
    "function": "real(8) function flux(x)\n  real(8) :: x\n  flux = x\nend function\n",
}
CALLED = """subroutine work(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  real(8) :: flux
  do i = 1, n
    b(i) = flux(a(i))
  end do
end subroutine
"""


@pytest.mark.parametrize("text", [WORK, IMPLICIT, INSIDE], ids=["declared", "implicit", "inside"])
@pytest.mark.parametrize("kind", ELSEWHERE)
def test_it_is_a_variable(kind: str, text: str, tmp_path: Path) -> None:
    paths = write_files({"work.f90": text, "flux.f90": ELSEWHERE[kind]}, tmp_path)
    text = text.replace("    b(i) = flux +", "    if (i > 3) flux = flux + 1\n    b(i) = flux +")
    first, second = found_regions(paths, Options()).verdicts
    assert (first.region, second.region) == (True, False)
    assert "flux" in second.why
    made = next(f.text for f in translate(paths, Options(auto=True)).files if f.name.startswith("work"))
    assert re.search(r"private\([^)]*flux", made), made


def test_a_value_that_is_passed_on_alone_is_a_variable(tmp_path: Path) -> None:
    """A procedure would be called external."""
    text = CALLED.replace("    b(i) = flux(a(i))", "    call get(a(i), flux)\n    b(i) = abs(flux)")
    get = "subroutine get(x, y)\n  real(8) :: x, y\n  y = x\nend subroutine\n"
    paths = write_files({"work.f90": text, "get.f90": get, "flux.f90": ELSEWHERE["function"]}, tmp_path)
    (verdict,) = found_regions(paths, Options()).verdicts
    assert verdict.region, verdict.why
    made = next(f.text for f in translate(paths, Options(auto=True)).files if f.name.startswith("work"))
    assert re.search(r"private\([^)]*flux", made), made


def test_what_is_called_is_a_function(tmp_path: Path) -> None:
    paths = write_files({"work.f90": CALLED, "flux.f90": ELSEWHERE["function"]}, tmp_path)
    (verdict,) = found_regions(paths, Options()).verdicts
    assert verdict.region, verdict.why
    made = next(f.text for f in translate(paths, Options(auto=True)).files if f.name.startswith("work"))
    assert "private(i)" in made
