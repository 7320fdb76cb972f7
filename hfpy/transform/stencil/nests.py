"""One loop body that computes some stages at a point, with what they need of others (stencil-optimisation.md §3).

Producers are computed at every offset that is needed, each once, into scalars: that is inlining without copying
expressions about, and common subexpressions are shared from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.transform.stencil.groups import Group
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
from hfpy.transform.stencil.text import Printer, bound, element, plus, spelled

# The element of a temporary at an offset from the point whose iterators have these texts.
Temporary = Callable[[Offset, Mapping[str, str]], str]


class NestBody:
    """Writes what one turn of a nest computes. ``point`` names its iterators; ``temporaries`` are versions that other
    nests of the group have computed before; ``select`` asks for selections instead of branches.
    """

    def __init__(
        self,
        group: Group,
        names: Locals,
        point: Mapping[str, str],
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

    def root(self, stage: Stage, guard: Box | None = None, at: Offset | None = None) -> Iterator[str]:
        """The lines that compute a stage and store it, at the point itself or at an offset from it; ``guard`` is the
        box of the points of turns, if those may be outside of the stage's.
        """
        here = at if at is not None else (0,) * len(self.program.iterators)
        box = _turns(stage.box, guard, here) if guard is not None else stage.box
        inner = [*self._instance(stage, here, box)]
        for version in stage.writes:
            if version in self.group.stored:
                pattern = self.program.patterns[version.array]
                inner.append(f"{self._element(pattern, here)} = {self.scalar(version, here)}")
        condition = self._condition(box, guard) if guard is not None else ""
        if not condition:
            yield from inner
            return
        yield f"if ({condition}) then"
        yield from (f"  {line}" for line in inner)
        yield "end if"

    def computed(self, stage: Stage, at: Offset) -> Iterator[str]:
        """The lines that compute a stage at an offset from the point, without storing it."""
        yield from self._instance(stage, at, stage.box)

    def copied(self, version: Version) -> str:
        """The line that stores a version that a temporary holds."""
        here = (0,) * len(self.program.iterators)
        pattern = self.program.patterns[version.array]
        return f"{self._element(pattern, here)} = {self.temporaries[version](here, self.point)}"

    def scalar(self, version: Version, offset: Offset) -> str:
        """The scalar that holds a version at an offset."""
        pattern = self.program.patterns[version.array]
        number = f"_v{version.number}" if version.number > 1 else ""
        return self.names.scalar(version.array, number + spelled(offset, self.program.iterators), pattern.type_text)

    def _instance(self, stage: Stage, offset: Offset, box: Box) -> Iterator[str]:
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
                yield f"{self.scalar(version, offset)} = {self._value(before[version.array], offset)}"
        yield from Printer(
            stage,
            lambda a: self._access(stage, before, a, offset),
            self._scalars(stage, offset),
            self._at(offset),
            self.names.like if self.select else None,
        ).lines()

    def _access(self, stage: Stage, before: Mapping[str, Version], access: Access, offset: Offset) -> str:
        if access.own:
            return self.scalar(stage.version(access.array), offset)
        return self._value(before[access.array], shifted(access.offset, offset))

    def _value(self, version: Version, offset: Offset) -> str:
        """The text of a version at an offset: a scalar, a temporary, or an element in memory."""
        if version in self.temporaries:
            return self.temporaries[version](offset, self.point)
        producer = self.program.producer(version)
        if producer is not None and producer.number in self.group.inside:
            return self.scalar(version, offset)
        return self._element(self.program.patterns[version.array], offset)

    def _element(self, pattern: Pattern, offset: Offset) -> str:
        return element(pattern, dict(zip(self.program.iterators, offset, strict=True)), self.point)

    def _scalars(self, stage: Stage, offset: Offset) -> dict[str, str]:
        suffix = spelled(offset, self.program.iterators)
        return {n: self.names.scalar(n, f"_s{stage.number}{suffix}", self.program.types[n]) for n in stage.scalars}

    def _at(self, offset: Offset) -> dict[str, str]:
        moved = zip(self.program.iterators, offset, strict=True)
        return {i: plus(self.point[i], o) for i, o in moved}

    def _condition(self, inner: Box, outer: Box) -> str:
        """Where a point of the outer box lies in the inner one."""
        parts = []
        for iterator, one, other in zip(self.program.iterators, inner, outer, strict=True):
            if one.lower != other.lower:
                parts.append(f"{self.point[iterator]} >= {bound(one.lower)}")
            if one.upper != other.upper:
                parts.append(f"{self.point[iterator]} <= {bound(one.upper)}")
        return " .and. ".join(parts)


def _turns(box: Box, guard: Box, at: Offset) -> Box:
    """The points whose turn computes a point of a box at an offset: the box moved back, as far as there are turns."""
    spans = []
    for span, around, by in zip(box, guard, at, strict=True):
        lower = moved(span.lower, -by)
        outside = distance(lower, around.lower)
        spans.append(Span(around.lower if outside is not None and outside < 0 else lower, moved(span.upper, -by)))
    return tuple(spans)
