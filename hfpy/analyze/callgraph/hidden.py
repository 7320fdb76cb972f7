"""Calls that are not written as such: of procedures that were given to procedures without source, which may call them
at any time, and of those that define input and output of objects (Fortran 2018, 12.6.4.8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.typed import Typed
from hfpy.analyze.language.types import object_type
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.expressions import Apply, Component, Expr, ImpliedDo, Keyword, Name
from hfpy.model.statements import Call, InputOutput

_TRANSFERS = {"read": "read", "write": "write", "print": "write"}

TypeOf = Callable[[Expr], Typed | None]


def given_to_unseen(
    calls: Iterable[tuple[Located, tuple[Expr, ...]]],
    key: str,
    scopes: Scopes,
    named: Callable[[Expr], Collection[str]],
) -> frozenset[str]:
    """The procedures that a routine gives to procedures whose source is not here, those of the language among them.
    ``calls`` are its statements, each with the references in it; ``named`` tells which procedures an argument names.
    """
    found: set[str] = set()
    for at, nodes in calls:
        for designator, args in _calls(at, nodes):
            if args and _unseen(designator, at, key, scopes):
                found.update(*(named(a.value if isinstance(a, Keyword) else a) for a in args))
    return frozenset(found)


def calls_unseen(at: Located, nodes: tuple[Expr, ...], key: str, scopes: Scopes) -> bool:
    """Whether a statement calls a procedure whose source is not here, and that is none of the language."""
    called = (d for d, _ in _calls(at, nodes) if _unseen(d, at, key, scopes))
    return any(not (isinstance(d, Name) and scopes.is_intrinsic(d.name, key)) for d in called)


def _calls(at: Located, nodes: tuple[Expr, ...]) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """What a statement calls, or may call, with the arguments."""
    if isinstance(at.statement, Call):
        yield at.statement.designator, at.statement.args
    yield from ((node.base, node.args) for node in nodes if isinstance(node, Apply))


def _unseen(designator: Expr, at: Located, key: str, scopes: Scopes) -> bool:
    """Whether a designator is that of a procedure whose source is not here."""
    if isinstance(designator, Component):
        return isinstance(at.statement, Call) and object_type(designator.base, key, scopes) is None
    if not isinstance(designator, Name) or designator.name in aliases_of(at):
        return False
    name = designator.name
    found = scopes.variable(name, key)
    if found is not None and (found.symbol.rank or found.symbol.type.base in ("character", "procedure")):
        return False
    if scopes.procedures(name, key) or scopes.statement_function(name, key):
        return False
    return scopes.derived_type(name, key) is None


def transferring(statement: InputOutput, defined: Mapping[str, Collection[str]], type_of: TypeOf) -> tuple[str, ...]:
    """The procedures that may define what a statement of input or output does with an object in its list, or in its
    namelist. ``defined`` has the procedures by generic names, as ``write(formatted)``.
    """
    word = _TRANSFERS.get(statement.kind, "")
    found = {k for form in ("formatted", "unformatted") for k in defined.get(f"{word}({form})", ())} if word else set()
    if not found:
        return ()
    types = (type_of(item) for item in _items(statement.items))
    objects = not statement.items or any(t is None or t.derived is not None for t in types)
    return tuple(sorted(found)) if objects else ()


def _items(items: Iterable[Expr]) -> Iterator[Expr]:
    """The items of a list, those of implied loops among them."""
    for item in items:
        if isinstance(item, ImpliedDo):
            yield from _items(item.items)
        else:
            yield item
