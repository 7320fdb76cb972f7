"""Points that write one value to an element, or seem to: it counts where an array is put, not only which, and that each
call of a routine has local variables of its own.
"""

from __future__ import annotations

import pytest

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
    !@parallelRegion
    do i = 1, 30
      {body}
    end do
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


@pytest.mark.parametrize(
    ("body", "same"),
    [
        (EITHER.format("w(1:9:2) = x(1:5)", "w(1:5) = x(1:5)"), False),
        (EITHER.format("w2(1:5,i) = x(1:5)", "w2(i,1:5) = x(1:5)"), False),
        (EITHER.format("t(3)(1:2) = 'ab'", "t(3)(2:3) = 'ab'"), False),
        ("w(ia(i:i+4)) = x", False),
        ("call fill(w(i:i+4))", False),
        ("call fill(w(i))", False),
        ("call local_sum(w2(1:5,i))", False),
        ("call local_branch(w2(1:5,i))", False),
        ("call local_object(w2(1:5,i))", False),
        ("call local_size(mod(i, 5))", False),
        ("call constants()", True),
        ("call fill(w(1:5))", True),
        ("w(2:6) = x", True),
        ("w(:5) = x(5:1:-1)", True),
        (EITHER.format("w(2:6) = 3", "w(1:4) = 3"), True),
        (EITHER.format("w2(1:5,4) = x", "w2(1:5,i/9) = x"), True),
        ("t(3) = 'ab'", True),
    ],
)
def test_where_an_array_is_put(body: str, same: bool) -> None:
    codes = {d.code for d in translate_text({"m.f90": PROGRAM.replace("{body}", body)}, backend="openmp").diagnostics}
    assert ("HF509" in codes) == same
    assert bool(codes & {"HF500", "HF504"}) != same


@pytest.mark.parametrize(
    ("body", "apart"),
    [
        ("call perhaps(i, x(1)); call perhaps(i)", False),
        ("call perhaps(i, w2(1,i))", True),
        ("call perhaps(i)", True),
        ("call long(i, w2(1:4,i)); call long(i, w2(1:2,i))", False),
        ("call long(i, w2(1:i,i))", False),
        ("call long(i, w2(1:4,i))", True),
        ("call long(i, w2(:,i))", True),
    ],
)
def test_what_each_call_has_got(body: str, apart: bool) -> None:
    """Whether an optional argument is there, and how long arrays are, which is the same for all columns."""
    said = translate_text({"m.f90": PROGRAM.replace("{body}", body)}, backend="openmp").diagnostics
    assert (not any(d.severity == "error" for d in said)) == apart, said
    assert not any("#" in d.message for d in said)
