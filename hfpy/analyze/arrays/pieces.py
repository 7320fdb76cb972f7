"""An order of dimensions as a sequence of pieces: whole dimensions, and dimensions split into blocks.

``i:32 k i j`` splits the domain ``i``: its first piece, the place *within* a block of 32, lies where ``i:32`` is,
the *number* of the block where the later ``i`` is. Blocks are counted so that block 1 begins with index 1, in
every array: index ``i`` is place ``iand(i+31,31)+1`` of block ``shiftr(i+31,5)``. So the same columns of all arrays
are one block, whatever halos they have; a halo below 1 is block 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.layouts import Layout, Part
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a declared dimension (from 0) in storage; ``extent`` is the length of a block of a split one."""

    dimension: int
    part: Part = "whole"
    extent: int = 0


def pieces_of(layout: Layout, domains: Sequence[str]) -> tuple[Piece, ...]:
    """The pieces of an array whose dimensions are ``domains``, all of them in the layout."""
    places = {name: i for i, name in enumerate(domains)}
    return tuple(Piece(places[x.name], x.part, x.extent) for x in layout.letters if x.name in places)


def block_number(index: int, extent: int) -> int:
    """The block of an index, counted from 1."""
    return (index + extent - 1) // extent
