"""Types of expressions, as far as scopes tell them (base type and kind text)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeGuard

from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    Unary,
    walk,
)
from hfpy.model.statements import Assignment, InputOutput, Statement
from hfpy.model.units import FType, Symbol
from hfpy.parse.expressions.fragments import fragment

_LOGICAL = frozenset("< <= > >= == /= .and. .or. .not. .eqv. .neqv.".split())


def type_of(expr: Expr, key: str, scopes: Scopes) -> FType | None:
    """The type of an expression in a unit, or None where it is not known."""
    match expr:
        case Literal(kind="hollerith"):
            return None  # it may have any type
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
    found = component_at_home(expr, key, scopes)
    return found.symbol if found is not None else None


def may_be_substring(expr: Expr, key: str, scopes: Scopes) -> bool:
    """Whether a designator may mean a part of a text: ``t(2:3)``, ``names(i)(1:1)``."""
    if not isinstance(expr, Apply) or not any(isinstance(arg, Range) for arg in expr.args):
        return False
    if isinstance(expr.base, Apply):
        return True
    named = isinstance(expr.base, Name) and scopes.variable(expr.base.name, key)
    symbol = named.symbol if named else component(expr.base, key, scopes) if isinstance(expr.base, Component) else None
    return symbol is None or not symbol.rank


def is_parent(expr: Component, key: str, scopes: Scopes) -> bool:
    """Whether a component is, or may be, the parent component of an object: if the type of ``x`` extends ``base``,
    ``x%base%u`` is ``x%u`` (Fortran 2018, 7.5.7.2).
    """
    if expr.name not in scopes.extended:
        return False
    of = _part(expr.base, key, scopes)
    line = scopes.lineage(of.symbol.type.derived, of.home) if of is not None else ()
    for _, derived in line:
        if any(c.name == expr.name for c in derived.components):
            return False
        if derived.extends == expr.name:
            return True
    return not line or bool(line[-1][1].extends)


def is_bound(expr: Component, key: str, scopes: Scopes) -> bool:
    """Whether what looks like a component is a procedure that the object's type, or one that it extends, binds."""
    of = _part(expr.base, key, scopes)
    line = scopes.lineage(of.symbol.type.derived, of.home) if of is not None else ()
    return any(name == expr.name for _, derived in line for name, _ in derived.bindings)


def component_at_home(expr: Component, key: str, scopes: Scopes) -> Found | None:
    """The declaration of a component with the unit that defines its type, or None where that is not known."""
    of = _part(expr.base, key, scopes)
    found = scopes.component(expr.name, of.symbol.type.derived, of.home) if of is not None else None
    base = expr.base.base if isinstance(expr.base, Apply) else expr.base
    if found is None and isinstance(base, Name) and (of is None or of.symbol.type.base == "class"):
        return _of_guard(expr.name, base.name, key, scopes)
    return found


def _of_guard(part: str, name: str, key: str, scopes: Scopes) -> Found | None:
    """The component of an object that only the types have which guards of a ``select type`` give it (Fortran 2018,
    11.1.11); None where guards of the routine know several such components.
    """
    found: Found | None = None
    for guard in scopes.guards(name, key):
        other = scopes.component(part, guard, key)
        if found is not None and other is not None and found != other:
            return None
        found = other or found
    return found


def object_type(expr: Expr, key: str, scopes: Scopes) -> tuple[FType, str] | None:
    """The type of the object that a designator means, and the unit in which that is visible; None for what is no
    object, or not known.
    """
    found = _part(expr, key, scopes)
    known = found is not None and found.symbol.type.base in ("type", "class")
    return (found.symbol.type, found.home) if found is not None and known else None


def assigned_by_parts(target: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an assignment to an object means that procedures assign components of it (Fortran 2018, 10.2.1.3)."""
    return bool(scopes.parts.assigned) and _among(object_type(target, key, scopes), scopes.parts.assigned, scopes)


def finalized(symbol: Symbol, key: str, scopes: Scopes) -> bool:
    """Whether a variable that a unit declares is finalized when its life or its value ends (Fortran 2018, 7.5.6.3)."""
    known = bool(scopes.parts.finalized) and symbol.type.derived and not {"pointer", "parameter"} & symbol.attributes
    return bool(known) and _among((symbol.type, key), scopes.parts.finalized, scopes)


def set_on_entry(symbol: Symbol, key: str, scopes: Scopes) -> bool:
    """Whether a call of a routine sets parts of an object that it gets, before its first statement."""
    types = scopes.parts.set_on_entry if symbol.intent == "out" and symbol.type.derived else frozenset()
    # An object that comes as a ``class`` may be of an extension.
    return bool(types) and (symbol.type.base == "class" or _among((symbol.type, key), types, scopes))


def set_at_birth(symbol: Symbol, key: str, scopes: Scopes) -> bool:
    """Whether objects of a unit have values in parts of them before the unit sets any (Fortran 2018, 7.5.4.6)."""
    return bool(symbol.type.derived) and _among((symbol.type, key), scopes.parts.set_on_entry, scopes)


def finalizes(target: Expr, key: str, scopes: Scopes) -> bool:
    """Whether the object that a designator means is finalized when it gets another value."""
    return bool(scopes.parts.finalized) and _among(object_type(target, key, scopes), scopes.parts.finalized, scopes)


def sized_by_copies(target: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an assignment to the object that a designator means may give components of it other bounds."""
    return bool(scopes.parts.sized) and _among(object_type(target, key, scopes), scopes.parts.sized, scopes)


def shared_by_copies(statement: Statement, key: str, scopes: Scopes) -> frozenset[str]:
    """The names of the pointer components whose targets an object shares with another one after an assignment."""
    pointing = scopes.parts.pointing
    if not pointing or not isinstance(statement, Assignment) or statement.pointer:
        return frozenset()
    if not isinstance(statement.value, (Name, Apply, Component)):
        return frozenset()
    found = (object_type(given, key, scopes) for given in (statement.target, statement.value))
    lines = (scopes.lineage(each[0].derived, each[1]) for each in found if each is not None)
    return frozenset(
        name for line in lines for home, derived in line for name in pointing.get((home, derived.name), ())
    )


def _among(found: tuple[FType, str] | None, types: frozenset[tuple[str, str]], scopes: Scopes) -> bool:
    """Whether a type that is visible in a unit is one of some types, or extends one."""
    there = scopes.lineage(found[0].derived, found[1]) if found is not None else ()
    return any((home, derived.name) in types for home, derived in there)


def part_rank(expr: Expr, key: str, scopes: Scopes) -> int | None:
    """The number of dimensions of a designator such as ``a%b(i)%c``, or None where its types are not known."""
    match expr:
        case Name(name=name):
            found = scopes.variable(name, key)
            return found.symbol.rank if found is not None else None
        case Apply(base=Name() | Component() as base, args=args):
            if part_rank(base, key, scopes) is None or any(
                not isinstance(a, (Literal, Range)) and has_vector(a, key, scopes) for a in args
            ):
                return None
            outer = part_rank(base.base, key, scopes) if isinstance(base, Component) else 0
            return outer + sum(isinstance(a, Range) for a in args) if outer is not None else None
        case Component(base=base):
            of = part_rank(base, key, scopes)
            symbol = component(expr, key, scopes)
            return of + symbol.rank if of is not None and symbol is not None else None
    return None


def text_rank(expr: Expr, key: str, scopes: Scopes, aliases: Mapping[str, Expr | None]) -> int | None:
    """The number of dimensions of a designator of type character, a part of a text counting as an array; None for what
    is of another type. ``aliases`` are the names that an ``associate`` around it gives.
    """
    meant = named_outside(expr, aliases)
    found = _part(meant, key, scopes)
    if found is None or found.symbol.type.base != "character":
        return None
    rank = part_rank(meant, key, scopes)
    return rank if rank is not None else 1


def is_internal(statement: InputOutput, key: str, scopes: Scopes, aliases: Mapping[str, Expr | None]) -> bool:
    """Whether a statement reads or writes a text, and no file. Those of a namelist, whose variables it does not name,
    do not count.
    """
    if statement.kind not in ("read", "write") or _of_namelist(statement, key, scopes):
        return False
    units: list[Expr] = [c for c in statement.control[:1] if not isinstance(c, Keyword)]
    units += [c.value for c in statement.control if isinstance(c, Keyword) and c.name == "unit"]
    return bool(units) and text_rank(units[0], key, scopes, aliases) is not None


def _of_namelist(statement: InputOutput, key: str, scopes: Scopes) -> bool:
    if any(isinstance(c, Keyword) and c.name == "nml" for c in statement.control):
        return True
    second = statement.control[1] if len(statement.control) > 1 else None
    return isinstance(second, Name) and scopes.variable(second.name, key) is None


def named_outside(expr: Expr, aliases: Mapping[str, Expr | None]) -> Expr:
    """A designator in which a first name that an ``associate`` gives is replaced by what it means."""
    match expr:
        case Name(name=name) if (selector := aliases.get(name)) is not None:
            return named_outside(selector, {n: e for n, e in aliases.items() if n != name})
        case Apply(base=base) | Component(base=base):
            return replace(expr, base=named_outside(base, aliases))
    return expr


def selector_of(reference: Reference) -> Expr | None:
    """What an associate name means, as a part of a variable of the routine if that is known; None for other names."""
    aliases = aliases_of(reference.at)
    selector = aliases.get(reference.name)
    return (
        None if selector is None else named_outside(selector, {n: e for n, e in aliases.items() if n != reference.name})
    )


def _part(expr: Expr, key: str, scopes: Scopes) -> Found | None:
    """The declaration of what a designator means, its indices left out."""
    match expr:
        case Name(name=name):
            return scopes.variable(name, key)
        case Apply(base=Name() | Component() | Apply() as base):
            return _part(base, key, scopes)
        case Component():
            return component_at_home(expr, key, scopes)
    return None


def function_meant(expr: Expr, key: str, scopes: Scopes, bound: Collection[str]) -> str:
    """The name of the function that a designator calls; empty where it calls none. ``bound`` are the names of the
    procedures that types bind.
    """
    while isinstance(expr, (Apply, Component)):
        if isinstance(expr, Apply) and (name := function_called(expr, key, scopes, bound)):
            return name
        expr = expr.base
    return ""


def function_called(expr: Apply, key: str, scopes: Scopes, bound: Collection[str]) -> str:
    """The name of the function that a name or component with a list after it calls; empty where it calls none."""
    base = expr.base
    if isinstance(base, Component):
        symbol = component(base, key, scopes)
        return base.name if (base.name in bound if symbol is None else symbol.type.base == "procedure") else ""
    if isinstance(base, Name):
        found = scopes.variable(base.name, key)
        function = scopes.procedures(base.name, key) if found is None else found.symbol.type.base == "procedure"
        return base.name if function else ""
    return ""


def has_vector(expr: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an index may be a vector subscript."""
    if any(isinstance(n, ArrayConstructor) for n in walk(expr)):
        return True
    names = [n for n in walk(expr) if isinstance(n, Name)]
    return any((f := scopes.variable(n.name, key)) is None or f.symbol.rank > 0 for n in names)
