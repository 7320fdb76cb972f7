"""Functions that are called through an object (``o%total(n)``) read what they like of it, and may change it."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  type cell
    integer :: w(60000)
    procedure(form), pointer, nopass :: f => null()
  contains
    procedure :: put
    procedure :: bump
    procedure :: total
  end type
  type holder
    type(cell) :: at
  end type
  interface assignment(=)
    procedure from
  end interface
  abstract interface
    integer function form(x)
      integer, intent(in) :: x
    end function
  end interface
  type(cell) :: o, os(60000)
  type(holder) :: h
  integer :: c(60000)
contains
  integer function bump(self, at)
    class(cell), intent(inout) :: self
    integer, intent(in) :: at
    bump = self%w(3)
    self%w(3) = at
  end function
  integer function total(self)
    class(cell), intent(in) :: self
    total = sum(self%w)
  end function
  elemental subroutine from(a, b)
    type(cell), intent(inout) :: a
    integer, intent(in) :: b
    a%w(3) = b
  end subroutine
  subroutine put(self, at)
    class(cell), intent(inout) :: self
    integer, intent(in) :: at
    self%w(at) = 1
  end subroutine
  subroutine run
    integer :: i
    do i = 3, 50000
      {body}
    end do
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("body", "regions"),
    [
        ("c(i) = o%total(); o%w(i) = i", 0),
        ("o%w(i) = i + o%total()", 0),
        ("c(i) = o%bump(i)", 0),
        ("c(i) = h%at%total(); h%at%w(i) = i", 0),
        ("call h%at%put(i); c(i) = h%at%w(i+1)", 0),
        ("c(i) = os(i+1)%total(); os(i)%w(5) = i", 0),
        ("if (os(i+1)%total() > 3) os(i)%w(5) = i", 0),
        ("c(1) = o%f(i)", 0),
        ("call h%at%put(2); if (h%at%w(2) > 3) c(1) = i", 0),
        ("os(1) = i", 0),
        ("h%at = i", 0),
        ("os(i) = i", 1),
        ("c(i) = os(i)%total(); os(i)%w(5) = i", 1),
        ("c(i) = o%total()", 1),
    ],
)
def test_with_auto(body: str, regions: int) -> None:
    made = translate_text({"m.f90": PROGRAM.replace("{body}", body)}, backend="openmp", auto=True).require()
    assert made.text.count("!@parallelRegion") == regions
    if not regions:
        text = PROGRAM.replace("{body}", body).replace("    do i", "    !@parallelRegion\n    do i")
        assert {d.code for d in translate_text({"m.f90": text}, backend="openmp").diagnostics} & {"HF500", "HF504"}
