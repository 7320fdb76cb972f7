"""What a group costs: bytes moved and operations, as stencil-optimisation.md §9 and §10 count them."""

from __future__ import annotations

from dataclasses import dataclass

from hfpy.options import Machine
from hfpy.transform.stencil.blocks import kept_stages
from hfpy.transform.stencil.groups import Group

# Two cores of a server's processor, and a large GPU; `hfpy probe` measures those of a machine.
CPU = Machine(25e9, 40e9, 512 * 1024, 5e-6)
GPU = Machine(3e12, 5e12, 0, 4e-6)
ROWS = (32, 16, 8, 4)
# Memory that a routine takes anew in each call comes in pages that the system clears first: about a tenth of the
# bandwidth remains (measured: 2 to 3 GB/s against 20).
FRESH = 8


@dataclass(frozen=True)
class Cost:
    """Predicted bytes and operations a point, and seconds for the group."""

    bytes: int
    operations: float
    seconds: float


def traffic(group: Group) -> int:
    """Bytes a point that must move: each field of full rank read once, each stored once (§9)."""
    program = group.program
    full = len(program.iterators)
    moved = [*group.inputs, *group.stored]
    fields = [program.patterns[v.array] for v in moved]
    return sum(p.bytes for p in fields if sum(i in program.iterators for i in p.items) == full)


def fresh(group: Group) -> int:
    """Bytes a point of the routine's own arrays that the group is the first to write."""
    first = [v for v in group.stored if v.number == 1]
    fields = [group.program.patterns[v.array] for v in first]
    return sum(p.bytes for p in fields if p.local and all(i in group.program.iterators for i in p.items))


def rows_of(group: Group, machine: Machine) -> int:
    """The rows of a block: as many as keep what it works on in the cache (§10, working set)."""
    program = group.program
    held = [program.patterns[v.array].bytes for v in group.inputs | group.stored]
    held += [program.patterns[v.array].bytes for s in kept_stages(group) for v in s.writes]
    for rows in ROWS:
        if sum(held) * machine.row * (rows + 2) <= machine.cache:
            return rows
    return ROWS[-1]


def cost(group: Group, machine: Machine, target: str) -> Cost:
    """What a group costs on a machine: computing and moving overlap (§9)."""
    moved = traffic(group)
    operations = 0.0
    kept = {s.number for s in kept_stages(group)} if target == "cpu" else set()
    rows = rows_of(group, machine) if target == "cpu" else 1
    for stage in group.stages:
        needed = group.needs[stage.number]
        if stage.number in kept:
            times = 1.0
            for d in range(1, len(group.program.iterators)):
                reach = max(o[d] for o in needed) - min(o[d] for o in needed)
                times *= 1 + reach / (rows if d == 1 else 1)
            operations += stage.operations * times + 1
        else:
            operations += stage.operations * len(needed)
    paged = fresh(group) * FRESH if target == "cpu" else 0
    moving = (moved + paged) / machine.bandwidth
    seconds = machine.points * max(moving, operations / machine.rate) + machine.launch
    return Cost(moved, operations, seconds)
