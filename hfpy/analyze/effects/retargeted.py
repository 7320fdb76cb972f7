"""Which pointers in objects get other targets, by the names of the components: by pointer assignments and their like,
where an object is set as a whole, and where called routines get such a pointer.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.components import chains_from
from hfpy.analyze.language.types import component, object_type
from hfpy.analyze.language.uses import Reference, sets_component
from hfpy.model.expressions import Component, Expr
from hfpy.model.statements import Call, Memory
from hfpy.model.units import FType

#: What is noted of a component: pointers of its name may get other targets.
RETARGET = "retarget"
RETARGETED = frozenset({RETARGET})
#: That, and what is noted of pointers that are variables (:mod:`hfpy.analyze.effects.memory`).
RETARGETING = RETARGETED | {"pointer", "allocate", "deallocate"}


def retargeted_in(facts: Facts, key: str) -> Iterator[tuple[Identity, str]]:
    """The components whose pointers the statements of a routine may give other targets, or its beginning, which sets
    objects that it gets with ``intent(out)``.
    """
    if not facts.scopes.parts.pointing:
        return
    for reference in facts.references.get(key, ()):
        yield from ((component_object(name), RETARGET) for name in retargeted_by(facts, reference, key))
    routine = facts.application.routines.get(key)
    for name in routine.dummies if routine is not None else ():
        symbol = routine.spec.symbols.get(name) if routine is not None else None
        if symbol is not None and symbol.intent == "out":
            yield from ((component_object(each), RETARGET) for each in _pointers(facts, symbol.type, key))


def retargeted_by(facts: Facts, reference: Reference, key: str) -> Iterator[str]:
    """The names of the components whose pointers may get other targets by one reference. What called routines do by
    themselves is not meant.
    """
    chains = sorted(chains_from(reference), key=lambda c: c.end) if reference.component else []
    last: Expr = chains[-1] if chains else reference.node
    match reference.role:
        case "pointer" | "allocate" if sets_component(reference) or isinstance(reference.at.statement, Memory):
            yield from (last.name,) if isinstance(last, Component) else ()
        case "argument" if isinstance(last, Component) and _may_set(facts, reference, last, key):
            yield last.name
        case "write" | "input":
            found = object_type(last, key, facts.scopes)
            yield from _pointers(facts, *found) if found is not None else ()


def _may_set(facts: Facts, reference: Reference, given: Component, key: str) -> bool:
    """Whether a called procedure may give a pointer in an object, its argument, another target."""
    symbol = component(given, key, facts.scopes)
    if symbol is None or "pointer" not in symbol.attributes:
        return False
    met = dummies_met(facts, key, reference)
    if not met:  # a subroutine whose source is not here, `c_f_pointer` among them
        statement = reference.at.statement
        return isinstance(statement, Call) and any(given is arg for arg in statement.args)
    dummies = [dummy.symbol for _, dummy in met if dummy is not None]
    return any("pointer" in d.attributes and d.intent != "in" for d in dummies)


def _pointers(facts: Facts, ftype: FType, home: str) -> Iterator[str]:
    """The names of the pointers in objects of a type that is visible in a unit."""
    lines = dict.fromkeys(facts.scopes.lineage(ftype.derived, home))
    if ftype.base == "class":
        lines |= dict.fromkeys(facts.scopes.extensions(ftype.derived, home))
    for unit, derived in lines:
        yield from facts.scopes.parts.pointing.get((unit, derived.name), ())
