"""Inquiries about variables that a region allocates anew, or associates: their bounds and lengths are values, too."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component, selector_of, sized_by_copies
from hfpy.analyze.language.uses import Reference, aliases_of, frees
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, walk
from hfpy.model.statements import LOOPS, Assignment, Call, Memory, expressions, flatten, targets
from hfpy.model.units import Symbol

if TYPE_CHECKING:
    from hfpy.analyze.effects.bodies import RegionBody

Path = tuple[str, ...]  # a variable, and the components behind it


def read_by_inquiries(
    references: Iterable[Reference], anew: Container[Path], changed: Callable[[Reference], bool]
) -> list[Reference]:
    """A read for each inquiry about a variable or component that is allocated or associated ``anew``, or ``changed`` by
    a called routine.
    """
    asked = (r for r in references if r.role == "inquiry")
    return [replace(r, role="read") for r in asked if any(path in anew for path in _paths(r)) or changed(r)]


def anew(statements: Iterable[Located], key: str, scopes: Scopes) -> frozenset[Path]:
    """The variables and components that some statements of a routine may allocate anew, or associate."""
    return frozenset(path for at in statements for path in _anew(at, key, scopes))


def may_allocate(at: Located, target: Expr, value: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an assignment may allocate its target anew. One under a mask does not (Fortran 2018, 10.2.3.2)."""
    symbol = _symbol(target, at, key, scopes)
    return symbol is not None and not at.masked and _reallocated(symbol, value, key, scopes)


def gives_bounds(at: Located, target: Expr, value: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an assignment may give its target, or components of it, other bounds, or another length."""
    return may_allocate(at, target, value, key, scopes) or sized_by_copies(target, key, scopes)


def _anew(at: Located, key: str, scopes: Scopes) -> Iterator[Path]:
    """What a statement may allocate or associate."""
    match at.statement:
        case Assignment(target=target, value=value, pointer=pointer):
            if pointer or gives_bounds(at, target, value, key, scopes):
                yield _path(target)
        case Memory(items=items):
            yield from map(_path, items)
        case Call(args=args):
            yield from _dynamic(args, at, key, scopes)
    for node in (node for expr in expressions(at.statement) for node in walk(expr)):
        if not isinstance(node, Apply) or not isinstance(node.base, Name):
            continue
        if scopes.variable(node.base.name, key) is None and scopes.procedures(node.base.name, key):
            yield from _dynamic(node.args, at, key, scopes)  # a function may allocate what it gets


def _dynamic(args: Sequence[Expr], at: Located, key: str, scopes: Scopes) -> Iterator[Path]:
    for arg in args:
        value = arg.value if isinstance(arg, Keyword) else arg
        symbol = _symbol(value, at, key, scopes)
        if symbol is not None and symbol.dynamic:
            yield _path(value)


def _symbol(expr: Expr, at: Located, key: str, scopes: Scopes) -> Symbol | None:
    """The variable or component that an expression is as a whole."""
    match expr:
        case Name(name=name) if name not in aliases_of(at):
            found = scopes.variable(name, key)
            return found.symbol if found is not None else None
        case Component():
            return component(expr, key, scopes)
    return None


def _reallocated(symbol: Symbol, value: Expr, key: str, scopes: Scopes) -> bool:
    """Whether an assignment may allocate a variable: one of a scalar to an array does not."""
    if "allocatable" not in symbol.attributes:
        return False
    if not symbol.rank or isinstance(value, Literal):
        return not symbol.rank
    if isinstance(value, Name):
        found = scopes.variable(value.name, key)
        return found is None or bool(found.symbol.rank)
    return True


def _path(expr: Expr) -> Path:
    """A designator without its indices."""
    match expr:
        case Apply(base=base):
            return _path(base)
        case Component(base=base, name=name):
            return (*_path(base), name)
        case Name(name=name):
            return (name,)
    return ()


def _paths(reference: Reference) -> Iterator[Path]:
    """The designators that begin with a reference, and the selector of an ``associate``."""
    selector = selector_of(reference)
    if selector is not None:
        yield _path(selector)
    yield (reference.name,)
    if reference.component:
        for top in expressions(reference.at.statement):
            for node in walk(top):
                if isinstance(node, Component) and (path := _path(node))[:1] == (reference.name,):
                    yield path


def asked_behind(body: RegionBody, references: Iterable[Reference]) -> bool:
    """Whether bounds, or the length, that a region gives a variable or a component of it may be asked for after it.
    ``references`` are those of the variable in the routine. Who frees it asks, too, where nothing before the region
    has allocated it.
    """
    own = [(r, paths) for r in references if (paths := {*_paths(r)} & body.anew)]
    end = body.construct.end
    last = end.line.last if end is not None else body.region.line.last
    around = body.inside[0].constructs if body.inside else ()
    loops = {id(c) for c in takewhile(lambda c: c is not body.construct, around) if c.kind in LOOPS}
    outside = [(r, paths) for r, paths in own if body.identity.number not in r.at.regions]
    first = body.region.line.first
    earlier = ((r, paths) for r, paths in outside if r.at.statement.line.first < first)
    before = {path for r, paths in earlier if r.role == "allocate" and not frees(r) for path in paths}
    jumps = bool(outside) and any(targets(s) for s in flatten(body.routine.body))
    for reference, paths in outside:
        if reference.role == "inquiry" or (frees(reference) and not paths <= before):
            again = jumps or any(id(c) in loops for c in reference.at.constructs)
            if again or reference.at.statement.line.first > last:
                return True
    return False
