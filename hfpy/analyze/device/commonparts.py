"""Arrays that share memory by ``common`` and ``equivalence``, of which the device cannot have each by itself.

Each array has device memory of its own. One that covers parts of two of them, or goes beyond one, has no place there.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.device.residence import common_block
from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.units import Routine, Symbol

Span = tuple[int, int]


def divided_otherwise(states: States, key: str) -> Iterator[Diagnostic]:
    """Errors for arrays of common blocks that a routine brings to the device, and of which a caller has a part there.
    What lies within an array of the caller's finds its place. Blocks whose sizes only the run has are left to it.
    """
    facts = states.facts
    resident = states.resident(key)
    for data in states.held(key):
        block = common_block(facts, data.identity)
        here = _span(facts, data) if block is not None and block in resident else None
        use = states.device_uses(key).get(data.name)
        if here is None or use is None:
            continue
        for caller in sorted(facts.graph.callers_above([key]) - {key}):
            others = [d for d in states.held(caller) if common_block(facts, d.identity) == block]
            spans = [(d, span) for d in others if (span := _span(facts, d)) is not None and _meet(span, here)]
            if spans and not any(first <= here[0] and here[1] <= last for _, (first, last) in spans):
                routine = facts.routine(key)
                place = use.at.statement.line.place(routine.file, use.node.start, use.node.end)
                name = spans[0][0].name
                message = f"'{data.name}' covers a part of '{name}', which the device holds as an array of its own"
                note = f"'{facts.routine(caller).name}', which has '{name}' on the device, calls this routine"
                hint = "declare the common block in the same way in both"
                yield error("HF603", message, place, hint, [Related(facts.routine(caller).place(), note)])
                break


def joined_here(states: States, key: str) -> Iterator[Diagnostic]:
    """Errors for arrays that ``equivalence`` puts into one memory, and that a routine brings to the device each by its
    own name. Directives find no place there for an array of which another one has a part. Two that are as long as each
    other are taken for the same elements; where they are not, the run ends with a message.
    """
    facts, first = states.facts, dict[tuple[str, str], DataObject]()
    for data in states.held(key):
        joint = facts.storage.joint(data.identity) if facts.storage.equivalent(data.identity) else None
        other = first.setdefault(joint, data) if joint is not None else data
        use = states.device_uses(key).get(data.name)
        if other is not data and use is not None and data.home == key and _length(facts, data) != _length(facts, other):
            place = use.at.statement.line.place(facts.routine(key).file, use.node.start, use.node.end)
            message = f"'{data.name}' shares memory with '{other.name}', which is brought to the device by itself"
            yield error("HF603", message, place, "use one of these names in all regions of the routine")


def _length(facts: Facts, data: DataObject) -> int | None:
    """The bytes of an array, where they are known."""
    kinds = Kinds(facts.scopes, facts.application.options.kinds)
    sizes = _sizes(kinds, facts.routine(data.home), data.symbol)
    return sizes[0] * sizes[1] if sizes is not None else None


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _span(facts: Facts, data: DataObject) -> Span | None:
    """The bytes that an array takes in its common block, the first and the one after the last."""
    home = facts.routine(data.home)
    kinds = Kinds(facts.scopes, facts.application.options.kinds)
    name = (common_block(facts, data.identity) or ("", ""))[1]
    at = 0
    for member in (m for g in home.spec.groups if g.kind == "common" and g.name == name for m in g.members):
        found = facts.scopes.variable(member, data.home)
        sizes = _sizes(kinds, home, found.symbol) if found is not None else None
        if sizes is None:
            return None
        element, elements = sizes
        at = -(-at // element) * element
        if member == data.identity[1]:
            return at, at + element * elements
        at += element * elements
    return None


def _sizes(kinds: Kinds, home: Routine, symbol: Symbol) -> tuple[int, int] | None:
    """The bytes of an element and the number of elements of a variable, if they are constants."""
    scalar, elements = kinds.scalar(symbol.type, home.key), kinds.elements(symbol, home.key)
    if scalar is None or scalar.base == "character" or elements is None:
        return None
    return scalar.bytes * (2 if scalar.base == "complex" else 1), elements
