"""Schedules as values and as text: what became of a program, and why the alternatives lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.model.units import FileIndex
from hfpy.options import Tuned
from hfpy.transform.stencil.gpumodel import Price
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.linearforms import shown
from hfpy.transform.stencil.program import Program, Stage
from hfpy.transform.stencil.regions import RegionCode
from hfpy.transform.stencil.search import Choice
from hfpy.transform.stencil.sweeps import ColumnGroup, lags
from hfpy.values import dataclass

_MOST_ALTERNATIVES = 3


@dataclass(frozen=True)
class Schedule:
    """What became of one program of a routine: the grouping chosen, the region of each fused group, and the measured
    choice that it follows.
    """

    program: Program
    choice: Choice
    regions: Mapping[int, RegionCode]
    tuned: Tuned | None = None


def explained(number: int, schedule: Schedule, target: str, index: FileIndex) -> Iterator[str]:
    """What became of one program of a routine, in lines of text. ``index`` is that of the file that it was found in."""
    program = schedule.program
    lines = [index.user_line(stage.place.line - 1) for stage in program.stages]
    first, last = lines[0], lines[-1]
    over = ", ".join(program.iterators)
    yield f"  program {number}: {len(program.stages)} stages over {over}, lines {first} to {last}"
    for stage, line in zip(program.stages, lines, strict=True):
        names = ", ".join(v.array for v in stage.writes)
        box = stage.box[:-1] if stage.pieces else stage.box
        spans = [f"{i} {shown(s.lower)}:{shown(s.upper)}" for i, s in zip(program.iterators, box, strict=False)]
        spans += [f"{program.iterators[-1]} {_levels(stage)}"] if stage.pieces else []
        where = f"{', '.join(spans)} (line {line})"
        yield f"    stage {stage.number}  {names}: {stage.operations} operations on {where}"
    for place, (group, cost) in enumerate(zip(schedule.choice.groups, schedule.choice.costs, strict=True)):
        made = schedule.regions.get(place)
        manner = made.manner if made is not None else "as written"
        price = f"{cost.bytes} bytes and {cost.operations:.3g} operations a point, {cost.seconds * 1e3:.3g} ms"
        yield f"    group {_stages(group)}: {manner}; {price}"
        yield from lowerings(cost.prices)
        if made is not None:
            yield from _extents(group, made.evaluations)
        if isinstance(group, ColumnGroup):
            yield from _loops(group, target)
    yield from _beside(schedule.choice)
    if schedule.tuned is not None:
        yield _measured(schedule.tuned)
    yield from _others(schedule.choice)


def lowerings(prices: Sequence[Price]) -> Iterator[str]:
    """What a thread of a GPU needs, and the lowerings that lost."""
    for price in prices[:1]:
        shared = f", {price.work.shared} bytes of shared memory a block" if price.work.shared else ""
        yield (
            f"      {price.work.registers} registers{shared}, {price.occupancy:.0%} of the threads at once, "
            f"{price.work.accesses:.3g} loads and stores and about {price.instructions:.3g} instructions a point; "
            f"bound by {price.bound}"
        )
    for other in prices[1:]:
        ahead = other.seconds < prices[0].seconds
        why = "too little to gain" if ahead else f"bound by {other.bound}"
        yield (
            f"      not {other.lowering.name}: {other.seconds * 1e3:.3g} ms, {why}; "
            f"{other.work.operations:.3g} operations, {other.work.registers} registers"
        )


def _beside(choice: Choice) -> Iterator[str]:
    """What kernels take that run at the same time, where that is less than one after another."""
    if choice.seconds < choice.in_order:
        yield (
            f"    all groups: {choice.seconds * 1e3:.3g} ms in {choice.queues} queues, "
            f"{choice.in_order * 1e3:.3g} ms one after another"
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
