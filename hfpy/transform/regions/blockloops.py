"""The loops of a region over arrays with dimensions in blocks: block by block, and within each block.

With ``do i = 1, nx`` every access would divide by the length of a block. So the loop becomes two, over the blocks, and
over the indices of each: the number of the block is then the counter of a loop. The order in which the points of one
row are taken stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.analyze.arrays.accesses import parallel_positions
from hfpy.analyze.arrays.pieces import Piece
from hfpy.analyze.facts import Facts
from hfpy.model.directives import Region
from hfpy.model.expressions import Name
from hfpy.model.names import block_counter
from hfpy.parse.expressions.fragments import ONE, fragment
from hfpy.transform.regions.regioncode import Loop
from hfpy.transform.samekinds import SameKinds
from hfpy.transform.splits import BlockLoop, number_of

Row = tuple[str, str, str, str]
Level = tuple[str, str]  # an iterator and the part of its loop: whole, within or number


def block_loops_of(facts: Facts, key: str, region: Region, number: int) -> dict[str, BlockLoop]:
    """The iterators of a region that index a dimension in blocks by themselves."""
    strides = dict(zip(region.iterators, region.strides or (ONE,) * len(region.domains), strict=True))
    extents: dict[str, set[int]] = {}
    for reference in facts.references[key]:
        if number not in reference.at.regions:
            continue
        data = facts.object(reference.name, key)
        blocks = facts.order(data).blocks if data is not None else {}
        if not blocks:
            continue
        plan = facts.plan_of(reference, key)
        items = plan.items if plan is not None and plan.items is not None else reference.indices or ()
        for dimension, extent in blocks.items():
            item = items[dimension] if dimension < len(items) else ""
            name = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
            if strides.get(name) == ONE:
                extents.setdefault(name, set()).add(extent)
    return {
        name: BlockLoop(name, min(found), block_counter(name)) for name, found in extents.items() if len(found) == 1
    }


def may_go_by_blocks(region: Region) -> bool:
    """Whether the loops of a region are hfpy's to write, and nothing asks for them as they are."""
    return not region.vector and not region.loops and not region.collapse


def storage_levels(
    facts: Facts, key: str, region: Region, number: int, by_block: Mapping[str, BlockLoop]
) -> tuple[Level, ...]:
    """The loops in the order in which the arrays that a region writes store their dimensions, fastest first.

    Empty where the arrays do not agree; a parallel region may run its points in any order.
    """
    agreed: tuple[Level, ...] = ()
    for reference in facts.references[key]:
        if number not in reference.at.regions or not reference.writes:
            continue
        data = facts.object(reference.name, key)
        if data is None:
            continue
        parallel = parallel_positions(data, region)
        if len(parallel) < len(region.domains):
            continue
        order = facts.order(data)
        pieces: Sequence[Piece] = order.pieces or [Piece(d) for d in order.storage or range(data.rank)]
        stored: list[Level] = []
        for piece in pieces:
            if piece.dimension in parallel:
                stored += _levels(parallel[piece.dimension], piece, by_block)
        if agreed and agreed != tuple(stored):
            return ()
        agreed = tuple(stored)
    return agreed


def _levels(iterator: str, piece: Piece, by_block: Mapping[str, BlockLoop]) -> list[Level]:
    """The loops for a piece of a dimension that an iterator indexes."""
    if iterator not in by_block:
        return [] if piece.part == "number" else [(iterator, "whole")]
    if piece.part == "whole":
        return [(iterator, "within"), (iterator, "number")]
    return [(iterator, piece.part)]


def loops_of(
    rows: Sequence[Row], levels: Sequence[Level], by_block: Mapping[str, BlockLoop], same: SameKinds, name: str
) -> tuple[Loop, ...]:
    """The loops, outermost first: rows of iterator, bounds and step in their order, or in that of ``levels``.

    ``same`` makes bounds of one kind, ``name`` is that of the innermost.
    """
    listed = list(levels) or [level for row in rows for level in _levels(row[0], Piece(0), by_block)]
    bounds = {row[0]: row for row in rows}
    loops = []
    for depth, (iterator, part) in enumerate(reversed(listed)):
        _, low, high, step = bounds[iterator]
        label = name if depth == len(listed) - 1 else ""
        loop = by_block.get(iterator)
        if loop is None:
            loops.append(Loop(iterator, low, high, "" if step in ("", "1") else step, label))
        elif part == "number":
            first, last = (number_of(fragment(end), loop.extent) for end in (low, high))
            loops.append(Loop(loop.number, first, last, "", label))
        else:
            first = loop.first if low.strip() == "1" else same.call("max", low, loop.first)
            loops.append(Loop(iterator, first, same.call("min", high, loop.last), "", label))
    return tuple(loops)


def preamble(by_block: Mapping[str, BlockLoop]) -> tuple[list[str], list[str]]:
    """Declarations and statements that give the numbers of the blocks at one point."""
    if not by_block:
        return [], []
    counters = ", ".join(loop.number for loop in by_block.values())
    begin = [f"{t.number} = {number_of(fragment(t.iterator), t.extent)}" for t in by_block.values()]
    return [f"integer :: {counters}"], begin
