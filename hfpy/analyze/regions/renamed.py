"""Other names that variables have in a region: pointers that are set in it, and names of an ``associate`` around it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from hfpy.analyze.arrays.storage import ANYTHING, Identity, component_object
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.resultsset import gives_result
from hfpy.analyze.effects.severalnames import references_to
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.components import chains_in
from hfpy.analyze.language.types import component, selector_of
from hfpy.analyze.language.uses import Reference, aliases_of, associated
from hfpy.analyze.regions.sharedarrays import SharedArrays
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.expressions import Component, Name, walk
from hfpy.model.statements import Construct, Header, constructs

_INSIDE = "put the associate into the region, or use the name '{name}' there"
STATE = "if no two points set the same element, say so in the region: independent({name})"

_OTHER_NAME = "give it another name there: select type (part => {name})"
# Devices take no polymorphic objects, and GCC 12 writes beside the memory of an object that `select type` names.
_COMPONENTS = "give its components to a routine with the region, as in call step({name}%u), or choose cuda-c for it"


def written_through(body: RegionBody, arrays: SharedArrays) -> Iterator[Diagnostic]:
    """Pointers that the region sets, and writes through, unless each point has a part of the target to itself: which
    elements are meant is not followed, so whether points meet in one is unknown (HF500).
    """
    targets: dict[str, set[str]] = {}
    for reference in body.references:
        if associated(reference):
            here = (r for r in body.references if r.at.statement is reference.at.statement and r is not reference)
            targets.setdefault(reference.name, set()).update(r.name for r in here if r.role == "pointer")
    for name, others in targets.items():
        if (others | {name}) & set(body.region.independent):
            continue
        writes = (r for r in body.references_of(name) if r.role != "pointer" and body.effects.of(r, body.key)[1])
        write = next((r for r in writes if r.role != "allocate"), None)
        if write is not None and not _apart(body, arrays, name, others):
            shown = ", ".join(f"'{n}'" for n in sorted(others))
            message = f"'{name}' is written, a pointer that is set in the region"
            message += f" to {shown}: points may meet in an element" if shown else ": points may meet in its target"
            said = warning("HF500", message, body.place(write), STATE.format(name=name))
            yield said.proposing(arrays.stating("independent", name))


def _apart(body: RegionBody, arrays: SharedArrays, pointer: str, targets: Collection[str]) -> bool:
    """Whether each point sets a pointer to elements that no other point touches, under any name."""
    given = [r for name in targets for r in body.references_of(name)]
    if not targets or any(r.role != "pointer" or gives_result(body.facts, r, body.key) for r in given):
        return False
    others = [r for r in body.references if r not in given and r.name != pointer]
    if any(_may_be(body, r, pointer) for r in others):
        return False
    return arrays.targets_apart(pointer, sorted(targets))


def _may_be(body: RegionBody, reference: Reference, pointer: str) -> bool:
    """Whether a reference may mean what a pointer points to."""
    facts, storage, data = body.facts, body.facts.storage, body.facts.object(pointer, body.key)
    if data is None or reference.role in ("pointer", "inquiry"):
        return False
    memory = storage.of_identity(data.identity)
    named = references_to(facts, [reference], body.key)
    return any(storage.meet(memory, storage.of_identity(identity)) for _, identity, _ in named)


def through_components(body: RegionBody) -> Iterator[Diagnostic]:
    """Pointer components whose targets the region uses by name as well, one of both being written (HF500): which
    element of the target is meant is not followed.
    """
    storage = body.facts.storage
    pointers = list(_pointers(body))
    reported: set[tuple[str, str]] = set()
    for reference in body.references if pointers else ():
        data = body.facts.object(reference.name, body.key)
        if data is None or not data.rank or reference.component or reference.role in ("pointer", "inquiry"):
            continue
        if not data.symbol.attributes & {"target", "pointer"} or reference.name in aliases_of(reference.at):
            continue
        objects = storage.of_identity(data.identity)
        for other, targets in pointers:
            names = (data.name, stands_for(other.name, other.at)[0] or other.name)
            write = next((r for r in (other, reference) if body.effects.of(r, body.key)[1]), None)
            if names in reported or write is None or not targets & objects or set(names) & set(body.region.independent):
                continue
            reported.add(names)
            message = f"'{names[1]}' has a pointer that may point to '{names[0]}', and one of both is written"
            message += ": nothing keeps points apart"
            yield warning("HF500", message, body.place(write), STATE.format(name=names[0]))


def _pointers(body: RegionBody) -> Iterator[tuple[Reference, frozenset[Identity]]]:
    """References of pointer components, and what these may point to where that is known: the first of each name that
    reads, and that writes.
    """
    seen: set[tuple[str, frozenset[Identity], bool]] = set()
    chains: dict[int, Mapping[tuple[int, str], Sequence[Component]]] = {}
    for reference in body.references:
        selector = selector_of(reference)
        if reference.role == "pointer" or not (reference.component or selector is not None):
            continue
        if selector is not None:
            parts = [node for node in walk(selector) if isinstance(node, Component)]
        else:
            statement = reference.at.statement
            listed = chains.get(id(statement)) or chains.setdefault(id(statement), chains_in(statement))
            parts = list(listed.get((reference.node.start, reference.name), ()))
        found = frozenset[Identity]().union(*(_targets(body, part) for part in parts)) - {ANYTHING}
        slot = (reference.name, found, body.effects.of(reference, body.key)[1])
        if found and slot not in seen:
            seen.add(slot)
            yield reference, found


def _targets(body: RegionBody, part: Component) -> frozenset[Identity]:
    symbol = component(part, body.key, body.facts.scopes)
    pointer = symbol is not None and "pointer" in symbol.attributes
    return body.facts.storage.of_identity(component_object(part.name)) if pointer else frozenset()


def from_outside(body: RegionBody, own: Collection[str]) -> Iterator[Diagnostic]:
    """Names of an ``associate`` around the region for a variable of which each point has its own: they would mean the
    one outside (HF504).
    """
    reported: set[str] = set()
    for reference in body.references:
        name = stands_for(reference.name, reference.at)[0]
        if name in own and name != reference.name and reference.name not in reported and _outside(body, reference):
            reported.add(reference.name)
            message = f"'{reference.name}' is '{name}' as it is outside of the region, and each point has its own"
            yield error("HF504", message, body.place(reference), _INSIDE.format(name=name))


def given_around(body: RegionBody) -> frozenset[str]:
    """The names that constructs around the region give: ``associate`` and ``select type``."""
    found: set[str] = set()
    for construct in body.inside[0].constructs if body.inside else ():
        if construct is body.construct:
            break
        if isinstance(construct.header, Header) and construct.kind in ("associate", "selecttype"):
            found.update(construct.header.names)
            if construct.kind == "selecttype" and not construct.header.names and _guarded(body, construct):
                found.update(e.name for e in construct.header.exprs if isinstance(e, Name))
    return frozenset(found)


def other_way(name: str, backend: str) -> str:
    """What can be done where no directive takes a name that a construct around the region gives."""
    return (_OTHER_NAME if backend == "openmp" else _COMPONENTS).format(name=name)


def _guarded(body: RegionBody, construct: Construct) -> bool:
    """Whether the region is in a block of a ``select type (x)`` for one type: there ``x`` is a name of its own."""
    around = (p for p in construct.parts if any(c is body.construct for c in constructs(p.body)))
    return any(isinstance(part.header, Header) and bool(part.header.guard) for part in around)


def _outside(body: RegionBody, reference: Reference) -> bool:
    """Whether the construct that gives a name is around the region."""
    if reference.name not in aliases_of(reference.at):
        return False
    for construct in reversed(reference.at.constructs):
        if construct is body.construct:
            return True
        if isinstance(construct.header, Header) and reference.name in construct.header.names:
            return False
    return False
