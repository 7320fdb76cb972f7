"""Regions whose domains have their sizes in another order than the arrays that they index."""

from __future__ import annotations

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.analyze.language.sizes import normal
from hfpy.codes import HINTS
from hfpy.diagnostics import Diagnostic, warning
from hfpy.model.directives import Region
from hfpy.model.expressions import Name


def swapped_sizes(facts: Facts) -> list[Diagnostic]:
    """A warning for each region an iterator of which indexes dimensions that all have the size of another domain, and
    none its own.
    """
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts):
        sizes = _indexed(facts, routine.key)
        for number, construct in enumerate(routine.regions):
            region = construct.region
            if region is None or RegionId(routine.key, number) not in facts.positions.regions:
                continue
            found += _swapped(region, sizes.get(number, {}))
    return found


def _indexed(facts: Facts, key: str) -> dict[int, dict[str, set[str]]]:
    """By region and iterator the sizes of the declared dimensions that the iterator alone indexes."""
    found: dict[int, dict[str, set[str]]] = {}
    for reference in facts.references[key]:
        data = facts.object(reference.name, key)
        if not reference.at.regions or data is None or reference.indices is None or reference.component:
            continue
        if len(reference.indices) != len(data.symbol.shape):
            continue
        for index, dim in zip(reference.indices, data.symbol.shape, strict=True):
            if isinstance(index, Name) and dim.form == "explicit":
                for number in reference.at.regions:
                    found.setdefault(number, {}).setdefault(index.name, set()).add(normal(dim))
    return found


def _swapped(region: Region, sizes: dict[str, set[str]]) -> list[Diagnostic]:
    own = {d.name: normal(d.extent) for d in region.domains}
    for name, size in own.items():
        there = sizes.get(name, set())
        others = {s: other for other, s in own.items() if other != name}
        if there and size not in there and there <= others.keys() and not size.isdigit():
            meant = others[min(there)]
            message = (
                f"'{name}' has the size {size} here, but indexes dimensions of size {min(there)}, that of '{meant}'"
            )
            return [warning("HF318", message, region.place, HINTS["HF318"])]
    return []
