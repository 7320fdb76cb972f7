"""Dummies that are declared larger than what a caller gives, in routines that bring them to the device.

The standard does not allow it (Fortran 2018, 15.5.2.11), but old codes declare the most that a routine may ever need.
On the host nothing goes wrong, as the rest is not used. A copy between host and device takes all that is declared, and
so goes past the end of what the caller owns.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.device.states import States
from hfpy.analyze.language.kinds import Kinds
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.expressions import Apply, Expr, Name, Range
from hfpy.parse.expressions.fragments import ONE


def larger_than_given(states: States, key: str) -> Iterator[Diagnostic]:
    """Errors for dummies of a routine whose declared size is more than an actual argument has, where both are known."""
    facts = states.facts
    kinds = Kinds(facts.scopes, facts.application.options.kinds)
    held = {d.name: d for d in states.held(key) if d.dummy and _as_declared(d)}
    sizes = {name: size for name, d in held.items() if (size := kinds.elements(d.symbol, key)) is not None}
    for site in facts.graph.callers.get(key, ()) if sizes else ():
        for name, value in passed(facts, site):
            given = _given(states, kinds, site, value) if name in sizes else None
            if given is not None and given < sizes[name]:
                yield _report(states, key, held[name], sizes[name], given, site)
                del sizes[name]


def _report(states: States, key: str, data: DataObject, size: int, given: int, site: CallSite) -> Diagnostic:
    facts = states.facts
    routine, use = facts.routine(key), states.device_uses(key).get(data.name)
    place = data.symbol.line.place(routine.file, *data.symbol.name_span) if data.symbol.line else routine.place()
    if use is not None:
        place = use.at.statement.line.place(routine.file, use.node.start, use.node.end)
    caller = facts.application.routines.get(site.caller)
    note = f"'{routine.name}' gets an array of {given} elements here"
    related = [Related(site.at.statement.line.place(caller.file), note)] if caller is not None else []
    message = f"'{data.name}' is declared with {size} elements and gets {given}: a copy would take what lies after"
    return error("HF603", message, place, f"declare {data.name}(*): as much is copied then as regions use", related)


def _given(states: States, kinds: Kinds, site: CallSite, value: Expr) -> int | None:
    """The number of elements from the beginning of an actual argument to the end of its array, if that is constant."""
    base = value.base if isinstance(value, Apply) else value
    found = states.facts.scopes.variable(base.name, site.caller) if isinstance(base, Name) else None
    data = states.facts.object(base.name, site.caller) if isinstance(base, Name) else None
    if found is None or found.symbol.dynamic or data is None or not _as_declared(data):
        return None
    size = kinds.elements(found.symbol, found.home)
    if size is None or isinstance(value, Name):
        return size
    assert isinstance(value, Apply)
    before, stride = 0, 1
    for index, dim in zip(value.args, found.symbol.shape, strict=False):
        if isinstance(index, Range) and (index.lower is not None or index.step is not None):
            return None
        low, high = (kinds.value(b.expr, found.home) if b is not None else None for b in (dim.lower or ONE, dim.upper))
        at = low if isinstance(index, Range) else kinds.value(index, site.caller)
        if low is None or high is None or at is None:
            return None
        before += (at - low) * stride
        stride *= max(high - low + 1, 0)
    return size - before if len(value.args) == found.symbol.rank else None


def _as_declared(data: DataObject) -> bool:
    """Whether an array has the dimensions that its declaration says, and no others by directives."""
    return data.symbol.rank > 0 and data.rank == data.symbol.rank
