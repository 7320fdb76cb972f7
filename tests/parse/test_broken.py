"""Statements that break off are told with what is wrong with them; none stops hfpy."""

import pytest

from hfpy.model.source import LogicalLine
from hfpy.model.statements import Opaque
from hfpy.parse.statements.statements import parse_statement

WHOLE = (
    "call s(a, b)", "print *, a", "write (6, *) a", "read (5, *) a, b", "if (a > 1) b = 2", "if (a) 10, 20, 30",
    "go to (10, 20), k", "go to 10", "do i = 1, n", "do while (a > 1)", "do concurrent (i = 1:n)", "a(1) = b(2)",
    "allocate (a(n), stat=k)", "select case (k)", "case (1, 2:3)", "where (a > 1) b = 1", "forall (i = 1:n) a(i) = 1",
    "associate (x => a(1))", "open (unit=5, file='a')", "error stop 1", "assign 10 to k", "else if (a > 1) then",
)  # fmt: skip


def line(text: str) -> LogicalLine:
    return LogicalLine(text, ((0, 0, 0),), 0)


@pytest.mark.parametrize("whole", WHOLE)
def test_every_beginning_and_every_gap(whole: str) -> None:
    for end in range(1, len(whole) + 1):
        parse_statement(line(whole[:end].strip()))
        parse_statement(line(whole[: end - 1] + whole[end:]))
        parse_statement(line(whole[end - 1 :].strip()))


@pytest.mark.parametrize("text", ["print", "read", "write"])
def test_input_and_output_of_nothing(text: str) -> None:
    found = parse_statement(line(text))
    assert isinstance(found, Opaque) and found.reason == f"a {text} without anything"
