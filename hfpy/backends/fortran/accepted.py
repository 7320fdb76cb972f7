"""Statements that kernels in CUDA Fortran may hold, the module that they need, and inquiries that can be printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import IEEE, dimension_argument
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import aliases_of
from hfpy.backends.c.values import NO_STOP, CannotPrint
from hfpy.backends.refused import INDEXED, MEMORY, OUTSIDE, PRINT, STOP, other_type, unseen_function
from hfpy.model.expressions import Apply, Keyword, Name, Range
from hfpy.model.macros import Macro
from hfpy.model.statements import Assignment, InputOutput, Jump, Memory, OneLine, Opaque, Specification, Statement
from hfpy.parse.expressions.fragments import expanded, fragment
from hfpy.transform.accesses import Entry

_JUMPS = frozenset({"return", "@exit", "cycle", "exit", "continue", "goto"})


def check_statement(statement: Statement) -> None:
    """Raises CannotPrint for a statement of a kind that kernels cannot hold."""
    match statement:
        case Assignment(pointer=True):
            raise CannotPrint("a pointer assignment", hint=OUTSIDE)
        case InputOutput():
            raise CannotPrint(f"input or output ('{statement.kind}')", hint=PRINT)
        case Memory():
            raise CannotPrint(f"'{statement.kind}'", hint=MEMORY)
        case OneLine(kind="forall"):
            raise CannotPrint("this 'forall'", hint=INDEXED)
        case OneLine(kind=kind) if kind != "if":
            raise CannotPrint(f"'{kind}'")
        case Jump(kind="stop" | "errorstop"):
            raise CannotPrint(NO_STOP, hint=STOP)
        case Jump(kind=kind, target=target) if kind not in _JUMPS or (kind == "goto" and not target.isdigit()):
            raise CannotPrint(f"'{kind}'")
        case Specification() | Opaque():
            raise CannotPrint("this statement", hint=OUTSIDE)


def check_function(reference: Apply, name: Name, text: str, facts: Facts, key: str) -> None:
    """Raises CannotPrint for a reference with arguments that is neither an array nor a function known to kernels;
    ``text`` is that of its statement, in the unit ``key``.
    """
    scopes, spelled = facts.scopes, text[name.start : name.end]
    if scopes.variable(name.name, key) is not None or scopes.is_intrinsic(name.name, key):
        return
    if spelled not in facts.application.macros_of(key):
        raise unseen_function(name.name, reference.start, reference.end, key, scopes)


def asks_ieee(facts: Facts, keys: Iterable[str]) -> bool:
    """Whether some routines have functions of ``ieee_arithmetic``, which a module with their kernels uses then."""
    return any(
        reference.name in IEEE and facts.scopes.is_intrinsic(reference.name, key)
        for key in keys
        for reference in facts.references[key]
    )


def check_sections(site: CallSite, shown: list[str], facts: Facts, macros: Mapping[str, Macro]) -> None:
    """Raises CannotPrint for sections with gaps as arguments of assumed shape, which CUDA Fortran does not know;
    ``shown`` are the arguments of a call as they are printed.
    """
    dummies = facts.routine(site.callee).dummies
    for number, (given, argument) in enumerate(zip(shown, site.args, strict=True)):
        name = argument.name if isinstance(argument, Keyword) else dummies[number]
        data = facts.object(name, site.callee)
        if data is None or not data.rank or all(d.form != "assumed" for d in data.symbol.shape):
            continue
        tree = expanded(fragment(given), macros).expr
        if isinstance(tree, Apply) and not isinstance(tree.args[0], Range):
            raise CannotPrint(f"a section with gaps for '{name}', which has assumed shape,")


def check_types(site: CallSite, facts: Facts) -> None:
    """Raises CannotPrint for arguments of another type than their dummies, which old code hands on where no interface
    is known: procedures of a module know each other's.
    """
    types, hidden = Types(facts.application, facts.scopes), aliases_of(site.at)
    for name, actual in passed(facts, site):
        dummy = facts.object(name, site.callee)
        wanted = types.kinds.scalar(dummy.symbol.type, dummy.home) if dummy is not None else None
        given = types.expression(actual, site.caller, hidden)
        if wanted is None or given is None or given.bytes is None:
            continue
        if (given.base, given.bytes) != (wanted.base, wanted.bytes):
            raise CannotPrint(other_type(name, site.name), actual.start, actual.end)


def place_asked(inquiry: Apply, entry: Entry | None) -> int | None:
    """The place in storage, from 0, of the dimension that an inquiry names by a number; None where it names none.

    ``entry`` is what is planned for the array. Raises CannotPrint where the order of storage hides which one is meant.
    """
    number = dimension_argument(inquiry)
    if entry is None:
        return int(number.text) - 1 if number is not None else None
    _, _, made, order = entry
    if number is None:
        if order.storage is not None:
            raise CannotPrint("a dimension that is no number", inquiry.args[1].start, inquiry.args[1].end)
        return None
    place = made.asked if made.asked is not None else int(number.text) - 1
    if order.storage is None:
        return place
    if place not in order.storage:
        raise CannotPrint("a dimension that is not there", number.start, number.end)
    return order.place(place)
