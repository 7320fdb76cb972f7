"""Type, size and rank of expressions, as far as declarations tell them: what generic calls go by.

Ranks are those of the text. Where a directive lists a name with domains, its rank is another one in generated code, and
stays open here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.intrinsics import EXTREMES, SPECIFIC
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.analyze.language.types import has_vector
from hfpy.model.application import Application
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Complex,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Unary,
    names_in,
)
from hfpy.model.extents import Dim
from hfpy.model.units import DerivedType, FType, Routine, Symbol
from hfpy.values import dataclass

NOTHING: Mapping[str, Expr | None] = {}
_RELATIONS = frozenset("< <= > >= == /= .and. .or. .not. .eqv. .neqv.".split())
_ARITHMETIC = frozenset("+ - * / **".split())
_WIDTH = {"integer": 0, "real": 1, "complex": 2}
# Elemental intrinsic functions whose result has the type of their first argument (Fortran 2018, 16.9).
_AS_FIRST = frozenset(
    "abs acos aint anint asin atan atan2 cos cosh dim erf exp gamma hypot log log10 max min mod modulo sign sin sinh "
    "sqrt tan tanh".split()
)
_CONVERTING = {"cmplx": "complex", "real": "real", "int": "integer", "nint": "integer", "dble": "real"}
_OPAQUE = frozenset({"procedure", "external", "intrinsic"})


@dataclass(frozen=True, slots=True)
class Typed:
    """What is known of a value: ``base`` and ``bytes`` as in :class:`hfpy.model.scalars.Scalar`, or a derived type with
    the unit that defines it; ``rank`` and ``bytes`` are None where they are open.
    """

    base: str
    bytes: int | None = None
    derived: tuple[str, DerivedType] | None = None
    rank: int | None = None


class Types:
    """Answers what is known of expressions and variables."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes
        self.kinds = Kinds(scopes, application.options.kinds)
        self._iterators: dict[str, frozenset[str]] = {}
        self._variables: dict[tuple[str, str], tuple[Found, Typed] | None] = {}

    def variable(self, symbol: Symbol, home: str, key: str) -> Typed | None:
        """What a variable is that the unit ``home`` declares and the unit ``key`` uses; None for procedures."""
        if symbol.type.base == "procedure" or symbol.attributes & _OPAQUE:
            return None
        counted = not self._listed(symbol.name, home, key) and not any(self._open(d, home) for d in symbol.shape)
        return self._of(symbol.type, home, symbol.rank if counted else None)

    def expression(self, expr: Expr, key: str, hidden: Mapping[str, Expr | None] = NOTHING) -> Typed | None:
        """What an expression of a unit is; None where nothing is known. ``hidden`` are names that mean something else
        at the place of the expression than in its unit: another expression, or what is not known.
        """
        match expr:
            case Name(name=name) if (meant := hidden.get(name)) is not None:
                return self.expression(meant, key, {n: e for n, e in hidden.items() if n != name})
            case Literal(kind="char"):
                return Typed("character", 1, rank=0)
            case Literal(kind="int" | "real" | "logical"):
                scalar = self.kinds.literal(expr, key)
                return Typed(scalar.base, scalar.bytes, rank=0) if scalar is not None else None
            case Complex(real=real, imag=imag):
                parts = [self.expression(part, key, hidden) for part in (real, imag)]
                sizes = [p.bytes for p in parts if p is not None and p.base == "real" and p.bytes is not None]
                known = all(p is not None and p.bytes is not None for p in parts)
                default = self.application.options.kinds.real
                return Typed("complex", max(sizes, default=default), rank=0) if known else None
            case Paren(inner=inner):
                return self.expression(inner, key, hidden)
            case Unary(op="+" | "-", operand=operand):
                found = self.expression(operand, key, hidden)
                return found if found is not None and found.base in _WIDTH else None
            case Binary(op=op, left=left, right=right):
                return _binary(op, self.expression(left, key, hidden), self.expression(right, key, hidden))
            case Name(name=name) if name not in hidden:
                return self._name(name, key)
            case Apply(base=Name(name=name)) if name not in hidden:
                return self._applied(expr, name, key, hidden)
            case Component() | Apply(base=Component()):
                part = self._part(expr, key, hidden)
                return part[0] if part is not None else None
            case ArrayConstructor(items=[first, *_]):
                found = self.expression(first, key, hidden)
                return replace(found, rank=1) if found is not None else None
        return None

    def _of(self, ftype: FType, home: str, rank: int | None) -> Typed:
        if ftype.base in ("type", "class"):
            return Typed(ftype.base, derived=self.scopes.type_at_home(ftype.derived, home), rank=rank)
        scalar = self.kinds.scalar(ftype, home)
        return Typed(ftype.base, scalar.bytes if scalar is not None else None, rank=rank)

    def _open(self, dim: Dim, home: str) -> bool:
        """Whether a dimension is that of an assumed rank, or a macro, which may mean several."""
        if dim.text == "..":
            return True
        size = dim.upper.expr if dim.upper is not None and dim.lower is None else None
        called = size.base.name if isinstance(size, Apply) and isinstance(size.base, Name) else ""
        known = self.scopes.is_intrinsic(called, home) or self.scopes.procedures(called, home)
        return bool(called) and not known and self.scopes.variable(called, home) is None

    def _listed(self, name: str, *keys: str) -> bool:
        """Whether a directive gives a name domains, and perhaps dimensions."""
        units = (self.application.routines.get(key) for key in keys)
        blocks = (block for unit in units if unit is not None for block in unit.spec.dependants if block.domains)
        return any(listed.name == name for block in blocks for listed in block.names)

    def _found(self, name: str, key: str) -> tuple[Found, Typed] | None:
        slot = (key, name)
        if slot not in self._variables:
            found = self.scopes.variable(name, key)
            typed = self.variable(found.symbol, found.home, key) if found is not None else None
            self._variables[slot] = (found, typed) if found is not None and typed is not None else None
        return self._variables[slot]

    def _name(self, name: str, key: str) -> Typed | None:
        found = self._found(name, key)
        return found[1] if found is not None else None

    def _applied(self, expr: Apply, name: str, key: str, hidden: Mapping[str, Expr | None]) -> Typed | None:
        """An element or a section of an array, a part of a text, or the result of a function."""
        found = self._found(name, key)
        if found is None:
            return self._result(expr, name, key, hidden)
        symbol, typed = found[0].symbol, found[1]
        if not symbol.rank:
            return replace(typed, rank=0) if typed.base == "character" else replace(typed, rank=None)
        return replace(typed, rank=self._section(expr, typed.rank, key))

    def _section(self, expr: Apply, whole: int | None, key: str) -> int | None:
        """The rank of an array with indices."""
        if whole is None or len(expr.args) != whole:
            return None
        if any(not isinstance(a, (Literal, Range)) and self._perhaps_vector(a, key) for a in expr.args):
            return None
        return sum(isinstance(a, Range) for a in expr.args)

    def _perhaps_vector(self, index: Expr, key: str) -> bool:
        return not names_in(index) <= self._counters(key) and has_vector(index, key, self.scopes)

    def _counters(self, key: str) -> frozenset[str]:
        """The iterators of a routine's regions, which need no declaration."""
        if key not in self._iterators:
            regions = (c.region for c in regions_of(self.application.routines[key]))
            self._iterators[key] = frozenset(n for r in regions if r is not None for n in r.iterators)
        return self._iterators[key]

    def result(self, routine: Routine) -> Typed | None:
        """What a function of the program gives back; the rank is open where it is elemental."""
        symbol = routine.spec.symbols.get(routine.result)
        found = self.variable(symbol, routine.key, routine.key) if symbol is not None else None
        return replace(found, rank=None) if found is not None and "elemental" in routine.prefix else found

    def _result(self, expr: Apply, name: str, key: str, hidden: Mapping[str, Expr | None]) -> Typed | None:
        keys = self.scopes.procedures(name, key)
        routine = self.application.routines.get(keys[0]) if len(keys) == 1 else None
        if routine is not None:
            return self.result(routine)
        derived = self.scopes.type_at_home(name, key) if not keys else None
        if derived is not None:
            return Typed("type", derived=derived, rank=0)  # a structure constructor
        if keys or not expr.args or not self.scopes.is_intrinsic(name, key):
            return None
        first = self.expression(expr.args[0], key, hidden)
        double = name == "dcmplx"
        if name in EXTREMES:
            return self._extreme(EXTREMES[name], expr, first)
        name = SPECIFIC.get(name, name)
        if name in ("abs", "aimag") and first is not None and first.base == "complex":
            return replace(first, base="real")
        if name in (*_AS_FIRST, "conjg") and first is not None and first.base in ("integer", "real", "complex"):
            return replace(first, rank=first.rank if len(expr.args) == 1 else None)
        if name in _CONVERTING:
            return self._converted(expr, name, first, key, double or name == "dble")
        return None

    def _extreme(self, named: str, expr: Apply, first: Typed | None) -> Typed:
        """``amax1(x, y)`` and its kin have the type of their name."""
        kinds = self.application.options.kinds
        size = {"integer": kinds.integer, "real": kinds.real, "double": kinds.double}[named]
        rank = first.rank if first is not None and len(expr.args) == 1 else None
        return Typed("integer" if named == "integer" else "real", size, rank=rank)

    def _converted(self, expr: Apply, name: str, first: Typed | None, key: str, double: bool) -> Typed | None:
        """``real(x, kind)`` and its kin, of ``double`` precision by their name or not."""
        base, defaults = _CONVERTING[name], self.application.options.kinds
        rank = first.rank if first is not None else None
        if double:
            return Typed(base, defaults.double, rank=rank)
        given = expr.args[2:] if name == "cmplx" else expr.args[1:]
        kind = next((a for a in expr.args if isinstance(a, Keyword) and a.name == "kind"), next(iter(given), None))
        if kind is None:
            size = first.bytes if name == "real" and first is not None and first.base == "complex" else defaults.real
            return Typed(base, defaults.integer if base == "integer" else size, rank=rank)
        return Typed(base, self.kinds.value(kind.value if isinstance(kind, Keyword) else kind, key), rank=rank)

    def _part(self, expr: Expr, key: str, hidden: Mapping[str, Expr | None]) -> tuple[Typed, int] | None:
        """A component with all indices, and the rank of its last part alone."""
        match expr:
            case Name(name=name):
                found = self._name(name, key) if name not in hidden else None
                return (found, found.rank) if found is not None and found.rank is not None else None
            case Component(base=base, name=name):
                outer = self._part(base, key, hidden)
                part = self._component(outer[0], name) if outer is not None else None
                if outer is None or part is None or part.rank is None or outer[0].rank is None:
                    return None
                return replace(part, rank=outer[0].rank + part.rank), part.rank
            case Apply(base=Name() | Component() as base):
                whole = self._part(base, key, hidden)
                if whole is None or whole[0].rank is None or (whole[0].base == "character" and not whole[1]):
                    return None
                left = self._section(expr, whole[1], key)
                return (replace(whole[0], rank=whole[0].rank - whole[1] + left), left) if left is not None else None
        return None

    def _component(self, of: Typed, name: str) -> Typed | None:
        """A component, also of the types that a type extends, or the parent component, of such a type."""
        for home, derived in self.ancestors(of):
            symbol = next((c for c in derived.components if c.name == name), None)
            if symbol is not None:
                return None if symbol.type.base == "procedure" else self._of(symbol.type, home, symbol.rank)
            if derived.extends == name:
                return self._of(FType("type", None, name), home, 0)
        return None

    def ancestors(self, typed: Typed) -> tuple[tuple[str, DerivedType], ...]:
        """A derived type and all that it extends, as far as they are known."""
        if typed.derived is None:
            return ()
        home, derived = typed.derived
        return self.scopes.lineage(derived.name, home)


def _binary(op: str, left: Typed | None, right: Typed | None) -> Typed | None:
    """The result of an operator on values of intrinsic type (Fortran 2018, 10.1.9.3)."""
    if left is None or right is None:
        return None
    ranks = [t.rank for t in (left, right)]
    rank = None if None in ranks else max(r for r in ranks if r is not None)
    if op in _RELATIONS:
        known = left.derived is None and right.derived is None and {left.base, right.base}.isdisjoint({"type", "class"})
        return Typed("logical", 4, rank=rank) if known else None
    if op not in _ARITHMETIC or left.base not in _WIDTH or right.base not in _WIDTH:
        return None
    if _WIDTH[left.base] != _WIDTH[right.base]:
        wider = left if _WIDTH[left.base] > _WIDTH[right.base] else right
        narrow = right if wider is left else left
        size = wider.bytes if narrow.base == "integer" else _larger(left, right)
        return Typed(wider.base, size, rank=rank)
    return Typed(left.base, _larger(left, right), rank=rank)


def _larger(left: Typed, right: Typed) -> int | None:
    sizes = [t.bytes for t in (left, right) if t.bytes is not None]
    return max(sizes) if len(sizes) == 2 else None


def dummy_symbol(routine: Routine, name: str, scopes: Scopes) -> Symbol | None:
    """The declaration of a dummy argument, or what the implicit rules give; None where there is none."""
    found = scopes.variable(name, routine.key)
    return found.symbol if found is not None else routine.spec.symbols.get(name)
