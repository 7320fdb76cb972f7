"""What intrinsic subroutines do to their arguments (Fortran 2018, 16.9)."""

from __future__ import annotations

import pytest

from tests.dependence.oneregion import one_region
from tests.support import Translated

DECLARED = """
  integer, intent(inout) :: a(n), b(4), c(n)
  character(8), intent(inout) :: text(n)
  integer :: i, k, s
  s = 3
"""


def made(inside: str, behind: str = "") -> Translated:
    """A region with a call of one in it, and what comes after it."""
    return one_region("n, a, b, c, text", DECLARED, inside, behind)


@pytest.mark.parametrize(
    "statement",
    [
        "call mvbits(b(2), 0, s, a(i), 4)",
        "call mvbits(from=b(2), frompos=0, len=s, topos=4, to=a(i))",
        "call get_command_argument(s, text(i), a(i))",
        "call get_environment_variable('HOME', value=text(i), status=c(i))",
        "call execute_command_line('true', exitstat=a(i))",
        "call get_command_argument(i, text(i)); a(i) = i",
    ],
)
def test_what_they_read_is_shared(statement: str) -> None:
    assert not made(statement).diagnostics


@pytest.mark.parametrize(
    "statement",
    [
        "call mvbits(a(i), 0, 4, b(2), 4)",
        "call get_command_argument(i, text(2))",
        "call get_command_argument(i, status=b(1))",
        "call execute_command_line('true', cmdstat=b(1))",
        "call system_clock(b(1))",
    ],
)
def test_points_meet_in_what_they_set(statement: str) -> None:
    assert made(statement).codes() == ["HF504"]


@pytest.mark.parametrize(
    "behind",
    [
        "call get_command_argument(k, text(1))",
        "call get_environment_variable('A', text(1), trim_name=k > 2)",
        "call mvbits(k, 0, 4, a(1), 4)",
        "call exit(k)",
    ],
)
def test_what_they_read_behind_a_region_comes_out_of_it(behind: str) -> None:
    assert "lastprivate(k)" in made("k = a(i)", behind).require().text
    assert "lastprivate" not in made("k = a(i)", "call system_clock(k)").require().text
