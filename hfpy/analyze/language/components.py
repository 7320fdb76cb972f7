"""Designators of components: which of them begin with the variable of a reference, and what is on their way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Name, base_name, walk
from hfpy.model.statements import Statement, expressions


def chains_from(reference: Reference) -> Iterator[Component]:
    """The designators of components that begin with the variable of a reference, each prefix by itself."""
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if isinstance(node, Component) and _first(node) == (reference.node.start, reference.name):
                yield node


def chains_in(statement: Statement) -> Mapping[tuple[int, str], Sequence[Component]]:
    """All designators of components in a statement, prefixes by themselves, by the place and name they begin with."""
    found: dict[tuple[int, str], list[Component]] = {}
    for top in expressions(statement):
        for node in walk(top):
            if isinstance(node, Component):
                found.setdefault(_first(node), []).append(node)
    return found


def path_of(expr: Expr) -> tuple[str, ...] | None:
    """The components behind the variable of a designator, ``a``, ``b`` of ``x%a%b``; None if there are indices on the
    way.
    """
    path: tuple[str, ...] = ()
    while isinstance(expr, Component):
        path = (expr.name, *path)
        expr = expr.base
    return path if isinstance(expr, Name) else None


def in_one_spelling(expr: Expr, text: str) -> str:
    """A designator of a statement's text: in lower case and without blanks where it has no indices."""
    path = path_of(expr)
    return "%".join((base_name(expr) or "", *path)) if path is not None else text


def indexed(expr: Expr) -> bool:
    """Whether a designator has indices on its way."""
    return any(isinstance(node, Apply) for node in walk(expr))


def _first(expr: Expr) -> tuple[int, str]:
    """Where a designator begins, and the variable that it is of."""
    start = expr.start
    while isinstance(expr, (Component, Apply)):
        expr = expr.base
    return start, expr.name if isinstance(expr, Name) else ""
