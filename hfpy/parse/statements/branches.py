"""Arithmetic ``if``, computed and assigned ``goto`` as blocks whose parts jump.

They are one statement that goes one of several ways (Fortran 2018, R856 in B.2.2 and B.3.1; FORTRAN 77, 11.3). Passes
and backends see an ``if`` or a ``select case`` with jumps; the user's text remains as it is. What an ``assign`` puts
into a variable is no number: it is a statement of which only the name is known, and such a one is before the jumps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from hfpy.model.building import Maker, binary, number
from hfpy.model.expressions import Expr, Name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Jump, Node, OneLine, Opaque, Part, Statement
from hfpy.parse.text.lexer import includes, label_of
from hfpy.values import dataclass

_ASSIGN = re.compile(r"\bassign\s*(\d[\d\s]*)to\s*[a-z_]\w*\s*$")


@dataclass(frozen=True, slots=True)
class Branch(Statement):
    """``if (expr) labels`` if ``arithmetic``, ``go to expr (labels)`` if ``assigned``, else ``go to (labels) expr``."""

    expr: Expr
    labels: tuple[str, ...]
    arithmetic: bool = False
    assigned: bool = False


def labels_in(text: str) -> tuple[str, ...]:
    """The labels in a list; none if something else is in it."""
    labels = [label_of(piece) for piece in text.split(",")]
    return tuple(labels) if all(map(str.isdigit, labels)) else ()


def assigned_labels(lines: Iterable[LogicalLine]) -> tuple[str, ...]:
    """The labels that the lines of an executable part assign to variables; none where they include other lines."""
    found: dict[str, None] = {}
    for line in lines:
        if includes(line.text):
            return ()
        made = _ASSIGN.search(line.text.lower()) if not line.directive else None
        if made is not None:
            found[label_of(made[1])] = None
    return tuple(found)


def listed(statement: Statement, labels: Callable[[], tuple[str, ...]]) -> Statement:
    """A statement; for an assigned ``goto`` without labels one with all that the routine assigns, as its variable may
    have other names, and what cannot be understood where there are none.
    """
    branch = statement.action if isinstance(statement, OneLine) else statement
    if not isinstance(branch, Branch) or branch.labels:
        return statement
    known = labels()
    made: Statement = replace(branch, labels=known)
    if not known:
        made = Opaque(branch.line, "an assigned goto", (branch.expr,) if isinstance(branch.expr, Name) else ())
    return replace(statement, action=made) if isinstance(statement, OneLine) else made


def without_branch(statement: Statement) -> Node:
    """The statement; for a :class:`Branch`, or an ``if`` with one as its action, the block that does the same."""
    # Only the first part has the label: jumps lead to the beginning of the block.
    maker = Maker(replace(statement.line, label=""))
    if isinstance(statement, OneLine) and isinstance(statement.action, Branch):
        made = maker.branches([maker.side(statement.control[0], [_block(statement.action, maker)])])
    elif isinstance(statement, Branch):
        made = _block(statement, maker)
    else:
        return statement
    first = replace(made.parts[0], header=replace(made.header, line=statement.line))
    return replace(made, parts=(first, *made.parts[1:]))


def _block(branch: Branch, maker: Maker) -> Construct:
    if branch.arithmetic:
        ways = enumerate(_signs(branch))
        return maker.branches([maker.side(c, [_jump(maker, label)], number == 0) for number, (c, label) in ways])
    head = Header(maker.line, "select", (branch.expr,), made=True)
    parts = [Part(head, ())]
    for value, label in enumerate(branch.labels, 1):
        before = (Opaque(maker.line, "an assigned goto", legal=True, made=True),) if branch.assigned else ()
        parts.append(Part(Header(maker.line, "case", (number(value),), made=True), (*before, _jump(maker, label))))
    return Construct("select", tuple(parts), maker.end("select"))


def _signs(branch: Branch) -> Iterator[tuple[Expr | None, str]]:
    """The conditions of an arithmetic ``if`` with their labels; the last one is for all else."""
    negative, zero, positive = branch.labels
    if negative == zero:
        yield binary(branch.expr, "<=", number(0)), zero
    else:
        yield binary(branch.expr, "<", number(0)), negative
        if zero != positive:
            yield binary(branch.expr, "==", number(0)), zero
    yield None, positive


def _jump(maker: Maker, label: str) -> Jump:
    return Jump(maker.line, "goto", label, made=True)
