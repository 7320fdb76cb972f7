"""Indices that are known to stay within one block of a split dimension (:mod:`hfpy.analyze.arrays.pieces`).

Regions in blocks of columns step from block to block, ``b = 1, nx, 32``, and run over the lanes of each: there
``a(b+l)`` is place ``l+1`` of the block of ``b``, and ``a(b:b+31)`` the whole block.
"""

from __future__ import annotations

from hfpy.analyze.arrays.pieces import block_number
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.language.uses import Reference
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Binary, Expr, Name, Range
from hfpy.model.statements import Assignment, Construct, Header


class BlockLoops:
    """Answers for one routine; a block is one of ``extent`` columns."""

    def __init__(self, facts: Facts, key: str) -> None:
        self.facts = facts
        self.key = key

    def lane(self, index: Expr | str, at: Located, extent: int) -> tuple[str, str] | None:
        """The first column of the block and the lane (from 0) of an index, as names; None for any other index."""
        if not isinstance(index, Binary) or index.op != "+":
            return None
        if not isinstance(index.left, Name) or not isinstance(index.right, Name):
            return None
        first, lane = index.left.name, index.right.name
        if not self._first_of_block(first, at, extent) or not self._counts_lanes(lane, at, extent):
            return None
        return first, lane

    def whole(self, index: Expr | str, at: Located, extent: int) -> str:
        """The first column where an index is all of its block, ``b:b+31``; else empty."""
        if not isinstance(index, Range) or index.step is not None or not isinstance(index.lower, Name):
            return ""
        upper = index.upper
        if not isinstance(upper, Binary) or upper.op != "+" or not isinstance(upper.left, Name):
            return ""
        same = upper.left.name == index.lower.name and constant(upper.right) == extent - 1
        return index.lower.name if same and self._first_of_block(index.lower.name, at, extent) else ""

    def _first_of_block(self, name: str, at: Located, extent: int) -> bool:
        """Whether a name is the iterator of the region around a statement, which steps from block to block."""
        region = self.facts.positions.region(self.key, at)
        return region is not None and name in region.iterators and steps_by_blocks(self.facts, self.key, region, extent)

    def _counts_lanes(self, name: str, at: Located, extent: int) -> bool:
        """Whether a name counts a loop around a statement from 0 to less than the length of a block."""
        loops = [c for c in at.constructs if c.kind == "do" and _variable(c) == name]
        if len(loops) != 1:
            return False
        header = loops[0].header
        assert isinstance(header, Header)
        if len(header.exprs) != 2 or constant(header.exprs[0]) != 0:
            return False
        upper = header.exprs[1]
        if not isinstance(upper, Binary) or upper.op != "-" or constant(upper.right) != 1:
            return False
        return isinstance(upper.left, Name) and self._at_most(upper.left.name, at, extent)

    def _at_most(self, name: str, at: Located, extent: int) -> bool:
        """Whether all that a region gives a scalar is ``min(32, …)``."""
        here = (r for r in self.facts.references[self.key] if r.name == name and set(r.at.regions) & set(at.regions))
        settings = [r for r in here if r.role not in ("read", "inquiry") and not self._only_read(r)]
        return bool(settings) and all(_is_minimum(r, extent) for r in settings)

    def _only_read(self, reference: Reference) -> bool:
        """Whether an argument is one of a function, or of a dummy that is ``intent(in)``."""
        if reference.role != "argument" or isinstance(reference.call, Apply):
            return reference.role == "argument"
        site = self.facts.graph.site(self.key, reference.at, reference.call)
        if site is None:
            return False
        _, dummy = dummy_of(self.facts, site, reference.position)
        return dummy is not None and dummy.symbol.intent == "in"


def steps_by_blocks(facts: Facts, key: str, region: Region, extent: int) -> bool:
    """Whether the innermost iterator of a region takes the first columns of blocks, one after the other."""
    stride = facts.domains.value(region.strides[0], key) if region.strides else None
    return stride == extent and begins_a_block(facts, key, region, extent)


def begins_a_block(facts: Facts, key: str, region: Region, extent: int) -> bool:
    """Whether the innermost iterator of a region starts with the first column of a block."""
    start = facts.domains.value(region.starts[0], key)
    return start is not None and start > 0 and block_number(start - 1, extent) != block_number(start, extent)


def _variable(construct: Construct) -> str:
    return construct.header.var if isinstance(construct.header, Header) else ""


def _is_minimum(reference: Reference, extent: int) -> bool:
    """Whether a statement gives a scalar ``min(32, …)``."""
    statement = reference.at.statement
    if not isinstance(statement, Assignment) or statement.target is not reference.node:
        return False
    value = statement.value
    if not isinstance(value, Apply) or not isinstance(value.base, Name) or value.base.name != "min":
        return False
    return bool(value.args) and constant(value.args[0]) == extent
