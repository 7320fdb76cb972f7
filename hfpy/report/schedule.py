"""``hfpy explain --schedule``: what the optimiser made of a routine, and why the alternatives lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from hfpy.analyze.facts import Facts
from hfpy.options import Tuned
from hfpy.transform.stencil.gpumodel import Price
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.lift import Refusal
from hfpy.transform.stencil.linearforms import shown
from hfpy.transform.stencil.lowered import Lowered
from hfpy.transform.stencil.optimise import Schedule
from hfpy.transform.stencil.program import Stage
from hfpy.transform.stencil.search import Choice
from hfpy.transform.stencil.sweeps import ColumnGroup, lags

_MOST_ALTERNATIVES = 3
_RULES = {
    1: "arrays are read at constant offsets",
    2: "arrays are written at the point itself",
    3: "no array is read at a neighbour and written",
    5: "written arrays have one name",
    6: "a region holds assignments and conditions only",
    7: "bounds do not depend on what is computed",
    9: "directives can keep regions apart",
    8: "a block of columns is computed like one column",
}


def show_schedules(facts: Facts, made: Lowered, name: str | None) -> str:
    """The schedules of one routine (by name, ``module::name`` or the name of one of its kernels), or of all with
    regions; empty if there is none.
    """
    wanted = re.sub(r"^hfk\d+_", "", name.lower()) if name is not None else None
    keys = [k for k in made.stencils.refusals if wanted is None or wanted in (k, facts.routine(k).name)]
    return "\n\n".join("\n".join(_routine(facts, made, key)) for key in keys)


def _routine(facts: Facts, made: Lowered, key: str) -> Iterator[str]:
    result, columns = made.stencils, made.columns
    routine = facts.routine(key)
    place = routine.place()
    yield f"{routine.kind} {routine.name}  ({place.file}:{place.line}), target {facts.target}"
    for number, schedule in enumerate(result.schedules.get(key, ()), 1):
        yield from _schedule(number, schedule, facts.target)
    for blocked in columns.blocked.get(key, ()):
        with_forms = f", with blocked forms of {', '.join(blocked.routines)}" if blocked.routines else ""
        several = f"{blocked.regions} regions as one, " if blocked.regions > 1 else ""
        yield f"  line {blocked.line}: {several}in blocks of {blocked.width} columns{with_forms}"
    for sized in made.sizes.regions.get(key, ()):
        yield f"  line {sized.line}: a version of its own for {sized.condition}, the general one besides"
    for refusal in (*result.refusals[key], *columns.refusals.get(key, ())):
        yield _refusal(refusal)


def _refusal(refusal: Refusal) -> str:
    place = f"{PurePath(refusal.place.file).name}:{refusal.place.line}"
    return f"  {place}: stays as it is: {refusal.text} (rule {refusal.rule}: {_RULES[refusal.rule]})"


def _schedule(number: int, schedule: Schedule, target: str) -> Iterator[str]:
    program = schedule.program
    first, last = program.stages[0].place.line, program.stages[-1].place.line
    over = ", ".join(program.iterators)
    yield f"  program {number}: {len(program.stages)} stages over {over}, lines {first} to {last}"
    for stage in program.stages:
        names = ", ".join(v.array for v in stage.writes)
        box = stage.box[:-1] if stage.pieces else stage.box
        spans = [f"{i} {shown(s.lower)}:{shown(s.upper)}" for i, s in zip(program.iterators, box, strict=False)]
        spans += [f"{program.iterators[-1]} {_levels(stage)}"] if stage.pieces else []
        where = f"{', '.join(spans)} (line {stage.place.line})"
        yield f"    stage {stage.number}  {names}: {stage.operations} operations on {where}"
    for place, (group, cost) in enumerate(zip(schedule.choice.groups, schedule.choice.costs, strict=True)):
        made = schedule.regions.get(place)
        manner = made.manner if made is not None else "as written"
        price = f"{cost.bytes} bytes and {cost.operations:.3g} operations a point, {cost.seconds * 1e3:.3g} ms"
        yield f"    group {_stages(group)}: {manner}; {price}"
        yield from _lowerings(cost.prices)
        if made is not None:
            yield from _extents(group, made.evaluations)
        if isinstance(group, ColumnGroup):
            yield from _loops(group, target)
    if schedule.tuned is not None:
        yield _measured(schedule.tuned)
    yield from _others(schedule.choice)


def _lowerings(prices: tuple[Price, ...]) -> Iterator[str]:
    """What a thread of a GPU needs, and the lowerings that lost."""
    for price in prices[:1]:
        shared = f", {price.work.shared} bytes of shared memory a block" if price.work.shared else ""
        yield (
            f"      {price.work.registers} registers{shared}, {price.occupancy:.0%} of the threads at once, "
            f"{price.work.accesses:.3g} loads and stores a point; bound by {price.bound}"
        )
    for other in prices[1:]:
        ahead = other.seconds < prices[0].seconds
        why = "too little to gain" if ahead else f"bound by {other.bound}"
        yield (
            f"      not {other.lowering.name}: {other.seconds * 1e3:.3g} ms, {why}; "
            f"{other.work.operations:.3g} operations, {other.work.registers} registers"
        )


def _measured(tuned: Tuned) -> str:
    rows = f" with blocks of {tuned.rows} rows" if tuned.rows else f" with {tuned.lowering}" if tuned.lowering else ""
    return (
        f"    chosen by hfpy tune{rows}: {tuned.seconds * 1e3:.3g} ms measured, "
        f"{tuned.model_seconds * 1e3:.3g} ms with what the model would take"
    )


def _extents(group: Group, evaluations: Mapping[int, int]) -> Iterator[str]:
    for stage in group.stages:
        needed = group.needs[stage.number]
        if not needed:
            continue
        reach = [f"{min(o[d] for o in needed):+d}..{max(o[d] for o in needed):+d}" for d in range(len(stage.box))]
        stored = [v for v in stage.writes if v in group.stored]
        gone = [v.array for v in stage.writes if v not in group.stored]
        fate = "stored" if len(stored) == len(stage.writes) else "vanishes"
        if stored and gone:
            fate = f"stored but for {', '.join(gone)}"
        yield (
            f"      stage {stage.number}: needed at {len(needed)} points ({', '.join(reach)}), "
            f"written out {evaluations.get(stage.number, 0)} times, {fate}"
        )


def _levels(stage: Stage) -> str:
    """Where the loops of a sweep go, and in which direction."""
    found = []
    for piece in stage.pieces:
        if piece.span is not None:
            low, high = shown(piece.span.lower), shown(piece.span.upper)
            way = {1: " upwards", -1: " downwards"}.get(piece.step, "")
            found.append(f"{high}:{low}{way}" if piece.step < 0 else f"{low}:{high}{way}")
    return " and ".join(found)


def _loops(group: ColumnGroup, target: str) -> Iterator[str]:
    """The loops along the columns of a group, and what goes from turn to turn in variables."""
    for cluster in group.clusters:
        if cluster.levels is None:
            continue
        numbers = sorted({m.stage.number for m in cluster.loops})
        which = f"stage{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
        names = {n: lags(cluster, n) for n in sorted(group.vanished) if any(n in m.writes for m in cluster.members)}
        names |= group.carried(cluster) if target == "gpu" else {}
        kept = [f"{n} ({back} {'levels' if back > 1 else 'level'} back)" for n, back in names.items() if back]
        carried = f", carried in variables: {', '.join(kept)}" if kept else ""
        way = "downwards" if cluster.way < 0 else "upwards"
        yield f"      loop {shown(cluster.begin)}:{shown(cluster.end)} {way}, {which}{carried}"


def _others(choice: Choice) -> Iterator[str]:
    for other, seconds in choice.alternatives[:_MOST_ALTERNATIVES]:
        yield f"    instead {' '.join(other)}: {seconds * 1e3:.3g} ms"
    for first, last, reason in choice.reasons:
        yield f"    not {first}-{last}: {reason}"


def _stages(group: Group) -> str:
    first, last = group.stages[0].number, group.stages[-1].number
    return f"{first}-{last}" if first != last else str(first)
