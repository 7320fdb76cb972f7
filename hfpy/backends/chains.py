"""Chains of components, such as ``block%parts(t)%x``: their names, the elements of arrays of objects on the way,
and where a region mentions them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import RegionSharing
from hfpy.model.expressions import Apply, Component, Expr, Name, walk
from hfpy.model.source import LogicalLine
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


def elements_of(node: Expr) -> list[Apply]:
    """The elements of arrays on the way, outermost array first: ``p(i)`` and ``p(i)%l(k)`` in ``p(i)%l(k)%x``."""
    found: list[Apply] = []
    while isinstance(node, (Apply, Component)):
        if isinstance(node, Apply):
            found.insert(0, node)
        node = node.base
    return found


def has_elements(node: Component) -> bool:
    """Whether there are elements of arrays on the way."""
    return any(isinstance(part, Apply) for part in walk(node))


def names_of(node: Component | None) -> tuple[str, ...]:
    """The names in a chain of components; none without a chain."""
    if node is None:
        return ()
    return tuple(part.name for part in parts_of(node) if isinstance(part, (Name, Component)))


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
    while isinstance(node, (Component, Apply)):
        if node is first:
            return True
        node = node.base
    return node is first


def mentioned_at(sharing: RegionSharing, name: str, chain: tuple[str, ...] = ()) -> tuple[LogicalLine, int, int]:
    """Where a region first mentions a variable, or a chain of components of it; its directive if only its bounds do."""
    named = [r for r in sharing.body.references_of(name) if not r.at.statement.line.file]
    for reference in [r for r in named if chain and names_of(chain_of(r)) == chain] or named:
        return reference.at.statement.line, reference.node.start, reference.node.end
    return sharing.region.line, 0, -1
