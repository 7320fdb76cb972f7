"""``where`` in plain form, where it reads other elements than it sets: the masks and the values go through arrays of
their own, so that all are worked out before the first element is set (Fortran 2018, 10.2.3.2). Others stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Expr, Name, Range, children, mentioned, walk, without_places
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, expressions
from hfpy.model.units import Routine
from hfpy.transform.plain.aliased import Left
from hfpy.transform.plain.rooms import Rooms
from hfpy.transform.text.edits import Edit, insert_lines, replace_rows

#: The line of a part, its mask (None: all that is left), and what is done under it.
Part = tuple[LogicalLine, Expr | None, tuple[Assignment, ...]]
#: Rows with the lines that they stem from.
Rows = list[tuple[str, int]]


def mask_edits(facts: Facts, _: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in keys:
        routine = facts.routine(key)
        made.setdefault(routine.file, []).extend(_Masks(facts, routine).edits(key not in owners))
    return made


class _Masks:
    """The ``where`` of one routine."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.index = facts.application.file(routine.key)
        self.rows: list[str] = []
        self.rooms = Rooms(facts, routine.key, self.rows)

    def edits(self, inside: bool) -> Iterator[Edit]:
        """All edits, in regions or, for a routine that kernels call, everywhere."""
        yield from self._nodes(self.routine.body, inside)
        if self.rows:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            rows = [margin + row for row in self.rows]
            yield insert_lines(self.routine.spec_insert + 1, rows, 6, self.routine.header.first)

    def _nodes(self, nodes: tuple[Node, ...], inside: bool) -> Iterator[Edit]:
        for node in nodes:
            if isinstance(node, Construct) and node.kind != "where":
                region = node.kind == "region"
                for part in node.parts:
                    yield from self._nodes(part.body, inside or region)
                if region:
                    yield from self.rooms.private(node)
            elif inside and isinstance(node, (Construct, OneLine)):
                try:
                    yield self._construct(node) if isinstance(node, Construct) else self._one_line(node)
                except Left:
                    continue

    def _construct(self, node: Construct) -> Edit:
        parts = []
        for part in node.parts:
            plain = tuple(s for s in part.body if isinstance(s, Assignment))
            if len(plain) < len(part.body):
                raise Left
            parts.append((part.header.line, next(iter(expressions(part.header)), None), plain))
        if node.end is None:
            raise Left
        lines = [*(p[0] for p in parts), *(s.line for p in parts for s in p[2]), node.end.line]
        self._check_alone(lines)
        return self._edit(lines, self._rows(parts))

    def _one_line(self, statement: OneLine) -> Edit:
        """``where (…) a = b``, perhaps after a condition."""
        line, action = statement.line, statement
        before: list[str] = []
        while action.kind == "if" and isinstance(action.action, OneLine):
            condition = action.control[0]
            before.append(f"if ({line.text[condition.start : condition.end]}) then")
            action = action.action
        if action.kind != "where" or not isinstance(action.action, Assignment):
            raise Left
        self._check_alone([line])
        rows = self._rows([(line, action.control[0], (action.action,))])
        ends = [("end if", line.first)] * len(before)
        return self._edit([line], [*((row, line.first) for row in before), *rows, *ends])

    def _check_alone(self, lines: Sequence[LogicalLine]) -> None:
        if any(x.file or x.label or not self.index.alone(x) for x in lines):
            raise Left

    @staticmethod
    def _edit(lines: Sequence[LogicalLine], rows: Rows) -> Edit:
        margin = " " * lines[0].segments[0][2]
        return replace_rows(lines[0].first, lines[-1].last, [(margin + row, line) for row, line in rows])

    # -- one construct

    def _rows(self, parts: Sequence[Part]) -> Rows:
        """A construct whose masks and values are worked out before what is set. Raises Left where that is not needed,
        or cannot be.
        """
        listed = [s for _, _, inner in parts for s in inner]
        reads = [e for _, mask, _ in parts for e in ([mask] if mask is not None else [])]
        reads += [e for s in listed for e in (s.value, s.target)]
        targets = [self._target(s) for s in listed]
        written = {name for name, _, _ in targets}
        if not any(self._meets(e, s) for e in reads for s in listed):
            raise Left
        indices = [i for s in listed if isinstance(s.target, Apply) for i in s.target.args]
        if any(mentioned(i) & written or self._is_vector(i) for i in indices):
            raise Left  # indices that may change, or that are arrays
        name, dimensions, places = targets[0]
        rows: Rows = []
        before: list[str] = []
        for number, (line, mask, inner) in enumerate(parts, 1):
            left = f".not. ({' .or. '.join(before)})"
            if mask is not None:
                made = self.rooms.room(name, dimensions, number) + places
                text = f"{made} = {line.text[mask.start : mask.end]}"
                rows += [(f"{made} = .false.", line.first), (f"where ({left}) {text}", line.first)] if before else []
                rows += [] if before else [(text, line.first)]
                before.append(made)
            for statement in inner:
                condition = left if mask is None else made
                rows += self._assigned(statement, condition)
        return rows

    def _assigned(self, statement: Assignment, condition: str) -> Iterator[tuple[str, int]]:
        line = statement.line
        target, value = (line.text[e.start : e.end] for e in (statement.target, statement.value))
        if self._meets(statement.value, statement):
            name, dimensions, places = self._target(statement)
            room = self.rooms.room(name, dimensions) + places
            yield f"where ({condition}) {room} = {value}", line.first
            value = room
        yield f"where ({condition}) {target} = {value}", line.first

    def _target(self, statement: Assignment) -> tuple[str, tuple[int, ...], str]:
        """What a statement sets: the array, its dimensions that are ranges, and the ranges in parentheses."""
        target = statement.target
        base = target.base if isinstance(target, Apply) else target
        if statement.pointer or not isinstance(base, Name):
            raise Left
        data = self.facts.object(base.name, self.routine.key)
        if data is None:
            raise Left
        if not isinstance(target, Apply):
            return base.name, tuple(range(data.rank)), ""
        ranged = [(place, a) for place, a in enumerate(target.args) if isinstance(a, Range)]
        text = statement.line.text
        return base.name, tuple(p for p, _ in ranged), f"({', '.join(text[a.start : a.end] for _, a in ranged)})"

    def _meets(self, expr: Expr, statement: Assignment) -> bool:
        """Whether an expression may read other elements than a statement sets at the same turn."""
        name = self._target(statement)[0]
        own = _ranges(statement.target)
        for node in _accesses(expr):
            base = node.base if isinstance(node, Apply) else node
            assert isinstance(base, Name)
            if base.name == name and _ranges(node) != own:
                return True
            if self.facts.storage.shared(name, base.name, self.routine.key):
                return True
        return False

    def _is_vector(self, index: Expr) -> bool:
        """Whether an index that is no range of its own names an array or a section."""
        if isinstance(index, Range):
            return False
        sections = any(isinstance(n, Range) for n in walk(index))
        return sections or any(self._is_array(n) for n in _accesses(index))

    def _is_array(self, expr: Expr) -> bool:
        data = self.facts.object(expr.name, self.routine.key) if isinstance(expr, Name) else None
        return data is not None and bool(data.rank)


def _accesses(expr: Expr) -> Iterator[Name | Apply]:
    """The names in an expression, with the indices or arguments behind them, also those in indices."""
    if isinstance(expr, Name) or (isinstance(expr, Apply) and isinstance(expr.base, Name)):
        yield expr
    inner = expr.args if isinstance(expr, Apply) and isinstance(expr.base, Name) else children(expr)
    for child in inner:
        yield from _accesses(child)


def _ranges(expr: Expr) -> tuple[tuple[int, Expr], ...] | None:
    """The ranges of a section, with their places; None for an array as a whole."""
    if not isinstance(expr, Apply):
        return None
    return tuple((place, without_places(a)) for place, a in enumerate(expr.args) if isinstance(a, Range))
