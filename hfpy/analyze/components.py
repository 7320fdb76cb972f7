"""Pointers that are components of objects: they may point to arrays that are on the device."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.analyze.types import component
from hfpy.analyze.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Name, walk
from hfpy.model.statements import expressions
from hfpy.model.units import Symbol


def pointer_component(facts: Facts, reference: Reference, key: str) -> tuple[Component, Symbol] | None:
    """The array pointer among the components that a reference goes through: ``o%p`` of ``o%p(i)``."""
    if not reference.component:
        return None
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if isinstance(node, Component) and _first(node) == (reference.node.start, reference.name):
                symbol = component(node, key, facts.scopes)
                if symbol is not None and symbol.rank and "pointer" in symbol.attributes:
                    return node, symbol
    return None


def indexed(expr: Expr) -> bool:
    """Whether a designator has indices on its way."""
    return any(isinstance(node, Apply) for node in walk(expr))


def _first(expr: Expr) -> tuple[int, str]:
    """Where a designator begins, and the variable that it is of."""
    start = expr.start
    while isinstance(expr, Component | Apply):
        expr = expr.base
    return start, expr.name if isinstance(expr, Name) else ""
