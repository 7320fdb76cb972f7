"""Coarrays on a device: other images read and set the copies on the host, without a call in this image."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.facts import Facts, routines_to_check, stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Component, walk
from hfpy.model.statements import expressions

_HINT = "let regions use arrays of their own, and copy between these and the coarray outside of them"


def coarrays_on_device(facts: Facts) -> Iterator[Diagnostic]:
    """An error for the first use of each coarray in a routine's regions, or for their points, in a build for a device.
    Memory of coarrays under other names, such as that of dummy arguments, counts.
    """
    shared = _coarrays(facts) if facts.target == "gpu" else frozenset[Identity]()
    for routine in routines_to_check(facts) if shared else ():
        seen: set[str] = set()
        above = bool(facts.positions.get(routine.key).above)
        for reference in facts.references[routine.key]:
            if (
                not (reference.at.regions or above)
                or reference.name in seen
                or not facts.live(reference.at, routine.key)
            ):
                continue
            if shared.isdisjoint(_memory(facts, reference, routine.key)):
                continue
            seen.add(reference.name)
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = (
                f"'{reference.name}' is a coarray, or the memory of one: other images may use its copy on the host"
            )
            yield error("HF606", message, place, _HINT)


def _coarrays(facts: Facts) -> frozenset[Identity]:
    """The variables and components of the program that are coarrays."""
    found: set[Identity] = set()
    for key, routine in facts.application.routines.items():
        found |= {(key, s.name) for s in routine.spec.symbols.values() if "codimension" in s.attributes}
        parts = (part for derived in routine.spec.types.values() for part in derived.components)
        found |= {component_object(part.name) for part in parts if "codimension" in part.attributes}
    return frozenset(found)


def _memory(facts: Facts, reference: Reference, key: str) -> Iterator[Identity]:
    """The objects that a reference may mean: its variable, and the components that its statement names after it."""
    name = stands_for(reference.name, reference.at)[0]
    yield from facts.storage.objects(name, key) if name is not None else ()
    for top in expressions(reference.at.statement) if reference.component else ():
        for node in walk(top):
            if isinstance(node, Component):
                yield from facts.storage.of_identity(component_object(node.name))
