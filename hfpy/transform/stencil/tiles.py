"""A group on a GPU in tiles, each by the threads of a block (stencil-optimisation.md §10, *of*): stages that are needed
at several points are computed once for the tile and around it, into memory that the threads share.

The region counts tiles; its body has one nest of loops after the other, as on the CPU (:mod:`blocks`). The attribute
``team`` says which loops the threads share, and what is private to a tile lies in shared memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hfpy.transform.stencil.blocks import BlockWriter
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody


def keepable(group: Group, tiled: Collection[str]) -> frozenset[int]:
    """The stages that can have their values in tiles over some iterators: those that are needed at several points, all
    of which differ along these iterators only.
    """
    found = set()
    for stage in group.stages:
        needed = group.needs[stage.number]
        flat = all(not o for at in needed for i, o in zip(group.program.iterators, at, strict=True) if i not in tiled)
        if len(needed) > 1 and flat:
            found.add(stage.number)
    return frozenset(found)


class TileWriter(BlockWriter):
    """Makes of one group the body of a region over tiles of so many points (``sizes``, by iterator)."""

    def __init__(self, group: Group, names: Locals, sizes: Mapping[str, int], kept: Collection[int]) -> None:
        super().__init__(group, names, sizes)
        self.kept = tuple(s for s in group.stages if s.number in kept)

    def _nest_body(self) -> NestBody:
        return NestBody(self.group, self.names, self.point, self.temporaries)
