"""The order of rows on the CPU: neighbouring rows of neighbouring levels follow one another, where a point reads both.

A group that keeps nothing is computed by rows. If it reads an array at several points of an iterator outside of the
rows, say ``k`` and ``k+1``, what a row reads is read again a level later. Level after level, a whole level has been
read meanwhile, and the element comes from memory or a distant cache. In blocks of some rows and levels
(stencil-optimisation.md §10, working set) it is still near.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.model.building import apply, name, plus
from hfpy.model.statements import Node
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.keeping import keeping
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import maker_of
from hfpy.transform.stencil.program import Version, shifted

# Rows of a block, and points of an iterator outside. Measured with fastwavesuv, 256 × 256 × 60 points: 16 × 4 takes
# 0.89 of the time of level after level with one thread and 0.86 with two, 16 × 8 0.87 and 0.94, as one thread has 32
# levels of 60 then, 16 × 2 0.92 and 0.90. With few points outside, each thread has much the same part of memory as
# level after level.
ROWS, LEVELS = 16, 4


def read_at_several(group: Group) -> set[str]:
    """The iterators outside of the rows at several points of which a point of the group reads one array in memory."""
    found: dict[tuple[Version, int], set[int]] = {}
    for stage in group.stages:
        for read in stage.reads:
            if group.producer(read) is None:
                for at in group.needs[stage.number]:
                    for d, o in enumerate(shifted(read.offset, at)):
                        found.setdefault((read.version, d), set()).add(o)
    return {group.program.iterators[d] for (_, d), offsets in found.items() if d > 1 and len(offsets) > 1}


def row_blocks(group: Group) -> dict[str, int]:
    """The points of a block by iterator, where rows are to be in blocks; empty where they follow one another."""
    row, *outer = group.program.iterators[1:]
    several = read_at_several(group)
    if not several or keeping(group).any:
        return {}
    return {row: ROWS} | {i: LEVELS for i in outer if i in several}


def within_block(
    group: Group, names: Locals, sizes: Mapping[str, int], body: Sequence[Node]
) -> tuple[tuple[Node, ...], Mapping[str, str]]:
    """The loops over the rows of a block around the ``body`` of a row, and what counts the blocks, by iterator."""
    make = maker_of(group.stages[0])
    nodes = tuple(body)
    blocks = {i: names.scalar(i, "_block", "integer") for i in sizes}
    for iterator, span in zip(group.program.iterators, group.box, strict=True):
        if iterator in sizes:
            first = name(blocks[iterator])
            last = apply("min", (plus(first, sizes[iterator] - 1), bound(span.upper)))
            nodes = (make.loop(iterator, first, last, nodes),)
    return nodes, blocks
