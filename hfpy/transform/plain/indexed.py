"""``forall`` and ``do concurrent`` in plain form: loops, with variables of their own and an ``if`` for the mask.

Indices belong to the construct (Fortran 2018, 19.4), and so do variables that are ``local`` to it. A ``forall``
computes all values before it sets an element, and a mask is worked out for all turns before the first (10.2.4.2,
11.1.7.5): where an array that is set is read at other elements, they go through room of their own. Other constructs
stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import INQUIRY
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.model.expressions import (
    Apply,
    Component,
    Expr,
    Keyword,
    Name,
    Range,
    base_name,
    mentioned,
    names_in,
    walk,
    without_places,
)
from hfpy.model.names import plain_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Construct,
    End,
    Header,
    Node,
    OneLine,
    Statement,
    expressions,
    flatten,
)
from hfpy.model.units import Symbol
from hfpy.transform.plain.aliased import Known, Left, Meaning, Renamed
from hfpy.transform.plain.rooms import Rooms
from hfpy.transform.text.edits import Edit, replace_rows
from hfpy.values import dataclass

_KINDS = ("forall", "doconcurrent")


def index_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines, for those where all such constructs become loops."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in keys:
        routine = facts.routine(key)
        if not any(_indexed(s) for s in flatten(routine.body)):
            continue
        try:
            found = list(_Indexed(facts, effects, routine).all(key not in owners))
        except Left:
            continue
        made.setdefault(routine.file, []).extend(found)
    return made


def _indexed(statement: Statement) -> bool:
    return isinstance(statement, (Header, OneLine)) and statement.kind in _KINDS


@dataclass(frozen=True)
class _Control:
    """The indices of a construct, under their new names, with their ranges, and its masks, as text; ``names`` are the
    indices as the user calls them, ``ranges`` and ``tests`` the expressions of both.
    """

    loops: tuple[tuple[str, tuple[str, ...]], ...]
    masks: tuple[str, ...]
    names: tuple[str, ...]
    ranges: tuple[Range, ...]
    tests: tuple[Expr, ...]

    @property
    def reads(self) -> tuple[Expr, ...]:
        """What is worked out to know which turns there are."""
        return (*self.ranges, *self.tests)

    def rows(self, inner: Sequence[str], name: str = "") -> list[str]:
        """Loops around some rows, the first index innermost."""
        rows = (
            [f"if ({' .and. '.join(f'({m})' for m in self.masks)}) then", *inner, "end if"] if self.masks else [*inner]
        )
        for place, (index, bounds) in enumerate(self.loops):
            named = name if place == 0 else ""
            rows = [
                f"{f'{named}: ' if named else ''}do {index} = {', '.join(bounds)}",
                *rows,
                f"end do {named}".rstrip(),
            ]
        return rows

    def around(self, name: str) -> tuple[list[str], list[str]]:
        """What is before a body, and after it."""
        rows = self.rows(["!"], name)
        middle = len(self.loops) + bool(self.masks)
        return rows[:middle], rows[middle + 1 :]


class _Indexed(Renamed):
    """Makes loops of the constructs of one routine."""

    inside = False
    in_blocks: Mapping[str, Symbol] = {}

    def all(self, inside: bool) -> Iterator[Edit]:
        """All edits, in regions or, for a routine that kernels call, everywhere. Raises Left."""
        self.kinds = Kinds(self.facts.scopes, self.facts.application.options.kinds)
        self.inside = inside
        self.rooms = Rooms(self.facts, self.key, self.rows)
        yield from self.edits()

    def _nodes(self, nodes: tuple[Node, ...], known: Known) -> Iterator[Edit]:
        for node in nodes:
            if isinstance(node, Construct) and node.kind == "region":
                before, self.inside = self.inside, True
                yield from self._nodes(node.body, known)
                yield from self.rooms.private(node)
                self.inside = before
            elif self.inside and isinstance(node, Construct) and node.kind in _KINDS:
                yield from self._loops(node, known) if node.kind == "doconcurrent" else self._forall(node, known)
            elif self.inside and isinstance(node, OneLine) and any(map(_indexed, flatten([node]))):
                yield self._one_line(node, known)
            elif not isinstance(node, Construct):
                yield from self._statement(node, known)
            else:
                own = {s.name for s in node.declarations if isinstance(s, Symbol)}
                own |= set(node.header.names) if isinstance(node.header, Header) and node.kind == "associate" else set()
                left = {name: meaning for name, meaning in known.items() if name not in own}
                outer, declared = self.in_blocks, (s for s in node.declarations if isinstance(s, Symbol))
                self.in_blocks = {**outer, **{s.name: s for s in declared}}
                for part in node.parts:
                    yield from self._statement(part.header, known)
                    yield from self._nodes(part.body, left)
                self.in_blocks = outer

    # -- indices and masks

    def _control(self, exprs: tuple[Expr, ...], line: LogicalLine, known: Known) -> tuple[_Control, Known]:
        """The control of a construct, and what names mean in it."""
        self.blocks += 1
        inner = dict(known)
        ranges = [e for e in exprs if isinstance(e, Keyword)]
        for item in ranges:
            made = plain_name(item.name, self.blocks)
            self.rows.append(f"integer({self._bytes(item.name)}) :: {made}")
            inner[item.name] = Meaning(made, made)
        loops = []
        for item in ranges:
            if not isinstance(item.value, Range) or item.value.lower is None or item.value.upper is None:
                raise Left
            parts = (item.value.lower, item.value.upper, item.value.step)
            texts = tuple(self._text(part, line.text, known) for part in parts if part is not None)
            loops.append((inner[item.name].text, texts))
        masks = [e for e in exprs if not isinstance(e, Keyword)]
        shown = tuple(self._text(mask, line.text, inner) for mask in masks)
        listed = tuple(i.value for i in ranges if isinstance(i.value, Range))
        return _Control(tuple(loops), shown, tuple(i.name for i in ranges), listed, tuple(masks)), inner

    def _bytes(self, name: str) -> int:
        found = self._found(name)
        scalar = self.kinds.scalar(found.symbol.type, found.home) if found is not None else None
        return scalar.bytes if scalar is not None and scalar.base == "integer" else self.kinds.defaults.integer

    def _found(self, name: str) -> Found | None:
        """What a name means, variables of blocks included."""
        own = self.in_blocks.get(name)
        return Found(self.key, own) if own is not None else self.facts.scopes.variable(name, self.key)

    # -- do concurrent

    def _loops(self, node: Construct, known: Known) -> Iterator[Edit]:
        header, end = node.header, node.end
        assert isinstance(header, Header)
        if header.label or not isinstance(end, End) or not self._alone(header.line) or not self._alone(end.line):
            raise Left
        control, inner = self._control(header.exprs, header.line, known)
        inner = {**inner, **{name: self._local(name) for name in (*header.local, *header.begun)}}
        self._check_control(control.reads, node, [s for s in flatten(node.body) if isinstance(s, Assignment)])
        before, behind = control.around(header.construct_name)
        before += [f"{inner[name].text} = {known[name].text if name in known else name}" for name in header.begun]
        yield self._rows(header.line, before)
        yield from self._nodes(node.body, inner)
        yield self._rows(end.line, behind)

    def _local(self, name: str) -> Meaning:
        """A new variable for one that is local to the construct."""
        symbol = self.routine.spec.symbols.get(name)
        scalar = self.kinds.scalar(symbol.type, self.key) if symbol is not None else None
        if symbol is None or scalar is None or symbol.rank or symbol.dynamic or scalar.base == "character":
            raise Left
        made = plain_name(name, self.blocks)
        self.rows.append(f"{scalar.base}({scalar.bytes}) :: {made}")
        return Meaning(made, made)

    # -- forall

    def _forall(self, node: Construct, known: Known) -> Iterator[Edit]:
        header, end = node.header, node.end
        assert isinstance(header, Header)
        if end is None or header.line.label or not self._alone(header.line) or not self._alone(end.line):
            raise Left
        control, inner = self._control(header.exprs, header.line, known)
        rows = self._assigned(node, control, inner)
        if any(not self._alone(s.line) for s in flatten(node.body)):
            raise Left
        yield replace_rows(header.line.first, end.line.last, rows)

    def _assigned(self, node: Construct, control: _Control, known: Known) -> list[tuple[str, int]]:
        """The statements of a construct, each in loops of its own."""
        made: list[tuple[str, int]] = []
        statements = [s for s in flatten(node.body) if isinstance(s, Assignment)]
        self._check_control(control.ranges, node, statements)
        if len(statements) > 1 and self._changed(node) & set[str]().union(*map(mentioned, control.tests)):
            rows, control = self._kept(control)
            made += [(row, node.header.line.first) for row in rows]
        for inner in node.body:
            if isinstance(inner, Construct) and inner.kind == "forall":
                more, names = self._control(expressions(inner.header), inner.header.line, known)
                made += self._assigned(inner, _both(control, more), names)
            elif isinstance(inner, OneLine) and inner.kind == "forall" and isinstance(inner.action, Assignment):
                more, names = self._control(inner.control, inner.line, known)
                made += self._one(inner.action, _both(control, more), names)
            elif isinstance(inner, Assignment):
                made += self._one(inner, control, known)
            else:
                raise Left
        return made

    def _one(self, statement: Assignment, control: _Control, known: Known) -> list[tuple[str, int]]:
        """An assignment in loops: where it reads other elements than it sets, after loops that work out the values."""
        line = statement.line
        target, value = (self._text(e, line.text, known) for e in (statement.target, statement.value))
        rows: list[str] = []
        try:
            self._check_apart(statement, (statement.target, *control.reads))
        except Left:
            rows, control = self._kept(control)
            self._check_apart(statement, (statement.target, *control.reads))
        try:
            self._check_apart(statement, (statement.value,))
        except Left:
            room = self._room(statement, control, known)
            rows += control.rows([f"{room} = {value}"])
            value = room
        return [(row, line.first) for row in (*rows, *control.rows([f"{target} = {value}"]))]

    def _room(self, statement: Assignment, control: _Control, known: Known) -> str:
        """Room for the value of an assignment at each turn, as an element. Raises Left."""
        target = statement.target
        if not isinstance(target, Apply) or not isinstance(target.base, Name):
            raise Left
        chosen = [(place, a) for place, a in enumerate(target.args) if names_in(a) & {*control.names}]
        used = set[str]().union(*(names_in(a) for _, a in chosen))
        if any(isinstance(n, Range) for a in target.args for n in walk(a)) or not used.issuperset(control.names):
            raise Left
        room = self.rooms.room(target.base.name, [place for place, _ in chosen])
        return f"{room}({', '.join(self._text(a, statement.line.text, known) for _, a in chosen)})"

    def _kept(self, control: _Control) -> tuple[list[str], _Control]:
        """What works out the masks of all turns beforehand, and the control with them. Raises Left."""
        shape = []
        for (_, texts), bounds in zip(control.loops, control.ranges, strict=True):
            if bounds.step is not None or not all(map(self._lasts, names_in(bounds))):
                raise Left
            if any(isinstance(n, (Apply, Component)) for n in walk(bounds)):
                raise Left
            shape.append(":".join(texts))
        if not control.masks:
            raise Left
        room = f"{self.rooms.mask(shape)}({', '.join(index for index, _ in control.loops)})"
        mask = " .and. ".join(f"({m})" for m in control.masks)
        return replace(control, masks=()).rows([f"{room} = {mask}"]), replace(control, masks=(room,), tests=())

    def _lasts(self, name: str) -> bool:
        """Whether a name has one value all over the routine, which is known where that begins."""
        found = self._found(name)
        if found is None or found.symbol.rank:
            return False
        written = set[str]().union(*self._written.values())
        return found.symbol.constant or (name in self.routine.dummies and name not in written)

    def _one_line(self, statement: OneLine, known: Known) -> Edit:
        """``forall (…) a = b``, perhaps after a condition."""
        line = statement.line
        if not self._alone(line) or line.label:
            raise Left
        rows: list[str] = []
        action: Statement = statement
        while isinstance(action, OneLine) and action.kind == "if":
            rows.append(f"if ({self._text(action.control[0], line.text, known)}) then")
            action = action.action
        conditions = len(rows)
        if not isinstance(action, OneLine) or not isinstance(action.action, Assignment):
            raise Left
        control, inner = self._control(action.control, line, known)
        rows += [row for row, _ in self._one(action.action, control, inner)]
        return self._rows(line, [*rows, *["end if"] * conditions])

    # -- what must be apart

    def _changed(self, node: Construct) -> set[str]:
        """The names that a construct sets."""
        return set[str]().union(*(self._written.get(id(s), set()) for s in flatten(node.body)))

    def _check_control(self, reads: Sequence[Expr], node: Construct, statements: Sequence[Assignment]) -> None:
        """Raises Left where the body changes what the bounds or the mask of another turn read."""
        called = any(s.callee for s in self._calls(node))
        for name in self._changed(node) & set[str]().union(*map(mentioned, reads)):
            targets = [s.target for s in statements if base_name(s.target) == name]
            if called or not targets:
                raise Left
            for target in targets:
                self._check_same(target, name, reads)

    def _calls(self, node: Construct) -> Iterator[CallSite]:
        inside = {id(s) for s in flatten(node.body)}
        return (s for s in self.facts.graph.sites.get(self.key, ()) if id(s.at.statement) in inside)

    def _check_apart(self, statement: Assignment, reads: Sequence[Expr]) -> None:
        """Raises Left where a statement reads other elements of the array than it sets, perhaps under another name."""
        name = base_name(statement.target)
        found = self._found(name) if name is not None else None
        if statement.pointer or name is None or found is None:
            raise Left
        self._check_same(statement.target, name, reads)
        slot = (found.home, found.symbol.name)
        for site in self.facts.graph.sites.get(self.key, ()):
            if site.at.statement.line.key == statement.line.key and slot in self.effects.mentioned(site.callee):
                raise Left
        if found.symbol.attributes & {"pointer", "target"} or name in self.routine.spec.storage:
            others = {n.name for e in reads for n in walk(e) if isinstance(n, Name)} - {name}
            symbols = (self.facts.scopes.variable(n, self.key) for n in others)
            if any(s is not None and s.symbol.rank for s in symbols):
                raise Left

    def _check_same(self, target: Expr, name: str, reads: Sequence[Expr]) -> None:
        plain = without_places(target)
        whole = [
            n for e in reads for n in walk(e) if isinstance(n, (Name, Apply, Component)) and without_places(n) == plain
        ]
        same = {id(n) for w in (*whole, *self._asked(reads)) for n in _bases(w)}
        if any(isinstance(n, Name) and n.name == name and id(n) not in same for e in reads for n in walk(e)):
            raise Left
        if isinstance(target, Name) and whole:
            raise Left  # one element for all turns

    def _asked(self, reads: Sequence[Expr]) -> Iterator[Expr]:
        """Arguments of which no value counts, as in ``size(a)``."""
        for node in (n for e in reads for n in walk(e) if isinstance(n, Apply) and n.args):
            name = node.base.name if isinstance(node.base, Name) else ""
            if name in INQUIRY and self.facts.scopes.is_intrinsic(name, self.key):
                yield node.args[0]

    # -- texts

    def _alone(self, line: LogicalLine) -> bool:
        return not line.file and self.index.alone(line)

    def _rows(self, line: LogicalLine, rows: Sequence[str]) -> Edit:
        """Rows in the place of a statement."""
        margin = " " * line.segments[0][2]
        labelled = [f"{line.label} continue", *rows] if line.label else rows
        return replace_rows(line.first, line.last, [(margin + row, line.first) for row in labelled])


def _bases(expr: Expr) -> Iterator[Expr]:
    """What an expression names, without what is in its indices."""
    yield expr
    while isinstance(expr, (Apply, Component)):
        expr = expr.base
        yield expr


def _both(outer: _Control, inner: _Control) -> _Control:
    """A construct in another one: its indices run faster."""
    return _Control(
        (*inner.loops, *outer.loops),
        (*outer.masks, *inner.masks),
        (*inner.names, *outer.names),
        (*inner.ranges, *outer.ranges),
        (*outer.tests, *inner.tests),
    )
