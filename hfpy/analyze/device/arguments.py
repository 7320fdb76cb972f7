"""Actual arguments that a called routine cannot find on the device, as far as that is known (hybrid-fortran.md §7.1).

Device memory belongs to the addresses of host arrays. A value that the compiler keeps in a temporary has an address of
its own: it may be brought to the device by the called routine, but never be there before.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.device.packing import GAPS, NEVER, PERHAPS, VECTOR, gaps, packs
from hfpy.analyze.device.states import HOST, PRESENT, States
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.backendtable import DEVICE_BACKENDS, TABLE
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.expressions import Expr, Keyword

_WHAT = {GAPS: "a section with gaps", VECTOR: "a section with a vector subscript"}


def check_arguments(facts: Facts, states: States) -> list[Diagnostic]:
    """An error for each argument of a call from host code that the called routine cannot find on the device."""
    return [found for key in facts.graph.with_statements() for found in _calls(facts, states, key)]


def _calls(facts: Facts, states: States, key: str) -> Iterator[Diagnostic]:
    given: dict[tuple[int, int | str], Reference] = {}
    for reference in facts.references.get(key, ()):
        if reference.role == "argument" and reference.call is not None:
            given[id(reference.call), reference.position] = reference
    for site in facts.graph.sites[key]:
        if not site.callee or not states.reaches_device(site.callee) or not facts.live(site.at, key):
            continue
        if facts.positions.active(key, site.at) is not None:
            continue
        for number, arg in enumerate(site.args):
            position = arg.name if isinstance(arg, Keyword) else number
            value = arg.value if isinstance(arg, Keyword) else arg
            dummy = dummy_of(facts, site, position)[1]
            state = states.decided(dummy.name, site.callee) if dummy is not None else HOST
            if dummy is None or state == HOST:
                continue
            found = _one(facts, states, key, given.get((id(site.node), position)), dummy, state)
            if found:
                yield _report(facts, key, site, value, dummy.name, found)


def _one(
    facts: Facts, states: States, key: str, reference: Reference | None, dummy: DataObject, state: str
) -> tuple[str, str, str] | None:
    """Code, what is wrong, and what helps; None if nothing is."""
    name = stands_for(reference.name, reference.at)[0] if reference is not None else None
    data = facts.object(name, key) if name is not None else None
    if data is None and reference is not None and facts.scopes.variable(reference.name, key) is not None:
        return None  # an associate name, or one that is not known
    if data is None or reference is None:
        help_ = "keep the value in an array, and pass that"
        return ("HF602", "a value in a temporary of the compiler", help_) if state == PRESENT else None
    kind = gaps(facts, reference, key)
    packed, takes_gaps = packs(dummy.symbol), TABLE[facts.backend(dummy.routine)].gaps
    if (kind == VECTOR and state == PRESENT) or (kind == GAPS and (state == PRESENT if packed else not takes_gaps)):
        hint = "pass the whole array, or copy the section to an array of its own before the call"
        if kind == GAPS and takes_gaps:
            hint = f"declare '{dummy.name}' with ':', so that it takes arrays as they lie, or {hint}"
        return "HF602", _WHAT[kind], hint
    if facts.backend(key) in DEVICE_BACKENDS or kind not in (NEVER, PERHAPS):
        return None
    if facts.storage.meet(facts.storage.of_identity(data.identity), states.resident(key)):
        what = f"passed on by a routine for '{facts.backend(key)}' while a caller may have it on the device"
        return "HF603", what, "build that routine for the device, too"
    return None


def _report(facts: Facts, key: str, site: CallSite, value: Expr, dummy: str, found: tuple[str, str, str]) -> Diagnostic:
    code, what, hint = found
    routine = facts.routine(key)
    line = site.at.statement.line
    shown = line.text[value.start : value.end]
    message = f"'{shown}' is {what}, but '{dummy}' of '{site.name}' is used on the device"
    related = [Related(facts.routine(site.callee).place(), f"'{site.name}'")]
    return error(code, message, line.place(routine.file, value.start, value.end), hint, related)
