"""Variables that a call in a region gives to two arguments, one of which the routine sets (Fortran 2018, 15.5.2.13)."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module twice
  implicit none
  type t
    real :: u, v
  end type t
contains
  subroutine halves(v, low, high)
    real, intent(in) :: v
    real, intent(out) :: low, high
    low = 0.5*v
    high = v - low
  end subroutine halves
  subroutine state(x, y)
    type(t), intent(inout) :: x
    real, intent(in) :: y
    x%u = x%u + y
  end subroutine state
  subroutine row(x, y)
    real, intent(inout) :: x(:)
    real, intent(in) :: y
    x = x + y
  end subroutine row
  subroutine rows(x, y)
    real, intent(inout) :: x(:)
    real, intent(in) :: y(:)
    x(1) = x(1) + y(1)
  end subroutine rows
  subroutine reads(x, y)
    real, intent(in) :: x, y
    if (x > y) return
  end subroutine reads
  subroutine targets(x, y)
    real, intent(inout), target :: x, y
    x = y
  end subroutine targets
  real function moved(x, y)
    real, intent(inout) :: x
    real, intent(in) :: y
    x = x + y
    moved = x
  end function moved
  subroutine below(x, y)
    real, intent(inout) :: x, y
    CALL_BELOW
  end subroutine below
  subroutine step(a, b, c, s, j)
    real, intent(inout) :: a(9), b(9), c(4,10)
    integer, intent(in) :: j
    type(t), intent(inout) :: s(9)
    @parallelRegion{domName(i), domSize(9), explicit}
    CALL
    call below(a(i), b(i))
    @end parallelRegion
  end subroutine step
end module twice
"""
SAME = {
    "element": "call halves(a(i), a(i), b(i))",
    "spelling": "call halves(A( i ), high=b(i), low=a(i))",
    "part": "call state(s(i), s(i)%v)",
    "whole": "call halves(s(i)%u, s(i)%u, s(i)%v)",
    "function": "b(i) = moved(a(i), a(i))",
    "element of a section": "call row(c(1:3,i), c(j,i))",
    "sections": "call rows(c(:2,i), c(2:,i))",
    "beside a step": "call rows(c(1:3:2,i), c(2:,i))",
}
APART = {
    "value": "call halves((a(i)), a(i), b(i))",
    "read": "call reads(a(i), a(i))",
    "components": "call halves(s(i)%u, a(i), s(i)%v)",
    "targets": "call targets(a(i), a(i))",
    "expression": "call halves(a(i)+0.0, a(i), b(i))",
    "after a section": "call row(c(1:j,i), c(j+1,i))",
    "before a section": "call row(c(2:,i), c(1,i))",
    "side by side": "call rows(c(:2,i), c(3:,i))",
    "columns": "call rows(c(:,i), c(:,i+1))",
    "indices": "call halves(c(1,i), c(j,i), b(i))",
}


def codes(call: str, below: str = "x = y") -> list[str]:
    """The codes of the warnings about the program with a call in its region, or in a routine that is called there."""
    text = PROGRAM.replace("CALL_BELOW", below).replace("CALL", call)
    return translate_text({"twice.h90": text}).codes("warning")


@pytest.mark.parametrize("call", SAME.values(), ids=SAME)
def test_one_variable_for_two_arguments_is_told(call: str) -> None:
    assert codes(call).count("HF510") == 1


@pytest.mark.parametrize("call", APART.values(), ids=APART)
def test_others_are_not(call: str) -> None:
    assert "HF510" not in codes(call)


def test_routines_that_are_called_in_a_region_are_looked_at() -> None:
    assert codes("a(i) = 1.0", "call halves(x, x, y)").count("HF510") == 1


def test_host_code_is_not() -> None:
    text = PROGRAM.replace("CALL_BELOW", "x = y").replace("CALL", "a(i) = 1.0")
    text = text.replace("    @parallelRegion", "    call halves(a(1), a(1), b(1))\n    @parallelRegion")
    assert "HF510" not in translate_text({"twice.h90": text}).codes("warning")


def test_what_is_told_names_both_arguments() -> None:
    text = PROGRAM.replace("CALL_BELOW", "x = y").replace("CALL", SAME["element"])
    (reported,) = (d for d in translate_text({"twice.h90": text}).diagnostics if d.code == "HF510")
    assert reported.message == "'a' is given to 'v' and 'low' of 'halves', which sets 'low'"
    assert reported.hint is not None and "(a(i))" in reported.hint
