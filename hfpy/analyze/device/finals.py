"""Final procedures: they run where no call is written, so nothing brings arrays to the host for them."""

from __future__ import annotations

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, error


def check_finals(facts: Facts, states: States) -> list[Diagnostic]:
    """An error for each final procedure that uses an array which may be on the device while it runs."""
    found: list[Diagnostic] = []
    finals = sorted(k for k in facts.graph.candidates.finals if k in facts.application.routines)
    held = _held(facts, states) if finals else frozenset()
    for key in finals if held else ():
        for view in sorted(states.residence.views(key), key=str):
            if not facts.storage.meet(facts.storage.of_identity(view.stands_for), held):
                continue
            routine = facts.routine(key)
            message = (
                f"the final procedure '{routine.name}' uses '{view.part or view.root[1]}', which may be on the device"
            )
            hint = "let it use no such array: it runs where no call is written, and finds old values on the host"
            found.append(error("HF603", message, routine.place(), hint))
            break
    return found


def _held(facts: Facts, states: States) -> frozenset[Identity]:
    """The objects that any routine holds on the device."""
    routines = facts.application.routines.items()
    return states.objects_held(key for key, r in routines if r.kind not in ("module", "submodule"))
