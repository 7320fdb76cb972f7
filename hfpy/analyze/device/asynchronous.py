"""Arrays of asynchronous input and output (Fortran 2018, 9.6.2.5): they are read or set in the host's memory until a
``wait``, in whatever routine, so that no copy may be made in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.components import chains_from
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Keyword, Literal
from hfpy.model.statements import InputOutput, Statement


def check_asynchronous(facts: Facts, states: States) -> Iterator[Diagnostic]:
    """An error for each array in the list of such a statement that may be on the device then."""
    for key in facts.graph.with_statements():
        started = {id(at.statement) for at in facts.graph.statements[key] if _is_asynchronous(at.statement)}
        around = sorted({key, *facts.graph.callers_above([key])}) if started else ()
        there = states.objects_held(around)
        for reference in facts.references[key] if there else ():
            if id(reference.at.statement) not in started or reference.role not in ("io", "input"):
                continue
            if facts.storage.meet(_objects(facts, reference, key), there):
                message = f"'{reference.name}' may be on the device, and is read or written here until a 'wait'"
                routine, node = facts.routine(key), reference.node
                place = reference.at.statement.line.place(routine.file, node.start, node.end)
                yield error("HF604", message, place, "leave asynchronous= out, or use an array that no kernel uses")


def _is_asynchronous(statement: Statement) -> bool:
    if not isinstance(statement, InputOutput) or statement.kind not in ("read", "write"):
        return False
    given = next((c.value for c in statement.control if isinstance(c, Keyword) and c.name == "asynchronous"), None)
    return given is not None and not (isinstance(given, Literal) and "no" in given.text.lower())


def _objects(facts: Facts, reference: Reference, key: str) -> frozenset[Identity]:
    """The objects that an item of a list may be."""
    parts = {component_object(chain.name) for chain in chains_from(reference)} if reference.component else set()
    name = stands_for(reference.name, reference.at)[0]
    own = facts.storage.objects(name, key) if name is not None else frozenset[Identity]()
    return own.union(*(facts.storage.of_identity(part) for part in parts))
