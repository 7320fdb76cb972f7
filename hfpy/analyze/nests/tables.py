"""Named constants that are tables of integers, such as those by which a loop finds its neighbours."""

from __future__ import annotations

from collections.abc import Callable

from hfpy.model.expressions import ArrayConstructor, Fragment
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import piece


def all_different(symbol: Symbol, value: Callable[[Fragment], int | None]) -> bool:
    """Whether a symbol is a table that has no value twice. ``value`` gives that of an item, where it is known."""
    initial = symbol.initial
    if not symbol.constant or symbol.rank != 1 or symbol.type.base != "integer" or initial is None:
        return False
    if not isinstance(initial.expr, ArrayConstructor):
        return False
    values = [value(piece(initial.text, item)) for item in initial.expr.items]
    return None not in values and len(set(values)) == len(values)
