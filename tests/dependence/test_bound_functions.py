"""Functions that are called through an object (``o%total(n)``) read what they like of it, and may change it."""

from __future__ import annotations

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
{loops}
  end subroutine
end module
"""


LOOP = """    do i = 3, 50000
      {}
    end do"""
DEPENDENT = (
    "c(i) = o%total(); o%w(i) = i",
    "o%w(i) = i + o%total()",
    "c(i) = o%bump(i)",
    "c(i) = h%at%total(); h%at%w(i) = i",
    "call h%at%put(i); c(i) = h%at%w(i+1)",
    "c(i) = os(i+1)%total(); os(i)%w(5) = i",
    "if (os(i+1)%total() > 3) os(i)%w(5) = i",
    "c(1) = o%f(i)",
    "call h%at%put(2); if (h%at%w(2) > 3) c(1) = i",
    "os(1) = i",
    "h%at = i",
)
INDEPENDENT = ("os(i) = i", "c(i) = os(i)%total(); os(i)%w(5) = i", "c(i) = o%total()")


def test_with_auto() -> None:
    text = PROGRAM.replace("{loops}", "\n".join(map(LOOP.format, DEPENDENT + INDEPENDENT)))
    made = translate_text({"m.f90": text}, backend="openmp", auto=True).require().text.split("\n")
    directives = [n for n, row in enumerate(made) if "!@parallelRegion{" in row]
    found = [next(row.strip() for row in made[n:] if row.startswith("      ")) for n in directives]
    assert found == list(INDEPENDENT)


def test_by_hand() -> None:
    text = PROGRAM.replace("{loops}", "\n".join(map(LOOP.format, DEPENDENT)))
    text = text.replace("    do i", "    !@parallelRegion\n    do i")
    rows = text.split("\n")
    said = translate_text({"m.f90": text}, backend="openmp").diagnostics
    reported = {rows[d.place.line - 1].strip() for d in said if d.code in ("HF500", "HF504")}
    assert [body for body in DEPENDENT if body not in reported] == []
