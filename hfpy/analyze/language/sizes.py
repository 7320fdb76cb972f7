"""Sizes in normal form, so that ``n - 1``, ``N-1`` and ``-1+n`` are one size (B9).

A size is a linear form over atoms; anything that is not linear is one atom. Names compare without
case. A range ``1:n`` is the size ``n``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from hfpy.model.expressions import (
    Apply,
    Binary,
    Component,
    Expr,
    Fragment,
    Literal,
    Name,
    Paren,
    Unary,
    children,
)
from hfpy.model.extents import Dim

Linear = tuple[tuple[str, int], ...]


def _atom(expr: Expr) -> str:
    match expr:
        case Name(name=name):
            return name
        case Literal(text=text):
            return text.lower()
        case Paren(inner=inner):
            return _atom(inner)
        case Component(base=base, name=name):
            return f"{_atom(base)}%{name}"
        case Apply(base=base, args=args):
            return f"{_atom(base)}({','.join(_text(a) for a in args)})"
        case Binary(op=op, left=left, right=right):
            return f"({_operand(left)}{op}{_operand(right)})"
        case Unary(op=op, operand=operand):
            return f"({op}{_operand(operand)})"
    return f"{type(expr).__name__}({','.join(_text(c) for c in children(expr))})"


def _text(expr: Expr) -> str:
    return show(linear(expr))


def _operand(expr: Expr) -> str:
    """The text of an operand, in parentheses unless it is one atom or one number without a sign."""
    form = linear(expr)
    single = not form or (len(form) == 1 and (form[0][1] == 1 if form[0][0] else form[0][1] > 0))
    return show(form) if single else f"({show(form)})"


def linear(expr: Expr) -> Linear:
    """The linear form of an integer expression: sorted (atom, coefficient) pairs; atom ``""`` is the constant."""
    terms: dict[str, int] = {}
    _add(expr, 1, terms)
    return tuple(sorted((a, c) for a, c in terms.items() if c))


def _add(expr: Expr, factor: int, terms: dict[str, int]) -> None:
    match expr:
        case Paren(inner=inner):
            _add(inner, factor, terms)
        case Literal(integer=int(number)):
            terms[""] = terms.get("", 0) + factor * number
        case Unary(op="-", operand=operand):
            _add(operand, -factor, terms)
        case Unary(op="+", operand=operand):
            _add(operand, factor, terms)
        case Binary(op="+", left=left, right=right):
            _add(left, factor, terms)
            _add(right, factor, terms)
        case Binary(op="-", left=left, right=right):
            _add(left, factor, terms)
            _add(right, -factor, terms)
        case Binary(op="*", left=left, right=right) if (value := constant(left)) is not None:
            _add(right, factor * value, terms)
        case Binary(op="*", left=left, right=right) if (value := constant(right)) is not None:
            _add(left, factor * value, terms)
        case _:
            atom = _atom(expr)
            terms[atom] = terms.get(atom, 0) + factor


def constant(expr: Expr) -> int | None:
    """The value of an integer literal, signed or in parentheses; None for anything else."""
    match expr:
        case Literal(integer=int(number)):
            return number
        case Unary(op="-", operand=operand):
            value = constant(operand)
            return None if value is None else -value
        case Paren(inner=inner):
            return constant(inner)
    return None


def show(form: Linear) -> str:
    """A linear form as text, the same for equal forms."""
    if not form:
        return "0"
    return sum_of(form)


def sum_of(terms: Iterable[tuple[str, int]]) -> str:
    """The text of a sum of products of an atom and a number; the empty atom is that of the number alone."""
    text = ""
    for atom, factor in terms:
        sign = "-" if factor < 0 else "+" if text else ""
        size = abs(factor)
        text += f"{sign}{size}" if not atom else f"{sign}{atom}" if size == 1 else f"{sign}{size}*{atom}"
    return text


def normal(dim: Dim) -> str:
    """The normal form of a size or range (``:`` and ``*`` are as they are written)."""
    low = canonical(dim.lower) if dim.lower is not None else "1"
    if dim.upper is None:
        return dim.text
    high = canonical(dim.upper)
    return high if low == "1" else f"{low}:{high}"


@lru_cache(maxsize=20_000)
def canonical(bound: Fragment) -> str:
    """The normal form of one expression as text."""
    return show(linear(bound.expr))


def atoms(dim: Dim) -> frozenset[str]:
    """The atoms of the linear forms of a dimension's bounds (without the constant)."""
    return frozenset(a for bound in dim.bounds for a, _ in linear(bound.expr) if a)
