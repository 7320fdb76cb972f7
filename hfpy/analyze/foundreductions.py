"""Reductions that nobody names: scalars of which every use in a region is an update with one operator."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.bodies import RegionBody
from hfpy.analyze.reductions import misuse
from hfpy.model.directives import Reduction

_OPERATORS = ("+", "*", "max", "min", ".and.", ".or.", ".eqv.", ".neqv.", "iand", "ior", "ieor")


def found_reductions(body: RegionBody) -> Iterator[Reduction]:
    """The reductions of a region besides those that it names, by what its statements do (automatic.md §1)."""
    flow = body.flow()
    known = {*body.region.iterators, *(r.name for r in body.region.reductions)}
    for name in sorted(flow.written.keys() - known):
        data = body.facts.object(name, body.key)
        if data is None or data.rank or name not in flow.exposed or data.symbol.type.base in ("type", "class"):
            continue
        for operator in _OPERATORS:
            reduction = Reduction(operator, name)
            if misuse(body, reduction) is None:
                yield reduction
                break
