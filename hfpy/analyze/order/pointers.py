"""Pointer assignments through which the memory of an array is seen under another shape.

A pointer and its target are one object and have one storage order. That order must be the declared one where the other
name is no array that hfpy gives an order to: a component, the result of a function, or a pointer of another rank
(Fortran 2018, 10.2.2.3: rank remapping).
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.model.expressions import Apply, Component, Expr, Name, Range, base_name
from hfpy.model.statements import Assignment


def seen_otherwise(facts: Facts, at: Located, key: str) -> Iterator[tuple[DataObject, str]]:
    """The arrays of a pointer assignment that another name sees in declared order, each with the reason in words."""
    statement = at.statement
    if not isinstance(statement, Assignment) or not statement.pointer:
        return
    target, value = statement.target, statement.value
    left, right = _array(facts, target, at, key), _array(facts, value, at, key)
    if right is not None and _has_component(target):
        yield right, "a pointer that is a component points to it"
    if left is not None and right is None and base_name(value) not in (None, "null"):
        yield left, "it points to what has the declared order"
    if _remapped(target):
        reason = "a pointer sees its elements under another shape"
        yield from ((data, reason) for data in (left, right) if data is not None)


def _array(facts: Facts, expr: Expr, at: Located, key: str) -> DataObject | None:
    """The array variable that a designator means; None for components, function references and scalars."""
    if _has_component(expr):
        return None
    base = expr.base if isinstance(expr, Apply) else expr
    name = resolve_alias(base.name, at)[0] if isinstance(base, Name) else None
    return facts.object(name, key) if name is not None else None


def _has_component(expr: Expr) -> bool:
    while isinstance(expr, Apply):
        expr = expr.base
    return isinstance(expr, Component)


def _remapped(target: Expr) -> bool:
    """Whether the bounds of a pointer are given on both sides: ``p(1:n, 1:m) => …``."""
    return isinstance(target, Apply) and any(isinstance(a, Range) and a.upper is not None for a in target.args)
