"""A group on the CPU: blocks of rows, each stage over the block and the rows around it that later stages need.

The blocks overlap (stencil-optimisation.md §10, *of*): what lies between two of them is computed by both, into room of
the thread's own that stays in its cache. ``tile`` makes blocks in other iterators too, ``unroll`` computes several
points in one turn of the loops inside a block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.jam import Loop, jammed
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody, Temporary
from hfpy.transform.stencil.program import Box, Offset, Stage, Version, distance
from hfpy.transform.stencil.text import bound, element, plus

CHEAP = 3  # operations that a producer may cost again before it is worth room and another loop


@dataclass(frozen=True)
class BlockCode:
    """A region of blocks: its body, the iterators that count blocks by those they stand for, the arrays of the thread's
    own; how often each stage is written out, and which stages have loops of their own.
    """

    lines: tuple[str, ...]
    blocks: Mapping[str, str]
    private: tuple[str, ...]
    evaluations: Mapping[int, int]
    kept: tuple[Stage, ...]


def kept_stages(group: Group) -> tuple[Stage, ...]:
    """The stages whose values are kept for a block: needed at several points, and not cheap."""
    return tuple(s for s in group.stages if s.operations * (len(group.needs[s.number]) - 1) > CHEAP)


def block_sizes(group: Group, rows: int) -> dict[str, int]:
    """The points of a block in each iterator that is cut: ``rows`` of the second, what ``tile`` says, and as many as
    ``unroll`` takes at once.
    """
    inner, row, *outer = group.program.iterators
    wishes = group.wishes
    sizes = {row: rows, **wishes.tile}
    for iterator in outer:
        factor = wishes.unroll.get(iterator, 1)
        if factor > sizes.get(iterator, 1):
            sizes[iterator] = factor
    return {i: sizes[i] for i in (inner, row, *outer) if sizes.get(i, 0) > (1 if i in outer else 0)}


class BlockWriter:
    """Writes one group as the body of a region over blocks (``sizes``, by iterator) and the iterators outside."""

    def __init__(self, group: Group, names: Locals, sizes: Mapping[str, int]) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.sizes = sizes
        self.inner = self.program.iterators[0]
        self.here: Offset = (0,) * len(self.program.iterators)
        self.blocks = {i: names.scalar(i, "_block", "integer") for i in sizes}
        self.kept = kept_stages(group)
        outer = [i for i in self.program.iterators[1:] if i not in sizes]
        self.planes = {i: names.scalar(i, "_plane", "integer") for i in outer if self._reaches(i)}
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
        return BlockCode(tuple(lines), self.blocks, tuple(self.private), self.evaluations, self.kept)

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
        loops, guards = self._loops(stages[0].box, stages[0].box, [self.here])

        def inner(copies: list[Offset]) -> list[str]:
            body = self._body({i: i for i in self.program.iterators})
            lines = [line for stage in stages for at in copies for line in body.root(stage, at=at)]
            self._counted(body, copies, loops)
            return lines

        yield from _guarded(guards, jammed(loops, [self.here], inner))
        for stage in stages:
            if self.group.alone(stage):
                self.temporaries.update({v: self._in_memory(v) for v in stage.writes})

    def _body(self, point: Mapping[str, str]) -> NestBody:
        return NestBody(self.group, self.names, point, self.temporaries, select=True)

    def _in_memory(self, version: Version) -> Temporary:
        """A version that has been stored, for the nests that follow."""
        pattern = self.program.patterns[version.array]

        def stored(offset: Offset, point: Mapping[str, str]) -> str:
            return element(pattern, dict(zip(self.program.iterators, offset, strict=True)), point)

        return stored

    def _kept_nest(self, stage: Stage) -> Iterator[str]:
        """The loops over what is needed of a stage, into its arrays; what is stored goes to memory from there."""
        point = {i: self.planes.get(i, i) for i in self.program.iterators}
        offsets = sorted(self.group.needs[stage.number])
        rooms = {v: self._array(v, stage, offsets) for v in stage.writes}
        loops, guards = self._loops(stage.box, self.group.required[stage.number], offsets, self.planes)

        def inner(copies: list[Offset]) -> list[str]:
            body = self._body(point)
            lines = [line for at in copies for line in body.computed(stage, at)]
            lines += [f"{rooms[v](at, point)} = {body.scalar(v, at)}" for at in copies for v in stage.writes]
            self._counted(body, copies, loops)
            return lines

        yield from _guarded(guards, jammed(loops, [self.here], inner))
        self.temporaries.update(rooms)
        last = self._body({i: i for i in self.program.iterators})
        copied = [last.copied(v) for v in stage.writes if v in self.group.stored]
        if copied:
            loops, guards = self._loops(stage.box, stage.box, [self.here])
            yield from _guarded(guards, jammed([loop.plain() for loop in loops], [self.here], lambda _: copied))

    def _counted(self, body: NestBody, copies: list[Offset], loops: list[Loop]) -> None:
        """Count what a turn evaluates; the loops for the rest, which take fewer points a turn, are not counted."""
        if len(copies) == prod(loop.factor for loop in loops):
            for number, times in body.evaluations.items():
                self.evaluations[number] = self.evaluations.get(number, 0) + times

    # -- loops

    def _loops(
        self, own: Box, wanted: Box, offsets: list[Offset], planes: Mapping[str, str] | None = None
    ) -> tuple[list[Loop], list[str]]:
        """Loops, the outermost first, over the points of ``wanted`` that the block needs at the offsets, inside
        ``own``; and conditions on iterators that have no loop here.
        """
        guards: list[str] = []
        loops: list[Loop] = []
        for iterator in reversed(self.program.iterators):
            d = self.program.iterators.index(iterator)
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            span, whole = wanted[d], self.group.box[d]
            factor = self.group.wishes.unroll.get(iterator, 1)
            if iterator in self.sizes:
                block = self.blocks[iterator]
                first = plus(block, low)
                spare = distance(whole.lower, span.lower)
                if spare is None or spare + low < 0:
                    first = f"max({first}, {bound(span.lower)})"
                last = plus(block, self.sizes[iterator] - 1 + high)
                loops.append(Loop(iterator, first, f"min({last}, {bound(span.upper)})", d, factor))
            elif iterator == self.inner:
                loops.append(Loop(iterator, bound(span.lower), bound(span.upper), d, factor))
            elif planes and iterator in planes:
                first = f"max({plus(iterator, low)}, {bound(own[d].lower)})"
                last = f"min({plus(iterator, high)}, {bound(own[d].upper)})"
                loops.append(Loop(planes[iterator], first, last, d, 1))
            else:
                guards += [f"{iterator} >= {bound(own[d].lower)}"] if own[d].lower != whole.lower else []
                guards += [f"{iterator} <= {bound(own[d].upper)}"] if own[d].upper != whole.upper else []
        return loops, guards

    # -- arrays of the thread's own

    def _array(self, version: Version, stage: Stage, offsets: list[Offset]) -> Temporary:
        """The array of a kept version, with room for what a block needs of it; gives its elements."""
        pattern = self.program.patterns[version.array]
        number = f"_v{version.number}" if version.number > 1 else ""
        sizes = []
        for d, iterator in enumerate(self.program.iterators):
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            if iterator in self.sizes:
                sizes.append(f"{low}:{high + self.sizes[iterator] - 1}")
            elif iterator == self.inner:
                span = self.group.required[stage.number][d]
                sizes.append(f"{bound(span.lower)}:{bound(span.upper)}")
            elif iterator in self.planes:
                sizes.append(f"{low}:{high}")
        name = self.names.array(version.array, f"{number}_rows", pattern.type_text, ",".join(sizes))
        self.private.append(name)

        def temporary(offset: Offset, point: Mapping[str, str]) -> str:
            return f"{name}({','.join(self._indices(offset, point))})"

        return temporary

    def _indices(self, offset: Offset, point: Mapping[str, str]) -> Iterator[str]:
        for iterator, at in zip(self.program.iterators, offset, strict=True):
            if iterator in self.sizes:
                yield plus(f"{iterator}-{self.blocks[iterator]}", at)
            elif iterator == self.inner:
                yield plus(iterator, at)
            elif iterator in self.planes:
                relative = "" if point[iterator] == iterator else f"{point[iterator]}-{iterator}"
                yield plus(relative, at) if relative else str(at)


def _guarded(guards: list[str], lines: Iterator[str]) -> Iterator[str]:
    """Lines under the conditions, if there are any."""
    if guards:
        yield f"if ({' .and. '.join(guards)}) then"
    yield from lines
    if guards:
        yield "end if"
