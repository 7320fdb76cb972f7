"""Arrays that cannot get a dimension more, since their rank or shape counts where hfpy writes nothing: in declarations,
in interfaces, for procedures that are called by another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Node
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.sizes import atoms, normal
from hfpy.diagnostics import Place
from hfpy.model.expressions import Name, names_in
from hfpy.model.extents import Dim
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE


def kept_whole(facts: Facts, views: Mapping[Node, Sequence[tuple[DataObject, Place]]]) -> dict[Node, str]:
    """Classes of arrays that keep their dimensions, with the reason."""
    found: dict[Node, str] = {}
    for node, members in views.items():
        if reason := _different_sizes(facts, [data for data, _ in members]):
            found[node] = reason
    for key, routine in facts.application.routines.items():
        for name in sorted(in_declarations(facts, routine)):
            data = facts.object(name, key)
            if data is not None and data.rank > 1:
                reason = "a declaration, or the head of a region, asks about it"
                found.setdefault(facts.classes.root(data.identity), reason)
    for key, reason in _called_otherwise(facts):
        called = facts.application.routines.get(key)
        for name in called.dummies if called is not None else ():
            data = facts.object(name, key)
            if data is not None and data.rank > 1:
                found.setdefault(facts.classes.root(data.identity), reason)
    return found


def in_declarations(facts: Facts, routine: Routine) -> set[str]:
    """The names in the declarations, statement functions and heads of regions of a routine."""
    found: set[str] = set()
    for symbol in routine.spec.symbols.values():
        found |= symbol.names
    for _, own, expr, _ in routine.spec.statement_functions:
        found |= names_in(expr) - set(own)
    for identity in facts.positions.get(routine.key).own:
        region = facts.positions.regions[identity]
        found |= region.bound_names | {name for d in region.domains for name in d.extent.names}
    return found


def _called_otherwise(facts: Facts) -> Iterator[tuple[str, str]]:
    """Routines that are called in ways that calls do not show, with the reason for their dummies."""
    described: set[str] = set()
    bound: set[str] = set()
    for key, routine in facts.application.routines.items():
        for interface in routine.spec.interfaces:
            described |= set(interface.bodies)
            if interface.name and len(interface.procedures) + len(interface.bodies) > 1:
                reason = f"its rank tells which procedure '{interface.name}' means"
                yield from ((k, reason) for p in interface.procedures for k in facts.scopes.procedures(p, key))
        for derived in routine.spec.types.values():
            bound |= {name for binding in derived.bindings for name in binding}
        whole = dict.fromkeys(r.name for r in facts.references.get(key, ()) if isinstance(r.node, Name))
        for name in whole:
            if facts.object(name, key) is None:
                reason = f"'{name}' is handed on as a procedure"
                yield from ((k, reason) for k in facts.scopes.procedures(name, key))
    for key, routine in facts.application.routines.items():
        if routine.name in described:
            yield key, f"an interface body describes '{routine.name}'"
        if routine.name in bound:
            yield key, f"'{routine.name}' is bound to a type"


def _different_sizes(facts: Facts, views: Sequence[DataObject]) -> str:
    """Why two views of an array are not of one shape: sizes that are known to differ."""
    shapes = {tuple(d.extent for d in v.used): v for v in views if not v.removed}
    for (one, first), (other, second) in combinations(shapes.items(), 2):
        for a, b in zip(one, other, strict=False):
            if a.open or b.open or normal(a) == normal(b):
                continue
            values = (_value(facts, a, first.home), _value(facts, b, second.home))
            known = None not in values
            if values[0] != values[1] if known else bool(atoms(a) & atoms(b)):
                return f"it has the size {a} as '{first.name}', but {b} as '{second.name}'"
    return ""


def _value(facts: Facts, size: Dim, key: str) -> tuple[int, int] | None:
    """The bounds that a size means, if they are known."""
    assert size.upper is not None
    low, high = facts.domains.value(size.lower or ONE, key), facts.domains.value(size.upper, key)
    return (low, high) if low is not None and high is not None else None
