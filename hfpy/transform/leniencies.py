"""Leniencies of older compilers repaired in existing projects (design §6, B32).

A name that is declared a second time, with nothing new, loses the second declaration.

``==`` and ``/=`` between logicals are no Fortran; they become ``.eqv.`` and ``.neqv.``, in parentheses where
the weaker binding of these operators would change the meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.context import located
from hfpy.analyze.scopes import Scopes
from hfpy.analyze.types import type_of
from hfpy.diagnostics import Diagnostic, warning
from hfpy.model.expressions import Binary, Expr, Unary, children
from hfpy.model.source import LogicalLine
from hfpy.model.statements import expressions
from hfpy.model.units import Routine, Symbol
from hfpy.transform.declarations import without
from hfpy.transform.edits import Edit, insert, replace_range

_EQUIVALENCE = {"==": ".eqv.", "/=": ".neqv."}


def logical_equalities(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits for every equality between logicals in a routine, and one warning each."""
    edits: list[Edit] = []
    found: list[Diagnostic] = []
    for at in located(routine):
        for expr in expressions(at.statement):
            for node, inner in _equalities(expr, None, scopes, routine.key):
                line = at.statement.line
                edits += _repair(node, inner, line)
                message = f"'{node.op}' between logicals is no Fortran"
                hint = f"repaired to {_EQUIVALENCE[node.op]} because this is an existing project"
                found.append(warning("HF110", message, line.place(routine.file, node.start, node.end), hint))
    return edits, found


def repeated_declarations(routine: Routine) -> Iterator[Edit]:
    """Edits that leave out declarations which only repeat what has been declared before."""
    by_line: dict[int, list[Symbol]] = {}
    for symbol in routine.spec.repeated:
        by_line.setdefault(id(symbol.line), []).append(symbol)
    for gone in by_line.values():
        kept = [s for s in routine.spec.symbols.values() if s.line is gone[0].line]
        yield from without([*kept, *gone], gone)


def _equalities(expr: Expr, parent: Expr | None, scopes: Scopes, key: str) -> Iterator[tuple[Binary, bool]]:
    if isinstance(expr, Binary) and expr.op in _EQUIVALENCE:
        kinds = [type_of(side, key, scopes) for side in (expr.left, expr.right)]
        if all(k is not None and k.base == "logical" for k in kinds):
            yield expr, isinstance(parent, Binary | Unary)
    for child in children(expr):
        yield from _equalities(child, expr, scopes, key)


def _repair(node: Binary, inner: bool, line: LogicalLine) -> Iterator[Edit]:
    between = line.text[node.left.end : node.right.start]
    start = node.left.end + len(between) - len(between.lstrip())
    end = node.right.start - (len(between) - len(between.rstrip()))
    word = _EQUIVALENCE[node.op]
    before = "" if start > node.left.end else " "
    after = "" if end < node.right.start else " "
    yield replace_range(line, start, end, before + word + after)
    if inner:
        yield insert(line, node.start, "(")
        yield insert(line, node.end, ")")
