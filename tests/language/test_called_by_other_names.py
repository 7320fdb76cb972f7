"""Regions that call procedures of plain files by generic names, operators and names that types bind."""

from __future__ import annotations

import pytest

from tests.support import translate_text

STORE = """module store
  implicit none
  integer :: count = 0
  type t
    real(8) :: v
  contains
    procedure :: bump => bump_it
    generic :: more => bump
  end type
  interface h
    module procedure one
  end interface
  interface operator(+)
    module procedure plus
  end interface
  interface assignment(=)
    module procedure put
  end interface
contains
  subroutine one(a)
    type(t), intent(inout) :: a
    {effect}
    a%v = 1
  end subroutine
  subroutine bump_it(x)
    class(t), intent(inout) :: x
    {effect}
    x%v = 2
  end subroutine
  function plus(a, b) result(c)
    type(t), intent(in) :: a, b
    type(t) :: c
    {effect}
    c%v = a%v + b%v
  end function
  subroutine put(a, b)
    type(t), intent(out) :: a
    real(8), intent(in) :: b
    {effect}
    a%v = b
  end subroutine
end module
"""
OUTSIDE = """subroutine outside(a)
  use store, only: t, count
  implicit none
  type(t), intent(inout) :: a
  {effect}
  a%v = 3
end subroutine
"""
CALLER = """subroutine work(n, x)
  use {used}
  implicit none
  interface k
    subroutine outside(a)
      import t
      type(t), intent(inout) :: a
    end subroutine
  end interface
  integer, intent(in) :: n
  type(t) :: x(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    {statement}
  end do
end subroutine
"""
WAYS = {
    "a generic name": ("call h(x(i))", "store"),
    "a generic name by another name": ("call g(x(i))", "store, g => h"),
    "through a module": ("call h(x(i))", "between"),
    "a generic name of an interface body": ("call k(x(i))", "store"),
    "a bound name": ("call x(i)%bump()", "store"),
    "a bound generic name": ("call x(i)%more()", "store"),
    "an operator": ("x(i) = x(i) + x(i)", "store"),
    "an assignment": ("x(i) = 2.d0", "store"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_they_write_is_seen(way: str) -> None:
    statement, used = WAYS[way]
    for effect, seen in (("count = count + 1", True), ("continue", False)):
        files = {
            "store.f90": STORE.format(effect=effect),
            "between.f90": "module between\n  use store\nend module\n",
            "outside.f90": OUTSIDE.format(effect=effect),
            "work.f90": CALLER.format(statement=statement, used=used),
        }
        done = translate_text(files)
        found = {d.code for d in done.diagnostics} & {"HF501", "HF504"}
        assert bool(found) == seen, done.diagnostics


@pytest.mark.parametrize("call", ["call h(x, 9)", "call o%run(x, 9)"])
def test_callers_of_regions_by_such_names_are_read(call: str) -> None:
    """One array for two dummies of a routine with a region is seen where the call is in a plain file (HF510)."""
    call = call.replace("(x, 9)", "(x, x, 9)")
    files = {
        "fields.f90": """module fields
  implicit none
  type t
  contains
    procedure, nopass :: run => first
  end type
  interface h
    module procedure first
  end interface
contains
  subroutine first(x, y, n)
    integer, intent(in) :: n
    real(8) :: x(n), y(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      x(i) = y(n+1-i)
    end do
  end subroutine
end module
""",
        "plain.f90": "subroutine plain(x)\n  use fields\n  implicit none\n  type(t) :: o\n  real(8) :: x(9)\n"
        f"  {call}\nend subroutine\n",
    }
    assert "HF510" in translate_text(files).codes("warning")
