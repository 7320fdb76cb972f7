"""Objects with allocatable or pointer components in regions of OpenACC: the object goes to the device, and each array
in it that the region names, which is attached to it there (OpenACC 3.0, 2.6.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.types import component
from hfpy.backends.c.values import component_name
from hfpy.backends.called import plain_type
from hfpy.backends.chains import chain_of, has_elements, parts_of
from hfpy.model.expressions import Component

_KINDS = frozenset({"real", "integer", "logical", "complex"})


def deep_objects(facts: Facts, body: RegionBody, objects: Sequence[DataObject]) -> dict[str, tuple[str, ...]]:
    """The objects of a region that are not one piece of memory, each with the arrays in it that the region names;
    without those that the region uses in another way.
    """
    held = (d for d in objects if d.symbol.type.base == "type" and not plain_type(facts, d))
    found = ((d.name, _arrays_in(body, d)) for d in held)
    return {name: arrays for name, arrays in found if arrays is not None}


def _arrays_in(body: RegionBody, data: DataObject) -> tuple[str, ...] | None:
    """The arrays in an object that a region names, as it names them; None where it uses the object in another way: as a
    whole, or by pointers, arrays of objects or polymorphic objects on the way to a component.
    """
    if data.rank or data.symbol.dynamic or "optional" in data.symbol.attributes:
        return None
    found: dict[str, None] = {}
    for reference in body.references_of(data.name):
        node = chain_of(reference)
        if node is None or has_elements(node) or not _plain_way(body.facts, node, body.key):
            return None
        symbol = component(node, body.key, body.facts.scopes)
        if symbol is None or symbol.type.base not in _KINDS or (symbol.dynamic and not symbol.rank):
            return None
        if symbol.dynamic:
            found[component_name(node)] = None
        elif body.effects.of(reference, body.key)[1]:
            return None  # it would have to come back with the object, whose arrays are somewhere else on the device
    return tuple(sorted(found))


def _plain_way(facts: Facts, node: Component, key: str) -> bool:
    """Whether the objects on the way to a component are parts of the first one."""
    for part in parts_of(node):
        if isinstance(part, Component) and part is not node:
            symbol = component(part, key, facts.scopes)
            if symbol is None or symbol.rank or symbol.dynamic or symbol.type.base != "type":
                return False
    return True
