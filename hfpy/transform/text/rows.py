"""Whole lines put before and after statements: also where several statements share a line, where a statement has a
label that jumps lead to, and where directives are above it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from hfpy.model.source import LogicalLine
from hfpy.model.statements import Header, constructs
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.text import attached
from hfpy.parse.text.physical import physical
from hfpy.transform.text.edits import Edit, insert, insert_lines

_LABEL = 5  # before all that is put above a statement


class Rows:
    """Edits that insert lines into one routine. ``unplaced`` are lines of which that could not be done."""

    def __init__(self, index: FileIndex, routine: Routine) -> None:
        self.index = index
        self.routine = routine
        self.unplaced: list[LogicalLine] = []
        self.lines = index.rows
        unit = index.units[routine.unit]
        self._number = {index.lines[number].key: number for number in range(unit.first, unit.last + 1)}
        self._loop_ends: dict[str, int] = {}  # the row of the outermost loop that ends on a label
        for loop in constructs(routine.body):
            if isinstance(loop.header, Header) and loop.header.label:
                self._loop_ends.setdefault(loop.header.label, loop.header.line.first)
        self._moved: set[str] = set()
        own = (index.lines[number] for number in range(unit.first, unit.last + 1))
        self._lasts = [line.last for line in own if not line.file]

    def before(self, line: LogicalLine, rows: Sequence[str], rank: int, inside: bool = False) -> Iterator[Edit]:
        """Lines before a statement, which jumps to it pass, too; ``inside`` a block around it that one thread does."""
        if not rows:
            return
        shared = self._neighbour(line, -1)
        if shared is not None and shared.last == line.first:
            yield self._within(line, rows, rank)
            return
        if line.label and line.label not in self._loop_ends:
            yield from self.move_label(line, self.above(line.first, inside))
        yield insert_lines(self.above(line.first, inside), self.indented(rows, line), rank, line.first)

    def behind(
        self, line: LogicalLine, rows: Sequence[str], rank: int, first: LogicalLine | None = None, inside: bool = False
    ) -> Iterator[Edit]:
        """Lines after a statement, or after a construct that begins with ``first``; ``inside`` as above."""
        if not rows:
            return
        outermost = self._loop_ends.get(line.label, -1)
        if outermost >= 0 and (first is None or first.key == line.key or first.first > outermost):
            self.unplaced.append(line)
        following = self._neighbour(line, 1)
        if following is not None and following.first == line.last:
            yield self._within(following, rows, rank)
            return
        begin = first or line
        yield insert_lines(self.below(line, inside), self.indented(rows, begin), rank, begin.first)

    def below(self, line: LogicalLine, inside: bool = False) -> int:
        """The physical line for what comes after a statement: after directives that end something with it."""
        following = self._neighbour(line, 1)
        last = following.first if following is not None else len(self.lines)
        return attached.behind(self.lines, line.last + 1, self._plain(line.last + 1, last), self.index.fixed, inside)

    def ends_loop(self, line: LogicalLine) -> bool:
        """Whether a loop ends on a statement, by its label."""
        return bool(line.label) and line.label in self._loop_ends

    def above(self, row: int, inside: bool = False) -> int:
        """The physical line for what comes before a statement: directives above it that belong to it stay with it."""
        before = bisect_left(self._lasts, row)
        first = self._lasts[before - 1] + 1 if before else 0
        plain = (n for n in range(row, first, -1) if not physical(self.lines[n - 1]).apart)
        return attached.above(self.lines, next(plain, first), row, self.index.fixed, inside)

    def _plain(self, first: int, last: int) -> int:
        """The first of some lines that is for the preprocessor, or the line after them."""
        return next((n for n in range(first, last) if not physical(self.lines[n]).apart), last)

    def indented(self, rows: Sequence[str], line: LogicalLine) -> list[str]:
        """Lines with the indentation of the line that a statement is on."""
        margin = self.margin(line)
        return [margin + row for row in rows]

    def margin(self, line: LogicalLine) -> str:
        """The indentation of the line that a statement is on."""
        begin = line
        while (left := self._neighbour(begin, -1)) is not None and left.last == begin.first:
            begin = left
        return " " * begin.segments[0][2]

    def _neighbour(self, line: LogicalLine, step: int) -> LogicalLine | None:
        number = self._number.get(line.key)
        if number is None or not 0 <= number + step < len(self.index.lines):
            return None
        return self.index.lines[number + step]

    def _within(self, line: LogicalLine, rows: Sequence[str], rank: int) -> Edit:
        """Lines between a statement and the one before it on the same line."""
        margin = self.margin(line)
        return insert(line, 0, "".join(f"\n{margin}{row}" for row in rows) + f"\n{margin}", rank)

    def move_label(self, line: LogicalLine, row: int, rank: int = _LABEL) -> Iterator[Edit]:
        """The label of a statement onto a ``continue`` before a physical line."""
        if not line.label or line.label in self._moved:
            return
        self._moved.add(line.label)
        begin, column = line.label_at
        yield Edit(begin, column, begin, column + line.label_width, 0, " " * line.label_width)
        yield insert_lines(row, [f"{line.label:<5} continue"], rank, line.first)
