"""Copies in ``hfpy explain --schedule``: what a routine brings to the device and back, and for how much of that time
kernels are at work, too, by the optimiser's model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.device.states import TRANSFER, States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.regions.neighbours import Touched
from hfpy.model.units import Routine
from hfpy.options import GPU, Machine
from hfpy.transform.pipelines import Lowered
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.model import Cost
from hfpy.transform.stencil.optimise import Fused
from hfpy.transform.stencil.overlap import Work, beside, in_order, kernel
from hfpy.values import dataclass


@dataclass(frozen=True)
class Launch:
    """A kernel that a routine launches once: the line of its region, the earlier ones that it comes after by their
    places, what it reads and sets.
    """

    line: int
    behind: tuple[int, ...]
    touched: Touched


def costs_by_line(made: Lowered | None, key: str) -> Mapping[int, Cost]:
    """The costs of a routine's groups, by the lines of their first regions in the user's text."""
    found: dict[int, Cost] = {}
    for step in made.steps if made is not None else ():
        if isinstance(step.made, Fused):
            for schedule in step.made.schedules.get(key, ()):
                index = step.before.application.file(key)
                for group, cost in zip(schedule.choice.groups, schedule.choice.costs, strict=True):
                    found[index.user_line(group.stages[0].place.line - 1)] = cost
    return found


def show_copies(
    facts: Facts, effects: Effects, routine: Routine, launches: Sequence[Launch], costs: Mapping[int, Cost]
) -> Iterator[str]:
    """What a routine copies when it begins and ends; with times where the model knows those of all its kernels. There
    are no ``launches`` where kernels do not follow one another just so.
    """
    states = States(facts, effects)
    held = [d for d in states.held(routine.key) if states.of(d.name, routine.key) == TRANSFER]
    ways = [states.copies(d.name, routine.key) for d in held]
    to_device = [d for d, (there, _) in zip(held, ways, strict=True) if there]
    back = [d for d, (_, goes) in zip(reversed(held), reversed(ways), strict=True) if goes]
    if not to_device and not back:
        return
    parts = [f"{_names(to_device)} to the device before the first kernel"] * bool(to_device)
    parts += [f"{_names(back)} back after the kernels that set them"] * bool(back)
    yield f"  copies: {'; '.join(parts)}"
    if launches and all(launch.line in costs for launch in launches):
        options = facts.application.options
        machine = for_backend(options.machine or GPU, facts.backend(routine.key), EFFORTS[2])
        yield _times(facts, machine, to_device, back, launches, costs)


def _times(
    facts: Facts,
    machine: Machine,
    to_device: Sequence[DataObject],
    back: Sequence[DataObject],
    launches: Sequence[Launch],
    costs: Mapping[int, Cost],
) -> str:
    """Copies and kernels one after another, and as the runtime orders them."""
    device = machine.device
    assert device is not None
    kinds = Kinds(facts.scopes, facts.application.options.kinds)
    rank = max(data.rank for data in (*to_device, *back))  # arrays of lower rank are small beside these

    def copy(data: DataObject, behind: tuple[int, ...] = ()) -> Work:
        scalar = kinds.scalar(data.symbol.type, data.home) if data.rank == rank else None
        return Work((scalar.bytes if scalar is not None else 0) * machine.points / device.link, {}, behind, True)

    kernels = [kernel(costs[launch.line], launch.behind) for launch in launches]
    works = [copy(data) for data in to_device]
    first = len(works)
    works += [replace(work, behind=tuple(first + n for n in work.behind)) for work in kernels]
    for data in back:
        memory = facts.storage.of_identity(data.identity)
        setting = (n for n, one in enumerate(launches) if facts.storage.meet(memory, one.touched.writes))
        works.append(copy(data, tuple(first + n for n in setting)))
    copied = in_order([work for work in works if work.copy])
    computed = beside(kernels, device.queues)
    hidden = copied + computed - beside(works, device.queues)
    return f"  about {copied * 1e3:.3g} ms of copies and {computed * 1e3:.3g} ms of kernels, " + (
        f"{hidden * 1e3:.3g} ms of these at the same time" if hidden > 1e-9 else "one after another"
    )


def _names(arrays: Sequence[DataObject]) -> str:
    names = [f"'{data.name}'" for data in arrays]
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]
