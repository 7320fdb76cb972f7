"""The time of a step on some processes, by the model of distributed.md §4: what it is spent on, and on which grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from hfpy.scale.network import STAGING_START, Network, Node, Part, Times, one_phase, together_pays, two_phases
from hfpy.values import dataclass


@dataclass(frozen=True)
class Computer:
    """One process's share of a machine: ``memory`` and ``rate`` in bytes and operations a second, ``launch`` seconds
    that a region costs by itself, ``capacity`` bytes (0: enough), ``network``, ``staging`` as in :class:`Node`.
    ``frame`` is how many times longer a point of a frame takes than one of the interior, ``split`` seconds that a
    division into both costs.
    """

    memory: float
    rate: float
    launch: float
    network: Network
    staging: float = 0.0
    capacity: float = 0.0
    frame: float = 2.0
    split: float = 1e-5

    @property
    def node(self) -> Node:
        """What moves its messages."""
        return Node(self.memory, self.staging)


@dataclass(frozen=True)
class Exchange:
    """Exchanges that each step does ``times`` times: ``fields`` with halos of some ``width``, in one message for each
    neighbour. ``behind`` are the bytes a point of the region that overlaps with it; 0: nothing does.
    """

    fields: int
    width: int
    times: float = 1.0
    corners: bool = True
    behind: float = 0.0


@dataclass(frozen=True)
class Program:
    """What a program does in a step: ``bytes`` and ``operations`` for each point of ``grid`` times ``levels``, in
    ``regions`` regions; ``exchanges``; ``reductions`` over all processes; ``serial`` seconds that do not become less.
    ``fields`` with numbers of ``size`` bytes are what it keeps in memory. Points along the domain of number
    ``contiguous``, from 1, are beside each other there; 0: those of none that is cut.
    """

    grid: tuple[int, ...]
    levels: int
    bytes: float
    operations: float
    regions: float
    exchanges: tuple[Exchange, ...] = ()
    reductions: float = 0.0
    serial: float = 0.0
    fields: int = 0
    size: int = 8
    periodic: tuple[bool, ...] = field(default=(False, False))
    contiguous: int = 0


@dataclass(frozen=True)
class Prediction:
    """A step on some processes: their ``grid``, the ``part`` of the largest one, and seconds by what they are spent on.
    ``hidden`` is how much of the exchanges passes after computation.
    """

    processes: int
    grid: tuple[int, ...]
    part: Part
    spent: dict[str, float]
    hidden: float = 0.0

    @property
    def seconds(self) -> float:
        """Of the whole step."""
        return sum(self.spent.values())

    @property
    def binds(self) -> str:
        """What most of the time is spent on."""
        return max(self.spent, key=lambda name: self.spent[name])


def process_grids(processes: int, domains: int) -> Iterator[tuple[int, ...]]:
    """All ways to arrange processes along some domains."""
    if domains == 1:
        yield (processes,)
        return
    for first in range(1, processes + 1):
        if processes % first == 0:
            yield from ((first, *rest) for rest in process_grids(processes // first, domains - 1))


def part_of(program: Program, grid: Sequence[int]) -> Part:
    """The largest part on a grid of processes, with the most neighbours that one has."""
    points = tuple(math.ceil(n / p) for n, p in zip(program.grid, grid, strict=True))
    both = list(zip(grid, program.periodic, strict=False))
    neighbours = tuple((2 if periodic else min(2, p - 1)) if p > 1 else 0 for p, periodic in both)
    wraps = tuple(periodic and p == 1 for p, periodic in both)
    return Part(
        points, program.levels, neighbours, wraps, program.contiguous - 1 if program.contiguous else None, program.size
    )


def fits(program: Program, computer: Computer, grid: Sequence[int]) -> bool:
    """Whether each process has as many points as its halo is wide, and room for its fields."""
    width = max((e.width for e in program.exchanges), default=1)
    if any(n // p < max(1, width) for n, p in zip(program.grid, grid, strict=True)):
        return False
    part = part_of(program, grid)
    needed = program.fields * program.size * program.levels * math.prod(n + 2 * width for n in part.points)
    return not computer.capacity or needed <= computer.capacity


def predict(program: Program, computer: Computer, processes: int) -> Prediction | None:
    """The time of a step on the grid of processes that takes the least; None if the program does not fit on any."""
    grids = [g for g in process_grids(processes, len(program.grid)) if fits(program, computer, g)]
    made = [predict_on(program, computer, grid) for grid in grids]
    return min(made, key=lambda one: one.seconds, default=None)


def predict_on(program: Program, computer: Computer, grid: tuple[int, ...]) -> Prediction:
    """The time of a step on a grid of processes."""
    part, processes = part_of(program, grid), math.prod(grid)
    points = math.prod(part.points) * part.levels
    moved, computed = points * program.bytes / computer.memory, points * program.operations / computer.rate
    spent = {"memory": moved} if moved >= computed else {"operations": computed}
    spent["launches"] = program.regions * computer.launch
    exchanges, hidden = Times(), 0.0
    for exchange in program.exchanges:
        took = exchange_time(exchange, program, computer, part)
        if exchange.behind and took.total:
            saved, frame = _overlapped(exchange, computer, part, took)
            hidden += exchange.times * saved
            spent["frame"] = spent.get("frame", 0.0) + exchange.times * frame
        exchanges = exchanges.plus(took.times(exchange.times))
    visible = 1 - hidden / exchanges.total if exchanges.total else 1.0
    for name in ("latency", "network", "packing", "staging"):
        if getattr(exchanges, name):
            spent[name] = visible * getattr(exchanges, name)
    if processes > 1 and program.reductions:
        steps = 2 * math.ceil(math.log2(processes))  # a tree up and down
        spent["reductions"] = program.reductions * steps * computer.network.message(program.size)
    if program.serial:
        spent["serial"] = program.serial
    return Prediction(processes, grid, part, spent, hidden)


def exchange_time(exchange: Exchange, program: Program, computer: Computer, part: Part) -> Times:
    """One exchange on a part: all neighbours at once where it overlaps, or where that takes less time."""
    widths = (exchange.width,) * len(part.points)
    staging = 2 * STAGING_START if computer.staging else 0.0
    pays = together_pays(computer.network, staging, len(widths), exchange.corners, computer.launch)
    way = one_phase if exchange.behind or (pays and len(widths) > 1) else two_phases
    size = exchange.fields * program.size
    return way(computer.network, computer.node, part, widths, size, exchange.corners)


def _overlapped(exchange: Exchange, computer: Computer, part: Part, took: Times) -> tuple[float, float]:
    """How much of an exchange passes after the interior of a region, and what its frame costs more
    (distributed.md §4): ``max(T_interior, T) + T_frame·η + T_split``. Packing takes the processor's time.
    """
    inner = [max(0, n - exchange.width * k) for n, k in zip(part.points, part.neighbours, strict=True)]
    whole, interior = (math.prod(n) * part.levels * exchange.behind / computer.memory for n in (part.points, inner))
    saved = min(interior, took.latency + took.network + took.staging)
    return saved, (whole - interior) * (computer.frame - 1) + computer.split


def larger(program: Program, grid: Sequence[int]) -> Program:
    """A program whose grid has as many points for each process of a grid as the given one has in all (weak scaling)."""
    points = tuple(n * p for n, p in zip(program.grid, grid, strict=True))
    return replace(program, grid=points)


def weak(program: Program, computer: Computer, processes: int) -> Prediction | None:
    """The time of a step where each process has the whole grid of the program for itself, on the squarest grid."""
    grids = list(process_grids(processes, len(program.grid)))
    squarest = min(grids, key=lambda grid: max(grid) / min(grid))
    made = larger(program, squarest)
    return predict_on(made, computer, squarest) if fits(made, computer, squarest) else None
