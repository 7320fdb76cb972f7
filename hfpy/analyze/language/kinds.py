"""Kinds as numbers of bytes, and the values of named constants.

C has no kind parameters: ``real(wp)`` must be known as four or eight bytes before it can be printed. Kinds are
resolved through modules (design contract 2).
"""

from __future__ import annotations

from math import prod

from hfpy.analyze.language.scopes import Scopes
from hfpy.model.expressions import Apply, Binary, Expr, Fragment, ImpliedDo, Keyword, Literal, Name, Paren, Unary
from hfpy.model.scalars import Scalar
from hfpy.model.units import FType, Symbol
from hfpy.options import DefaultKinds
from hfpy.parse.expressions.fragments import ONE, expanded, fragment
from hfpy.parse.expressions.grammar import GrammarError

_BASES = ("real", "integer", "logical", "complex", "character")
_OF_INTEGERS = frozenset({"abs", "max", "min", "mod"})
_INTEGER_DIGITS = ((2, 1), (4, 2), (9, 4), (18, 8))
_DIGITS, _EXPONENTS = {4: 6, 8: 15}, {4: 37, 8: 307}  # what precision() and range() give of reals


class Kinds:
    """Answers how large the types of a program are. ``defaults`` are the sizes of types without a kind."""

    def __init__(self, scopes: Scopes, defaults: DefaultKinds | None = None) -> None:
        self.scopes = scopes
        self.defaults = defaults or DefaultKinds()
        self.default_real = self.defaults.real
        self._values: dict[tuple[str, str], int | None] = {}  # of expressions as they are written, by unit

    def scalar(self, ftype: FType, key: str) -> Scalar | None:
        """The type with its size, or None for derived types and kinds that is not known.

        ``key`` is the unit whose scope the kind's names belong to.
        """
        if ftype.base not in _BASES:
            return None
        if ftype.base == "character":
            return Scalar("character", 1)
        if ftype.double:
            return Scalar(ftype.base, self.defaults.double)
        if ftype.kind is None:
            wide = ftype.base in ("real", "complex")
            return Scalar(ftype.base, self.defaults.real if wide else self.defaults.integer)
        value = self._written(ftype.kind, key)
        return Scalar(ftype.base, value) if value in (1, 2, 4, 8) else None

    def counter(self, loop: ImpliedDo, key: str) -> Scalar | None:
        """The integer that counts an implied loop: of the kind that the loop declares, else of the type that its name
        has in the unit around it (Fortran 2018, 19.4). None where that is not known.
        """
        found = self.scopes.variable(loop.var, key) if not loop.typed else None
        if found is not None:
            scalar = self.scalar(found.symbol.type, found.home)
            return scalar if scalar is not None and scalar.base == "integer" else None
        if loop.kind is None:
            return Scalar("integer", self.defaults.integer)
        value = self.value(loop.kind, key)
        return Scalar("integer", value) if value in (1, 2, 4, 8) else None

    def literal(self, literal: Literal, key: str) -> Scalar | None:
        """The type of a literal constant."""
        base = {"int": "integer", "real": "real", "logical": "logical"}.get(literal.kind)
        if base is None:
            return None
        if literal.parameter:
            value = self._written(fragment(literal.parameter), key)
            return Scalar(base, value) if value is not None else None
        if literal.double:
            return Scalar("real", self.defaults.double)
        if literal.quad:
            return Scalar("real", 16)
        return Scalar(base, self.defaults.real if base == "real" else self.defaults.integer)

    def elements(self, symbol: Symbol, home: str) -> int | None:
        """The number of elements of a variable of a unit, 1 for a scalar; None where its bounds are no constants."""
        bounds = self.bounds(symbol, home)
        return prod(max(high - low + 1, 0) for low, high in bounds) if bounds is not None else None

    def bounds(self, symbol: Symbol, home: str) -> list[tuple[int, int]] | None:
        """The bounds of each dimension of a variable of a unit; None where they are no constants."""
        found = []
        for dim in symbol.shape:
            low = self.value((dim.lower or ONE).expr, home)
            high = self.value(dim.upper.expr, home) if dim.upper is not None else None
            if low is None or high is None:
                return None
            found.append((low, high))
        return found

    def value(self, expr: Expr, key: str) -> int | None:
        """The value of an integer constant expression, or None where it is none hfpy can work out."""
        match expr:
            case Literal(kind="int"):
                return expr.integer
            case Paren(inner=inner):
                return self.value(inner, key)
            case Unary(op=op, operand=operand):
                inner_value = self.value(operand, key)
                return None if inner_value is None else (-inner_value if op == "-" else inner_value)
            case Binary(op=op, left=left, right=right):
                return _combine(op, self.value(left, key), self.value(right, key))
            case Name(name=name):
                return self._named(name, key)
            case Apply(base=Name(name=name), args=args):
                return self._inquired(name, args, key)
        return None

    def _written(self, given: Fragment, key: str) -> int | None:
        """The value of an expression as it is written in a unit, with the macros that its file knows."""
        slot = (given.text, key)
        if slot not in self._values:
            try:
                meant = expanded(given, self.scopes.application.macros_of(key)).expr
                self._values[slot] = self.value(meant, key)
            except GrammarError:
                self._values[slot] = None
        return self._values[slot]

    def _named(self, name: str, key: str) -> int | None:
        found = self.scopes.variable(name, key)
        if found is not None:
            symbol = found.symbol
            if not symbol.constant or symbol.initial is None or symbol.rank or symbol.type.base != "integer":
                return None
            return self._written(symbol.initial, found.home)
        return self.scopes.standard_constant(name, key)

    def _inquired(self, name: str, args: tuple[Expr, ...], key: str) -> int | None:
        if not self.scopes.is_intrinsic(name, key):
            return None
        plain = [a.value if isinstance(a, Keyword) else a for a in args]
        if name in ("kind", "precision", "range") and len(plain) == 1:
            scalar = self._type_of(plain[0], key)
            return _inquiry(name, scalar) if scalar is not None else None
        values = {
            a.name if isinstance(a, Keyword) else i: self.value(p, key)
            for i, (a, p) in enumerate(zip(args, plain, strict=True))
        }
        if name in _OF_INTEGERS:
            return _of_integers(name, [values.get(place) for place in range(len(args))])
        if name == "selected_int_kind":
            digits = values.get(0, values.get("r"))
            return next((size for limit, size in _INTEGER_DIGITS if digits is not None and digits <= limit), None)
        if name == "selected_real_kind":
            digits, exponents = values.get(0, values.get("p", 0)), values.get(1, values.get("r", 0))
            if digits is None or exponents is None:
                return None
            return next((k for k in _DIGITS if digits <= _DIGITS[k] and exponents <= _EXPONENTS[k]), None)
        return None

    def _type_of(self, expr: Expr, key: str) -> Scalar | None:
        if isinstance(expr, Literal):
            return self.literal(expr, key)
        if isinstance(expr, Name):
            variable = self.scopes.variable(expr.name, key)
            return self.scalar(variable.symbol.type, variable.home) if variable is not None else None
        return None


def _of_integers(name: str, values: list[int | None]) -> int | None:
    """What some intrinsic functions give for integers (Fortran 2018, 16.9)."""
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return None
    if name in ("max", "min"):
        return max(known) if name == "max" else min(known)
    if name == "abs":
        return abs(known[0])
    quotient = _plain("/", known[0], known[1]) if len(known) == 2 else None
    return None if quotient is None else known[0] - quotient * known[1]


def _inquiry(name: str, scalar: Scalar) -> int | None:
    """What ``kind``, ``precision`` and ``range`` give of a type."""
    if name == "kind":
        return scalar.bytes
    if scalar.base == "integer" and name == "range":
        return next((digits for digits, size in _INTEGER_DIGITS if size == scalar.bytes), None)
    if scalar.base not in ("real", "complex"):
        return None
    return (_DIGITS if name == "precision" else _EXPONENTS).get(scalar.bytes)


def _combine(op: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if op == "**" and (right < 0 or (abs(left) > 1 and right > 63)):
        return None
    value = _plain(op, left, right)
    return value if value is not None and abs(value) < 1 << 63 else None


def _plain(op: str, left: int, right: int) -> int | None:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "/" and right:
        return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return int(left**right) if op == "**" else None
