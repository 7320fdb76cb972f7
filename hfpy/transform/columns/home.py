"""Arrays whose columns lie in memory in blocks as long as those of a region: nothing has to be put side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.referenced import asks
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.lanes import begins_a_block
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Expr, Range


def width_of_blocks(facts: Facts) -> int | None:
    """The length of the blocks that arrays have in memory, if it is one; None if there are no blocks, or several."""
    extents = {extent for order in facts.orders.values() for extent in order.blocks.values()}
    return extents.pop() if len(extents) == 1 else None


class HomeBlocks:
    """Answers for the arrays of one region; ``items`` gives the indices of a reference."""

    def __init__(
        self,
        facts: Facts,
        key: str,
        region: Region,
        references: Sequence[Reference],
        items: Callable[[Reference], tuple[Expr | str, ...]],
    ) -> None:
        self.facts = facts
        self.key = key
        self.region = region
        self.references = references
        self.items = items
        found = (self._extent(r, key) for r in references)
        self.extent = next((extent for extent in found if extent and begins_a_block(facts, key, region, extent)), 0)

    def _extent(self, reference: Reference, key: str) -> int:
        """The length of the blocks in which an array has the columns of the region."""
        data = self.facts.object(reference.name, key)
        items = self.items(reference)
        first = self.region.iterators[0]
        blocks = self.facts.order(data).blocks if data is not None and len(items) == data.rank else {}
        names = {d: i if isinstance(i, str) else getattr(i, "name", "") for d, i in enumerate(items)}
        return next((extent for d, extent in blocks.items() if names[d] == first), 0)

    def lies_in_blocks(self, data: DataObject, positions: Mapping[int, str], width: int) -> bool:
        """Whether an array, which the region's iterators index at ``positions``, may be used in its blocks, and be
        passed on in them.
        """
        column = next((p for p, iterator in positions.items() if iterator == self.region.iterators[0]), None)
        order = self.facts.order(data)
        if column is None or order.blocks.get(column) != width or self.extent != width:
            return False
        rest = [p for p in range(data.rank) if p not in positions]
        stored = [piece.dimension for piece in order.pieces]
        if order.pieces[0].part != "within" or stored[: len(rest) + 1] != [column, *rest]:
            return False
        own = [r for r in self.references if r.name == data.name]
        return not any(r.role == "inquiry" or self._in_inquiry(r) for r in own) and all(
            self._in_one_piece(r, positions) for r in own if _passed(r)
        )

    def _in_inquiry(self, reference: Reference) -> bool:
        return isinstance(reference.call, Apply) and asks(reference.call, self.key, self.facts.scopes)

    def _in_one_piece(self, reference: Reference, positions: Mapping[int, str]) -> bool:
        """Whether what is passed of a block lies in one piece, and is not all of an array (which would be it)."""
        rest = [i for p, i in enumerate(self.items(reference)) if p not in positions]
        whole = [is_full_range(i) for i in rest]
        ranges = [i == ":" or isinstance(i, Range) for i in rest]
        ordered = whole == sorted(whole, reverse=True) and whole == ranges
        return ordered and (len(positions) > 1 or not all(whole))


def _passed(reference: Reference) -> bool:
    return reference.call is not None and reference.role == "argument"
