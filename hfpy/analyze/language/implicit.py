"""Scalars that no declaration names (Fortran 2018, 8.7)."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, children, walk
from hfpy.model.names import twin_of
from hfpy.model.statements import (
    Assignment,
    Call,
    Header,
    InputOutput,
    Memory,
    Statement,
    constructs,
    expressions,
    flatten,
)
from hfpy.model.units import Routine, Symbol
from hfpy.parse.routines import unit_key


def undeclared(routine: Routine) -> frozenset[str]:
    """The names that a routine's statements mention on their own, so that they can only be scalars where nothing
    declares them: never with arguments or components, and not what a call names. Left out are iterators of regions
    without loops and twins on the device, which hfpy declares, and what directives, associations and blocks name.
    """
    alone: set[str] = set()
    regions = [c.region for c in routine.regions if c.region is not None]
    other: set[str] = {name for region in regions if not region.loops for name in region.iterators}
    other.update(entry.name for block in routine.spec.dependants for entry in block.names)
    other.update(group.name for group in routine.spec.groups if group.kind == "namelist")
    other.update(getattr(symbol, "name", "") for c in constructs(routine.body) for symbol in c.declarations)
    for statement in flatten(routine.body):
        if isinstance(statement, Header):
            alone.add(statement.var)
            other.update(statement.names)
        if isinstance(statement, Call) and isinstance(statement.designator, Name):
            other.add(statement.designator.name)
        for expr in expressions(statement):
            for node in walk(expr):
                if isinstance(node, (Apply, Component)) and isinstance(node.base, Name):
                    other.add(node.base.name)
                elif isinstance(node, Name):
                    alone.add(node.name)
    return frozenset(n for n in alone - other - {""} if not twin_of(n))


def may_be_set(routine: Routine) -> frozenset[str]:
    """The names that a routine's statements may set: no macro is among them."""
    names = {s.var for s in flatten(routine.body) if isinstance(s, Header)}
    targets = (e for s in flatten(routine.body) for e in _set_by(s))
    return frozenset(names.union(e.name for e in targets if isinstance(e, Name)))


def without_arguments(routine: Routine) -> frozenset[str]:
    """The names that a routine's statements mention without arguments: functions are not referenced so, and what is
    passed on so is a procedure only where that is declared.
    """
    found: set[str] = set()
    for statement in flatten(routine.body):
        if isinstance(statement, Header):
            found.add(statement.var)
        stack = [*(statement.args if isinstance(statement, Call) else expressions(statement))]
        while stack:
            node = stack.pop()
            if isinstance(node, Name):
                found.add(node.name)
            stack += children(node)[1:] if isinstance(node, Apply) and isinstance(node.base, Name) else children(node)
    return frozenset(found)


def alone_in(application: Application, routine: Routine, name: str) -> bool:
    """Whether a routine, or one that it contains, mentions a name without arguments, so that it is a variable."""
    inside = (r for r in _contained(application, routine.key) if name not in r.spec.symbols and name not in r.dummies)
    return any(name in without_arguments(r) for r in (routine, *inside))


def intrinsic_by_use(application: Application, routine: Routine, symbol: Symbol) -> bool:
    """Whether a scalar with the name of an intrinsic function is that function, whose type is declared (``real(8) ::
    dabs``): a procedure, or one that it contains, mentions it with arguments, and nothing makes it a variable. Texts
    are left out, where ``name(…)`` may be a part of one.
    """
    grouped = any(symbol.name in group.members for group in routine.spec.groups)
    if grouped or symbol.name in routine.spec.storage or symbol.type.base == "character":
        return False
    if routine.kind in ("module", "submodule", "blockdata"):
        return False  # others that use it may mention it alone
    return any(symbol.name in _with_arguments(r) for r in (routine, *_contained(application, routine.key)))


def _with_arguments(routine: Routine) -> frozenset[str]:
    """The names that a routine's statements mention with arguments."""
    nodes = (node for s in flatten(routine.body) for e in expressions(s) for node in walk(e))
    return frozenset(n.base.name for n in nodes if isinstance(n, Apply) and isinstance(n.base, Name))


def _contained(application: Application, key: str) -> Iterator[Routine]:
    if key not in application.units:
        return
    index = application.file(key)
    for number in application.unit(key).children:
        found = application.routines.get(unit_key(index, number))
        if found is not None:
            yield found


def set_alone(routine: Routine) -> frozenset[str]:
    """The names that a routine's statements set as scalars, or components of them: no procedure is among them."""
    return frozenset(name for s in flatten(routine.body) for name in _set_in(s)) - {""}


def _set_in(statement: Statement) -> Iterator[str]:
    match statement:
        case Header(var=var):
            yield var
        case Assignment(target=target):
            yield _alone(target)
        case InputOutput(kind="read", items=items):
            yield from map(_alone, items)


def _alone(expr: Expr) -> str:
    """The variable that a designator means, if it is not indexed itself; a reference of a function looks like that."""
    inner: Expr = expr
    while isinstance(inner, (Apply, Component)) and not (isinstance(inner, Apply) and isinstance(inner.base, Name)):
        inner = inner.base
    return inner.name if isinstance(inner, Name) else ""


def _set_by(statement: object) -> Iterator[Expr]:
    match statement:
        case Assignment(target=target):
            yield target
        case Call(args=args):
            yield from (a.value if isinstance(a, Keyword) else a for a in args)
        case InputOutput(items=items, control=control):
            yield from (*items, *(c.value if isinstance(c, Keyword) else c for c in control))
        case Memory(options=options):
            yield from (o.value if isinstance(o, Keyword) else o for o in options)
