"""One loop body that computes some stages at a point, with what they need of others (stencil-optimisation.md §3).

Producers are computed at every offset that is needed, each once, into scalars: that is inlining without copying
expressions about, and common subexpressions are shared from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.model.building import Maker, all_of, binary, name, plus
from hfpy.model.expressions import Expr
from hfpy.model.statements import Node
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.program import (
    Access,
    Box,
    Offset,
    Pattern,
    Span,
    Stage,
    Version,
    distance,
    moved,
    shifted,
    within,
)
from hfpy.transform.stencil.substitution import Substitution, element, spelled

# The element of a temporary at an offset from the point whose iterators are these.
Temporary = Callable[[Offset, Mapping[str, Expr]], Expr]


class NestBody:
    """Makes what one turn of a nest computes. ``point`` names its iterators; ``temporaries`` are versions that other
    nests of the group have computed before; ``select`` asks for selections instead of branches.
    """

    def __init__(
        self,
        group: Group,
        names: Locals,
        point: Mapping[str, Expr],
        temporaries: Mapping[Version, Temporary],
        select: bool = False,
    ) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.point = point
        self.temporaries = temporaries
        self.select = select
        self.evaluations: dict[int, int] = {}
        self._known: dict[tuple[int, Offset], list[Box]] = {}

    def root(self, stage: Stage, guard: Box | None = None, at: Offset | None = None) -> tuple[Node, ...]:
        """The statements that compute a stage and store it, at the point itself or at an offset from it; ``guard`` is
        the box of the points of turns, if those may be outside of the stage's.
        """
        here = at if at is not None else (0,) * len(self.program.iterators)
        box = _turns(stage.box, guard, here) if guard is not None else stage.box
        inner = [*self._instance(stage, here, box)]
        make = maker_of(stage)
        for version in stage.writes:
            if version in self.group.stored:
                pattern = self.program.patterns[version.array]
                inner.append(make.assign(self._element(pattern, here), self.scalar(version, here)))
        return make.branch(self._condition(box, guard) if guard is not None else None, inner)

    def computed(self, stage: Stage, at: Offset) -> Iterator[Node]:
        """The statements that compute a stage at an offset from the point, without storing it."""
        yield from self._instance(stage, at, stage.box)

    def copied(self, version: Version) -> Node:
        """The statement that stores a version that a temporary holds."""
        here = (0,) * len(self.program.iterators)
        pattern = self.program.patterns[version.array]
        stage = self.program.producer(version)
        assert stage is not None
        return maker_of(stage).assign(self._element(pattern, here), self.temporaries[version](here, self.point))

    def scalar(self, version: Version, offset: Offset) -> Expr:
        """The scalar that holds a version at an offset."""
        pattern = self.program.patterns[version.array]
        number = f"_v{version.number}" if version.number > 1 else ""
        suffix = number + spelled(offset, self.program.iterators)
        return name(self.names.scalar(version.array, suffix, pattern.type_text))

    def _instance(self, stage: Stage, offset: Offset, box: Box) -> Iterator[Node]:
        """A stage at an offset, and before it what it needs, unless that is known all over the box."""
        if any(within(box, known) for known in self._known.get((stage.number, offset), ())):
            return
        for read in sorted(stage.reads, key=lambda r: (r.version.array, r.offset)):
            producer = self.group.producer(read)
            if producer is not None and read.version not in self.temporaries:
                yield from self._instance(producer, shifted(read.offset, offset), box)
        self._known.setdefault((stage.number, offset), []).append(box)
        self.evaluations[stage.number] = self.evaluations.get(stage.number, 0) + 1
        before = {r.version.array: r.version for r in stage.reads}
        for version in stage.writes:
            if version.array in stage.keeps:
                old = self._value(before[version.array], offset)
                yield maker_of(stage).assign(self.scalar(version, offset), old)
        yield from Substitution(
            stage,
            lambda a: self._access(stage, before, a, offset),
            self._scalars(stage, offset),
            self._at(offset),
            self.names.like if self.select else None,
        ).nodes()

    def _access(self, stage: Stage, before: Mapping[str, Version], access: Access, offset: Offset) -> Expr:
        if access.own:
            return self.scalar(stage.version(access.array), offset)
        return self._value(before[access.array], shifted(access.offset, offset))

    def _value(self, version: Version, offset: Offset) -> Expr:
        """A version at an offset: a scalar, a temporary, or an element in memory."""
        if version in self.temporaries:
            return self.temporaries[version](offset, self.point)
        producer = self.program.producer(version)
        if producer is not None and producer.number in self.group.inside:
            return self.scalar(version, offset)
        return self._element(self.program.patterns[version.array], offset)

    def _element(self, pattern: Pattern, offset: Offset) -> Expr:
        return element(pattern, dict(zip(self.program.iterators, offset, strict=True)), self.point)

    def _scalars(self, stage: Stage, offset: Offset) -> dict[str, str]:
        suffix = spelled(offset, self.program.iterators)
        return {n: self.names.scalar(n, f"_s{stage.number}{suffix}", self.program.types[n]) for n in stage.scalars}

    def _at(self, offset: Offset) -> dict[str, Expr]:
        moved = zip(self.program.iterators, offset, strict=True)
        return {i: plus(self.point[i], o) for i, o in moved}

    def _condition(self, inner: Box, outer: Box) -> Expr | None:
        """Where a point of the outer box lies in the inner one."""
        parts = []
        for iterator, one, other in zip(self.program.iterators, inner, outer, strict=True):
            if one.lower != other.lower:
                parts.append(binary(self.point[iterator], ">=", bound(one.lower)))
            if one.upper != other.upper:
                parts.append(binary(self.point[iterator], "<=", bound(one.upper)))
        return all_of(parts)


def maker_of(stage: Stage) -> Maker:
    """Makes statements that come from a stage as a whole."""
    return Maker(stage.region.header.line)


def _turns(box: Box, guard: Box, at: Offset) -> Box:
    """The points whose turn computes a point of a box at an offset: the box moved back, as far as there are turns."""
    spans = []
    for span, around, by in zip(box, guard, at, strict=True):
        lower = moved(span.lower, -by)
        outside = distance(lower, around.lower)
        spans.append(Span(around.lower if outside is not None and outside < 0 else lower, moved(span.upper, -by)))
    return tuple(spans)
