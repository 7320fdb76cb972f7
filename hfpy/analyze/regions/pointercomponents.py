"""Pointers in objects that a region writes through: those of several objects, or names, may have one target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.analyze.arrays.storage import component_object
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.components import chains_in
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.types import component, named_outside, selector_of
from hfpy.analyze.language.uses import Reference, aliases_of, sets_component
from hfpy.analyze.nests.shown import show
from hfpy.analyze.regions.renamed import STATE
from hfpy.analyze.regions.sharedarrays import SharedArrays
from hfpy.diagnostics import Diagnostic, warning
from hfpy.model.expressions import Apply, Component, Expr, Literal, walk
from hfpy.values import dataclass


@dataclass(frozen=True)
class Pointed:
    """A use of the target of a pointer component: the reference of the object, the name of the component, whether the
    target is written, and whether other turns may be at another object; the object as text.
    """

    reference: Reference
    name: str
    written: bool
    several: bool
    owner: str = ""


def written_targets(body: RegionBody) -> frozenset[str]:
    """Objects with a pointer that the region writes through, and leaves where it points: no thread can have its own
    object, whose pointer would point nowhere.
    """
    if not body.facts.scopes.parts.pointing:
        return frozenset()
    uses = [u for u in _uses(body.facts, body.effects, body.references, body.key, ()) if u.written]
    changed = _changed(body) if uses else frozenset()
    found = ((stands_for(u.reference.name, u.reference.at)[0], u.name) for u in uses)
    return frozenset(name for name, part in found if name and not {(name, ""), (name, part)} & changed)


def pointer_parts(body: RegionBody) -> list[str]:
    """The names of the pointer components whose targets a region uses, also in what it calls."""
    if not body.facts.scopes.parts.pointing:
        return []
    own = _uses(body.facts, body.effects, body.references, body.key, ())
    return sorted({used.name for used in (*own, *_below(body))})


def _changed(body: RegionBody) -> frozenset[tuple[str, str]]:
    """The objects that the region sets as a whole, and the pointers in objects that it sets, with the object."""
    found: set[tuple[str, str]] = set()
    for reference in body.references:
        selector = selector_of(reference)
        name = stands_for(reference.name, reference.at)[0]
        part = ""
        if reference.component:
            listed = chains_in(reference.at.statement).get((reference.node.start, reference.name), ())
            pointers = (p.name for p in listed if _is_pointer(body.facts, p, reference.at, body.key))
            part = next(pointers, "") if reference.role == "allocate" or sets_component(reference) else ""
            changes = bool(part)
        elif selector is not None and any(isinstance(node, Component) for node in walk(selector)):
            changes = False
        else:
            changes = body.effects.of(reference, body.key)[1]
        if name is not None and changes:
            found.add((name, part))
    return frozenset(found)


def between_components(body: RegionBody, arrays: SharedArrays) -> Iterator[Diagnostic]:
    """An unknown (HF500) for each object with a pointer that the region writes through, if another pointer component
    that it uses, or that of another object, may have the same target.
    """
    facts, storage = body.facts, body.facts.storage
    if not facts.scopes.parts.pointing:
        return
    own = list(_uses(facts, body.effects, body.references, body.key, ()))
    below = list(_below(body))
    names, elsewhere = {p.name for p in (*own, *below)}, {p.name for p in below}
    objects: dict[str, set[str]] = {}
    for used in own:
        objects.setdefault(used.name, set()).add(used.owner)
    elsewhere |= {name for name, found in objects.items() if len(found) > 1}
    reported, changed = set[str](), _changed(body)
    for number, used in enumerate((*own, *below)):
        here = number < len(own)
        shown = stands_for(used.reference.name, used.reference.at)[0] or used.reference.name
        name = shown if here else used.name
        if not used.written or name in reported or name in body.region.independent:
            continue
        mine = storage.of_identity(component_object(used.name))
        others = sorted(names - {used.name})
        own_pointer = here and bool({(shown, ""), (shown, used.name)} & changed)
        other = next((n for n in others if storage.meet(mine, storage.of_identity(component_object(n)))), None)
        if other is not None:
            said = f"'{used.name}' and '{other}', pointers in objects, may have one target"
        elif (used.several or used.name in elsewhere or own_pointer) and storage.same_target(used.name):
            said = f"the pointers '{used.name}' of several objects may have one target"
        else:
            continue
        reported.add(name)
        place = body.place(used.reference) if here else body.region.place
        message = f"{said}, and it is written: nothing keeps points apart"
        unknown = warning("HF500", message, place, STATE.format(name=name))
        yield unknown.proposing(arrays.stating("independent", name)) if here else unknown


def _below(body: RegionBody) -> Iterator[Pointed]:
    """The uses in the routines that the region calls, directly or not."""
    facts, graph = body.facts, body.facts.graph
    ids = {id(at.statement) for at in body.inside}
    pending = sorted({s.callee for s in graph.below(body.key) if id(s.at.statement) in ids})
    known = body.effects.pointed
    seen = {"", *pending}
    while pending:
        key = pending.pop()
        body.effects.looked.add((body.key, key))
        if key in facts.references:
            if key not in known:
                dummies = facts.application.routines[key].dummies
                listed = _uses(facts, body.effects, facts.references[key], key, dummies)
                known[key] = tuple({(p.name, p.written, p.several): p for p in listed}.values())
            yield from known[key]
        more = sorted(graph.called(key) - seen)
        seen.update(more)
        pending += more


def _uses(
    facts: Facts, effects: Effects, references: Sequence[Reference], key: str, dummies: Sequence[str]
) -> Iterator[Pointed]:
    """The uses of targets of pointer components in some references of a routine. ``dummies`` are those that may be
    another object in other turns.
    """
    chains: dict[int, Mapping[tuple[int, str], Sequence[Component]]] = {}
    for reference in references:
        selector = selector_of(reference)
        if reference.role in ("pointer", "inquiry", "allocate") or not (reference.component or selector is not None):
            continue
        listed = [node for node in walk(selector) if isinstance(node, Component)] if selector is not None else []
        if reference.component:
            statement = reference.at.statement
            if id(statement) not in chains:
                chains[id(statement)] = chains_in(statement)
            listed += chains[id(statement)].get((reference.node.start, reference.name), ())
        parts = [part for part in listed if _is_pointer(facts, part, reference.at, key)]
        for part in parts:
            written = effects.of(reference, key)[1]
            several = reference.name in dummies or _indexed(part.base)
            yield Pointed(reference, part.name, written, several, show(part.base))


def _is_pointer(facts: Facts, part: Component, at: Located, key: str) -> bool:
    meant = named_outside(part, aliases_of(at))
    symbol = component(meant, key, facts.scopes) if isinstance(meant, Component) else None
    return symbol is not None and "pointer" in symbol.attributes


def _indexed(base: Expr) -> bool:
    """Whether an object is one of several: it has an index that is no constant."""
    indexed = (node for node in walk(base) if isinstance(node, Apply))
    return any(not isinstance(arg, Literal) for node in indexed for arg in node.args)
