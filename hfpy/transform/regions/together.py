"""Neighbouring regions that the same threads compute: one parallel region for all of them, and no waiting in between
where none touches what another writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.neighbours import apart, touched
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.analyze.regions.takenover import taken_over
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.parse.statements.nests import own_nest
from hfpy.transform.declarations import known_small
from hfpy.transform.regions.regioncode import RegionCode, Together
from hfpy.values import dataclass


@dataclass(frozen=True)
class Prepared:
    """A region, ready to be written: its ``code``, that before rows or body got a routine of their own, and whether it
    was the body.
    """

    node: Construct
    whole: RegionCode
    code: RegionCode
    moved: bool


def may_be_together(facts: Facts) -> bool:
    """Whether regions may share threads: nothing may be between them that belongs to one of them."""
    options = facts.application.options
    return bool(options.opt) and not (options.profile or options.races or options.trace or options.debug_print.on)


def together(facts: Facts, sharing: RoutineSharing, run: Sequence[Prepared]) -> Mapping[int, Together]:
    """How the regions of a run are computed together, by number; some may have to stay alone."""
    found: dict[int, Together] = {}
    part: list[Prepared] = []
    for prepared in (*run, None):
        if prepared is not None and _fits(facts, sharing.routine, prepared):
            part.append(prepared)
            continue
        if len(part) > 1:
            found |= _group(facts, sharing, part)
        part = []
    return found


def _fits(facts: Facts, routine: Routine, prepared: Prepared) -> bool:
    code, region = prepared.whole, prepared.whole.region
    if region.vector or code.heap or not code.sharing.clean or taken_over(facts, routine.key, region, code.sharing):
        return False
    # The end of a loop may be a labelled statement, after which a directive may be left out.
    return not region.loops or own_nest(prepared.node.body, region.iterators)[0].end is not None


def _group(facts: Facts, sharing: RoutineSharing, part: Sequence[Prepared]) -> dict[int, Together]:
    names = sorted({name for p in part for name in _names(facts, sharing.routine, p.code)})
    complete = all(p.code.sharing.complete for p in part)
    data = [touched(facts, sharing, p.code.number, p.whole.sharing) for p in part]
    waits: list[bool] = []
    busy = [data[0]]  # regions in which some threads may be
    for now in data[1:]:
        waits.append(not all(apart(facts, sharing.routine, one, now) for one in busy))
        busy = [now] if waits[-1] else [*busy, now]
    waits.append(False)  # all wait after the last one anyway
    last = len(part) - 1
    return {
        p.code.number: Together(place == 0, place == last, waits[place], tuple(names), complete)
        for place, p in enumerate(part)
    }


def _names(facts: Facts, routine: Routine, code: RegionCode) -> set[str]:
    """What the threads share in a region. What is private there needs no place around it, but for what may be
    allocated: copies are then, with the shape of the one outside.
    """
    sharing = code.sharing
    reductions = (r.name for r in code.region.reductions)
    own = ((name, facts.object(name, routine.key)) for name in sharing.private)
    looked_at = (name for name, data in own if data is not None and _may_be_allocated(facts, routine, data))
    return {*sharing.listed, *sharing.firstprivate, *sharing.lastprivate, *reductions, *looked_at}


def _may_be_allocated(facts: Facts, routine: Routine, data: DataObject) -> bool:
    """Whether a variable, or a component of it, may be allocatable in generated code."""
    if "allocatable" in data.symbol.attributes or data.symbol.type.derived:
        return True
    return bool(data.rank) and not known_small(facts, routine, data)
