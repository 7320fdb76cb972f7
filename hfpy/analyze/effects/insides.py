"""The arrays inside an object: what a statement reads or sets that names the object as a whole, as ``x = y`` does
(Fortran 2018, 10.2.1.3).
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.components import chains_from
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import is_parent, object_type
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Component, Expr
from hfpy.model.units import FType, Symbol
from hfpy.values import dataclass

_OBJECTS = ("type", "class")


@dataclass(frozen=True, slots=True)
class Inside:
    """An array of numbers in an object: the components on the way to it, and its declaration. ``single`` tells that
    none of them is an array of objects.
    """

    path: tuple[str, ...]
    symbol: Symbol
    single: bool


def arrays_inside(expr: Expr, key: str, scopes: Scopes) -> tuple[Expr, tuple[Inside, ...]]:
    """The object that a designator means, and the arrays in it; none where it means no object. A parent component
    counts as the whole object.

    What pointers point to is not in an object: assignments and input leave it alone.
    """
    while isinstance(expr, Component) and is_parent(expr, key, scopes):
        expr = expr.base
    found = object_type(expr, key, scopes)
    return expr, tuple(_of(found[0], found[1], scopes, frozenset())) if found is not None else ()


def objects_touched(facts: Facts, reference: Reference, key: str) -> list[tuple[Expr, tuple[Inside, ...]]]:
    """The object that a reference reads or sets as a whole, with the arrays in it. What called routines do with their
    arguments is not meant: they tell it themselves.
    """
    if reference.role in ("pointer", "allocate", "inquiry"):
        return []
    call = reference.call if reference.role == "argument" else None
    if call is not None and any(site.callee for site in facts.graph.called_at(key, reference.at, call)):
        return []
    chains = sorted(chains_from(reference), key=lambda c: c.end) if reference.component else []
    expr, found = arrays_inside(chains[-1] if chains else reference.node, key, facts.scopes)
    return [(expr, found)] if found else []


def _of(ftype: FType, home: str, scopes: Scopes, seen: frozenset[tuple[str, str]]) -> Iterator[Inside]:
    kinds = dict.fromkeys(scopes.lineage(ftype.derived, home))
    if ftype.base == "class":
        kinds |= dict.fromkeys(scopes.extensions(ftype.derived, home))
    for unit, derived in kinds:
        if (unit, derived.name) in seen:
            continue
        for part in derived.components:
            if "pointer" in part.attributes or part.type.base == "procedure":
                continue
            if part.type.base not in _OBJECTS:
                if part.rank:
                    yield Inside((part.name,), part, True)
                continue
            for inner in _of(part.type, unit, scopes, seen | {(unit, derived.name)}):
                yield Inside((part.name, *inner.path), inner.symbol, inner.single and not part.rank)
