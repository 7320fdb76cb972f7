"""Dummy arguments whose last extent is written as 1 and means any size.

Before Fortran 77 had ``a(*)``, a dummy of unknown size was declared ``a(1)`` or ``a(n,1)``, and many codes still are
written so. Compilers let indices go beyond. Who takes the extent at its word brings one column to the device.
"""

from __future__ import annotations

from dataclasses import replace

from hfpy.model.expressions import Apply, Expr, Literal, Name, walk
from hfpy.model.extents import Dim
from hfpy.model.statements import Call, expressions, flatten
from hfpy.model.units import Routine, Symbol


def with_sizes_open(routine: Routine) -> Routine:
    """A routine with ``*`` as the last extent of dummies that are declared with 1 there and indexed beyond. Those that
    statements mention as whole arrays keep theirs: what is whole has a size.
    """
    symbols = {name: s for name in routine.dummies if (s := routine.spec.symbols.get(name)) and _ends_with_one(s)}
    if not symbols:
        return routine
    beyond: set[str] = set()
    whole: set[str] = set()
    for statement in flatten(routine.body):
        given = statement.args if isinstance(statement, Call) else ()
        for tree in expressions(statement):
            _look(tree, given, symbols, beyond, whole)
    opened = {name: _opened(symbols[name]) for name in beyond - whole}
    return replace(routine, spec=replace(routine.spec, symbols={**routine.spec.symbols, **opened}))


def _ends_with_one(symbol: Symbol) -> bool:
    """Whether an array ends with an extent of 1, as it is written."""
    last = symbol.shape[-1] if symbol.shape else None
    if last is None or last.form != "explicit" or last.upper is None:
        return False
    return _is_one(last.upper.expr) and (last.lower is None or _is_one(last.lower.expr))


def _is_one(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.integer == 1


def _opened(symbol: Symbol) -> Symbol:
    return replace(symbol, shape=(*symbol.shape[:-1], Dim("star")))


def _look(tree: Expr, given: tuple[Expr, ...], symbols: dict[str, Symbol], beyond: set[str], whole: set[str]) -> None:
    """Note which of some arrays an expression indexes beyond 1, and which it means as a whole. Names of arrays among
    arguments (``given``, or those of a function) pass on where they begin.
    """
    passed = {id(a) for a in given}
    for node in walk(tree):
        if isinstance(node, Apply):
            passed |= {id(node.base), *map(id, node.args)}
            if isinstance(node.base, Name) and node.base.name in symbols and not _is_one(node.args[-1]):
                beyond.add(node.base.name)
        elif isinstance(node, Name) and node.name in symbols and id(node) not in passed:
            whole.add(node.name)
