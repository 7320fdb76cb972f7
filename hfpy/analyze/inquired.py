"""Arrays of which the points of a region ask shapes and bounds, or whether they are there, and no element: they need no
memory on the device.
"""

from __future__ import annotations

from hfpy.analyze.bodies import RegionBody
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.uses import Reference
from hfpy.model.expressions import Apply, Name, base_name
from hfpy.parse.fragments import mentions

_ASKED = frozenset({"size", "shape", "lbound", "ubound", "present"})


def inquires(facts: Facts, reference: Reference, key: str) -> bool:
    """Whether a reference asks for the shape or the presence of a whole array of the routine, by its own name."""
    if reference.role != "inquiry" or reference.component or not isinstance(reference.node, Name):
        return False
    name = base_name(reference.call) if isinstance(reference.call, Apply) else None
    if name not in _ASKED or not facts.scopes.is_intrinsic(name, key):
        return False
    data = facts.object(reference.name, key)
    if data is None or data.home != key or stands_for(reference.name, reference.at)[0] != reference.name:
        return False
    return not _out_of_sight(facts, reference.name, key)


def inquired(body: RegionBody) -> frozenset[str]:
    """The arrays of a region of which nothing else is asked."""
    names: dict[str, bool] = {}
    for reference in body.references:
        name = stands_for(reference.name, reference.at)[0]
        data = body.facts.object(name, body.key) if name is not None else None
        if name is not None and data is not None and data.rank:
            names[name] = names.get(name, True) and inquires(body.facts, reference, body.key)
    return frozenset(name for name, alone in names.items() if alone)


def _out_of_sight(facts: Facts, name: str, key: str) -> bool:
    """Whether a macro, or an internal procedure that is called, may use the array."""
    if any(mentions(macro, name) for macro in facts.application.macros_of(key).values()):
        return True
    return any(routine.host == key for routine in facts.application.routines.values())
