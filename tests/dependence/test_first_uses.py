"""What the first statement that names a variable does with it, through calls."""

from pathlib import Path

import pytest

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.firstuses import reads_first
from hfpy.options import Options
from hfpy.parse.application import read_application

TEXT = """\
module m
contains
  subroutine run(a, n)
    real :: a(4)
    integer :: n
    {first}
    a(2) = a(1)
  end subroutine run
  subroutine sets(x)
    real :: x(4)
    x(1) = 2
    x(2) = x(1)
  end subroutine sets
  subroutine reads(x)
    real :: x(4)
    x(1) = x(1) + 1
  end subroutine reads
  subroutine twice(n, y)
    integer :: n
    real :: y(4)
    if (n > 1) call again(n, y)
    y = 0
  end subroutine twice
  recursive subroutine again(n, z)
    integer :: n
    real :: z(4)
    if (n > 2) call again(n-1, z)
    z(1) = z(3)
  end subroutine again
end module m
"""
CASES = {
    "a(1) = 2": False,
    "a(1) = a(2)": True,
    "if (n > 1) a(1) = a(3)": True,
    "if (a(1) > 1) a(1) = 3": True,
    "call sets(a)": False,
    "call sets(x=a)": False,
    "call reads(a)": True,
    "call twice(n, a)": False,  # a recursive call is not looked into
    "n = size(a)": False,
    "print *, a": True,
}


@pytest.mark.parametrize("first", CASES)
def test_first_statement(first: str, tmp_path: Path) -> None:
    path = tmp_path / "m.h90"
    path.write_text(TEXT.format(first=first))
    application, found = read_application([path], Options(backend="sequential"))
    assert not found
    facts = analyse(application)
    assert reads_first(Effects(facts), facts.references["m::run"], "m::run", "a") is CASES[first]
