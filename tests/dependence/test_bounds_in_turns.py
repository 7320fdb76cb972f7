"""Bounds, lengths and targets that one point changes are values that others may see, in called routines, too."""

from __future__ import annotations

from math import sin
from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

MODULE = """
module m
  implicit none
  type part
    integer :: u
    real(8), allocatable :: x(:)
  end type
  type whole
    type(part) :: inner
  end type
  real(8), target :: x(9)
  real(8), allocatable :: gx(:), hx(:)
  character(:), allocatable :: word
  type(part) :: obj, other
  type(whole) :: big
  real(8), pointer :: p(:), s
  type(part), target :: one, two
  type(part), pointer :: which
contains
  subroutine work(n, c)
    integer, intent(in) :: n
    integer, intent(inout) :: c(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    %s
    @end parallelRegion
  end subroutine
  integer function asked()
    asked = size(gx)
  end function
  integer function asked_for(a)
    real(8), allocatable, intent(in) :: a(:)
    asked_for = size(a)
  end function
  integer function asked_again(a)
    real(8), allocatable, intent(in) :: a(:)
    asked_again = asked_for(a)
  end function
  integer function is_there()
    is_there = merge(1, 0, allocated(gx))
  end function
  integer function length()
    length = len(word)
  end function
  integer function inside()
    inside = size(big%%inner%%x)
  end function
  integer function first()
    first = lbound(p, 1)
  end function
  integer function unit_of()
    unit_of = which%%u
  end function
  subroutine grow()
    gx = [1d0, 2d0]
  end subroutine
  subroutine grown(a)
    real(8), allocatable :: a(:)
    a = [1d0, 2d0]
  end subroutine
  subroutine passing(a)
    real(8), allocatable :: a(:)
    call grown(a)
  end subroutine
  subroutine passing_on()
    call passing(gx)
  end subroutine
  subroutine newly()
    if (allocated(gx)) deallocate(gx)
    allocate(gx(2))
  end subroutine
  subroutine moving()
    call move_alloc(hx, gx)
  end subroutine
  subroutine wording()
    word = "abc"
  end subroutine
  subroutine copying()
    big%%inner = other
  end subroutine
  subroutine pointing(i)
    integer, intent(in) :: i
    p(i:) => x(i:)
  end subroutine
  subroutine pointed(q, i)
    real(8), pointer :: q(:)
    integer, intent(in) :: i
    q(i:) => x(i:)
  end subroutine
  subroutine pointed_below(i)
    integer, intent(in) :: i
    call pointed(p, i)
  end subroutine
  subroutine to_one(q)
    real(8), pointer :: q
    q => x(3)
  end subroutine
  subroutine choose(i)
    integer, intent(in) :: i
    if (i > 3) then
      which => one
    else
      which => two
    end if
  end subroutine
end module
"""

WRONG = {
    "assignment": ("if (i == 9) gx = [1d0, 2d0]", "c(i) = asked()"),
    "assignment, passed": ("if (i == 9) gx = [1d0, 2d0]", "c(i) = asked_for(gx)"),
    "assignment, passed twice": ("if (i == 9) gx = [1d0, 2d0]", "c(i) = asked_again(gx)"),
    "assignment below": ("if (i == 9) call grow()", "c(i) = size(gx)"),
    "assignment below, asked below": ("if (i == 9) call grow()", "c(i) = asked()"),
    "passed": ("if (i == 9) call grown(gx)", "c(i) = asked()"),
    "passed on": ("if (i == 9) call passing(gx)", "c(i) = asked()"),
    "passed below": ("if (i == 9) call passing_on()", "c(i) = asked()"),
    "allocation below": ("if (i == 9) call newly()", "c(i) = asked()"),
    "whether allocated": ("if (i == 9) call newly()", "c(i) = is_there()"),
    "move_alloc": ("if (i == 9) call move_alloc(hx, gx)", "c(i) = asked()"),
    "move_alloc below": ("if (i == 9) call moving()", "c(i) = size(hx)"),
    "length": ('if (i == 9) word = "abc"', "c(i) = length()"),
    "length below": ("if (i == 9) call wording()", "c(i) = len(word)"),
    "copy": ("if (i == 9) obj = other", "c(i) = size(obj%x)"),
    "copy of a part": ("if (i == 9) big%inner = other", "c(i) = inside()"),
    "copy below": ("if (i == 9) call copying()", "c(i) = size(big%inner%x)"),
    "pointer below": ("if (i == 9) call pointing(i)", "c(i) = lbound(p, 1)"),
    "pointer below, used": ("call pointing(i)", "c(i) = int(p(i))"),
    "pointer below, asked below": ("call pointing(i)", "c(i) = first()"),
    "pointer passed": ("call pointed(p, i)", "c(i) = lbound(p, 1)"),
    "pointer passed below": ("call pointed_below(i)", "c(i) = int(p(i))"),
    "pointer to a scalar": ("call to_one(s)", "c(i) = int(s)"),
    "pointer to an object": ("call choose(i)", "c(i) = which%u"),
    "pointer to an object, below": ("call choose(i)", "c(i) = unit_of()"),
}


@pytest.mark.parametrize("name", WRONG)
def test_points_that_see_what_others_change(name: str) -> None:
    made = translate_text({"m.h90": MODULE % "\n    ".join(WRONG[name])})
    assert {d.code for d in made.diagnostics} & {"HF500", "HF501", "HF504"}


RIGHT = {
    "nothing changes": ("", "c(i) = asked() + asked_for(gx) + size(gx) + first() + length()"),
    "elements change": ("gx(i) = i", "c(i) = asked() + asked_for(gx)"),
    "all elements change before": ("", "c(i) = asked(); x(i) = c(i)"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_sizes_that_nobody_changes(name: str) -> None:
    made = translate_text({"m.h90": MODULE % "\n    ".join(RIGHT[name])})
    assert not made.diagnostics


OWN = """
module m
  implicit none
  real(8), target :: x(40)
  type part
    real(8) :: u
    real(8), pointer :: w(:)
  end type
  type(part), target :: parts(2)
contains
  subroutine arrays(n, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    integer :: i
    real(8), pointer :: q(:)
    @parallelRegion{domName(i), domSize(n)}
    call give(q, i)
    c(i) = c(i) + q(1) + lbound(q, 1) + size(q)
    @end parallelRegion
  end subroutine
  subroutine scalars(n, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    integer :: i
    real(8), pointer :: q
    @parallelRegion{domName(i), domSize(n)}
    call to_one(q, i)
    c(i) = c(i) + q
    @end parallelRegion
  end subroutine
  subroutine objects(n, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    integer :: i
    type(part), pointer :: q
    type(part) :: mine
    @parallelRegion{domName(i), domSize(n)}
    call choose(q, i)
    call inside(mine, i)
    c(i) = c(i) + q%u + mine%w(2)
    @end parallelRegion
  end subroutine
  subroutine give(q, i)
    real(8), pointer :: q(:)
    integer, intent(in) :: i
    q => x(i:i + 7)
  end subroutine
  subroutine to_one(q, i)
    real(8), pointer :: q
    integer, intent(in) :: i
    q => x(i)
  end subroutine
  subroutine choose(q, i)
    type(part), pointer :: q
    integer, intent(in) :: i
    if (mod(i, 2) == 0) then
      q => parts(1)
    else
      q => parts(2)
    end if
  end subroutine
  subroutine inside(o, i)
    type(part), intent(inout) :: o
    integer, intent(in) :: i
    o%w => x(i:)
  end subroutine
end module
"""
MAIN = """
program main
  use m
  implicit none
  real(8) :: c(32)
  integer :: t
  x = [(sin(real(t, 8)), t = 1, 40)]
  parts(1)%u = 3
  parts(2)%u = 5
  c = 0
  do t = 1, 50
    call arrays(32, c)
    call scalars(32, c)
    call objects(32, c)
  end do
  write (*, '(es23.15)') c
end program
"""


def test_pointers_that_each_point_gets_first_are_its_own(tmp_path: Path) -> None:
    made = translate_text({"m.h90": OWN}, backend="openmp")
    assert not made.diagnostics
    assert made.text.count("private(i, q)") == 2 and "private(i, mine, q)" in made.text
    expected = [50 * (2 * sin(i) + 1 + 8 + (3 if i % 2 == 0 else 5) + sin(i + 1)) for i in range(1, 33)]
    built = compile_files({**made.files, "main.f90": MAIN}, tmp_path, openmp=True)
    assert [float(v) for v in output(built, threads=4).split()] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("call", ["if (i == 3) call give(q, i)", "if (i == 1) goto 10\n call give(q, i)\n10 continue"])
def test_pointers_that_some_points_do_not_get(call: str) -> None:
    made = translate_text({"m.h90": OWN.replace("call give(q, i)", call)})
    assert [d.code for d in made.diagnostics] == ["HF504"]
