"""Points that write one value to an element, or seem to: it counts where an array is put, not only which, and that each
call of a routine has local variables of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  type pair
    real(8) :: s, t
  end type
  real(8) :: w(100), x(5), w2(30,30)
  character(8) :: t(40)
  integer :: ia(40)
contains
  subroutine run
    integer :: i
{regions}
  end subroutine
  subroutine fill(c)
    real(8), intent(inout) :: c(5)
    c(:) = x(1:5)
  end subroutine
  subroutine local_sum(c)
    real(8), intent(in) :: c(5)
    real(8) :: own(5)
    own = 2*c
    w(1) = sum(own)
  end subroutine
  subroutine local_branch(c)
    real(8), intent(in) :: c(5)
    real(8) :: own(5)
    call twice(c, own)
    if (all(own > 3)) then
      w(1) = 1
    else
      w(1) = 2
    end if
  end subroutine
  subroutine twice(c, d)
    real(8), intent(in) :: c(5)
    real(8), intent(out) :: d(5)
    d = 2*c
  end subroutine
  subroutine local_object(c)
    real(8), intent(in) :: c(5)
    type(pair) :: own
    own%s = c(1)
    w(1) = own%s
  end subroutine
  subroutine local_size(n)
    integer, intent(in) :: n
    real(8), allocatable :: own(:)
    own = x(1:n)
    w(1) = size(own)
  end subroutine
  subroutine perhaps(k, c)
    integer, intent(in) :: k
    real(8), optional, intent(in) :: c
    if (present(c)) then
      w(k) = 1
    else
      w(k+1) = 2
    end if
  end subroutine
  subroutine long(k, c)
    integer, intent(in) :: k
    real(8), intent(in) :: c(:)
    if (size(c) > 3) then
      w(k) = 1
    else
      w(k+1) = 2
    end if
  end subroutine
  subroutine constants()
    real(8), save :: own(3) = [1, 2, 3]
    w(1) = sum(own)
  end subroutine
end module
"""
EITHER = "if (ia(i) > 3) then; {}; else; {}; end if"
REGION = """    !@parallelRegion
    do i = 1, 30
      {}
    end do"""
SAME = (
    "call constants()",
    "call fill(w(1:5))",
    "w(2:6) = x",
    "w(:5) = x(5:1:-1)",
    EITHER.format("w(2:6) = 3", "w(1:4) = 3"),
    EITHER.format("w2(1:5,4) = x", "w2(1:5,i/9) = x"),
    "t(3) = 'ab'",
    "call perhaps(i, w2(1,i))",
    "call perhaps(i)",
    "call long(i, w2(1:4,i))",
    "call long(i, w2(:,i))",
)
OTHERS = (
    EITHER.format("w(1:9:2) = x(1:5)", "w(1:5) = x(1:5)"),
    EITHER.format("w2(1:5,i) = x(1:5)", "w2(i,1:5) = x(1:5)"),
    EITHER.format("t(3)(1:2) = 'ab'", "t(3)(2:3) = 'ab'"),
    "w(ia(i:i+4)) = x",
    "call fill(w(i:i+4))",
)
# Told where the routine is that sets the element.
CALLS = {
    "call local_sum(w2(1:5,i))": "w(1) = sum(own)",
    "call local_branch(w2(1:5,i))": "w(1) = 1",
    "call local_object(w2(1:5,i))": "w(1) = own%s",
    "call local_size(mod(i, 5))": "w(1) = size(own)",
    "call perhaps(i, x(1)); call perhaps(i)": "w(k) = 1",
    "call long(i, w2(1:4,i)); call long(i, w2(1:2,i))": "w(k) = 1",
    "call long(i, w2(1:i,i))": "w(k) = 1",
}


def _report(bodies: Iterable[str]) -> list[str]:
    """The rows of which an error or a warning tells, one for each."""
    text = PROGRAM.replace("{regions}", "\n".join(map(REGION.format, bodies)))
    rows = text.split("\n")
    said = [d for d in translate_text({"m.f90": text}, backend="openmp").diagnostics if d.severity != "note"]
    assert not any("#" in d.message for d in said)
    return [rows[d.place.line - 1].strip() for d in said]


def test_points_that_write_the_same() -> None:
    assert _report(SAME) == []


def test_points_that_write_other_values() -> None:
    reported = _report(OTHERS)
    assert [body for body in OTHERS[:4] if body not in reported] == []
    assert "c(:) = x(1:5)" in reported


def test_what_each_call_has_got() -> None:
    """Local variables of its own, other arguments, arrays of other lengths."""
    reported = _report(CALLS)
    assert set(CALLS.values()) <= set(reported)
    assert reported.count("w(k) = 1") == 2  # what is the same for two regions is told once
