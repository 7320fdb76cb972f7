"""The nest that a region's body is, through the routines it calls.

A walk over the statements in the order of the text: loops and conditions around each, what scalars are known to hold
there, and an access for every reference of an array. A value that the walk cannot follow is a new one in each turn of
the loops around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.dependence.forms import Form, behind_loop, extreme, number
from hfpy.analyze.dependence.masks import set_by_all
from hfpy.analyze.dependence.model import (
    Access,
    Condition,
    Every,
    Facts,
    Instance,
    Nest,
    Position,
    Section,
    always,
    negated,
)
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.implied import implied_loops
from hfpy.analyze.language.types import set_on_entry
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.nests.accessed import CALL, WRITE, Accessed
from hfpy.analyze.nests.comparisons import case
from hfpy.analyze.nests.jumps import Level, disordered, joined, leaves, left_by
from hfpy.analyze.nests.parts import part_around, part_of, selected
from hfpy.analyze.nests.reading import Reading, World
from hfpy.analyze.nests.subscripts import Subscripts
from hfpy.analyze.nests.views import View
from hfpy.analyze.nests.walked import Read
from hfpy.model.directives import Region
from hfpy.model.expressions import Expr, Fragment, Keyword, Name, Range
from hfpy.model.statements import LOOPS, Assignment, Construct, Header, Jump, Node, OneLine, Statement, name_of
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.parse.statements.nests import innermost_body

_MOST = 6_000
_NOTHING = nullcontext()


def build(
    body: RegionBody,
    facts: Facts,
    detailed: bool,
    own: frozenset[tuple[str, str]] = frozenset(),
    read: Read | None = None,
) -> Nest | None:
    """The nest of a region. ``detailed`` follows arrays into called routines; else what a call does to them is vague.
    ``own`` are scalars of the points that are asked for, by identity. ``read`` is what walks over this region need,
    where it is known already.

    None if it has too many accesses.
    """
    walk = _Walk(body, detailed, own, read or Read.of(body))
    region = body.region
    steps = region.strides or (ONE,) * len(region.domains)
    rows = list(zip(region.iterators, region.starts, region.ends, steps, strict=True))
    changing = walk.name_around()
    for name, low, high, step in reversed(rows):  # the last is the outermost
        walk.enter(name, walk.bound(low), walk.bound(high), walk.bound(step))
    for name in changing:
        walk.frame.values[name] = walk.fresh(name)
    points = tuple(loop.index for loop in walk.loops)
    walk.levels.append(Level(len(rows), 0, "", "routine"))
    walk.block(innermost_body(body.construct, region), points)
    known = replace(facts, distinct=facts.distinct | walk.different) if walk.different else facts
    return None if len(walk.accesses) > _MOST else Nest(points, tuple(walk.accesses), known)


class _Walk(Accessed):
    def bound(self, given: Fragment) -> Form:
        """A bound of the region, which is found once, before the region begins."""
        expr = expanded(given, self.body.macros).expr
        still = World(self.facts, self.body.key, lambda identity, parts: False, self.fresh)
        return Reading(still, self.frame, self.body.region.line.key).form(expr)

    # -- blocks

    def block(self, nodes: tuple[Node, ...], position: Position) -> None:
        """Walk over some nodes."""
        labels = [(node.header if isinstance(node, Construct) else node).line.label for node in nodes]
        outer = len(self.levels)
        self.levels += [Level(len(self.loops), len(self.guards), label, "block") for label in labels if label]
        for place, (node, label) in enumerate(zip(nodes, labels, strict=True)):
            if len(self.accesses) > _MOST:
                break
            self.join(label)
            self._node(node, (*position, place))
        del self.levels[outer:]

    def _node(self, node: Node, here: Position) -> None:
        if isinstance(node, Construct):
            self._construct(node, here)
            return
        self._statement(node, here)
        if isinstance(node, OneLine):
            self._one_line(node, here)
        elif isinstance(node, Jump) and node.kind != "continue":
            self.leaving.append(left_by(node, self.levels, len(self.loops), self.guards, self.leaving))
            if node.target:
                self.jumped.setdefault(node.target, []).append(dict(self.frame.values))

    def _one_line(self, node: OneLine, here: Position) -> None:
        reading = self.reading(node)
        if node.kind == "forall":
            self._indexed(node.control, reading, "", lambda: self._node(node.action, (*here, 1)))
            return
        condition = reading.condition(node.control[0]) if node.kind == "if" else self.unknown("a mask")
        self._branches([(condition, lambda: self._node(node.action, (*here, 1)))], node.kind == "where")

    def _construct(self, node: Construct, here: Position) -> None:
        header = node.header
        name = name_of(node) if node.kind not in LOOPS else ""
        ends = (name, node.end.line.label if node.end is not None else "")
        self.levels += [Level(len(self.loops), len(self.guards), end, "block") for end in ends]
        self._construct_of(node, header, here)
        del self.levels[-len(ends) :]
        for end in ends:
            self.join(end)

    def _construct_of(self, node: Construct, header: Statement, here: Position) -> None:
        self._statement(header, here)
        if node.kind == "at_if" and node.condition is not None and not self.facts.holds(node.condition, self.frame.key):
            return
        if node.kind in ("do", "dowhile") and isinstance(header, Header):
            self._loop(node, header, here)
        elif node.kind in ("forall", "doconcurrent") and isinstance(header, Header):
            name = header.construct_name
            self._indexed(header.exprs, self.reading(header), name, lambda: self.block(node.body, here))
        elif node.kind in ("if", "select", "where"):
            self._parts(node, here)
        elif node.kind == "associate" and isinstance(header, Header):
            self._associate(node, header, here)
        elif node.kind == "selecttype":
            rows = [(self.unknown("a type"), self._part(p.body, (*here, n))) for n, p in enumerate(node.parts)]
            with self.naming(node):
                self._branches(rows, False)
        elif node.kind == "block":
            with self.naming(node):
                self.block(node.body, (*here, 0))
        elif node.region is not None and node.region.turns_on(self.facts.target):
            self._points(node, node.region, here)
        else:
            self.block(node.body, (*here, 0))

    def _part(self, nodes: tuple[Node, ...], here: Position) -> Callable[[], None]:
        return lambda: self.block(nodes, here)

    def _parts(self, node: Construct, here: Position) -> None:
        """The parts of an ``if``, a ``select case`` or a ``where``, each under its condition and none before it."""
        before: list[Condition] = []
        rows = []
        masked: list[tuple[Position, list[Access]]] = []
        parts = node.parts if node.kind != "select" else node.parts[1:]
        for number_, part in enumerate(parts):
            if part.header is not node.header:
                self._statement(part.header, (*here, number_))
            own = self._own_condition(node, part.header)
            every = [*(negated(b) for b in before), *([own] if own is not None else [])]
            walk = self._part(part.body, (*here, number_))
            if node.kind == "where":
                walk = partial(self.under_mask, walk, (*here, number_), masked)
            rows.append((Every(tuple(every)), walk))
            if own is not None:
                before.append(own)
        self._branches(rows, node.kind == "where")
        last = parts[-1].header
        if masked and not self.loose and isinstance(last, Header) and not last.exprs:
            at = Instance(self.loops, self.conditions(), (*here, len(parts), WRITE))
            found = set_by_all(masked)
            self.accesses += [replace(a, at=at, must=not self.masked, mask=self.mask, value=None) for a in found]

    def _own_condition(self, node: Construct, header: Statement) -> Condition | None:
        if not isinstance(header, Header) or not header.exprs or node.kind == "where":
            return self.unknown("a mask") if isinstance(header, Header) and header.exprs else None
        if node.kind == "if":
            return self.reading(header).condition(header.exprs[0])
        assert isinstance(node.header, Header)
        return case(node.header.exprs[0], header.exprs, self.reading(node.header), self.reading(header))

    def _branches(self, rows: Sequence[tuple[Condition, Callable[[], None]]], masked: bool) -> None:
        """Walk over alternatives; what they leave in scalars is known where all agree."""
        before, outer, mask = dict(self.frame.values), self.guards, self.masked
        self.masked = mask or masked
        results = [] if any(always(condition) for condition, _ in rows) else [before]
        for condition, branch in rows:
            self.frame.values = dict(before)
            self.guards = (*outer, condition)
            branch()
            results.append(self.frame.values)
        self.guards, self.masked = outer, mask
        self.frame.values = joined(results[0], results[1:], self.fresh)

    # -- loops

    def _loop(self, node: Construct, header: Header, here: Position) -> None:
        reading = self.reading(header)
        low, high, step = number(1), self.fresh("the last turn"), number(1)
        if node.kind == "do" and len(header.exprs) > 1:
            low, high = reading.form(header.exprs[0]), reading.form(header.exprs[1])
            step = reading.form(header.exprs[2]) if len(header.exprs) > 2 else step
            if step.constant is None or not step.constant:  # up or down
                low, high, step = extreme("min", (low, high)), extreme("max", (low, high)), number(1)
                self._vaguely(lambda: self._turns(node, header.var, low, high, step, here))
                return
            if leaves(node):
                down = (step.constant or 1) < 0
                high = extreme("max" if down else "min", (high, self.fresh("the last turn")))
        self._turns(node, header.var, low, high, step, here)

    def _vaguely(self, action: Callable[[], None]) -> None:
        """Walk where it is not known which turns there are."""
        first = len(self.accesses)
        action()
        self.inexact(first, "the step of a loop is not known")

    def _turns(self, node: Construct, var: str, low: Form, high: Form, step: Form, here: Position) -> None:
        changed = self.calls.scalars_set(node, self.frame.key)
        outer, hidden = self.loops, self.frame.indices.get(var)
        self.frame.values.pop(var, None)
        self.enter(var or "while", low, high, step)
        for name in changed:
            self.forget(name)
        name = node.header.construct_name if isinstance(node.header, Header) else ""
        self.levels.append(Level(len(self.loops), len(self.guards), name))
        self.block(node.body, (*here, self.loops[-1].index))
        self.levels.pop()
        self.leaving = [x for x in self.leaving if x.depth < len(self.loops) or x.label]
        if node.kind == "dowhile":  # the condition is asked again after each turn, with other values
            for name in changed:
                self.forget(name)
            self._statement(node.header, (*here, self.loops[-1].index, len(node.body)))
        self.loops = outer
        for name in changed:
            self.forget(name)
        if var:
            known = None if leaves(node) or self.loose else behind_loop(low, high, step)
            self.frame.values[var] = known if known is not None else self.fresh(var)
        if hidden is None:
            self.frame.indices.pop(var or "while", None)
        else:
            self.frame.indices[var] = hidden

    def _points(self, node: Construct, region: Region, here: Position) -> None:
        """A region with ``vector`` within another one, or in a called routine: its points are turns of loops."""
        macros, reading = self.facts.application.macros_of(self.frame.key), self.reading(node.header)
        steps = region.strides or (ONE,) * len(region.domains)
        rows = list(zip(region.iterators, region.starts, region.ends, steps, strict=True))
        outer, indices, first, vague = self.loops, dict(self.frame.indices), len(self.accesses), False
        changed = self.calls.scalars_set(node, self.frame.key)
        for name, *bounds in reversed(rows):  # the last is the outermost
            low, high, step = (reading.form(expanded(bound, macros).expr) for bound in bounds)
            self.frame.values.pop(name, None)
            if not step.constant:  # up or down
                low, high, step, vague = extreme("min", (low, high)), extreme("max", (low, high)), number(1), True
            self.enter(name, low, high, step)
        for name in changed:
            self.forget(name)
        self.levels.append(Level(len(self.loops), len(self.guards), name_of(node)))
        self.block(node.body, (*here, *(loop.index for loop in self.loops[len(outer) :])))
        self.levels.pop()
        self.leaving = [x for x in self.leaving if x.depth <= len(outer) or x.label]
        if vague:
            self.inexact(first, "the step of a region is not known")
        self.loops, self.frame.indices = outer, indices
        for name in changed:
            self.forget(name)

    def _indexed(self, control: tuple[Expr, ...], reading: Reading, name: str, action: Callable[[], None]) -> None:
        """``forall`` and ``do concurrent``: loops in any order, under a mask.

        Their accesses have no turn in their positions, so that all reads of a statement come before what it writes.
        """
        outer, guards, indices = self.loops, self.guards, dict(self.frame.indices)
        before = dict(self.frame.values)
        for item in control:
            if isinstance(item, Keyword) and isinstance(item.value, Range):
                low, high = (number(1) if e is None else reading.form(e) for e in (item.value.lower, item.value.upper))
                step = reading.form(item.value.step) if item.value.step is not None else number(1)
                if not step.constant:  # up or down
                    low, high, step = extreme("min", (low, high)), extreme("max", (low, high)), number(1)
                    action = partial(self._vaguely, action)
                self.enter(item.name, low, high, step)
            else:
                self.guards = (*self.guards, reading.condition(item))
        self.levels.append(Level(len(self.loops), len(self.guards), name))
        action()
        self.levels.pop()
        self.leaving = [x for x in self.leaving if x.depth <= len(outer) or x.label]
        self.loops, self.guards, self.frame.indices = outer, guards, indices
        for scalar, value in list(self.frame.values.items()):
            if before.get(scalar) != value:  # it may depend on the indices, which mean nothing from here on
                self.frame.values[scalar] = self.fresh(scalar)

    # -- statements

    def _statement(self, statement: Statement, here: Position) -> None:
        found = self._statements.at(statement, self.frame.key)
        if found is None:
            return
        references = found[1]
        reading = self.reading(statement)
        subscripts = Subscripts(reading, statement)
        implied = implied_loops(statement)
        for reference in references:
            with self.implied(implied, reference.node, reading) if implied else _NOTHING:
                self._reference(reference, subscripts, here)
        for site in self.calls.sites(self.frame.key, statement):
            if self._follows(site):
                with self.implied(implied, site.node, reading) if implied else _NOTHING:
                    self._call(site, references, subscripts, here)
            elif self.detailed and site.callee:
                self._not_followed(site, here)
        self._values(statement, references, reading)

    def _values(self, statement: Statement, references: list[Reference], reading: Reading) -> None:
        """What scalars hold after a statement."""
        value: Form | None = None
        if isinstance(statement, Assignment) and isinstance(statement.target, Name) and not self.loose:
            name = statement.target.name
            whole = self._is_scalar(name) and reading.is_integer(statement.target)
            if whole and reading.is_integer(statement.value) and not self.masked:
                value = reading.form(statement.value)
                self.forget(name)
                self.frame.values[name] = value
        for reference in references:
            name = reference.name
            if isinstance(statement, Header) and statement.var == name and reference.role == "write":
                continue
            if reference.component or not self._is_scalar(name):
                continue
            if name in self.frame.indices and self.frame.indices[name] not in [x.index for x in self.loops]:
                continue
            if value is not None and isinstance(statement, Assignment) and reference.node is statement.target:
                continue
            if self.calls.sets(reference, self.frame.key) and name not in self.frame.indices:
                self.forget(name)
        for site in self.calls.sites(self.frame.key, statement):
            for name in list(self.frame.values):
                if self.calls.may_set(site, self.memory_of(name)):
                    self.frame.values[name] = self.fresh(name)

    def _is_scalar(self, name: str) -> bool:
        """Whether a name is that of a scalar with a value of its own: arrays are set as a whole, and changed element by
        element.
        """
        given = self.frame.given.get(name)
        if given is not None:
            return given.scalar and name not in self.frame.parts
        data = self.facts.object(name, self.frame.key)
        return data is None or not data.rank

    def _associate(self, node: Construct, header: Header, here: Position) -> None:
        """Names for parts of arrays hold for the body, as the indices are at its beginning."""
        parts: dict[str, tuple[DataObject, View]] = {}
        found = self._statements.at(header, self.frame.key)
        subscripts = Subscripts(self.reading(header), header)
        for name, selector in zip(header.names, header.exprs, strict=False):
            reference = selected(found[1] if found is not None else (), selector, node)
            if reference is None:
                continue
            around = self._part_around(reference) if reference.name in self.frame.given else None
            data = around[0] if around is not None else self.facts.object(reference.name, self.frame.key)
            if data is None or (reference.name in self.frame.given if around is None else False):
                continue
            if data.rank or data.symbol.type.base in ("type", "class"):
                parts[name] = data, part_of(data, around, selector, reference, subscripts)
        with self.naming(node):
            self.frame.parts |= parts
            self.block(node.body, (*here, 0))

    def _part_around(self, reference: Reference) -> tuple[DataObject, View] | None:
        """What a name means that a construct around gives."""
        known = self.frame.parts.get(reference.name)
        return known or part_around(self.body, reference, self.frame.key, self.fresh)

    # -- calls

    def _call(self, site: CallSite, references: list[Reference], subscripts: Subscripts, here: Position) -> None:
        """Walk over the routine that is called."""
        entered = self.calls.frame(site, references, subscripts, self.scalars)
        outer = (self.frame, self.called, self.leaving, self.masked, self.loose, self.hosts, self.jumped)
        routine = self.facts.application.routines[entered.key]
        self.hosts = (*self.hosts, self.frame)
        self.frame, self.called, mask = entered, (*self.called, entered.key), self.mask
        self.mask = ()
        self.leaving, self.jumped = list(self.leaving), {}
        self.loose = self.loose or disordered(routine.body)
        self.levels.append(Level(len(self.loops), len(self.guards), "", "routine"))
        self._entry(routine, site, (*here, CALL))
        self.block(routine.body, (*here, CALL))
        self.levels.pop()
        self.frame, self.called, self.leaving, self.masked, self.loose, self.hosts, self.jumped = outer
        self.mask = mask

    def _entry(self, routine: Routine, site: CallSite, here: Position) -> None:
        """What a call sets in objects before the first statement of the routine."""
        for name in self.frame.views:
            data = self.facts.object(name, routine.key)
            if data is not None and set_on_entry(data.symbol, routine.key, self.facts.scopes):
                reference = Reference(name, site.node, site.at, "write")
                self._access(reference, data, (Section(),) * data.rank, (True, True, False), here)

    def _not_followed(self, site: CallSite, here: Position) -> None:
        """A routine that the walk does not go into may touch, at some time, all that it mentions."""
        reference = Reference(site.name, site.node, site.at, "read")
        why = f"what '{site.name}' does with it is not known"
        for data, writes in self.calls.known_to(site):
            if self._counts(data) and self._is_changed(data.identity, ()):
                for write in (False, True)[: 1 + writes]:
                    self._access(reference, data, None, (write, False, False), (*here, CALL), why)
