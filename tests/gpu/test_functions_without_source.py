"""Functions whose source is not here may set their arguments, as those of NetCDF do; others do not."""

import re

import pytest

from tests.support import translate_text

TEXT = """module m
  use outside, only: get, holder
  use netcdf, only: nf90_get_var, nf90_put_var
  implicit none
  type pair
    real(8) :: x
  end type pair
contains
  subroutine one(nx, a, given, word)
    integer, intent(in) :: nx
    real(8), intent(inout) :: a(nx)
    real(8), intent(in) :: given(nx)
    character(8), intent(inout) :: word
    real(8) :: f(nx), table(9), square, x
    integer :: status, n
    integer, external :: fetch
    type(pair) :: p
    square(x) = x*x
    n = 2
    f(:) = 0
    STATEMENT
    @parallelRegion{domName(i), domSize(nx)}
    a(i) = f(i) + given(i)
    @end parallelRegion
  end subroutine one
  subroutine passed(y, n)
    integer, intent(in) :: n
    real(8) :: y(n)
    integer :: status
    status = get(y)
  end subroutine passed
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= 0) stop
  end subroutine check
end module m
"""
SETTING = {
    "assigned": "status = get(f)",
    "argument": "call check(get(f))",
    "condition": "if (get(f) /= 0) stop",
    "construct": "if (get(f) /= 0) then\n n = 3\n end if",
    "output": "print *, get(f)",
    "external": "status = fetch(n, f)",
    "section": "status = get(f(2:5))",
    "element": "status = get(f(1))",
    "keyword": "status = nf90_get_var(1, 2, values=f)",
    "nested": "status = abs(get(f))",
    "below": "call passed(f, nx)",
    "method": "status = holder(n, get(f))",
}
READING = {
    "put": "status = nf90_put_var(1, 2, f, start=[1])",
    "intrinsic": "n = nint(sum(f))",
    "value": "status = get(f + 1)",
    "parentheses": "status = get((f))",
    "statement function": "x = square(f(2))",
    "constructor": "p = pair(f(2))",
    "index": "table(int(f(1))) = 1",
    "substring": "word(1:int(f(1))) = 'a'",
}


def updates(statement: str) -> list[str]:
    """The arrays that go to the device after a statement on the host."""
    made = translate_text({"m.h90": TEXT.replace("STATEMENT", statement)}, target="gpu", backend="cuda-c").require()
    routine = made.text.split("subroutine one")[1].split("end subroutine one")[0]
    behind = routine.split("call hf_update_host(f,")[1]
    return re.findall(r"call hf_update_device\((\w+)", behind)


@pytest.mark.parametrize("name", SETTING)
def test_arguments_may_be_set(name: str) -> None:
    assert "f" in updates(SETTING[name])


@pytest.mark.parametrize("name", READING)
def test_arguments_are_only_read(name: str) -> None:
    assert "f" not in updates(READING[name])


def test_what_may_not_be_set() -> None:
    made = translate_text({"m.h90": TEXT.replace("STATEMENT", "status = get(given)")}, target="gpu").require()
    assert "hf_update_device(given" not in made.text


def test_functions_of_points_set_nothing() -> None:
    """What is called for points in any order is taken for a function of them."""
    text = TEXT.replace("STATEMENT", "n = 3").replace("f(i) + given(i)", "f(i)*get(given(i)) + get(f(1))")
    made = translate_text({"m.h90": text}, backend="openmp")
    assert not made.errors
