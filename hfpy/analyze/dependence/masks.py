"""What ``where`` sets: under its masks, element by element (Fortran 2018, 10.2.3.2).

A mask decides about each element, so that no assignment under it certainly sets all of an array. But a statement under
the same mask reads, element by element, what one before it has set; and where each part sets the same elements of an
array, and the last part has no mask, all of them are set after the construct.
"""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.dependence.model import Access, Position
from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.scopes import Scopes
from hfpy.model.expressions import Apply, Binary, Expr, Name, Paren, Unary
from hfpy.model.statements import Assignment, Statement

_LOGICAL = (".not.", ".and.", ".or.", ".eqv.", ".neqv.")


def by_elements(statement: Statement, key: str, scopes: Scopes) -> frozenset[int]:
    """The nodes, by their ids, that an assignment uses element by element: what it sets, operands, and arguments of
    intrinsic functions that work on single elements.
    """
    if not isinstance(statement, Assignment) or statement.pointer:
        return frozenset()
    found = {id(statement.target)}
    left: list[Expr] = [statement.value]
    while left:
        expr = left.pop()
        found.add(id(expr))
        match expr:
            case Paren(inner=inner):
                left.append(inner)
            case Unary(op=op, operand=operand) if not _defined(op):
                left.append(operand)
            case Binary(op=op, left=first, right=second) if not _defined(op):
                left += (first, second)
            case Apply(base=Name(name=name), args=args) if name in ELEMENTAL and scopes.is_intrinsic(name, key):
                left += args
    return frozenset(found)


def _defined(op: str) -> bool:
    """Whether a program may define an operator, which may then work on whole arrays."""
    return op[0] == "." and op not in _LOGICAL


def set_by_all(parts: Iterable[tuple[Position, Iterable[Access]]]) -> list[Access]:
    """The accesses of a first part that set elements which every other part sets, too. Parts come with their positions;
    what a ``where`` within a part sets under a mask of its own does not count.
    """
    found: list[Access] | None = None
    for part, accesses in parts:
        sets = [a for a in accesses if a.write and a.exact and a.mask == part]
        if found is None:
            found = sets
        else:
            there = {(a.array, a.subscripts) for a in sets}
            found = [a for a in found if (a.array, a.subscripts) in there]
    return list({(a.array, a.subscripts): a for a in found or ()}.values())


def under_same_mask(write: Access, read: Access) -> bool:
    """Whether a read finds what a write has set under a mask that holds for it, too: both go through the same elements
    of sections in the same order.
    """
    return bool(write.mask) and write.exact and read.exact and read.mask[: len(write.mask)] == write.mask
