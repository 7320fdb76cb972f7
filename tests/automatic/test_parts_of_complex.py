"""Pointers to the parts of complex numbers (``p => z%im``) lead to the memory of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """module m
  implicit none
  type field
    complex(8) :: c(90000)
    real(8) :: re(90000), im(90000)
  end type field
  complex(8), target :: z(90000), w(90000)
  type(field), target :: f, g(3)
contains
  subroutine s()
    real(8), pointer :: p(:)
    integer :: i
    {0}
    do i = 2, 90000
      {1}
    end do
    {2}
  end subroutine s
end module m
"""
MEETING = {
    "a variable": ("p => z%im", "p(i) = z(i-1)%im + 1", ""),
    "set behind": ("p => z%im", "z(i)%im = p(i-1) + 1", ""),
    "a section": ("p => z(2:)%re", "z(i) = p(i-1)*z(i)", ""),
    "a component": ("p => f%c%re", "p(i) = f%c(i-1)%re + 1", ""),
    "of an element": ("p => g(2)%c%re", "p(i) = g(2)%c(i-1)%re + 1", ""),
    "an associate name": ("associate (a => z)\np => a%im", "p(i) = z(i-1)%im + 1", "end associate"),
    "its own name": ("associate (a => z%im)\np => a", "p(i) = z(i-1)%im + 1", "end associate"),
    "a name of a component": ("associate (a => f%c)\np => a%im", "p(i) = f%c(i-1)%im + 1", "end associate"),
    "a component that is called so": ("p => f%re", "p(i) = f%re(i-1) + 1", ""),
}
APART = {
    "another variable": ("p => z%im", "p(i) = w(i-1)%im + 1", ""),
    "a component beside it": ("p => f%re", "p(i) = f%im(i-1) + 1", ""),
}


@pytest.mark.parametrize("case", [*MEETING, *APART])
def test_a_pointer_to_a_part(case: str, tmp_path: Path) -> None:
    """Loops were taken for parallel ones, with wrong numbers."""
    (path,) = write_files({"m.f90": TEXT.format(*(MEETING | APART)[case])}, tmp_path)
    (verdict,) = found_regions([path], Options()).verdicts
    assert verdict.region == (case in APART), verdict
