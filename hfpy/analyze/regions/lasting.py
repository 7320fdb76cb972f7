"""Variables that outlive a call and that routines called in a region write: what is said is what would be said of the
statements in the region itself.

They are those of modules, of the region's own routine or its host, in common blocks, and locals that are saved. All
points have them in common, so the dependence engine is asked whether points meet in them. That one point would set them
before it reads them does not help: the called routine would not find a copy.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value, routines_to_check
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.regions.setpointers import set_by_others
from hfpy.analyze.regions.sharedarrays import SharedArrays
from hfpy.diagnostics import Diagnostic, Place, Related, error, warning

_CURE = "pass it to '{name}' as an argument, or make it a local of '{name}' without 'save' and initial value"


def written_below(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """What is wrong, or open, with such variables in all regions (B20)."""
    for routine in routines_to_check(facts):
        for identity in facts.positions.get(routine.key).own:
            region = facts.positions.regions[identity]
            sites = (s for s in facts.graph.below(routine.key) if identity.number in s.at.regions and s.callee)
            callees = dict.fromkeys(s.callee for s in sites)
            if not region.vector and any(_concerns(effects, c, routine.key, region.iterators) for c in callees):
                body = RegionBody(facts, effects, routine, regions_of(routine)[identity.number], identity.number)
                yield from below_region(body)


def _concerns(effects: Effects, callee: str, key: str, iterators: tuple[str, ...]) -> bool:
    """Whether a routine writes variables that outlive the call, or sets pointers, or knows an iterator by itself."""
    objects = (effects.facts.object(name, key) for name in iterators)
    set_ = bool(effects.lasting_writes(callee)) or any(word == "pointer" for _, word in effects.memory(callee))
    return set_ or any(d and effects.knows(callee, d.identity) for d in objects)


def below_region(body: RegionBody) -> list[Diagnostic]:
    """What is wrong, or open, with such variables in one region."""
    found = [*_iterators(body), *set_by_others(body)]
    written = _written(body)
    arrays = SharedArrays(body, found) if written else None
    for identity, (callee, place) in written.items():
        kind, code = _kind(body, identity)
        body.effects.looked.add((callee, body.key))  # what is said here is not said again where this file alone changes
        data = body.facts.object(identity[1], identity[0])
        if data is None or arrays is None:
            continue
        cure = _CURE.format(name=body.facts.routine(callee).name)
        fact = arrays.check_common(data, cure)
        if fact:
            shown = (
                f"{kind} '{data.symbol.name}' is written by a routine called in a region, and two points may meet in it"
            )
            hint = f"if they do not, say so in the region: independent({data.symbol.name}); else {cure}"
            related = [Related(body.region.place, f"the region that calls '{body.facts.routine(callee).name}'")]
            said = warning(code, f"{shown}: {fact}", place, hint, related)
            found.append(said.proposing(arrays.stating("independent", data.symbol.name)))
    return found


def _iterators(body: RegionBody) -> Iterator[Diagnostic]:
    """Iterators that a called routine knows by itself: it would not see the value that a point has."""
    for name in body.region.iterators:
        data = body.facts.object(name, body.key)
        if data is not None and body.known_below(data):
            callee = next(c for c in body.callees if body.effects.knows(c, data.identity))
            called = body.facts.routine(callee).name
            message = f"'{called}' knows the iterator '{name}' by itself, and not the value that it has at a point"
            yield error("HF319", message, body.region.place, f"pass '{name}' to '{called}' as an argument")


def _written(body: RegionBody) -> dict[Identity, tuple[str, Place]]:
    """What routines called in a region write, each with one of these and the place of a write. What the region itself
    writes, too, is judged with its names (:mod:`hfpy.analyze.regions.sharing`).
    """
    found: dict[Identity, tuple[str, Place]] = {}
    names = (*body.flow().written, *(r.name for r in body.region.reductions))
    own = {data.identity for n in names if (data := body.facts.object(n, body.key)) is not None}
    for callee in body.callees:
        for identity, place in body.effects.lasting_writes(callee).items():
            if identity not in own and body.in_common(identity):
                found.setdefault(identity, (callee, place))
    return found


def _kind(body: RegionBody, identity: Identity) -> tuple[str, str]:
    """What a variable is, and the code of what is open."""
    home = body.facts.application.routines[identity[0]]
    if home.kind in ("module", "submodule"):
        return "module variable", "HF501"
    return ("saved variable", "HF505") if keeps_value(home, identity[1]) else ("variable", "HF501")
