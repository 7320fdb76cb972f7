"""Queues in ``hfpy explain --schedule``: which kernels of a routine come after which, by the data that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.neighbours import Touched, apart, touched
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.backendtable import TABLE
from hfpy.model.units import Routine
from hfpy.report.copied import Launch, costs_by_line, show_copies
from hfpy.transform.pipelines import Lowered
from hfpy.transform.stencil.model import Cost
from hfpy.values import dataclass


@dataclass(frozen=True)
class _Kernel:
    """A kernel: the line of its region, the queue that the user asks for (0: any), those that it comes after by their
    places in the order of the text, and a value that the host waits for. ``once``: no construct is around it.
    """

    line: int
    queue: int
    behind: tuple[int, ...]
    value: str
    touched: Touched
    once: bool


def show_queues(facts: Facts, effects: Effects, made: Lowered | None, name: str | None) -> str:
    """What the kernels of one routine (by name or ``module::name``), or of all routines with several, wait for; empty
    where all is in one queue. ``facts`` and ``effects`` are those of the text that kernels are made from, ``made`` is
    what the optimiser has made of the text that was read.
    """
    wanted = name.lower() if name is not None else None
    keys = dict.fromkeys(region.routine for region in facts.positions.regions)
    parts = []
    for key in keys:
        entry, routine = TABLE.get(facts.backend(key)), facts.routine(key)
        if entry is None or entry.kind != "kernels" or not entry.queues:
            continue
        if wanted is None or wanted in (key, routine.name):
            parts.append("\n".join(_routine(facts, effects, costs_by_line(made, key), routine)))
    return "\n\n".join(part for part in parts if part)


def _routine(facts: Facts, effects: Effects, costs: Mapping[int, Cost], routine: Routine) -> Iterator[str]:
    kernels = _kernels(facts, effects, routine)
    if len(kernels) < 2:
        return
    index, place = facts.application.file(routine.key), routine.place()
    where = f"{PurePath(place.file).name}:{index.user_line(place.line - 1)}"
    yield f"queues of {routine.kind} {routine.name}  ({where}), {len(kernels)} kernels"
    for kernel in kernels:
        lines = [str(kernels[n].line) for n in kernel.behind]
        asked = f"queue {kernel.queue}; " if kernel.queue else ""
        back = f"; the host waits for '{kernel.value}'" if kernel.value else ""
        several = f"after those of lines {', '.join(lines[:-1])} and {lines[-1]}" if lines[1:] else ""
        behind = several or (f"after that of line {lines[0]}" if lines else "after none")
        yield f"  kernel of line {kernel.line}: {asked}{behind}{back}"
    once = all(kernel.once for kernel in kernels) and not any(kernel.value for kernel in kernels)
    launches = [Launch(kernel.line, kernel.behind, kernel.touched) for kernel in kernels] if once else []
    yield from show_copies(facts, effects, routine, launches, costs)


def _kernels(facts: Facts, effects: Effects, routine: Routine) -> list[_Kernel]:
    """The kernels in the order of the text. One comes after those that it shares data with, but for those that others
    of them come after.
    """
    sharing = RoutineSharing(facts, effects, routine)
    numbers = [n for n in range(len(sharing.constructs)) if RegionId(routine.key, n) in facts.positions.regions]
    placed = {n: sharing.region(n).place() for n in numbers}
    data = [touched(facts, sharing, n, placed[n]) for n in numbers]
    all_before: list[set[int]] = []
    made: list[_Kernel] = []
    for place, number in enumerate(numbers):
        direct = [p for p in range(place) if not apart(facts, routine, data[p], data[place])]
        implied = set[int]().union(*(all_before[p] for p in direct))
        all_before.append(implied | set(direct))
        region = facts.positions.regions[RegionId(routine.key, number)]
        values = [*(r.name for r in region.reductions), *placed[number].lastprivate]
        line = facts.application.file(routine.key).user_line(region.place.line - 1)
        behind = tuple(p for p in direct if p not in implied)
        once = any(node is sharing.constructs[number] for node in routine.body)
        made.append(_Kernel(line, region.queue, behind, values[0] if values else "", data[place], once))
    return made
