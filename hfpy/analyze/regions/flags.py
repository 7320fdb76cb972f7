"""Flags: scalars that a region only ever sets to one constant, so that it does not matter which point sets it last.

``if (bad) ierr = 1`` is how models report that something went wrong somewhere (real-code.md §3). All points that
set the flag write the same value, none reads it, so the result does not depend on their order; threads only have to
write it atomically.
"""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Name, names_in, walk, without_places
from hfpy.model.statements import Assignment

_ATOMIC_TYPES = ("integer", "logical", "real")


def flag_writes(body: RegionBody, name: str, data: DataObject) -> tuple[Assignment, ...]:
    """The assignments of a flag in a region; none if the scalar is no flag there.

    Every reference in the region must be an assignment of the same literal or named constant, in the user's own
    file and without a label (a jump must not lead past the directive that will be before it).
    """
    symbol = data.symbol
    if symbol.type.base not in _ATOMIC_TYPES or symbol.dynamic or name in body.routine.spec.storage:
        return ()
    found = []
    values = set()
    for reference in body.references_of(name):
        statement = reference.at.statement
        if not _sets(reference, name) or not isinstance(statement, Assignment):
            return ()
        if statement.line.file or statement.line.label or not _constant(body, statement):
            return ()
        values.add(without_places(statement.value))
        found.append(statement)
    return tuple(found) if len(values) == 1 else ()


def _sets(reference: Reference, name: str) -> bool:
    """Whether a reference is the bare target of an assignment, under its own name."""
    plain = isinstance(reference.node, Name) and not reference.component and reference.name == name
    return plain and reference.role == "write"


def _constant(body: RegionBody, statement: Assignment) -> bool:
    """Whether the value of an assignment is made of literals and named constants alone."""
    if statement.pointer or any(isinstance(node, Apply) for node in walk(statement.value)):
        return False
    found = (body.facts.scopes.variable(n, body.key) for n in names_in(statement.value))
    return all(f is not None and f.symbol.constant for f in found)
