"""Types of expressions, as far as scopes tell them (base type and kind text)."""

from __future__ import annotations

from typing import TypeGuard

from hfpy.analyze.scopes import Scopes
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expr,
    Literal,
    Name,
    Paren,
    Range,
    Unary,
    walk,
)
from hfpy.model.units import FType, Symbol
from hfpy.parse.fragments import fragment

_LOGICAL = frozenset("< <= > >= == /= .and. .or. .not. .eqv. .neqv.".split())


def type_of(expr: Expr, key: str, scopes: Scopes) -> FType | None:
    """The type of an expression in a unit, or None where it is not known."""
    match expr:
        case Literal(kind=kind, double=double):
            base = {"int": "integer", "char": "character"}.get(kind, kind)
            kind_of = fragment(expr.parameter) if expr.parameter else None
            return FType(base, kind_of, double=double)
        case Paren(inner=inner):
            return type_of(inner, key, scopes)
        case Unary(op=op, operand=operand):
            return FType("logical") if op in _LOGICAL else type_of(operand, key, scopes)
        case Binary(op=op, left=left, right=right):
            if op in _LOGICAL:
                return FType("logical")
            return _wider(type_of(left, key, scopes), type_of(right, key, scopes))
        case Name(name=name) | Apply(base=Name(name=name)):
            found = scopes.variable(name, key)
            return found.symbol.type if found is not None else None
        case Component():
            return None
    return None


def _wider(left: FType | None, right: FType | None) -> FType | None:
    if left is None or right is None:
        return None
    rank = {"integer": 0, "real": 1, "complex": 2}
    if left.base in rank and right.base in rank and left.base != right.base:
        return left if rank[left.base] > rank[right.base] else right
    return left if (left.kind, left.double) == (right.kind, right.double) or right.default else right


def is_part(expr: Expr, key: str, scopes: Scopes) -> TypeGuard[Component]:
    """Whether an expression is a part of a complex number, ``z%re`` or ``z%im`` (Fortran 2018, 9.4.4)."""
    if not isinstance(expr, Component) or expr.name not in ("re", "im"):
        return False
    base = expr.base.base if isinstance(expr.base, Apply) else expr.base
    if isinstance(base, Name):
        found = scopes.variable(base.name, key)
        return found is not None and found.symbol.type.base == "complex"
    symbol = component(base, key, scopes) if isinstance(base, Component) else None
    return symbol is not None and symbol.type.base == "complex"


def component(expr: Component, key: str, scopes: Scopes) -> Symbol | None:
    """The declaration of a component in its type, or None where that is not known."""
    of = _part(expr.base, key, scopes)
    wanted = of[1].derived if of is not None else ""
    seen: set[str] = set()
    while wanted and wanted not in seen:  # a type has the components of the types that it extends
        seen.add(wanted)
        derived = scopes.derived_type(wanted, key)
        found = next((c for c in derived.components if c.name == expr.name), None) if derived is not None else None
        if found is not None or derived is None:
            return found
        wanted = derived.extends
    return None


def part_rank(expr: Expr, key: str, scopes: Scopes) -> int | None:
    """The number of dimensions of a designator such as ``a%b(i)%c``, or None where its types are not known."""
    found = _part(expr, key, scopes)
    return found[0] if found is not None else None


def _part(expr: Expr, key: str, scopes: Scopes) -> tuple[int, FType] | None:
    """Dimensions and type of a designator."""
    match expr:
        case Name(name=name):
            found = scopes.variable(name, key)
            return (found.symbol.rank, found.symbol.type) if found is not None else None
        case Apply(base=Name() | Component() as base, args=args):
            whole = _part(base, key, scopes)
            if whole is None or any(not isinstance(a, Literal | Range) and has_vector(a, key, scopes) for a in args):
                return None
            outer = _part(base.base, key, scopes) if isinstance(base, Component) else (0, whole[1])
            return (outer[0] + sum(isinstance(a, Range) for a in args), whole[1]) if outer is not None else None
        case Component(base=base):
            of = _part(base, key, scopes)
            symbol = component(expr, key, scopes)
            return (of[0] + symbol.rank, symbol.type) if of is not None and symbol is not None else None
    return None


def has_vector(expr: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an index may be a vector subscript."""
    if any(isinstance(n, ArrayConstructor) for n in walk(expr)):
        return True
    names = [n for n in walk(expr) if isinstance(n, Name)]
    return any((f := scopes.variable(n.name, key)) is None or f.symbol.rank > 0 for n in names)
