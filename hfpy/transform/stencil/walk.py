"""A group on a GPU as a region over chunks of one iterator, along which each thread walks (:mod:`walkplan`).

The region counts chunks in the place of the iterator. Before the first turn of a chunk the values are computed that its
turns carry on; a turn makes the newest of each line, computes what is stored, and moves the lines on by a point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from hfpy.model.building import apply, name, plus
from hfpy.model.expressions import Expr
from hfpy.model.statements import Node
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody, maker_of
from hfpy.transform.stencil.points import copies
from hfpy.transform.stencil.program import Box, Offset, Span, Stage, Version, distance, moved
from hfpy.transform.stencil.substitution import spelled
from hfpy.transform.stencil.walkplan import Line, carried_versions, walk_plan
from hfpy.values import dataclass

Held = Mapping[Version, Collection[Offset]]


@dataclass(frozen=True)
class WalkCode:
    """The body of the region, the iterator that counts chunks, and how often a turn has each stage written out."""

    body: tuple[Node, ...]
    block: str
    evaluations: Mapping[int, int]


class Turn(NestBody):
    """One point of a walk, with the values that are ``held`` there: by version the offsets."""

    def __init__(self, group: Group, names: Locals, point: Mapping[str, Expr], held: Held) -> None:
        super().__init__(group, names, point, {})
        self.held = held

    def newest(self, stage: Stage, offset: Offset, box: Box) -> Iterator[Node]:
        """The statements that make the newest value of a line."""
        yield from super()._instance(stage, offset, box)

    def carrier(self, version: Version, offset: Offset) -> Expr:
        """The scalar that holds a value of a line."""
        if version not in self.group.inputs:
            return self.scalar(version, offset)
        pattern = self.program.patterns[version.array]
        suffix = "_in" + spelled(offset, self.program.iterators)
        return name(self.names.scalar(version.array, suffix, pattern.type_text))

    def fetched(self, version: Version, offset: Offset) -> Node:
        """The statement that reads an element into its scalar."""
        pattern = self.program.patterns[version.array]
        return maker_of(self.group.stages[0]).assign(self.carrier(version, offset), self._element(pattern, offset))

    def condition(self, box: Box, around: Box) -> Expr | None:
        """Where a point of a box lies in another one; None if everywhere."""
        return self._condition(box, around)

    def _instance(self, stage: Stage, offset: Offset, box: Box) -> Iterator[Node]:
        if offset not in self.held.get(stage.writes[0], ()):
            yield from super()._instance(stage, offset, box)

    def _value(self, version: Version, offset: Offset) -> Expr:
        at = self.program.placed(version, offset) if version in self.group.inputs else offset
        if at in self.held.get(version, ()):
            return self.carrier(version, at)
        return super()._value(version, offset)


class WalkWriter:
    """Makes of one group the body of a region over chunks of ``size`` points of one iterator."""

    def __init__(self, group: Group, names: Locals, iterator: str, size: int) -> None:
        self.group = group
        self.names = names
        self.iterator = iterator
        self.along = group.program.iterators.index(iterator)
        self.plan = walk_plan(group, self.along)
        self.size = size
        self.make = maker_of(group.stages[0])
        self.block = names.scalar(iterator, "_block", "integer")
        self.versions = {
            line: carried_versions(group, stage) for stage, lines in self.plan.stages for line in lines
        } | {line: [line.version] for line in self.plan.inputs}

    def write(self) -> WalkCode:
        """The whole body."""
        turn = self._turn()
        first = name(self.block)
        last = apply("min", (plus(first, self.size - 1), bound(self.group.box[self.along].upper)))
        before = tuple(self._first_turn())
        inner = [*self._newest(turn)]
        for stage in self.group.stages:
            if any(v in self.group.stored for v in stage.writes):
                inner += [node for at in copies(self.group) for node in turn.root(stage, self.group.box, at)]
        inner += self._moved_on(turn)
        loop = self.make.loop(self.iterator, first, last, inner)
        return WalkCode((*before, loop), self.block, turn.evaluations)

    def _turn(self) -> Turn:
        """A turn, which has all values of the lines."""
        held: dict[Version, set[Offset]] = {}
        for line, versions in self.versions.items():
            for version in (line.version, *versions):
                held.setdefault(version, set()).update(self.plan.held(line))
        return Turn(self.group, self.names, self._point(self.iterator), held)

    def _point(self, along: str) -> dict[str, Expr]:
        return {i: name(along if i == self.iterator else i) for i in self.group.program.iterators}

    def _first_turn(self) -> Iterator[Node]:
        """What the first turn of a chunk finds, computed for itself."""
        inputs = {line.version: set[Offset]() for line in self.plan.inputs}
        before = Turn(self.group, self.names, self._point(self.block), inputs)
        for line in self.plan.inputs:
            for at in list(self.plan.held(line))[:-1]:
                yield from self._guarded(before, line, at, [before.fetched(line.version, at)])
                inputs[line.version].add(at)
        for stage, lines in self.plan.stages:
            for line in lines:
                for at in list(self.plan.held(line))[:-1]:
                    made = before.newest(stage, at, self._where(line, at))
                    yield from self._guarded(before, line, at, list(made))

    def _newest(self, turn: Turn) -> Iterator[Node]:
        for line in self.plan.inputs:
            yield from self._guarded(turn, line, line.newest, [turn.fetched(line.version, line.newest)])
        for stage, lines in self.plan.stages:
            for line in lines:
                made = turn.newest(stage, line.newest, self._where(line, line.newest))
                yield from self._guarded(turn, line, line.newest, list(made))

    def _guarded(self, turn: Turn, line: Line, at: Offset, nodes: list[Node]) -> tuple[Node, ...]:
        """Statements that make a value, at the points whose turn surely needs it."""
        return self.make.branch(turn.condition(self._where(line, at), self.group.box), nodes)

    def _where(self, line: Line, at: Offset) -> Box:
        """The points of the group whose value at an offset lies on a line."""
        spans = []
        for span, around, by in zip(line.box, self.group.box, at, strict=True):
            lower, upper = moved(span.lower, -by), moved(span.upper, -by)
            before, behind = distance(lower, around.lower), distance(upper, around.upper)
            spans.append(
                Span(
                    around.lower if before is not None and before <= 0 else lower,
                    around.upper if behind is not None and behind >= 0 else upper,
                )
            )
        return tuple(spans)

    def _moved_on(self, turn: Turn) -> Iterator[Node]:
        """The lines move on: each value is a point further away in the next turn."""
        for line, versions in self.versions.items():
            held = list(self.plan.held(line))
            for version in versions:
                for older, newer in pairwise(held):
                    yield self.make.assign(turn.carrier(version, older), turn.carrier(version, newer))
