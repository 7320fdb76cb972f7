"""Variables that a call gives to two dummy arguments of a routine with regions, of which one is set.

The standard does not allow it (Fortran 2018, 15.5.2.13), but old codes do it to give one array several shapes. The
dependence engine takes dummies for different variables, and so does what keeps host and device the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hfpy.analyze.calls import passed
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, analysed_routines
from hfpy.analyze.graph import CallSite
from hfpy.analyze.positions import RegionId
from hfpy.diagnostics import Diagnostic, Place, Related, warning
from hfpy.model.expressions import Apply, Component, Expr, Literal, Name, without_places

Pair = tuple[str, str]  # two dummies of a routine


def shared_arguments(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """HF510 for each call outside of regions, and each region behind it that has to do with such a pair."""
    for routine in analysed_routines(facts):
        for site in facts.graph.sites.get(routine.key, ()):
            if _leads_to_regions(facts, site) and facts.live(site.at, routine.key):
                pairs = _given_one(facts, site)
                if pairs:
                    yield from _behind(facts, effects, site, pairs)


def _leads_to_regions(facts: Facts, site: CallSite) -> bool:
    position = facts.positions.get(site.callee) if site.callee else None
    return position is not None and bool(position.own or position.below) and len(site.args) > 1


def _given_one(facts: Facts, site: CallSite) -> set[Pair]:
    """The pairs of dummies that get one variable, or arrays that begin with one element of one."""
    given: dict[Expr, list[str]] = {}
    for name, value in passed(facts, site):
        begin = _begin(without_places(value))
        if isinstance(begin, Name | Apply | Component):
            given.setdefault(begin, []).append(name)
    return {pair for names in given.values() for pair in combinations(names, 2)}


def _begin(designator: Expr) -> Expr:
    """A designator, without the indices of the first element."""
    if isinstance(designator, Apply) and all(isinstance(a, Literal) and a.text == "1" for a in designator.args):
        return designator.base
    return designator


def _behind(facts: Facts, effects: Effects, site: CallSite, pairs: set[Pair]) -> Iterator[Diagnostic]:
    """What is told of the regions in a routine that gets one variable for two dummies, and in those that it calls."""
    left = [(site.callee, pair) for pair in sorted(pairs)]
    seen = set(left)
    while left:
        key, pair = left.pop()
        effects.looked.add((site.caller, key))
        changed = next((n for n in pair if effects.intent(key, n) != "in"), None)
        if changed is None or _may_share(facts, key, pair):
            continue
        for number, region in enumerate(facts.routine(key).regions):
            found = facts.positions.regions.get(RegionId(key, number))
            if found is not None and region.region is not None and _concerns(facts, effects, key, number, pair):
                yield _told(facts, site, key, pair, changed, found.place)
        for inner in facts.graph.sites.get(key, ()):
            if _leads_to_regions(facts, inner):
                names = {value.name: name for name, value in passed(facts, inner) if isinstance(value, Name)}
                further = (inner.callee, (names.get(pair[0], ""), names.get(pair[1], "")))
                if all(further[1]) and further not in seen:
                    seen.add(further)
                    left.append(further)


def _concerns(facts: Facts, effects: Effects, key: str, number: int, pair: Pair) -> bool:
    """Whether a region uses both of two dummies, and sets one of them. On a device one is enough: what the host does to
    the other is not seen.
    """
    there = [r for r in facts.references[key] if r.name in pair and number in r.at.regions]
    if facts.target == "gpu":
        return bool(there)
    return len({r.name for r in there}) == len(pair) and any(effects.of(r, key)[1] for r in there)


def _may_share(facts: Facts, key: str, pair: Pair) -> bool:
    symbols = [facts.routine(key).spec.symbols.get(name) for name in pair]
    return all(s is not None and bool(s.attributes & {"pointer", "target"}) for s in symbols)


def _told(facts: Facts, site: CallSite, key: str, pair: Pair, changed: str, region: Place) -> Diagnostic:
    caller, callee = facts.routine(site.caller), facts.routine(key)
    place = site.at.statement.line.place(caller.file, site.node.start, site.node.end)
    message = f"one variable is given to '{pair[0]}' and '{pair[1]}' of '{callee.name}', which sets '{changed}'"
    return warning("HF510", message, place, "use another variable for one of them", [Related(region, "this region")])
