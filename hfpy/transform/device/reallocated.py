"""Statements that may allocate an array anew: assignments to whole allocatable arrays, calls that do so. The memory on
the device then belongs to an address that is no longer the array's.
"""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference, frees
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Name, Range, children
from hfpy.model.statements import Assignment

_DEPTH = 20  # of calls, beyond which anything is taken for possible


def allocates(facts: Facts, reference: Reference, data: DataObject) -> bool:
    """Whether a reference is the target of an assignment that may change the shape of an allocatable array."""
    statement = reference.at.statement
    if reference.role != "write" or not isinstance(reference.node, Name) or not isinstance(statement, Assignment):
        return False
    if reference.at.masked:  # it has the shape of the mask (Fortran 2018, 10.2.3.2)
        return False
    return "allocatable" in data.symbol.attributes and not _scalar(facts, statement.value, data.routine)


def allocates_below(facts: Facts, reference: Reference, key: str, depth: int = 0) -> bool:
    """Whether a reference is passed to a routine that may allocate it anew (one that is ``intent(out)`` is, always)."""
    return any(_allocates(facts, dummy, depth) for _, dummy in dummies_met(facts, key, reference) if dummy is not None)


def frees_below(facts: Facts, reference: Reference, key: str, depth: int = 0) -> bool:
    """Whether a reference is passed to a routine that may deallocate it: what is in its memory then has nothing to do
    with it.
    """
    return any(_frees(facts, dummy, depth) for _, dummy in dummies_met(facts, key, reference) if dummy is not None)


def _frees(facts: Facts, dummy: DataObject, depth: int) -> bool:
    allocatable = "allocatable" in dummy.symbol.attributes
    if not dummy.symbol.dynamic or (allocatable and dummy.symbol.intent == "in"):
        return False
    if (allocatable and dummy.symbol.intent == "out") or depth > _DEPTH:
        return True
    mine = (r for r in facts.references.get(dummy.routine, ()) if r.name == dummy.name)
    return any(frees(r) or frees_below(facts, r, dummy.routine, depth + 1) for r in mine)


def memory_below(effects: Effects, key: str) -> dict[int, set[tuple[Identity, str]]]:
    """What the routines below the statements of a routine do to arrays that they know by themselves, by the identity of
    the statement: variables with ``allocate`` or ``deallocate``.
    """
    found: dict[int, set[tuple[Identity, str]]] = {}
    for site in effects.facts.graph.below(key):
        if site.callee and (memory := effects.memory(site.callee)):
            found.setdefault(id(site.at.statement), set()).update(memory)
    return found


def _allocates(facts: Facts, dummy: DataObject, depth: int) -> bool:
    if "allocatable" not in dummy.symbol.attributes or dummy.symbol.intent == "in":
        return False
    if dummy.symbol.intent == "out" or depth > _DEPTH:
        return True
    mine = (r for r in facts.references.get(dummy.routine, ()) if r.name == dummy.name)
    return any(
        r.role == "allocate" or allocates(facts, r, dummy) or allocates_below(facts, r, dummy.routine, depth + 1)
        for r in mine
    )


def _scalar(facts: Facts, expr: Expr, key: str) -> bool:
    """Whether an expression is known to be a scalar, which goes into the memory that is there."""
    match expr:
        case ArrayConstructor() | Component():
            return False
        case Name(name=name):
            found = facts.scopes.variable(name, key)
            return found is not None and not found.symbol.rank
        case Apply(base=Name(name=name), args=args):
            found = facts.scopes.variable(name, key)
            element = found is not None and found.symbol.rank > 0 and not any(isinstance(a, Range) for a in args)
            return element and all(_scalar(facts, a, key) for a in args)
        case Apply():
            return False
    return all(_scalar(facts, child, key) for child in children(expr))
