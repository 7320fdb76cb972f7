"""A group on the CPU, row after row: what is kept between the stages is a ring of the last rows.

The rows of a block follow one another (stencil-optimisation.md §10, *hs* in the second iterator), so that each row of
each stage is computed once, but for those around the beginning of a block. With row ``r`` of what is stored, a stage
that is needed up to ``high`` rows ahead computes its row ``r + high``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hfpy.model.building import apply, between, binary, name, number, plus
from hfpy.model.expressions import Expr
from hfpy.model.statements import Node
from hfpy.transform.stencil.blocks import BlockWriter, Reach
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.jam import Loop
from hfpy.transform.stencil.keeping import keeping
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.program import Offset, Stage, shifted


def goes_by_rings(group: Group) -> bool:
    """Whether a group is computed row after row: something is kept, and nothing is unrolled over rows."""
    iterators = group.program.iterators
    return len(iterators) > 1 and group.wishes.unroll.get(iterators[1], 1) == 1 and keeping(group).any


class RingWriter(BlockWriter):
    """Makes of one group the body of a region over blocks, in which the second iterator goes row by row."""

    def __init__(self, group: Group, names: Locals, sizes: Mapping[str, int], rows: str = "") -> None:
        """``rows`` is the variable that has the rows of a block, where their number is no constant."""
        super().__init__(group, names, sizes)
        self.row = self.program.iterators[1]
        self.rows = rows
        self.step = names.scalar(self.row, "_row", "integer")
        self.rings = {s.number: self._ring(s) for s in self.kept}
        self.lead = max(self._ahead(s) - self._behind(s) for s in self.kept)

    def _body(self) -> Iterator[Node]:
        block = name(self.blocks[self.row])
        behind = plus(binary(block, "+", name(self.rows)), -1) if self.rows else plus(block, self.sizes[self.row] - 1)
        last = apply("min", (behind, bound(self.group.box[1].upper)))
        yield self.make.loop(self.step, plus(block, -self.lead), last, super()._body())

    def _ahead(self, stage: Stage) -> int:
        """How many rows ahead of what is stored a stage is computed."""
        return max(o[1] for o in self.group.needs[stage.number])

    def _behind(self, stage: Stage) -> int:
        """The first row that is needed of a stage, relative to what is stored."""
        return min(o[1] for o in self.group.needs[stage.number])

    # -- rings

    def _ring(self, stage: Stage) -> int:
        """How many rows of a kept stage there are at a time: from the last that somebody reads to the newest, and up to
        a power of two. The place of a row in a ring is a remainder, and others than those of powers of two take as
        long as five points (measured: rows of five points, a star of roots, 1.12 of the time at ``--opt 0``, now 0.91).
        """
        newest = self._ahead(stage)
        oldest = 0 if any(v in self.group.stored for v in stage.writes) else newest
        here = (0,) * len(self.program.iterators)
        for reader in self.group.stages:
            kept = reader in self.kept
            if kept or any(v in self.group.stored for v in reader.writes):
                row = self._ahead(reader) if kept else 0
                oldest = min([oldest, *(row + o[1] for o in self._reached(reader, here, stage))])
        rows = newest - oldest + 1
        return 1 << (rows - 1).bit_length()

    def _reached(self, reader: Stage, at: Offset, wanted: Stage) -> Iterator[Offset]:
        """The offsets at which a stage reads another one, itself or by what is computed for it on the way."""
        for read in reader.reads:
            producer = self.group.producer(read)
            if producer is None:
                continue
            offset = shifted(at, read.offset)
            if producer is wanted:
                yield offset
            elif producer not in self.kept:
                yield from self._reached(producer, offset, wanted)

    def _extent(self, iterator: str, stage: Stage, low: int, high: int) -> list[Expr]:
        if iterator != self.row:
            return super()._extent(iterator, stage, low, high)
        ring = self.rings[stage.number]
        return [between(number(0), number(ring - 1))] if ring > 1 else []

    def _index(self, iterator: str, stage: Stage, by: int) -> list[Expr]:
        if iterator != self.row:
            return super()._index(iterator, stage, by)
        ring = self.rings[stage.number]
        return [apply("modulo", (plus(self.point[iterator], by), number(ring)))] if ring > 1 else []

    # -- loops

    def _before(self, offsets: list[Offset]) -> Iterator[Node]:
        yield self.make.assign(self.point[self.row], plus(name(self.step), max(o[1] for o in offsets)))

    def _loop(self, iterator: str, reach: Reach) -> tuple[Loop | None, list[Expr]]:
        if iterator != self.row:
            return super()._loop(iterator, reach)
        guards: list[Expr] = []
        here = self.point[iterator]
        if reach.high - reach.low < self.lead:
            guards.append(binary(here, ">=", plus(name(self.blocks[iterator]), reach.low)))
        guards += [] if reach.begins_inside else [binary(here, ">=", bound(reach.wanted.lower))]
        guards += [] if reach.ends_inside else [binary(here, "<=", bound(reach.wanted.upper))]
        return None, guards
