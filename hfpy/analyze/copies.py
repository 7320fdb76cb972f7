"""Whether the values that an array has on the host matter on the device, when a routine brings it there.

They do not if the first that the routine does with the array is a region whose points together set all of it, and read
nothing of it before: the dependence engine answers (automatic.md §2). What it cannot prove is copied.
"""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.bodies import RegionBody
from hfpy.analyze.context import regions_of
from hfpy.analyze.domains import DataObject
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias, stands_for
from hfpy.analyze.sharedarrays import SharedArrays
from hfpy.analyze.uses import Reference
from hfpy.model.statements import Construct, Jump, Node, Statement, flatten


def set_before_use(facts: Facts, effects: Effects, data: DataObject, views: Iterable[str]) -> bool:
    """Whether the first region of a routine that uses an array sets all its elements, before anything reads one.

    ``views`` are the other names by which the routine, or one that it calls, may get at arrays of that memory.
    """
    key = data.routine
    if any(views) or not facts.storage.alone(data.identity) or data.symbol.dynamic:
        return False
    references = facts.references.get(key, ())
    if any(r.name != data.name and stands_for(r.name, r.at)[0] == data.name for r in references):
        return False  # elements under associate names are not followed
    uses = [r for r in references if _means(r, data) and facts.live(r.at, key)]
    region = _first(facts.routine(key).body, {id(r.at.statement) for r in uses})
    if region is None or region.region is None or not region.region.active(facts.target):
        return False
    before = _before(facts.routine(key).body, region)
    if any(isinstance(s, Jump) or not _leaves_alone(facts, effects, s, data) for s in before):
        return False
    numbers = {id(c): n for n, c in enumerate(regions_of(facts.routine(key)))}
    body = RegionBody(facts, effects, facts.routine(key), region, numbers[id(region)])
    return _sizes_stay(facts, effects, data, body) and SharedArrays(body, []).sets_whole(data)


def _means(reference: Reference, data: DataObject) -> bool:
    return resolve_alias(reference.name, reference.at)[0] == data.name or reference.name == data.name


def _first(nodes: tuple[Node, ...], uses: set[int]) -> Construct | None:
    """The first construct or statement of a block that uses the array, if it is a region."""
    for node in nodes:
        if any(id(s) in uses for s in flatten((node,))):
            return node if isinstance(node, Construct) and node.kind == "region" else None
    return None


def _before(nodes: tuple[Node, ...], region: Construct) -> list[Statement]:
    """The statements of a routine before a region at the top of its body."""
    place = next(n for n, node in enumerate(nodes) if node is region)
    return list(flatten(nodes[:place]))


def _leaves_alone(facts: Facts, effects: Effects, statement: Statement, data: DataObject) -> bool:
    """Whether a statement calls nothing that may get at the array."""
    sites = [s for s in facts.graph.below(data.routine) if s.at.statement is statement]
    return all(s.callee and not effects.knows(s.callee, data.identity) for s in sites)


def _sizes_stay(facts: Facts, effects: Effects, data: DataObject, body: RegionBody) -> bool:
    """Whether names in bounds of the array and of the region mean the same at the beginning of the routine and in the
    region: nothing sets them.
    """
    key, region = data.routine, body.region
    bounds = (*region.starts, *region.ends, *region.strides)
    names = {n for d in data.used for n in d.extent.names} | {n for b in bounds for n in b.names}
    for name in names:
        found = facts.scopes.variable(name, key)
        if found is None or found.symbol.constant:
            continue
        references = (r for r in facts.references.get(key, ()) if resolve_alias(r.name, r.at)[0] == name)
        if any(effects.of(r, key)[1] for r in references):
            return False
        if any(effects.may_change(s.callee, (found.home, found.symbol.name)) for s in facts.graph.below(key)):
            return False
    return True
