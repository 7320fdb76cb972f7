"""Arrays of which the points of a region ask shapes and bounds, or whether they are there, and no element: they need no
memory on the device. And what the bounds of a region are made of, which the host finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.referenced import asks
from hfpy.analyze.language.uses import Reference
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Component, Expr, Name, base_name, children
from hfpy.parse.expressions.fragments import mentions

_ASKED = frozenset({"size", "shape", "lbound", "ubound", "present"})


def inquires(facts: Facts, effects: Effects, reference: Reference, key: str) -> bool:
    """Whether a reference asks for the shape or the presence of a whole array of the routine, or of a module, by its
    own name, and no routine that is called in a region of the routine knows the array.
    """
    if reference.component or not isinstance(reference.node, Name) or not _asks(facts, reference, key):
        return False
    data = facts.object(reference.name, key)
    if data is None or stands_for(reference.name, reference.at)[0] != reference.name:
        return False
    return not _out_of_sight(facts, reference.name, key) and (data.home == key or _unknown(facts, effects, data, key))


def inquires_component(facts: Facts, reference: Reference, node: Component, key: str) -> bool:
    """Whether a reference, the beginning of the chain of components ``node``, only asks for the shape of that array."""
    asked = reference.call.args[0] if isinstance(reference.call, Apply) and reference.call.args else None
    return asked is node and _asks(facts, reference, key) and not _out_of_sight(facts, reference.name, key)


def inquired(body: RegionBody) -> frozenset[str]:
    """The arrays of a region of which nothing else is asked."""
    names: dict[str, bool] = {}
    for reference in body.references:
        name = stands_for(reference.name, reference.at)[0]
        data = body.facts.object(name, body.key) if name is not None else None
        if name is not None and data is not None and data.rank:
            names[name] = names.get(name, True) and inquires(body.facts, body.effects, reference, body.key)
    return frozenset(name for name, alone in names.items() if alone)


def _asks(facts: Facts, reference: Reference, key: str) -> bool:
    """Whether a reference is the argument of one of these intrinsics."""
    name = base_name(reference.call) if isinstance(reference.call, Apply) else None
    return reference.role == "inquiry" and name in _ASKED and facts.scopes.is_intrinsic(name, key)


def _unknown(facts: Facts, effects: Effects, data: DataObject, key: str) -> bool:
    """Whether an array of a module is known to no routine that is called in regions, under any name."""
    home = facts.application.routines.get(data.home)
    if home is None or home.kind not in ("module", "submodule") or facts.storage.joint(data.identity) is not None:
        return False
    return data.identity not in effects.known_in_regions(key)


def _out_of_sight(facts: Facts, name: str, key: str) -> bool:
    """Whether a macro, or an internal procedure that is called, may use the array."""
    if any(mentions(macro, name) for macro in facts.application.macros_of(key).values()):
        return True
    return bool(facts.application.routines_of(key))


def in_bounds(facts: Facts, key: str, region: Region) -> frozenset[str]:
    """The names of whose values the bounds of a region are made, which the host finds before it starts a kernel."""
    bounds = (*region.starts, *region.ends, *region.strides)
    return frozenset(name for bound in bounds for name in _valued(facts, key, bound.expr))


def _valued(facts: Facts, key: str, expr: Expr) -> Iterator[str]:
    """The names in an expression, but for those of which only a size or the like is asked."""
    if isinstance(expr, Name):
        yield expr.name
    for part in children(expr)[2 if asks(expr, key, facts.scopes) else 0 :]:
        yield from _valued(facts, key, part)
