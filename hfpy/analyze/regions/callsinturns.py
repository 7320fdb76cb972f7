"""Calls in regions that are to have a serial loop within: what routines do besides their arguments keeps it outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.statements import InputOutput, Jump, Memory, OneLine, Opaque, Statement, flatten
from hfpy.model.units import Routine

_STAYS_WITHIN = frozenset({"continue", "cycle", "exit", "return", "goto"})


def against_calls(facts: Facts, effects: Effects, callees: Iterable[str]) -> str:
    """Why turns of a loop may not be within the points that call some routines; empty if these do nothing but to work
    with their arguments, and read what nobody sets there.
    """
    for key in _reached(facts, callees):
        routine = facts.application.routines.get(key)
        if routine is None or routine.interoperable:
            return "it calls a routine whose source is not here"
        if effects.lasting_writes(key):
            return f"'{routine.name}', which it calls, sets variables that outlive the call"
        if any("pointer" in symbol.attributes for symbol in routine.spec.symbols.values()):
            return f"'{routine.name}', which it calls, has pointers"
        if what := next(_does(routine), ""):
            return f"'{routine.name}', which it calls, {what}"
    return ""


def _reached(facts: Facts, callees: Iterable[str]) -> list[str]:
    """Some routines, and all that they call; an empty key for what is not known."""
    found = dict.fromkeys(callees)
    pending = list(found)
    while pending:
        for site in facts.graph.below(pending.pop()):
            if site.callee not in found:
                found[site.callee] = None
                pending.append(site.callee)
    return list(found)


def _does(routine: Routine) -> Iterator[str]:
    """What a routine does that more turns, or points in another order, would show."""
    for node in flatten(routine.body):
        statement: Statement = node.action if isinstance(node, OneLine) else node
        if isinstance(statement, InputOutput):
            yield "reads or writes files"
        elif isinstance(statement, Memory):
            yield "allocates memory"
        elif isinstance(statement, Opaque):
            yield "has a statement that hfpy does not know"
        elif isinstance(statement, Jump) and statement.kind not in _STAYS_WITHIN:
            yield f"has a '{statement.kind}'"
