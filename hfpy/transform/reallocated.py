"""Statements that may allocate an array anew: assignments to whole allocatable arrays, whose memory on the device then
belongs to an address that is no longer theirs.
"""

from __future__ import annotations

from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.uses import Reference
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Name, Range, children
from hfpy.model.statements import Assignment


def allocates(facts: Facts, reference: Reference, data: DataObject) -> bool:
    """Whether a reference is the target of an assignment that may change the shape of an allocatable array."""
    statement = reference.at.statement
    if reference.role != "write" or not isinstance(reference.node, Name) or not isinstance(statement, Assignment):
        return False
    return "allocatable" in data.symbol.attributes and not _scalar(facts, statement.value, data.routine)


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
