"""A group on the CPU: blocks of rows, each stage over the block and the rows around it that later stages need.

The blocks overlap (stencil-optimisation.md §10, *of*): what lies between two of them is computed by both, into room of
the thread's own that stays in its cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody, Temporary
from hfpy.transform.stencil.program import Box, Offset, Stage, Version, distance
from hfpy.transform.stencil.text import bound, element, plus

CHEAP = 3  # operations that a producer may cost again before it is worth room and another loop


@dataclass(frozen=True)
class BlockCode:
    """A region of blocks: its body, the iterator that counts blocks, the arrays of the thread's own; how often each
    stage is written out, and which stages have loops of their own.
    """

    lines: tuple[str, ...]
    block: str
    private: tuple[str, ...]
    evaluations: Mapping[int, int]
    kept: tuple[Stage, ...]


def kept_stages(group: Group) -> tuple[Stage, ...]:
    """The stages whose values are kept for a block: needed at several points, and not cheap."""
    return tuple(s for s in group.stages if s.operations * (len(group.needs[s.number]) - 1) > CHEAP)


class BlockWriter:
    """Writes one group as the body of a region over blocks of rows (the second iterator) and the iterators outside."""

    def __init__(self, group: Group, names: Locals, rows: int) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.rows = rows
        self.inner, self.row, *self.outer = self.program.iterators
        self.here: Offset = (0,) * len(self.program.iterators)
        self.block = names.scalar(self.row, "_block", "integer")
        self.kept = kept_stages(group)
        self.planes = {i: names.scalar(i, "_plane", "integer") for i in self.outer if self._reaches(i)}
        self.temporaries: dict[Version, Temporary] = {}
        self.private: list[str] = []
        self.evaluations: dict[int, int] = {}

    def _reaches(self, iterator: str) -> bool:
        """Whether a kept stage is needed at other points of an outer iterator."""
        d = self.program.iterators.index(iterator)
        return any(o[d] for s in self.kept for o in self.group.needs[s.number])

    def write(self) -> BlockCode:
        """The whole body."""
        lines: list[str] = []
        for nest in self._nests():
            lines += self._kept_nest(nest[0]) if nest[0] in self.kept else self._stored_nest(nest)
        return BlockCode(tuple(lines), self.block, tuple(self.private), self.evaluations, self.kept)

    def _nests(self) -> list[list[Stage]]:
        """The stages with loops: each kept stage has its own, stored ones over the same points share theirs."""
        nests: list[list[Stage]] = []
        for stage in self.group.stages:
            stored = any(v in self.group.stored for v in stage.writes)
            if stage not in self.kept and not stored:
                continue
            last = nests[-1][0] if nests else None
            if stage not in self.kept and last is not None and last not in self.kept and last.box == stage.box:
                nests[-1].append(stage)
            else:
                nests.append([stage])
        return nests

    def _stored_nest(self, stages: list[Stage]) -> Iterator[str]:
        body = NestBody(self.group, self.names, {i: i for i in self.program.iterators}, self.temporaries, select=True)
        inner = [line for stage in stages for line in body.root(stage)]
        self._counted(body)
        yield from self._loops(stages[0].box, stages[0].box, [self.here], inner)
        for stage in stages:
            if self.group.alone(stage):
                self.temporaries.update({v: self._in_memory(v) for v in stage.writes})

    def _in_memory(self, version: Version) -> Temporary:
        """A version that has been stored, for the nests that follow."""
        pattern = self.program.patterns[version.array]

        def stored(offset: Offset, point: Mapping[str, str]) -> str:
            return element(pattern, dict(zip(self.program.iterators, offset, strict=True)), point)

        return stored

    def _kept_nest(self, stage: Stage) -> Iterator[str]:
        """The loops over what is needed of a stage, into its arrays; what is stored goes to memory from there."""
        point = {i: self.planes.get(i, i) for i in self.program.iterators}
        body = NestBody(self.group, self.names, point, self.temporaries, select=True)
        offsets = sorted(self.group.needs[stage.number])
        inner = list(body.computed(stage))
        for version in stage.writes:
            temporary = self._array(version, stage, offsets)
            inner.append(f"{temporary(self.here, point)} = {body.scalar(version, self.here)}")
            self.temporaries[version] = temporary
        self._counted(body)
        yield from self._loops(stage.box, self.group.required[stage.number], offsets, inner, self.planes)
        last = NestBody(self.group, self.names, {i: i for i in self.program.iterators}, self.temporaries)
        copies = [last.copied(v) for v in stage.writes if v in self.group.stored]
        if copies:
            yield from self._loops(stage.box, stage.box, [self.here], copies)

    def _counted(self, body: NestBody) -> None:
        for number, times in body.evaluations.items():
            self.evaluations[number] = self.evaluations.get(number, 0) + times

    # -- loops

    def _loops(
        self, own: Box, wanted: Box, offsets: list[Offset], inner: list[str], planes: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Loops around lines: over the points of ``wanted`` that the block needs at the offsets, inside ``own``."""
        guards = []
        heads = []
        for iterator in reversed(self.program.iterators):
            d = self.program.iterators.index(iterator)
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            span, whole = wanted[d], self.group.box[d]
            if iterator == self.inner:
                heads.append(f"do {iterator} = {bound(span.lower)}, {bound(span.upper)}")
            elif iterator == self.row:
                first = plus(self.block, low)
                spare = distance(whole.lower, span.lower)
                if spare is None or spare + low < 0:
                    first = f"max({first}, {bound(span.lower)})"
                last = plus(self.block, self.rows - 1 + high)
                heads.append(f"do {iterator} = {first}, min({last}, {bound(span.upper)})")
            elif planes and iterator in planes:
                first = f"max({plus(iterator, low)}, {bound(own[d].lower)})"
                heads.append(f"do {planes[iterator]} = {first}, min({plus(iterator, high)}, {bound(own[d].upper)})")
            else:
                guards += [f"{iterator} >= {bound(own[d].lower)}"] if own[d].lower != whole.lower else []
                guards += [f"{iterator} <= {bound(own[d].upper)}"] if own[d].upper != whole.upper else []
        if guards:
            yield f"if ({' .and. '.join(guards)}) then"
        for depth, head in enumerate(heads):
            yield "  " * depth + head
        yield from ("  " * len(heads) + line for line in inner)
        for depth in reversed(range(len(heads))):
            yield "  " * depth + "end do"
        if guards:
            yield "end if"

    # -- arrays of the thread's own

    def _array(self, version: Version, stage: Stage, offsets: list[Offset]) -> Temporary:
        """The array of a kept version, with room for what a block needs of it; gives its elements."""
        pattern = self.program.patterns[version.array]
        number = f"_v{version.number}" if version.number > 1 else ""
        span = self.group.required[stage.number][0]
        sizes = [f"{bound(span.lower)}:{bound(span.upper)}"]
        for iterator in (self.row, *self.planes):
            d = self.program.iterators.index(iterator)
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            sizes.append(f"{low}:{high + (self.rows - 1 if iterator == self.row else 0)}")
        name = self.names.array(version.array, f"{number}_rows", pattern.type_text, ",".join(sizes))
        self.private.append(name)

        def temporary(offset: Offset, point: Mapping[str, str]) -> str:
            return f"{name}({','.join(self._indices(offset, point))})"

        return temporary

    def _indices(self, offset: Offset, point: Mapping[str, str]) -> Iterator[str]:
        at = dict(zip(self.program.iterators, offset, strict=True))
        yield plus(self.inner, at[self.inner])
        yield plus(f"{self.row}-{self.block}", at[self.row])
        for iterator in self.planes:
            relative = "" if point[iterator] == iterator else f"{point[iterator]}-{iterator}"
            yield plus(relative, at[iterator]) if relative else str(at[iterator])
