"""What a group costs: bytes moved and operations, as stencil-optimisation.md §9 and §10 count them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from hfpy.options import Machine
from hfpy.transform.stencil.blocks import block_sizes, in_blocks, reached_outside
from hfpy.transform.stencil.gpumodel import LAUNCHES, Price, priced
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.keeping import keeping
from hfpy.transform.stencil.lowering import POINTS, Lowering
from hfpy.transform.stencil.program import Stage
from hfpy.transform.stencil.rings import goes_by_rings
from hfpy.transform.stencil.sweeps import ColumnGroup
from hfpy.values import dataclass

ROWS = (32, 16, 8, 4)
# Rows of a block that goes row by row: where an iterator outside gives the threads their work, and where rows have to.
MARCHED, MARCHED_FLAT = 64, 16
# The share of a GPU's bandwidth that one thread a column gets: there are fewer threads than with one a point.
COLUMNS = 0.75
# Memory that a routine takes anew in each call comes in pages that the system clears first: about a tenth of the
# bandwidth remains (measured: 2 to 3 GB/s against 20).
FRESH = 8


@dataclass(frozen=True)
class Cost:
    """Predicted bytes and operations a point, and seconds for the group; on a GPU the prices of its lowerings, the one
    that is taken first, and for how long it would keep each resource busy if it had all of it.
    """

    bytes: int
    operations: float
    seconds: float
    prices: tuple[Price, ...] = ()
    busy: Mapping[str, float] = field(default_factory=dict)

    @property
    def lowering(self) -> Lowering:
        """How the group is computed on a GPU."""
        return self.prices[0].lowering if self.prices else POINTS


def traffic(group: Group) -> int:
    """Bytes a point that must move: each field of full rank read once, each stored once (§9)."""
    program = group.program
    full = len(program.iterators)
    moved = [*group.inputs, *group.stored]
    fields = [program.patterns[v.array] for v in moved]
    return sum(p.bytes for p in fields if sum(i in program.iterators for i in p.items) == full)


def fresh(group: Group, without: Collection[str] = ()) -> int:
    """Bytes a point of the routine's own arrays, but for some, that the group is the first to write."""
    first = [v for v in group.stored if v.number == 1 and v.array not in without]
    fields = [group.program.patterns[v.array] for v in first]
    return sum(p.bytes for p in fields if p.local and all(i in group.program.iterators for i in p.items))


def rows_of(group: Group, machine: Machine) -> int:
    """The rows of a block: as many as keep what it works on in the cache (§10, working set). Where rows follow one
    another only a few of them are in use, and the block is as long as the threads' work is still well shared. Where
    nothing is kept, a block is a row, and threads share the work as evenly as they can (measured: 200 rows of many
    short loops in blocks of 32, seven of them, took two threads 1.19 times as long).
    """
    program = group.program
    if goes_by_rings(group):
        return MARCHED if len(program.iterators) > 2 and not reached_outside(group) else MARCHED_FLAT
    if not keeping(group).any and not any(n > 1 for n in group.wishes.unroll.values()):
        return 1
    held = [program.patterns[v.array].bytes for v in group.inputs | group.stored]
    held += [program.patterns[v.array].bytes for s in keeping(group).kept for v in s.writes]
    for rows in ROWS:
        if sum(held) * machine.row * (rows + 2) <= machine.cache:
            return rows
    return ROWS[-1]


def cost(group: Group, machine: Machine, target: str) -> Cost:
    """What a group costs on a machine: computing and moving overlap (§9)."""
    if isinstance(group, ColumnGroup):
        return _in_columns(group, machine, target)
    moved = traffic(group)
    if target == "gpu":
        prices = priced(group, machine, moved)
        return Cost(moved, prices[0].work.operations, prices[0].seconds, prices, prices[0].busy)
    operations = _in_blocks(group, machine) if in_blocks(group, target) else _by_points(group)
    moving = (moved + fresh(group) * FRESH) / machine.bandwidth
    seconds = machine.points * max(moving, operations / machine.rate) + machine.launch
    return Cost(moved, operations, seconds)


def _by_points(group: Group) -> float:
    """Operations a point where each point computes all that it needs."""
    return sum(float(stage.operations * len(group.needs[stage.number])) for stage in group.stages)


def _in_blocks(group: Group, machine: Machine) -> float:
    """Operations a point in blocks, with what is computed again around a block, and what keeping costs."""
    plan = keeping(group)
    rows = rows_of(group, machine)
    by_number = {s.number: s for s in group.stages}
    total = 0.0
    for number, computed in plan.evaluations.items():
        times = _times(group, by_number[number], rows) if by_number[number] in plan.kept else 1.0
        total += times * sum(by_number[n].operations * points for n, points in computed.items())
    return total + plan.price


def _times(group: Group, stage: Stage, rows: int) -> float:
    """How often a kept stage is computed for a point of what is stored: again around the blocks."""
    needed = group.needs[stage.number]
    sizes = block_sizes(group, rows)
    times = 1.0
    for d, iterator in enumerate(group.program.iterators[1:], 1):
        reach = max(o[d] for o in needed) - min(o[d] for o in needed)
        times *= 1 + reach / sizes.get(iterator, 1)
    return times


def _in_columns(group: ColumnGroup, machine: Machine, target: str) -> Cost:
    """What a group with sweeps costs. Each loop reads and stores what it touches; on the CPU the values of a block of
    columns stay in the cache between loops, and arrays of the group's own need no memory.
    """
    program = group.program
    full = len(program.iterators)
    fields: list[str] = []
    for cluster in group.clusters:
        written = {a for m in cluster.members for a in m.writes}
        exposed = {a for m in cluster.members for a in m.exposed}
        read = {t.array for m in cluster.members for t in m.touches if not t.write} - (written - exposed)
        fields += [*read, *written]
    paged = 0
    if target == "cpu":
        made = {v.array for s in group.stages for v in s.writes}
        own = {a for a in made if program.patterns[a].local and not group.inliner.read_outside(a)}
        fields = sorted(set(fields) - own)
        paged = fresh(group, own) * FRESH
    patterns = [program.patterns[a] for a in fields if a not in group.vanished]
    moved = sum(p.bytes for p in patterns if sum(i in program.iterators for i in p.items) == full)
    operations = float(sum(s.operations * len(group.needs[s.number]) for s in group.stages))
    bandwidth = machine.bandwidth * (COLUMNS if target == "gpu" else 1.0)
    seconds = machine.points * max((moved + paged) / bandwidth, operations / machine.rate) + machine.launch
    memory, arithmetic = machine.points * moved / machine.bandwidth, machine.points * operations / machine.rate
    busy = {LAUNCHES: machine.launch, "memory": memory, "arithmetic": arithmetic} if target == "gpu" else {}
    return Cost(moved, operations, seconds, busy=busy)
