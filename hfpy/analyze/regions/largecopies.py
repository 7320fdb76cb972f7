"""Which private arrays are too large for the stacks of threads."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.regions.known import with_values
from hfpy.model.macros import Macro
from hfpy.parse.expressions.fragments import ONE, expanded_dim


def large_copy(data: DataObject, macros: Mapping[str, Macro], known: Mapping[str, int]) -> bool:
    """Whether a private copy belongs on the heap: two or more run-time extents, or more than 32 KiB. ``known`` are
    sizes whose values are known in the region.
    """
    total = 8
    unknown = 0
    for dimension in data.used:
        dim = expanded_dim(dimension.extent, macros)
        low = constant(with_values(dim.lower or ONE, known).expr)
        high = constant(with_values(dim.upper, known).expr) if dim.upper is not None else None
        if low is not None and high is not None:
            total *= high - low + 1
        else:
            unknown += 1
    if data.symbol.dynamic or data.symbol.type.base in ("type", "class", "character"):
        return False
    return unknown > 1 or total > 32 * 1024
