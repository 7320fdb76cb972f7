"""Data flow in a region: which scalars are set before they are read, which carry values in or out.

Sets of names are the bits of numbers while a walk goes on: what is certain on two ways is what both numbers have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import TypeVar

from hfpy.analyze.language.uses import Reference
from hfpy.model.directives import IfDirective
from hfpy.model.expressions import Name, truth
from hfpy.model.statements import (
    LOOPS,
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    Statement,
    constructs,
    flatten,
    name_of,
    targets,
    ways_out,
)
from hfpy.values import dataclass

_EVERYTHING = -1  # all bits: a way that was left says nothing
_LOOPS = (*LOOPS, "forall")
_T = TypeVar("_T")
EffectsByStatement = dict[int, list[tuple[Reference, bool, bool, bool]]]


@dataclass
class Flow:
    """What a scan of statements found about names.

    ``exposed``: read where no assignment is certain before (name → first such reference); ``written``: name → first
    assignment.
    """

    exposed: dict[str, Reference] = field(default_factory=dict)
    written: dict[str, Reference] = field(default_factory=dict)
    read: dict[str, Reference] = field(default_factory=dict)
    certain: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Does:
    """What one statement reads, sets, and replaces as a whole, as bits, and by what references."""

    reads: int
    writes: int
    whole: int
    listed: list[tuple[Reference, bool, bool, bool]]


class FlowScan:
    """Walks a body once, keeping the set of names that are certainly assigned.

    ``effects`` gives, for a statement, its references with their effect: (reference, reads, writes, whole),
    ``whole`` telling that
    the variable is replaced entirely. ``holds`` tells of an ``@if`` whether its lines are in the build, where that is
    known.
    """

    def __init__(self, effects: EffectsByStatement, holds: Callable[[IfDirective], bool] | None = None) -> None:
        self.effects = effects
        self._holds = holds
        self.flow = Flow()
        self._bits: dict[str, int] = {}
        self._does: dict[int, _Does] = {}
        self._read = self._exposed = self._written = 0  # what of these is in the flow
        self._jumps: dict[str, int] = {}
        self._stop: Construct | None = None
        self._places: frozenset[str] = frozenset()  # where jumps within the nodes may lead
        self._loops = 0  # around the statement, among the nodes
        self._left = _EVERYTHING  # what is certain wherever a jump leaves the nodes
        self._passed: dict[str, int] = {}  # what was known of the jumps to a label when a walk came to it

    def _bit(self, name: str) -> int:
        """The bit of a name."""
        return self._bits.setdefault(name, 1 << len(self._bits))

    def _of(self, statement: Statement) -> _Does | None:
        """What a statement does."""
        does = self._does.get(id(statement))
        if does is None and (listed := self.effects.get(id(statement))):
            does = self._does[id(statement)] = _Does(
                self._all(r.name for r, reads, _, _ in listed if reads),
                self._all(r.name for r, _, writes, _ in listed if writes),
                self._all(r.name for r, _, writes, whole in listed if writes and whole),
                listed,
            )
        return does

    def scan(self, nodes: tuple[Node, ...], assigned: frozenset[str] = frozenset()) -> Flow:
        """Scan the nodes; ``certain`` of the result are the names assigned on every way to the end, and on every way
        out by a jump: ``cycle`` ends a point of a region, ``return`` a routine.
        """
        self._places = _places(nodes)
        before = self._all(assigned)
        certain = self._settled(lambda: self._block(nodes, before)) & self._left
        names = (name for name, bit in self._bits.items() if certain & bit)
        self.flow.certain = frozenset({"*"} if certain == _EVERYTHING else names)
        return self.flow

    def _all(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self._bit(name)
        return found

    def scan_behind(self, nodes: tuple[Node, ...], construct: Construct) -> Flow:
        """Scan what may be executed after a construct somewhere below the nodes, until it is reached again.

        ``exposed`` of the result are the names that may be read with the value they have at its end, ``certain`` those
        that are set on every way from there to the end of the nodes, and out of them.
        """
        self._stop = construct
        found = list(flatten(nodes))
        jumps = any(map(targets, found))
        certain = self._settled(lambda: self._behind(nodes, construct))
        if not jumps and certain is not None:
            self.flow.certain = frozenset(n for n, bit in self._bits.items() if certain & self._left & bit)
        missed = {statement.line.label for statement in found} - self._passed.keys()
        if self._jumps.keys() & missed:
            # A jump leads to what was not walked over: before the construct, or into a block. Then everything may be
            # after it.
            self._settled(lambda: (self._block(nodes, 0), self._behind(nodes, construct)))
        return self.flow

    def _settled(self, walk: Callable[[], _T]) -> _T:
        """What a walk over the nodes finds. A jump backwards is met after its label: then the walk is done again,
        with what is certain at the jump, until nothing changes.
        """
        while True:
            self._passed.clear()
            found = walk()
            if all(self._jumps.get(label, _EVERYTHING) == known for label, known in self._passed.items()):
                return found

    def _behind(self, nodes: tuple[Node, ...], construct: Construct) -> int | None:
        """Scan the rest of a block after the construct; None if the construct is not in it."""
        for number, node in enumerate(nodes):
            assigned: int | None = None
            if node is construct:
                assigned = 0
                self._led_out(construct)
            elif isinstance(node, Construct):
                found = (self._behind(part.body, construct) for part in node.parts)
                assigned = next((names for names in found if names is not None), None)
                assigned = self._joined(node, assigned) if assigned is not None else None
                if assigned is not None and node.kind in _LOOPS:
                    if any(isinstance(s, Jump) or ways_out(s) for s in flatten(node.body)):
                        assigned = 0  # it may have been left before
                    self._block(node.body, self._effects_of(node.header, assigned))
            if assigned is not None:
                return self._block(nodes[number + 1 :], assigned)
        return None

    def _led_out(self, construct: Construct) -> None:
        """Take that the jumps out of a construct are made, where nothing is certain."""
        inside = list(flatten((construct,)))
        labels = {statement.line.label for statement in inside}
        for statement in inside:
            for label in targets(statement):
                if label not in labels:
                    self._leads(label, 0)

    def _block(self, nodes: tuple[Node, ...], assigned: int) -> int:
        for node in nodes:
            if node is self._stop:
                return _EVERYTHING
            label = (node.header if isinstance(node, Construct) else node).line.label
            if label:
                assigned = self._arrived(label, assigned)
            if isinstance(node, Construct):
                assigned = self._joined(node, self._construct(node, assigned))
            else:
                assigned = self._statement(node, assigned)
        return assigned

    def _joined(self, node: Construct, assigned: int) -> int:
        """What is certain after a construct, which jumps to its end, and out of it by its name, leave earlier."""
        name = name_of(node) if node.kind not in LOOPS else ""
        label = node.end.line.label if node.end is not None else ""
        for end in (name, label):
            if end:
                assigned = self._arrived(end, assigned)
        return assigned

    def _arrived(self, label: str, assigned: int) -> int:
        """What is certain at a label, for those who come to it one after the other, and those who jump."""
        jumped = self._jumps.get(label, _EVERYTHING)
        self._passed.setdefault(label, jumped)
        return assigned & jumped

    def _statement(self, statement: Statement, assigned: int) -> int:
        after = self._effects_of(statement, assigned)
        if isinstance(statement, OneLine):
            inner = self._statement(statement.action, after)
            return inner if statement.kind == "if" and truth(statement.control[0]) else after & inner
        if isinstance(statement, Jump) and (
            statement.kind == "goto" or (statement.kind in ("exit", "@exit") and statement.target)
        ):
            # What was certain here is what is certain at its label, or after the construct it names.
            self._leads(statement.target, after)
        for label in ways_out(statement):
            self._leads(label, assigned)
        if isinstance(statement, Jump) and self._leaves(statement):
            self._left &= after
        if isinstance(statement, Jump) and statement.kind != "continue":
            return _EVERYTHING
        return after

    def _leads(self, target: str, assigned: int) -> None:
        """Take that the statement may go on at a target, with what is certain then."""
        self._jumps[target] = assigned & self._jumps.get(target, _EVERYTHING)
        if target not in self._places:
            self._left &= assigned

    def _leaves(self, jump: Jump) -> bool:
        """Whether a jump leads out of the nodes that are scanned, into what is executed then."""
        if jump.target:
            return jump.target not in self._places
        return jump.kind in ("return", "@exit") or (jump.kind in ("cycle", "exit") and not self._loops)

    def _effects_of(self, statement: Statement, assigned: int) -> int:
        does = self._of(statement)
        if does is None:
            return assigned
        open_ = does.reads & ~assigned & ~self._exposed
        if open_ or does.reads & ~self._read or does.writes & ~self._written:
            for reference, reads, writes, _ in does.listed:
                if reads:
                    self.flow.read.setdefault(reference.name, reference)
                    if self._bits[reference.name] & open_:
                        self.flow.exposed.setdefault(reference.name, reference)
                if writes:
                    self.flow.written.setdefault(reference.name, reference)
            self._read |= does.reads
            self._exposed |= open_
            self._written |= does.writes
        return assigned | does.whole

    def _construct(self, node: Construct, assigned: int) -> int:
        if node.kind in _LOOPS:
            after = self._effects_of(node.header, assigned)
            self._loops += 1
            self._block(node.body, after)  # it may run zero times: what it sets is not certain
            self._loops -= 1
            return after
        known = self._holds(node.condition) if self._holds is not None and node.condition is not None else None
        if known is False:
            return assigned
        if node.kind in ("region", "associate", "block", "critical", "at_if"):
            after = self._effects_of(node.header, assigned)
            if node.region is not None:
                after |= self._all(node.region.iterators)
            inner = self._block(node.body, after)
            pointless = node.region is not None and node.region.vector  # it may have no point
            perhaps = pointless or (node.kind == "at_if" and known is None)
            return after & inner if perhaps else inner
        results = []
        before = assigned
        closed = False
        for part in node.parts:
            before = self._effects_of(part.header, before)
            header = part.header
            if isinstance(header, Header) and header.kind in ("select", "selecttype"):
                continue  # nothing is before the first case
            results.append(self._block(part.body, before))
            if isinstance(header, Header) and header.kind in ("else", "case", "elsewhere") and not header.exprs:
                closed = True
            if isinstance(header, Header) and header.kind in ("if", "elseif") and truth(header.exprs[0]):
                closed = True
                break  # the other branches are never taken
        if not closed:
            results.append(before)
        met = results[0]
        for other in results[1:]:
            met &= other
        return met


def _places(nodes: tuple[Node, ...]) -> frozenset[str]:
    """The labels and the names of constructs in some nodes."""
    names = {name_of(c) for c in constructs(nodes)}
    return frozenset(names | {s.line.label for s in flatten(nodes)} - {""})


def is_whole(reference: Reference) -> bool:
    """Whether a write replaces the whole variable (a bare name)."""
    return isinstance(reference.node, Name) and not reference.component
