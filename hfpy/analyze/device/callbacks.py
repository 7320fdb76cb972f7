"""Arrays that procedures without source pass to procedures which they were given. It is not known which these are,
and the values on the host are the newest: no copy is brought to the device between one such call and the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, error

_HINT = "copy it to an array of the routine's own before its regions, and results back after them"


def check_callbacks(facts: Facts, states: States) -> Iterator[Diagnostic]:
    """An error for each array of such a procedure that kernels use, where what the procedure without source got may be
    on the device.
    """
    given = sorted(k for k in facts.graph.candidates.given if k in facts.application.routines)
    dummies = {(key, name): key for key in given for name in facts.routine(key).dummies}
    passed = states.passed if dummies else frozenset[Identity]()
    for key in facts.graph.with_statements() if passed else ():
        for data in states.held(key) if states.reaches_device(key) else ():
            owners = [dummies[o] for o in sorted(facts.storage.of_identity(data.identity)) if o in dummies]
            owner = next((o for o in owners if facts.storage.meet(passed, states.resident(o))), None)
            if owner is not None:
                name = facts.routine(owner).name
                message = (
                    f"a procedure without source passes '{data.name}' to '{name}', and it may be on the device then"
                )
                yield error("HF603", message, _place(facts, data.name, key), _HINT)


def _place(facts: Facts, name: str, key: str) -> Place:
    """The first use of a variable in the regions of a routine, or the routine."""
    routine = facts.routine(key)
    for reference in facts.references[key]:
        if reference.name == name and reference.at.regions and facts.live(reference.at, key):
            return reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
    return routine.place()
