"""Copies around calls whose actual arguments the compiler packs into temporaries (:mod:`hfpy.analyze.device.packing`).

The called routine brings the temporary to the device, as it does with host data. So the elements have to be valid on
the host before the call, and go to the device after it. Whether there are gaps at all is asked when the program runs:
what lies in one piece is passed at its own address, where the called routine finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from hfpy.analyze.device.packing import NEVER, VECTOR
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Expr
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Node, OneLine, Statement
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.device.datadialect import DataDialect, Handle, in_block
from hfpy.transform.text.edits import Edit, insert
from hfpy.transform.text.rows import Rows
from hfpy.values import dataclass


class Copies(Protocol):
    """What :class:`hfpy.transform.device.devicedata.DeviceData` lends."""

    key: str
    states: States
    effects: Effects
    accesses: AccessRewriter
    dialect: DataDialect
    rows: Rows
    opened: set[int]  # one-line ifs that are blocks now

    def freed(self, statement: Statement) -> list[str]:
        """What lets arrays leave the device that a statement frees."""

    def arguments(self, statement: Statement) -> list[tuple[str, Reference]]:
        """The device arrays that a statement passes on, with their names in the routine."""

    def parts_set(self, statement: Statement) -> Iterator[tuple[str, Expr]]:
        """The parts of arrays that the host sets in a statement in which kernels may set others."""

    def cannot_update(self, name: str, reference: Reference) -> None:
        """Tell that a part of an array would have to be updated, and not the rest of it."""

    def check_ways(self, nodes: Sequence[Node], after: Sequence[str]) -> None:
        """Tell that a statement may go on past the copies after it."""

    def handle(self, name: str, line: LogicalLine) -> Handle:
        """An array for the dialect."""


@dataclass(frozen=True)
class Packed:
    """Lines for before and after a statement."""

    before: Sequence[str] = ()
    after: Sequence[str] = ()


def packed_copies(
    copies: Copies, statement: Statement, before: Sequence[str] = (), after: Sequence[str] = ()
) -> Iterator[Edit]:
    """The copies around one statement; around the action alone of a one-line ``if``, which then becomes a block.
    ``before`` and ``after`` are other lines for such a block.
    """
    action = statement.action if isinstance(statement, OneLine) and statement.kind == "if" else statement
    if action is not statement:
        yield from _around(copies, statement, packed_rows(copies, statement))
    rows = packed_rows(copies, action)
    rows = Packed([*before, *rows.before], [*rows.after, *after])
    if action is statement or not (rows.before or rows.after):
        yield from _around(copies, action, rows)
        return
    assert isinstance(statement, OneLine)
    copies.opened.add(id(statement))
    yield from as_block(copies.rows, statement, [*copies.freed(action), *rows.before], rows.after)


def as_block(placed: Rows, statement: OneLine, before: Sequence[str], after: Sequence[str] = ()) -> Iterator[Edit]:
    """A one-line ``if`` as a block, with lines around its action."""
    line = statement.line
    margin = placed.margin(line)
    opened = "".join(f"\n{margin}  {row}" for row in before)
    closed = "".join(f"\n{margin}  {row}" for row in after)
    text = f" then{opened}\n{margin} "
    begin = len(line.text) - len(line.text[statement.begin :].lstrip())
    (row, column), there = line.locate(statement.behind - 1), line.locate(begin)
    if row == there[0]:
        yield insert(line, statement.behind, text, 1)
    else:  # the action begins on a line that goes on
        yield Edit(row, column + 1, *there, 1, f"{text} ")
    yield insert(line, len(line.text), f"{closed}\n{margin}end if", -1)


def _around(copies: Copies, statement: Statement, rows: Packed) -> Iterator[Edit]:
    yield from copies.rows.before(statement.line, rows.before, 10)
    yield from copies.rows.behind(statement.line, rows.after, -6)


def packed_rows(copies: Copies, statement: Statement) -> Packed:
    """The copies that the arguments of one statement need, without those of a statement in it."""
    before: list[str] = []
    after: list[str] = []
    arguments = copies.arguments(statement)
    for name, reference in arguments:
        kind = copies.states.packed(reference, copies.key)
        if kind == NEVER:
            continue
        shown = copies.accesses.text(reference.node, statement)
        handle = copies.handle(name, statement.line)
        before += _asked(handle, copies.dialect, copies.dialect.update_host, kind, shown)
        if kind != VECTOR and copies.effects.of(reference, copies.key)[1]:
            after += _asked(handle, copies.dialect, copies.dialect.update_device, kind, shown)
            if not copies.dialect.parts and [n for n, _ in arguments].count(name) > 1:
                copies.cannot_update(name, reference)
    for name, part in copies.parts_set(statement):
        alone = replace(copies.handle(name, statement.line), alone=copies.accesses.text(part, statement))
        after += copies.dialect.update_device(alone)
    copies.check_ways([statement], after)
    return Packed(before, after)


def _asked(
    handle: Handle, dialect: DataDialect, update: Callable[[Handle], list[str]], kind: str, shown: str
) -> list[str]:
    """An update of what a reference means, if it has gaps; of the whole array for a vector subscript."""
    if kind == VECTOR:
        return update(handle)
    rows = dialect.only_if(f".not. is_contiguous({shown})", update(replace(handle, test="", part=shown)))
    return in_block(handle.test, rows)
