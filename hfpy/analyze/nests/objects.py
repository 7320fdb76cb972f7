"""Objects of derived type as what they consist of: whoever reads an object reads each of its components."""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import number
from hfpy.analyze.dependence.model import Part, Section, Subscript
from hfpy.analyze.facts import Facts
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE

Path = tuple[Subscript, ...]
_MOST, _DEEPEST = 24, 8


def components_of(facts: Facts, data: DataObject) -> tuple[Path, ...]:
    """What follows the indices of an object for each of its numbers and arrays of numbers; the object as a whole where
    its type is not known or extended, or has pointers, allocatable components, or arrays whose bounds are no constants.
    """
    found = _of_type(facts, data.symbol.type.derived, data.home, 0) if data.symbol.type.base == "type" else None
    return tuple(found) if found is not None and 0 < len(found) <= _MOST else ((),)


def _of_type(facts: Facts, name: str, key: str, depth: int) -> list[Path] | None:
    there = facts.scopes.type_at_home(name, key)
    if there is None or there[1].extends or depth > _DEEPEST:
        return None
    found: list[Path] = []
    for component in there[1].components:
        bounds = _bounds(facts, component, there[0])
        if bounds is None or component.dynamic:
            return None
        inner: list[Path] | None = [()]
        if component.type.base in ("type", "class"):
            inner = _of_type(facts, component.type.derived, there[0], depth + 1)
        if inner is None or component.type.base == "class" or len(found) > _MOST:
            return None
        found += [(Part(component.name), *bounds, *path) for path in inner]
    return found


def _bounds(facts: Facts, component: Symbol, home: str) -> Path | None:
    found = []
    for dim in component.shape:
        low = facts.domains.value(dim.lower or ONE, home)
        high = facts.domains.value(dim.upper, home) if dim.upper is not None else None
        if low is None or high is None:
            return None
        found.append(Section(number(low), number(high)))
    return tuple(found)
