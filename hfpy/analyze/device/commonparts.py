"""Arrays that share memory by ``common`` and ``equivalence``, of which the device cannot have each by itself.

Each array has device memory of its own. One that covers parts of two of them, or goes beyond one, has no place there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.device.residence import common_block
from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts, in_one_memory
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.kinds import Kinds
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.expressions import Expr
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
        here = _span(states, data.identity) if block is not None and block in resident else None
        use = states.device_uses(key).get(data.name)
        if here is None or use is None:
            continue
        for caller in sorted(facts.graph.callers_above([key]) - {key}):
            others = [d for d in states.held(caller) if common_block(facts, d.identity) == block]
            spans = [(d, span) for d in others if (span := _span(states, d.identity)) is not None and _meet(span, here)]
            if spans and not any(first <= here[0] and here[1] <= last for _, (first, last) in spans):
                routine = facts.routine(key)
                place = use.at.statement.line.place(routine.file, use.node.start, use.node.end)
                name = spans[0][0].name
                message = f"'{data.name}' covers a part of '{name}', which the device holds as an array of its own"
                note = f"'{facts.routine(caller).name}', which has '{name}' on the device, calls this routine"
                hint = "declare the common block in the same way in both"
                yield error("HF603", message, place, hint, [Related(facts.routine(caller).place(), note)])
                break


def scalars_there(states: States, key: str) -> Iterator[Diagnostic]:
    """Errors for scalars that ``common``, ``equivalence`` and pointers make elements of arrays on the device, where a
    routine uses the host's value of one: in a kernel or below it, or, if a caller has the array there, anywhere. Host
    statements that use an array of the routine under another name copy it.
    """
    facts, seen = states.facts, set[tuple[Identity, bool]]()
    callers = facts.graph.callers_above([key]) - {key}
    for scalar, at, node, in_kernel in _scalars(states, key):
        if (scalar, in_kernel) in seen:
            continue
        seen.add((scalar, in_kernel))
        own = in_kernel and (scalar[0] == key or common_block(facts, scalar) is None)  # of others the kernel has copies
        there = element_of(states, scalar, {*callers, key} if own else callers)
        if there is None or (not in_kernel and _named_here(states, scalar[1], key)):
            continue
        place = at.statement.line.place(facts.routine(key).file, node.start, node.end)
        message = f"'{scalar[1]}' may be an element of '{there.name}', which the device holds as an array"
        holder = facts.routine(there.routine)
        note = Related(holder.place(), f"'{holder.name}' has '{there.name}' on the device")
        yield error("HF603", message, place, "use the element of the array, or a variable beside it", [note])


def _named_here(states: States, scalar: str, key: str) -> bool:
    """Whether one of the arrays on the device that a routine names may have a scalar among its elements."""
    return any(states.facts.storage.shared(scalar, array, key) for array in states.arrays(key))


def _scalars(states: States, key: str) -> Iterator[tuple[Identity, Located, Expr, bool]]:
    """The scalars whose values a routine uses, those of its host and of modules, and what is used below its kernels;
    where, and whether in a kernel.
    """
    facts = states.facts
    for reference in facts.references.get(key, ()):
        found = facts.variable(reference.name, reference.at, key)
        if found is None or found.symbol.rank or not facts.live(reference.at, key):
            continue
        if reference.role in ("inquiry", "pointer"):
            continue
        yield (found.home, found.symbol.name), reference.at, reference.node, states.in_kernel(reference, key)
    for site in facts.graph.below(key):
        if facts.positions.active(key, site.at) is not None and facts.live(site.at, key):
            for home, name in sorted(states.effects.members(site.callee) | states.effects.mentioned(site.callee)):
                owner = facts.application.routines.get(home)
                symbol = owner.spec.symbols.get(name) if owner is not None else None
                if symbol is not None and not symbol.rank:
                    yield (home, name), site.at, site.node, True


def element_of(states: States, scalar: Identity, holders: Iterable[str]) -> DataObject | None:
    """The array that one of some routines has on the device, and of which a scalar may be an element."""
    facts, symbol = states.facts, states.facts.routine(scalar[0]).spec.symbols.get(scalar[1])
    if symbol is None or symbol.type.base in ("type", "class"):
        return None
    pointer = "pointer" in symbol.attributes
    if not pointer and facts.storage.joint(scalar) is None:
        return None
    arrays = (data for holder in sorted(holders) for data in states.held(holder))
    objects = facts.storage.of_identity(scalar)
    if pointer:
        return next((d for d in arrays if facts.storage.meet(objects, facts.storage.of_identity(d.identity))), None)
    return next((data for data in arrays if _has_element(states, data, scalar)), None)


def _has_element(states: States, data: DataObject, scalar: Identity) -> bool:
    """Whether ``common`` or ``equivalence`` make a scalar an element of an array. Where another unit declares a common
    block, one with an ``equivalence`` may be anywhere in it.
    """
    facts = states.facts
    if facts.storage.joint(data.identity) != facts.storage.joint(scalar):
        return False
    if data.home == scalar[0]:
        return data.identity[1] in in_one_memory(facts.routine(scalar[0]), scalar[1])
    span, here = _span(states, data.identity), _span(states, scalar)
    return span is None or here is None or _meet(span, here)


def joined_here(states: States, key: str) -> Iterator[Diagnostic]:
    """Errors for arrays that ``equivalence`` puts into one memory, and that a routine brings to the device each by its
    own name. Directives find no place there for an array of which another one has a part. Two that are as long as each
    other are taken for the same elements; where they are not, the run ends with a message.
    """
    facts, before = states.facts, dict[tuple[str, str], list[DataObject]]()
    for data in states.held(key):
        joint = facts.storage.joint(data.identity) if facts.storage.equivalent(data.identity) else None
        if joint is None:
            continue
        same = (d for d in before.get(joint, ()) if facts.storage.shared(data.name, d.name, key))
        other = next((d for d in same if _length(facts, data) != _length(facts, d)), None)
        before.setdefault(joint, []).append(data)
        use = states.device_uses(key).get(data.name)
        if other is not None and use is not None and data.home == key:
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


def _span(states: States, identity: Identity) -> Span | None:
    """The bytes that a variable takes in its common block, the first and the one after the last."""
    block = common_block(states.facts, identity)
    layout = states.members.layout(identity[0], block[1]) if block is not None else ()
    found = next((m for m in layout if m is not None and m.name == identity[1]), None)
    return (found.begin[1], found.begin[1] + found.bytes) if found is not None else None


def _sizes(kinds: Kinds, home: Routine, symbol: Symbol) -> tuple[int, int] | None:
    """The bytes of an element and the number of elements of a variable, if they are constants."""
    scalar, elements = kinds.scalar(symbol.type, home.key), kinds.elements(symbol, home.key)
    if scalar is None or scalar.base == "character" or elements is None:
        return None
    return scalar.bytes * (2 if scalar.base == "complex" else 1), elements
