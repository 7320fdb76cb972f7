"""Chains of components, such as ``block%parts(t)%x``: their names, and the elements of arrays of objects on the way."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Name, walk
from hfpy.model.statements import expressions


def parts_of(node: Component) -> Iterator[Expr]:
    """The variable and the components of a chain, outermost last."""
    base: Expr = node.base
    while isinstance(base, Apply):
        base = base.base
    if isinstance(base, Component):
        yield from parts_of(base)
    else:
        yield base
    yield node


def has_elements(node: Component) -> bool:
    """Whether there are elements of arrays on the way."""
    return any(isinstance(part, Apply) for part in walk(node))


def names_of(node: Component | None) -> tuple[str, ...]:
    """The names in a chain of components; none without a chain."""
    if node is None:
        return ()
    return tuple(part.name for part in parts_of(node) if isinstance(part, Name | Component))


def chain_of(reference: Reference) -> Component | None:
    """The longest chain of components that a reference is the beginning of."""
    longest: Component | None = None
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if isinstance(node, Component) and begins(node, reference.node):
                longer = longest is None or len(names_of(node)) > len(names_of(longest))
                longest = node if longer else longest
    return longest


def begins(node: Expr, first: Expr) -> bool:
    """Whether a designator begins with a node."""
    while isinstance(node, Component | Apply):
        if node is first:
            return True
        node = node.base
    return node is first
