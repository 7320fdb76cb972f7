"""``where`` in kernels: masked assignments, also within others (Fortran 2018, 10.2.3), one element after the other.

That equals Fortran's order, mask first and one assignment after the other, as every element is made of elements at the
same place; the printers refuse anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.backends.c.values import CannotPrint
from hfpy.model.expressions import Expr
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions
from hfpy.values import dataclass


@dataclass(frozen=True)
class Masked:
    """One part of a ``where``: its header, the mask (None: all that is left), and what is done under it: assignments,
    and the parts of further ``where``.
    """

    header: Statement
    mask: Expr | None
    items: tuple[Assignment | tuple[Masked, ...], ...]


def parts_of(node: Node) -> tuple[Masked, ...]:
    """The parts of a ``where`` statement or construct. Raises CannotPrint for one with something else in it."""
    if isinstance(node, OneLine) and node.kind == "where" and isinstance(node.action, Assignment):
        return (Masked(node, node.control[0], (node.action,)),)
    if not isinstance(node, Construct) or node.kind != "where":
        raise CannotPrint("a 'where' with more than assignments")
    return tuple(Masked(p.header, next(iter(expressions(p.header)), None), _items(p.body)) for p in node.parts)


def _items(nodes: Sequence[Node]) -> tuple[Assignment | tuple[Masked, ...], ...]:
    plain = (isinstance(node, Assignment) and not node.pointer for node in nodes)
    return tuple(n if p and isinstance(n, Assignment) else parts_of(n) for n, p in zip(nodes, plain, strict=True))


def flat(parts: Sequence[Masked]) -> Iterator[Masked]:
    """All parts, those of further ``where`` among them, in the order of the text."""
    for part in parts:
        yield part
        for item in part.items:
            if not isinstance(item, Assignment):
                yield from flat(item)


def assignments(parts: Sequence[Masked]) -> list[Assignment]:
    """All assignments, in the order of the text."""
    found: list[Assignment] = []
    for part in parts:
        for item in part.items:
            found += [item] if isinstance(item, Assignment) else assignments(item)
    return found
