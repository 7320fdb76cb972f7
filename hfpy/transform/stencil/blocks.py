"""A group on the CPU: blocks of rows, each stage over the block and the rows around it that later stages need.

The blocks overlap (stencil-optimisation.md §10, *of*): what lies between two of them is computed by both, into room of
the thread's own that stays in its cache. ``tile`` makes blocks in other iterators too, ``unroll`` computes several
points in one turn of the loops inside a block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod

from hfpy.model.building import all_of, apply, between, binary, name, number, plus
from hfpy.model.expressions import Expr
from hfpy.model.printing import expression as printed
from hfpy.model.statements import Node
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.jam import Loop, jammed
from hfpy.transform.stencil.keeping import keeping
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody, Temporary, maker_of
from hfpy.transform.stencil.program import Box, Offset, Span, Stage, Version, distance
from hfpy.transform.stencil.substitution import element
from hfpy.values import dataclass

# Points of a block in an iterator outside, where there are any: enough that little is computed again.
OUTSIDE = 32


@dataclass(frozen=True)
class BlockCode:
    """A region of blocks: its body, the iterators that count blocks by those they mean, the arrays of the thread's
    own; how often each stage is written out, and which stages have loops of their own.
    """

    body: tuple[Node, ...]
    blocks: Mapping[str, str]
    private: tuple[str, ...]
    evaluations: Mapping[int, int]
    kept: tuple[Stage, ...]


def in_blocks(group: Group, target: str) -> bool:
    """Whether a group is computed in blocks of rows: on the CPU, where there are rows."""
    return target == "cpu" and len(group.program.iterators) > 1


def reached_outside(group: Group) -> set[str]:
    """The iterators outside of the rows along which something kept is needed at other points."""
    needed = [o for s in keeping(group).kept for o in group.needs[s.number]]
    return {i for d, i in enumerate(group.program.iterators) if d > 1 and any(o[d] for o in needed)}


def block_sizes(group: Group, rows: int) -> dict[str, int]:
    """The points of a block in each iterator that is cut: ``rows`` of the second, if more than one, what ``tile`` says,
    as many as ``unroll`` takes at once, and a few in an iterator outside along which something kept is needed at
    several points.
    """
    inner, row, *outer = group.program.iterators
    wishes = group.wishes
    reached = reached_outside(group)
    sizes = {row: rows, **wishes.tile}
    for iterator in outer:
        least = max(wishes.unroll.get(iterator, 1), OUTSIDE if iterator in reached - sizes.keys() else 1)
        if least > sizes.get(iterator, 1):
            sizes[iterator] = least
    return {i: sizes[i] for i in (inner, row, *outer) if sizes.get(i, 0) > (0 if i == inner else 1)}


@dataclass(frozen=True)
class Reach:
    """How far loops go in one dimension: the offsets at which the points of a block are needed, what the stage
    computes, what is wanted of it, and what the group stores.
    """

    dimension: int
    low: int
    high: int
    own: Span
    wanted: Span
    whole: Span

    @property
    def begins_inside(self) -> bool:
        """Whether the first point needed of any block is surely wanted."""
        spare = distance(self.whole.lower, self.wanted.lower)
        return spare is not None and spare + self.low >= 0

    @property
    def ends_inside(self) -> bool:
        """Whether the last point needed of any block is surely wanted."""
        spare = distance(self.wanted.upper, self.whole.upper)
        return spare is not None and spare >= self.high


class BlockWriter:
    """Makes of one group the body of a region over blocks (``sizes``, by iterator) and the iterators outside."""

    def __init__(self, group: Group, names: Locals, sizes: Mapping[str, int]) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.sizes = sizes
        self.inner = self.program.iterators[0]
        self.point: Mapping[str, Expr] = {i: name(i) for i in self.program.iterators}
        self.make = maker_of(group.stages[0])
        self.here: Offset = (0,) * len(self.program.iterators)
        self.blocks = {i: names.scalar(i, "_block", "integer") for i in sizes}
        self.kept = keeping(group).kept
        self.temporaries: dict[Version, Temporary] = {}
        self.private: list[str] = []
        self.evaluations: dict[int, int] = {}

    def write(self) -> BlockCode:
        """The whole body."""
        return BlockCode(tuple(self._body()), self.blocks, tuple(self.private), self.evaluations, self.kept)

    def _body(self) -> Iterator[Node]:
        for nest in self._nests():
            yield from self._kept_nest(nest[0]) if nest[0] in self.kept else self._stored_nest(nest)

    def _nests(self) -> list[list[Stage]]:
        """The stages with loops: each kept stage has its own, and each stored one, unless it shares what it computes
        on the way with one before it over the same points.

        A loop that stores several arrays makes processors wait: a store on its way to memory holds up loads whose
        addresses agree with it in the last twelve bits (measured: three arrays in one loop took 1.6 times as long as in
        three loops over the same row, which finds what it reads again in the first cache).
        """
        nests: list[list[Stage]] = []
        for stage in self.group.stages:
            stored = any(v in self.group.stored for v in stage.writes)
            if stage not in self.kept and not stored:
                continue
            last = nests[-1] if nests else []
            alike = last and last[0].box == stage.box and stage not in self.kept and last[0] not in self.kept
            if alike and any(self._computed_for_both(stage, other) for other in last):
                last.append(stage)
            else:
                nests.append([stage])
        return nests

    def _computed_for_both(self, one: Stage, other: Stage) -> bool:
        """Whether nests for two stages would compute the same; copies of elements do not count."""
        computed = keeping(self.group).evaluations
        both = computed[one.number].keys() & computed[other.number].keys()
        return any(s.operations for s in self.group.stages if s.number in both)

    def _stored_nest(self, stages: list[Stage]) -> Iterator[Node]:
        def inner(copies: list[Offset]) -> tuple[list[Node], NestBody]:
            body = self._nest_body()
            return [node for stage in stages for at in copies for node in body.root(stage, at=at)], body

        box = stages[0].box
        yield from self._around(box, box, [self.here], inner)
        for stage in stages:
            if self.group.alone(stage):
                self.temporaries.update({v: self._in_memory(v) for v in stage.writes})

    def _nest_body(self) -> NestBody:
        return NestBody(self.group, self.names, self.point, self.temporaries, select=True)

    def _in_memory(self, version: Version) -> Temporary:
        """A version that has been stored, for the nests that follow."""
        pattern = self.program.patterns[version.array]

        def stored(offset: Offset, point: Mapping[str, Expr]) -> Expr:
            return element(pattern, dict(zip(self.program.iterators, offset, strict=True)), point)

        return stored

    def _kept_nest(self, stage: Stage) -> Iterator[Node]:
        """The loops over what is needed of a stage, into its arrays; what is stored goes to memory from there."""
        offsets = sorted(self.group.needs[stage.number])
        rooms = {v: self._array(v, stage, offsets) for v in stage.writes}

        make = maker_of(stage)

        def inner(copies: list[Offset]) -> tuple[list[Node], NestBody]:
            body = self._nest_body()
            nodes = [node for at in copies for node in body.computed(stage, at)]
            for at in copies:
                nodes += [make.assign(rooms[v](at, self.point), body.scalar(v, at)) for v in stage.writes]
            return nodes, body

        yield from self._around(stage.box, self.group.required[stage.number], offsets, inner)
        self.temporaries.update(rooms)
        last = self._nest_body()
        copied = [last.copied(v) for v in stage.writes if v in self.group.stored]
        if copied:
            yield from self._around(stage.box, stage.box, [self.here], lambda _: (copied, last), jam=False)

    # -- loops

    def _around(
        self,
        own: Box,
        wanted: Box,
        offsets: list[Offset],
        inner: Callable[[list[Offset]], tuple[list[Node], NestBody]],
        jam: bool = True,
    ) -> Iterator[Node]:
        """Loops around what ``inner`` makes for some copies of a point: over the points of ``wanted`` that the block
        needs at the offsets, inside ``own``.
        """
        loops: list[Loop] = []
        guards: list[Expr] = []
        for d, iterator in reversed(list(enumerate(self.program.iterators))):
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            reach = Reach(d, low, high, own[d], wanted[d], self.group.box[d])
            loop, conditions = self._loop(iterator, reach)
            loops += [loop] if loop is not None else []
            guards += conditions
        loops = loops if jam else [loop.plain() for loop in loops]

        def body(copies: list[Offset]) -> list[Node]:
            nodes, made = inner(copies)
            # The loops for the rest, which take fewer points a turn, are not counted.
            if len(copies) == prod(loop.factor for loop in loops):
                for number, times in made.evaluations.items():
                    self.evaluations[number] = self.evaluations.get(number, 0) + times
            return nodes

        yield from self._before(offsets)
        yield from self.make.branch(all_of(guards), jammed(self.make, loops, [self.here], body))

    def _before(self, offsets: list[Offset]) -> Iterator[Node]:
        """What is before the loops over the points at some offsets: nothing here."""
        yield from ()

    def _loop(self, iterator: str, reach: Reach) -> tuple[Loop | None, list[Expr]]:
        """The loop over one iterator, or the conditions on one that has no loop here."""
        factor = self.group.wishes.unroll.get(iterator, 1)
        low, high, span, d = reach.low, reach.high, reach.wanted, reach.dimension
        if iterator in self.sizes:
            block = name(self.blocks[iterator])
            first = plus(block, low)
            if not reach.begins_inside:
                first = apply("max", (first, bound(span.lower)))
            last = apply("min", (plus(block, self.sizes[iterator] - 1 + high), bound(span.upper)))
            return Loop(iterator, first, last, d, factor), []
        if iterator == self.inner:
            return Loop(iterator, bound(span.lower), bound(span.upper), d, factor), []
        own, whole, here = reach.own, reach.whole, self.point[iterator]
        guards = [binary(here, ">=", bound(own.lower))] if own.lower != whole.lower else []
        guards += [binary(here, "<=", bound(own.upper))] if own.upper != whole.upper else []
        return None, guards

    # -- arrays of the thread's own

    def _array(self, version: Version, stage: Stage, offsets: list[Offset]) -> Temporary:
        """The array of a kept version, with room for what a block needs of it; gives its elements."""
        pattern = self.program.patterns[version.array]
        suffix = f"_v{version.number}" if version.number > 1 else ""
        sizes: list[Expr] = []
        for d, iterator in enumerate(self.program.iterators):
            low, high = (f(o[d] for o in offsets) for f in (min, max))
            sizes += self._extent(iterator, stage, low, high)
        room = self.names.array(version.array, f"{suffix}_rows", pattern.type_text, ",".join(map(printed, sizes)))
        self.private.append(room)

        def temporary(offset: Offset, point: Mapping[str, Expr]) -> Expr:
            at = zip(self.program.iterators, offset, strict=True)
            return apply(room, [index for i, by in at for index in self._index(i, stage, by)])

        return temporary

    def _extent(self, iterator: str, stage: Stage, low: int, high: int) -> list[Expr]:
        """The room in one iterator, if an array of a stage has a dimension for it."""
        if iterator in self.sizes:
            return [between(number(low), number(high + self.sizes[iterator] - 1))]
        if iterator == self.inner:
            span = self.group.required[stage.number][0]
            return [between(bound(span.lower), bound(span.upper))]
        return []

    def _index(self, iterator: str, stage: Stage, by: int) -> list[Expr]:
        """The index for one iterator at an offset from the point."""
        if iterator in self.sizes:
            return [plus(binary(self.point[iterator], "-", name(self.blocks[iterator])), by)]
        if iterator == self.inner:
            return [plus(self.point[iterator], by)]
        return []
