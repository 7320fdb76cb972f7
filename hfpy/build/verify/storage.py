"""How an array lies in memory, as traces tell (``hfpy verify``), and the array in declared order again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from hfpy.values import dataclass


@dataclass(frozen=True)
class Storage:
    """``places``: which declared dimension each place in memory holds, and whether it counts its blocks. ``ranges``
    has the first and last index of each dimension in blocks, ``extents`` the length of a block.
    """

    places: tuple[tuple[int, bool], ...]
    ranges: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    extents: Mapping[int, int] = field(default_factory=dict)

    def shape(self, stored: tuple[int, ...]) -> tuple[int, ...]:
        """The extents in declared order of an array with these extents in memory."""
        found = {d: n for (d, counts), n in zip(self.places, stored, strict=True) if not counts}
        found |= {d: max(last - first + 1, 0) for d, (first, last) in self.ranges.items()}
        return tuple(found[d] for d in sorted(found))

    def declared(self, data: Any) -> Any:
        """An array (of NumPy) in declared order, without the padding of blocks."""
        dimensions = sorted({d for d, _ in self.places})
        axes: list[int] = []
        for dimension in dimensions:
            if dimension in self.ranges:
                axes.append(self.places.index((dimension, True)))
            axes.append(self.places.index((dimension, False)))
        moved = data.transpose(axes)
        shape, cut = [], []
        rest = list(moved.shape)
        for dimension in dimensions:
            length = rest.pop(0)
            if dimension in self.ranges:
                length *= rest.pop(0)
            shape.append(length)
            cut.append(self._kept(dimension))
        return moved.reshape(shape)[tuple(cut)]

    def _kept(self, dimension: int) -> slice:
        """What of a dimension is no padding: its blocks begin with the one that holds the first index."""
        if dimension not in self.ranges:
            return slice(None)
        first, last = self.ranges[dimension]
        skipped = (first - 1) % self.extents[dimension]
        return slice(skipped, skipped + max(last - first + 1, 0))


def read_storage(text: str, rank: int) -> Storage:
    """What a trace says: ``2 0 1`` for a permutation, ``0:32 2 0/32 1;0 1 45`` with dimension 0 from 1 to 45 in blocks
    of 32; nothing for the declared order.
    """
    pieces, *ranges = text.split(";")
    places: list[tuple[int, bool]] = []
    extents: dict[int, int] = {}
    for piece in pieces.split():
        number, colon, length = piece.partition(":")
        dimension, slash, _ = number.partition("/")
        places.append((int(dimension), bool(slash)))
        if colon:
            extents[int(dimension)] = int(length)
    known = {int(d): (int(first), int(last)) for d, first, last in (r.split() for r in ranges)}
    return Storage(tuple(places) or tuple((d, False) for d in range(rank)), known, extents)
