"""Pointers to components of objects (``p => f%h``), beside the objects themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """module m
  implicit none
  type inner
    real(8) :: h(90000) = 0
  end type inner
  type field
    real(8) :: h(90000) = 0, u(90000) = 0
    real(8), allocatable :: a(:)
    real(8), pointer :: q(:) => null()
    type(inner) :: deep
  end type field
  type cell
    real(8) :: x = 0, y = 0
  end type cell
  type(field), target, save :: f, g(3)
  type(cell), target, save :: v(90000)
  real(8), pointer :: shared(:)
contains
  subroutine set(i)
    integer, intent(in) :: i
    f%h(i) = i
  end subroutine set
  subroutine set_in(o, i)
    type(field), intent(inout) :: o
    integer, intent(in) :: i
    o%h(i) = i
  end subroutine set_in
  subroutine set_deep(o, i)
    type(inner), intent(inout) :: o
    integer, intent(in) :: i
    o%h(i) = i
  end subroutine set_deep
  real(8) function got(i)
    integer, intent(in) :: i
    got = shared(i)
  end function got
  subroutine s(d)
    type(field), target, intent(inout) :: d
    type(field), target :: l
    type(field), pointer :: o
    type(inner), pointer :: k, m2
    real(8), pointer :: p(:)
    real(8) :: x(90000)
    integer :: i
    {0}
    do i = 2, 90000
      {1}
    end do
    {2}
    print *, x(9), l%h(9)
  end subroutine s
end module m
"""
MEETING = {
    "of a module": ("p => f%h", "p(i) = f%h(i-1) + 1", ""),
    "set by its name": ("p => f%h", "f%h(i) = p(i-1) + 1", ""),
    "a section": ("p => f%h(2:)", "f%h(i) = p(i) + 1", ""),
    "a local one": ("p => l%h", "p(i) = l%h(i-1) + 1", ""),
    "a dummy": ("p => d%h", "p(i) = d%h(i-1) + 1", ""),
    "allocatable": ("p => f%a", "p(i) = f%a(i-1) + 1", ""),
    "deep inside": ("p => f%deep%h", "p(i) = f%deep%h(i-1) + 1", ""),
    "of an element": ("p => g(2)%h", "p(i) = g(2)%h(i-1) + 1", ""),
    "of all elements": ("p => v%x", "p(i) = v(i-1)%x + 1", ""),
    "of all elements, as a whole": ("p => v%x", "x(i) = p(i-1)\nv(i) = cell(1, 2)", ""),
    "by way of a pointer": ("o => f\np => f%h", "p(i) = o%h(i-1) + 1", ""),
    "two pointers to an object in it": ("k => f%deep\nm2 => f%deep", "k%h(i) = m2%h(i-1) + 1", ""),
    "a pointer to an object in it": ("k => f%deep", "k%h(i) = f%deep%h(i-1) + 1", ""),
    "and by way of another": ("k => f%deep\no => f", "o%deep%h(i) = k%h(i-1) + 1", ""),
    "a name of the object": ("p => f%h\nassociate (a => f)", "p(i) = a%h(i-1) + 1", "end associate"),
    "inside a name": ("p => f%deep%h\nassociate (a => f)", "call set_deep(a%deep, i)\nx(i) = p(i-1)", "end associate"),
    "a name of the component": ("p => f%h\nassociate (a => f%h)", "p(i) = a(i-1) + 1", "end associate"),
    "a pointer in an object": ("f%q => f%h", "f%q(i) = f%h(i-1) + 1", ""),
    "a called routine sets it": ("p => f%h", "call set(i)\nx(i) = p(i-1)", ""),
    "a called routine gets the object": ("p => f%h", "call set_in(f, i)\nx(i) = p(i-1)", ""),
    "a called routine has the pointer": ("shared => f%h", "f%h(i) = got(i-1)", ""),
}
APART = {
    "another component": ("p => f%h", "p(i) = f%u(i-1) + 1", ""),
    "of another type": ("p => f%h", "p(i) = v(i-1)%x + 1", ""),
    "the same elements, read": ("p => f%h", "x(i) = p(i) + f%h(i-1)", ""),
    "two objects": ("p => v%y", "g(1)%h(i) = g(2)%h(i-1) + p(i)", ""),
}


@pytest.mark.parametrize("case", [*MEETING, *APART])
def test_a_pointer_to_a_component(case: str, tmp_path: Path) -> None:
    """Loops were taken for parallel ones, with wrong numbers."""
    (path,) = write_files({"m.f90": TEXT.format(*(MEETING | APART)[case])}, tmp_path)
    verdict = found_regions([path], Options()).verdicts[-1]
    assert verdict.region == (case in APART), verdict.why
