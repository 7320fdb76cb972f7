"""Indices that are arrays: a vector subscript makes a dimension of what it indexes, as a range does.

Source: Fortran 2018, 9.5.3.3.3. The rank of an index follows from its parts: names, array constructors, sections,
results of functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located, regions_of
from hfpy.analyze.language.intrinsics import ELEMENTAL, INQUIRY, REDUCING
from hfpy.analyze.language.types import part_rank
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Range,
    base_name,
    children,
)
from hfpy.model.units import Symbol

# Without ``dim`` these give a value for each dimension of their argument.
_FOR_EACH_DIMENSION = ("lbound", "maxloc", "minloc", "findloc", "shape", "ubound")


def makes_dimension(item: Expr | str, at: Located, key: str, facts: Facts) -> bool | None:
    """Whether an index makes a dimension of a section: a range or a vector subscript. None where that is not known."""
    if isinstance(item, str):
        return item == ":"
    return isinstance(item, Range) or is_vector(item, at, key, facts)


def may_be_vector(item: Expr | str, at: Located, key: str, facts: Facts) -> bool:
    """Whether an index is a vector subscript, or may be one."""
    return not isinstance(item, (str, Range)) and is_vector(item, at, key, facts) is not False


def is_vector(index: Expr, at: Located, key: str, facts: Facts) -> bool | None:
    """Whether an index of a statement ``at`` in the unit ``key`` is an array; None where that is not known."""
    match index:
        case Literal():
            return False
        case ArrayConstructor():
            return True
        case Name(name=name):
            return _named(name, at, key, facts)
        case Apply(base=Name(name=name), args=args):
            return _applied(index, name, args, at, key, facts)
        case Component() | Apply(base=Component()):
            rank = part_rank(index, key, facts.scopes)
            return rank > 0 if rank is not None else _inside_unknown(index, at, key, facts)
    return _any(children(index), at, key, facts)


def _any(parts: Iterable[Expr], at: Located, key: str, facts: Facts) -> bool | None:
    found = [is_vector(p.value if isinstance(p, Keyword) else p, at, key, facts) for p in parts]
    return True if True in found else None if None in found else False


def _named(name: str, at: Located, key: str, facts: Facts) -> bool | None:
    aliases = aliases_of(at)
    if name in aliases:
        selector = aliases[name]
        if selector is None:
            return _of_block(name, at)
        return None if base_name(selector) == name else is_vector(selector, at, key, facts)
    found = facts.scopes.variable(name, key)
    if found is not None:
        return found.symbol.rank > 0
    routine = facts.application.routines[key]
    regions = regions_of(routine)
    around = [regions[number] for number in at.regions]  # first: it is an iterator of these nearly always
    iterated = any(c.region is not None and name in c.region.iterators for c in chain(around, regions))
    counted = iterated or name in {m.lower() for m in facts.application.macros_of(key)}
    return False if counted or not (routine.spec.implicit_none or facts.scopes.opaque.seen_by(key)) else None


def _of_block(name: str, at: Located) -> bool | None:
    """A variable that a ``block`` around the statement declares."""
    blocks = (c.declarations for c in reversed(at.constructs) if c.kind == "block")
    symbols = (s for declared in blocks for s in declared if isinstance(s, Symbol) and s.name == name)
    symbol = next(symbols, None)
    return symbol.rank > 0 if symbol is not None else None


def _applied(index: Apply, name: str, args: tuple[Expr, ...], at: Located, key: str, facts: Facts) -> bool | None:
    """An element or a section of an array, a part of a text, or the result of a function."""
    if name in aliases_of(at):
        selector = aliases_of(at)[name]
        array = selector is None or _named(name, at, key, facts)
        return _sectioned(args, at, key, facts) if array else None
    found = facts.scopes.variable(name, key)
    if found is not None and found.symbol.rank:
        return _sectioned(args, at, key, facts)
    if found is not None:
        return False  # a part of a text
    if facts.scopes.is_intrinsic(name, key):
        return _intrinsic(name, args, at, key, facts)
    if facts.scopes.statement_function(name, key):
        return False
    if name in {m.lower() for m in facts.application.macros_of(key)}:
        return _any(args, at, key, facts)
    typed = facts.graph.generics.types.expression(index, key)
    if typed is not None and typed.rank is not None:
        return typed.rank > 0
    keys = facts.scopes.procedures(name, key)
    routines = [facts.application.routines[k] for k in keys if k in facts.application.routines]
    if not keys or len(routines) < len(keys):
        return None
    elemental = all("elemental" in r.prefix for r in routines)
    return _any(args, at, key, facts) if elemental else None


def _sectioned(args: tuple[Expr, ...], at: Located, key: str, facts: Facts) -> bool | None:
    found = [makes_dimension(a, at, key, facts) for a in args]
    return True if True in found else None if None in found else False


def _intrinsic(name: str, args: tuple[Expr, ...], at: Located, key: str, facts: Facts) -> bool | None:
    """The rank of an intrinsic function's result, as far as its arguments tell."""
    if name in ELEMENTAL:
        return _any(args, at, key, facts)
    if name in REDUCING | INQUIRY:
        if name in _FOR_EACH_DIMENSION:
            return True if len(args) == 1 else None
        return False if len(args) == 1 or name in INQUIRY or name == "dot_product" else None
    return None


def _inside_unknown(index: Expr, at: Located, key: str, facts: Facts) -> bool | None:
    """A component whose rank is not known: an array where an index on the way is one."""
    lists = [index.args] if isinstance(index, Apply) else []
    return True if any(makes_dimension(a, at, key, facts) for args in lists for a in args) else None
