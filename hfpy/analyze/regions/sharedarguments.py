"""Variables that a routine with regions has under two names, of which one is a dummy argument, and sets by one of them.

A call gives one variable to two dummies, or gives a variable that the routine knows by itself, as those of modules and
common blocks. The standard does not allow it where the variable is set (Fortran 2018, 15.5.2.13), but old codes do it
to give an array several shapes, or by chance. The dependence engine takes the two for different variables, and so does
what keeps host and device the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.giventwice import is_variable
from hfpy.diagnostics import Diagnostic, Related, warning
from hfpy.model.expressions import Apply, Expr, Literal, Name, Range, base_name, without_places
from hfpy.values import dataclass


@dataclass(frozen=True)
class _Pair:
    """A dummy of a routine, with another one or a variable that the routine, or one that it calls, knows by itself."""

    routine: str
    dummy: str
    other: str | Identity


def shared_arguments(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """HF510 for each call outside of regions, and each region after it that has to do with such a pair."""
    for key in _callers(facts):
        for site in facts.graph.below(key):
            if _leads_to_regions(facts, site) and facts.live(site.at, key):
                yield from _behind(facts, effects, site, [*_given_one(facts, site), *_known(facts, effects, site)])


def _callers(facts: Facts) -> Iterator[str]:
    """The routines whose calls are looked at: also those of files without a directive, which stay as they are."""
    known = facts.settled | facts.graph.absent
    return (key for key in facts.graph.with_statements() if key not in known)


def _leads_to_regions(facts: Facts, site: CallSite) -> bool:
    position = facts.positions.get(site.callee) if site.callee and site.args else None
    return position is not None and bool(position.own or position.below)


def _given_one(facts: Facts, site: CallSite) -> Iterator[_Pair]:
    """The pairs of dummies that get one variable, or arrays that begin with one element of one."""
    given: dict[Expr, list[str]] = {}
    for name, value in passed(facts, site):
        if is_variable(facts, site.caller, value):
            given.setdefault(_begin(without_places(value)), []).append(name)
    for names in given.values():
        yield from (_Pair(site.callee, *pair) for pair in combinations(names, 2))


def _begin(designator: Expr) -> Expr:
    """A designator; the array alone where it begins with the array's first element, as ``a(1)`` and ``a(:,1:n)`` do."""
    if isinstance(designator, Apply) and all(map(_is_first, designator.args)):
        return designator.base
    return designator


def _is_first(index: Expr) -> bool:
    if isinstance(index, Range):
        return index.lower is None or _is_first(index.lower)
    return isinstance(index, Literal) and index.text == "1"


def _known(facts: Facts, effects: Effects, site: CallSite) -> Iterator[_Pair]:
    """The dummies that get a variable, or a part of one, that the routine or one it calls knows by itself."""
    for name, value in passed(facts, site):
        base = base_name(value) if is_variable(facts, site.caller, value) else None
        found = facts.object(base, site.caller) if base is not None else None
        if found is not None and effects.knows(site.callee, found.identity):
            yield _Pair(site.callee, name, found.identity)


def _behind(facts: Facts, effects: Effects, site: CallSite, pairs: list[_Pair]) -> Iterator[Diagnostic]:
    """The warnings for the regions of a routine that has a variable under two names, and of routines that it calls."""
    left, seen = list(pairs), set(pairs)
    while left:
        pair = left.pop()
        effects.looked.add((site.caller, pair.routine))
        if _is_set(effects, pair) and not _may_share(facts, pair):
            names = _names(facts, pair)
            yield from _report(facts, effects, site, pair, names)
            further = [p for inner in facts.graph.below(pair.routine) for p in _passed_on(facts, inner, pair)]
            left += [p for p in dict.fromkeys(further) if p not in seen]
            seen |= set(further)


def _names(facts: Facts, pair: _Pair) -> frozenset[str]:
    """The names of the other one in the routine."""
    if isinstance(pair.other, str):
        return frozenset({pair.other})
    joint = facts.storage.joint(pair.other)
    found = set()
    for name in {r.name for r in facts.references[pair.routine]} - {pair.dummy}:
        data = facts.object(name, pair.routine)
        same = data is not None and data.identity == pair.other
        if same or (data is not None and joint is not None and facts.storage.joint(data.identity) == joint):
            found.add(name)
    return frozenset(found)


def _is_set(effects: Effects, pair: _Pair) -> bool:
    if effects.intent(pair.routine, pair.dummy) != "in":
        return True
    if isinstance(pair.other, str):
        return effects.intent(pair.routine, pair.other) != "in"
    return effects.may_change(pair.routine, pair.other)


def _may_share(facts: Facts, pair: _Pair) -> bool:
    names = [pair.dummy, *_names(facts, pair)]
    objects = [facts.object(name, pair.routine) for name in names]
    return all(o is not None and bool(o.symbol.attributes & {"pointer", "target"}) for o in objects)


def _passed_on(facts: Facts, inner: CallSite, pair: _Pair) -> Iterator[_Pair]:
    """What a call within the routine makes of a pair."""
    if _leads_to_regions(facts, inner):
        given = {value.name: name for name, value in passed(facts, inner) if isinstance(value, Name)}
        dummy = given.get(pair.dummy)
        if dummy is not None:
            yield from (_Pair(inner.callee, dummy, given[n]) for n in sorted(_names(facts, pair)) if n in given)
            if not isinstance(pair.other, str):
                yield _Pair(inner.callee, dummy, pair.other)


def _report(facts: Facts, effects: Effects, site: CallSite, pair: _Pair, names: frozenset[str]) -> Iterator[Diagnostic]:
    caller, callee = facts.routine(site.caller), facts.routine(pair.routine)
    place = site.at.statement.line.place(caller.file, site.node.start, site.node.end)
    other = min(names, default=pair.other if isinstance(pair.other, str) else pair.other[1])
    verb = "may be" if site.chosen else "is"
    message = f"one variable {verb} '{pair.dummy}' and '{other}' in '{callee.name}', which sets it"
    hint = "use another variable for one of them, or one name alone"
    for number in range(len(callee.regions)):
        found = facts.positions.regions.get(RegionId(pair.routine, number))
        if found is not None and _concerns(facts, effects, number, pair, names):
            yield warning("HF510", message, place, hint, [Related(found.place, "in this region")])


def _concerns(facts: Facts, effects: Effects, number: int, pair: _Pair, names: frozenset[str]) -> bool:
    """Whether a region uses a variable under both names, and sets it. On a device one name is enough: what the host
    does to the other is not seen.
    """
    there = [r for r in facts.references[pair.routine] if number in r.at.regions]
    sets = [effects.of(r, pair.routine)[1] for r in there if r.name == pair.dummy or r.name in names]
    first, second = any(r.name == pair.dummy for r in there), any(r.name in names for r in there)
    if not isinstance(pair.other, str):
        for inner in facts.graph.below(pair.routine):
            if number in inner.at.regions and inner.callee and effects.knows(inner.callee, pair.other):
                second = True
                sets.append(effects.may_change(inner.callee, pair.other))
    return (first or second) if facts.target == "gpu" else (first and second and any(sets))
