"""Allocatable arrays and pointers whose memory changes while a routine runs.

Directives bring the memory of an array to the device. Where the name means other memory later, the device still uses
the first one. So such an array is on the device for single kernels and calls alone.
"""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Name
from hfpy.model.statements import Assignment, Header, Memory
from hfpy.transform.device.reallocated import allocates, allocates_below

_LOOPS = ("do", "dowhile", "doconcurrent")


def is_transient(facts: Facts, key: str, data: DataObject) -> bool:
    """Whether directives bring an array to the device for each kernel alone: a dummy that is allocated anew, or a
    pointer that is set more than once.
    """
    if not data.symbol.dynamic:
        return False
    if not data.dummy and "pointer" not in data.symbol.attributes:
        return False
    changes = [r for r in _references(facts, key, data) if _changes(facts, key, data, r)]
    return len(changes) > (0 if data.dummy else 1) or any(_in_loop(r) for r in changes)


def _references(facts: Facts, key: str, data: DataObject) -> list[Reference]:
    found = facts.references.get(key, ())
    return [r for r in found if stands_for(r.name, r.at)[0] == data.name and facts.live(r.at, key)]


def _changes(facts: Facts, key: str, data: DataObject, reference: Reference) -> bool:
    statement = reference.at.statement
    if isinstance(statement, Memory):
        return reference.role in ("allocate", "pointer")
    if reference.role == "pointer" and isinstance(statement, Assignment):
        return statement.pointer and isinstance(statement.target, Name) and statement.target.name == reference.name
    return allocates(facts, reference, data) or allocates_below(facts, reference, key)


def _in_loop(reference: Reference) -> bool:
    return any(isinstance(c.header, Header) and c.header.kind in _LOOPS for c in reference.at.constructs)
