"""What a group costs on a GPU in each of its lowerings, and which of them is taken (stencil-optimisation.md §11: more
than the plain model: registers, occupancy, shared memory, caches).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from hfpy.backendtable import TABLE
from hfpy.options import Device, Machine
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.gpuwork import GpuWork, of_points, of_tiles, of_walks
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.lowering import MOST_SHARED, POINTS, Lowering, asked
from hfpy.transform.stencil.tiles import keepable
from hfpy.values import dataclass

# Instructions of a load or store with its address, and those that a thread needs to know where it is. With indices of
# 32 bits laplace has 38 so, and 40 are counted, hdiffsa 139, and 124 are (docs/performance.md). Divisions and functions
# take many for one operation: kernels with them have up to twice as many.
ACCESS, THREAD = 2.0, 20.0
# The share of its threads that a processor needs to reach its bandwidth (§11: below 25 to 30 % it falls). A thread that
# walks has the loads of one turn on their way only.
ENOUGH, ENOUGH_WALKING = 0.28, 0.5
MOST_REGISTERS = 255
# Measured on an H100 with the stencil kernels of docs/performance.md: where memory is the bound, walking 8 or 10 points
# took 10 % more time than a thread a point, and 20 points 20 % more than 8; tiles took 31 % more than was predicted.
TURN = 0.02  # of its time, for each further point of a walk
TEAM = 0.3
BARRIER = 0.02  # what waiting for one another costs a team, of its time, each time
WALKS = (8, 12, 20)
TILES = ((32, 8), (64, 4), (64, 8), (128, 4), (128, 8))
LAUNCHES = "launches"  # the host starts one kernel after another
TEAM_BACKENDS = frozenset({"cuda-c", "hip"})


@dataclass(frozen=True)
class Price:
    """A lowering with its work, the instructions for a point, its seconds, and ``bound``: what it waits for most.
    ``busy`` are the seconds for which it would need each resource if it had all of it.
    """

    lowering: Lowering
    work: GpuWork
    instructions: float
    occupancy: float
    seconds: float
    bound: str
    busy: Mapping[str, float] = field(default_factory=dict)


def for_backend(machine: Machine, backend: str, effort: Effort) -> Machine:
    """A machine as the kernels of a backend can use it."""
    if machine.device is None:
        return machine
    device = machine.device
    entry = TABLE.get(backend)
    queues = device.queues if entry is not None and entry.kind == "kernels" and entry.queues else 1
    teams = backend in TEAM_BACKENDS
    return replace(machine, device=replace(device, teams=teams, gain=effort.gain, queues=queues))


def priced(group: Group, machine: Machine, bytes_a_point: int) -> tuple[Price, ...]:
    """The lowerings of a group that are worth a look, the one to take first. What directives ask for is taken."""
    device = machine.device or Device()

    def price(lowering: Lowering, done: GpuWork) -> Price:
        return price_of(lowering, done, machine, bytes_a_point, single)

    single = all(group.program.patterns[v.array].bytes < 8 for s in group.stages for v in s.writes)
    wanted = asked(group, device.teams)
    if wanted is not None:
        return (price(wanted, work(group, wanted)),)
    points = price(POINTS, of_points(group))
    least = machine.points * bytes_a_point / machine.bandwidth + machine.launch
    if not group.stored or points.seconds * device.gain <= least:
        return (points,)
    best: dict[str, Price] = {}
    for other in sorted((price(*one) for one in _others(group, device)), key=lambda p: p.seconds):
        best.setdefault(other.lowering.iterator or "tiles", other)
    found = list(best.values())
    if found and found[0].seconds < device.gain * points.seconds:
        return (found[0], points, *found[1:])
    return (points, *found)


def work(group: Group, lowering: Lowering) -> GpuWork:
    """The work of a group in one of its lowerings."""
    if lowering.tile:
        return next(done for _, done in of_tiles(group, lowering.kept, [lowering.tile]))
    if lowering.iterator:
        return next(done for _, done in of_walks(group, lowering.iterator, [lowering.size]))
    return of_points(group)


def _others(group: Group, device: Device) -> Iterator[tuple[Lowering, GpuWork]]:
    iterators, wishes = group.program.iterators, group.wishes
    for iterator in iterators[1:]:
        if wishes.unroll.get(iterator, 1) == 1:
            yield from (one for one in of_walks(group, iterator, WALKS) if one[1].moves)  # else nothing is carried
    if not device.teams or wishes.unroll or wishes.tile:
        return
    for other in iterators[1:]:
        known = keepable(group, (iterators[0], other))
        kept = frozenset(s.number for s in group.stages if s.number in known and s.operations > 1)
        shapes = [{iterators[0]: wide, other: deep} for wide, deep in TILES]
        for lowering, done in of_tiles(group, kept, shapes) if kept else ():
            if done.shared <= MOST_SHARED:
                yield lowering, done


def price_of(lowering: Lowering, done: GpuWork, machine: Machine, bytes_a_point: int, single: bool = False) -> Price:
    """What a group costs in one lowering: computing and the traffic of each memory overlap (§9). Arithmetic in
    ``single`` precision is twice as fast.
    """
    device = machine.device or Device()
    spilled = 8 * max(0, done.registers - MOST_REGISTERS) / done.points
    share = occupancy(done, device, machine.points)
    reached = min(1.0, share / (ENOUGH_WALKING if lowering.iterator else ENOUGH))
    instructions = done.operations + done.moves + ACCESS * done.accesses + THREAD / done.points
    full = {
        "memory": bytes_a_point / machine.bandwidth,
        "arithmetic": done.operations / machine.rate / (2 if single else 1),
        "instructions": instructions / device.issue,
        "second cache": (done.far + spilled) / device.far,
        "first cache": (done.near + spilled) / device.near,
    }
    times = {name: seconds if name == "first cache" else seconds / reached for name, seconds in full.items()}
    bound = max(times, key=lambda name: times[name])
    waiting = 1 + (TEAM + BARRIER * (len(lowering.kept) + 1) if lowering.tile else TURN * (lowering.size - 1))
    seconds = machine.points * times[bound] * waiting + machine.launch
    busy = {LAUNCHES: machine.launch, **{name: machine.points * each * waiting for name, each in full.items()}}
    return Price(lowering, done, instructions, share, seconds, bound, busy)


def occupancy(done: GpuWork, device: Device, points: int) -> float:
    """The share of a processor's threads that its registers and shared memory have room for, and the program threads
    (CUDA programming guide: registers are given to warps by 256).
    """
    registers = -(-min(done.registers, MOST_REGISTERS) // 8) * 8
    blocks = min(
        device.registers // (registers * done.threads),
        device.threads // done.threads,
        device.shared // done.shared if done.shared else device.threads,
    )
    there = points / done.points / (device.processors * device.threads)
    return max(min(blocks * done.threads / device.threads, there), 1 / device.threads)
