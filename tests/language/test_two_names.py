"""A variable that a routine with regions has under two names, and sets (HF510)."""

from pathlib import Path

import pytest

from tests.support import translate_text

SOURCE = """module m
  implicit none
  real(8) :: q(9), other(9)
contains
  subroutine first(n, x, y)
    integer, intent(in) :: n
    real(8) :: x(n), y(n)
    integer :: i
    !@parallelRegion{{domName(i), domSize(n)}}
    do i = 1, n
      {statement}
    end do
    !@end parallelRegion
    {behind}
  end subroutine
  subroutine between(n, x, y)
    integer, intent(in) :: n
    real(8) :: x(n), y(n)
    call first(n, x, y)
  end subroutine
  subroutine calls(a, b)
    real(8) :: a(9), b(9)
    {call}
  end subroutine
  function values(k)
    integer, intent(in) :: k
    real(8) :: values(9)
    values = k
  end function
end module
"""
BOTH = "x(i) = y(i) + 1"


def found(target: str, call: str, statement: str = BOTH, behind: str = "") -> list[tuple[int, int]]:
    """The lines of the calls that are told, with those of the regions."""
    source = SOURCE.format(call=call, statement=statement, behind=behind)
    done = translate_text({"m.f90": source}, target=target)
    assert not done.errors
    return [(d.place.line, d.related[0].place.line) for d in done.diagnostics if d.code == "HF510"]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("call", "statement", "cpu", "gpu"),
    [
        ("call first(9, a, a)", BOTH, True, True),
        ("call first(9, a, a(1))", BOTH, True, True),
        ("call first(y=a, n=9, x=a)", BOTH, True, True),
        ("call between(9, a, a)", BOTH, True, True),
        ("call first(9, a(1:9), a)", BOTH, True, True),
        ("call first(9, a(:), a(1:))", BOTH, True, True),
        ("call first(9, (a), a)", BOTH, False, False),
        ("call first(9, values(1), values(1))", BOTH, False, False),  # a function
        ("call first(8, a(2), a)", BOTH, False, False),  # the user keeps the parts apart
        ("call first(9, a, b)", BOTH, False, False),
        ("call first(9, a, (a))", BOTH, False, False),
        ("call first(9, q, b)", BOTH, False, False),
        ("call first(9, q, b)", "x(i) = q(i) + y(i)", True, True),
        ("call first(9, b, q)", "q(i) = y(i)", True, True),
        ("call between(9, q, b)", "x(i) = q(i) + y(i)", True, True),
        ("call first(9, q(1:9), b)", "x(i) = q(i) + y(i)", True, True),
        ("call first(9, other, b)", "x(i) = q(i) + y(i)", False, False),
    ],
)
def test_in_a_region(call: str, statement: str, cpu: bool, gpu: bool, target: str) -> None:
    assert found(target, call, statement) == [(23, 9)] * (cpu if target == "cpu" else gpu)


def test_on_the_host() -> None:
    """What the host does to one name is not seen where kernels use the other; threads see it."""
    for call, behind in (("call first(9, q, b)", "q(1) = 2"), ("call first(9, a, a)", "y(1) = 2")):
        assert found("gpu", call, "x(i) = x(i) + 1", behind) == [(23, 9)]
        assert not found("cpu", call, "x(i) = x(i) + 1", behind)
    assert not found("gpu", "call first(9, a, a)", "other(i) = x(i) + y(i)")


SOLVER = """subroutine first(n, x, y)
  integer, intent(in) :: n
  real(8) :: x(n), y(n)
  integer :: i
  !@parallelRegion{domName(i), domSize(n)}
  do i = 1, n
    x(i) = y(i) + 1
  end do
  !@end parallelRegion
end subroutine
"""
ELSEWHERE = """subroutine sweep(a, b{dummy})
  real(8) :: a(9), b(9)
  {declared}
  call {name}(9, a, {second})
end subroutine
"""


def reported(calls: str, beside: str = "") -> list[tuple[str, int, str]]:
    """The warnings about calls in a file without a directive, and beside the region, with the file and line of each."""
    done = translate_text({"m.f90": SOLVER + beside, "calls.f90": calls}, target="cpu")
    assert not done.errors
    return [(Path(d.place.file).name, d.place.line, d.message) for d in done.diagnostics if d.code == "HF510"]


def test_call_in_a_file_without_directives() -> None:
    message = "one variable is 'x' and 'y' in 'first', which sets it"
    twice = ELSEWHERE.format(dummy="", declared="external :: first", name="first", second="a")
    assert reported(twice) == [("calls.f90", 4, message)]
    assert not reported(ELSEWHERE.format(dummy="", declared="external :: first", name="first", second="b"))


def test_call_of_a_procedure_that_is_chosen_elsewhere() -> None:
    """Any procedure whose address the program takes may be the one that is called."""
    message = "one variable may be 'x' and 'y' in 'first', which sets it"
    above = "subroutine top(a, b)\n  real(8) :: a(9), b(9)\n  external :: first\n  {}\nend subroutine\n"
    by_dummy = ELSEWHERE.format(dummy=", rp", declared="external :: rp", name="rp", second="a")
    assert reported(above.format("call sweep(a, b, first)"), by_dummy) == [("m.f90", 14, message)]
    assert not reported(above.format("call first(9, a, b)"), by_dummy)
    pointer = "procedure(), pointer :: rp\n  external :: first\n  rp => first"
    by_pointer = ELSEWHERE.format(dummy="", declared=pointer, name="rp", second="a")
    assert reported(by_pointer) == [("calls.f90", 6, message)]
