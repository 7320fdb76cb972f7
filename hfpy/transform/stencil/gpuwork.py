"""What one way to compute a group on a GPU does for a point: operations, bytes through each memory, registers.

Counted with sets of points, as stencil-optimisation.md §11 wants it: what a thread block reads is the union of its
threads' reads, row by row; live values are those of the order in which the text is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import ceil, prod

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.lowering import Lowering, reach, shared_bytes
from hfpy.transform.stencil.points import copies
from hfpy.transform.stencil.program import Offset, Read, Stage, Version, shifted
from hfpy.transform.stencil.walkplan import carried_versions, walk_plan
from hfpy.values import dataclass

BLOCK = (64, 4, 1)  # threads of a block where nobody asks for others
WARP = 32
# Registers of a thread besides values: indices, bounds, addresses, what an expression needs on its way.
OWN_REGISTERS = 16
OF_ARRAY = 1.5  # … and where a thread walks, for the addresses that it keeps of each array
Value = tuple[int, Offset]  # a stage's number and an offset
Rows = Mapping[Version, Collection[Offset]]  # what is read of each version


@dataclass(frozen=True)
class GpuWork:
    """For a point of what is stored: ``operations`` as threads execute them; bytes through the ``near`` memory (first
    cache and shared memory), from the cache all processors share (``far``), and spilled; for a thread: its
    ``registers`` as the compiler would give them if there were no limit, the ``points`` it computes; for a block its
    threads and the bytes of ``shared`` memory. ``accesses`` are loads and stores, of any memory, ``moves``
    those from register to register.
    """

    operations: float
    accesses: float
    near: float
    far: float
    registers: int
    points: float = 1.0
    threads: int = 256
    shared: int = 0
    moves: float = 0.0


# -- a thread a point


def of_points(group: Group) -> GpuWork:
    """The work where each thread computes a point, or those of ``unroll``."""
    order = evaluations(group, _roots(group), frozenset())
    points = len(copies(group))
    loads = _loads(group, order)
    block = _block(group)
    reads = _by_version(loads)
    near = _bytes(group, loads) + points * _stored_bytes(group)
    far = _footprint(group, reads, block) + _stored_bytes(group)
    registers = OWN_REGISTERS + _live(group, order, frozenset())
    accesses = (len(loads) + points * len(group.stored)) / points
    return GpuWork(_operations(group, order) / points, accesses, near / points, far, registers, points, prod(block))


def _roots(group: Group) -> list[Value]:
    stored = [s for s in group.stages if any(v in group.stored for v in s.writes)]
    return [(s.number, at) for s in stored for at in copies(group)]


def evaluations(group: Group, roots: Iterable[Value], known: Collection[Value]) -> list[Value]:
    """The evaluations that some values need, in the order in which they are written; ``known`` values are there."""
    stages = {s.number: s for s in group.stages}
    order: dict[Value, None] = {}

    def need(value: Value) -> None:
        if value in order or value in known:
            return
        stage = stages[value[0]]
        for read in sorted(stage.reads, key=lambda r: (r.version.array, r.offset)):
            producer = group.producer(read)
            if producer is not None:
                need((producer.number, shifted(read.offset, value[1])))
        order[value] = None

    for root in roots:
        need(root)
    return list(order)


# -- a thread that walks


def of_walks(group: Group, iterator: str, sizes: Iterable[int]) -> Iterator[tuple[Lowering, GpuWork]]:
    """The work where each thread walks along an iterator, for some numbers of points a thread."""
    plan = walk_plan(group, group.program.iterators.index(iterator))
    carried = [(s.number, at) for s, lines in plan.stages for line in lines for at in list(plan.held(line))[:-1]]
    newest = [(s.number, line.newest) for s, lines in plan.stages for line in lines]
    words = sum(line.carried * _words(group, line.version) for line in plan.inputs)
    for stage, lines in plan.stages:
        versions = carried_versions(group, stage)
        words += sum(line.carried * _words(group, v) for line in lines for v in versions)
    held = {Read(line.version, at) for line in plan.inputs for at in list(plan.held(line))[:-1]}
    order = evaluations(group, [*newest, *_roots(group)], frozenset(carried))
    first = evaluations(group, carried, frozenset())
    first_loads = held | _loads(group, first)
    addresses = round(OF_ARRAY * len({r.version for r in plan.loads} | group.stored))
    registers = OWN_REGISTERS + addresses + words + _live(group, order, frozenset(carried), held)
    several = len(copies(group))
    for size in sizes:
        block = list(_block(group))
        block[plan.along] *= size
        operations = _operations(group, order) + _operations(group, first) / size
        accesses = (len(plan.loads) + len(first_loads) / size) / several + len(group.stored)
        loads = (_bytes(group, plan.loads) + _bytes(group, first_loads) / size) / several
        far = _footprint(group, _by_version(plan.loads | first_loads), tuple(block)) + _stored_bytes(group)
        near = loads + _stored_bytes(group)
        threads = prod(_block(group))
        # What is carried moves on by a scalar a turn, which compilers spare in part by unrolling.
        done = GpuWork(operations / several, accesses, near, far, registers, float(size * several), threads)
        yield Lowering(iterator, size), replace(done, moves=words / 2 / several)


# -- a team of threads a tile


@dataclass(frozen=True)
class _Nest:
    """A nest of a tile: how far it goes around the tile, and for a point of it the operations, what is read from memory
    and from shared memory, what is written, and the registers.
    """

    reach: tuple[int, ...]
    operations: float
    reads: Rows
    accesses: int
    near: float
    registers: int


def of_tiles(
    group: Group, kept: frozenset[int], shapes: Iterable[Mapping[str, int]]
) -> Iterator[tuple[Lowering, GpuWork]]:
    """The work where teams of threads compute tiles, for some shapes of them."""
    iterators = group.program.iterators
    nests = [_nest(group, roots, kept) for roots in _nests(group, kept)]
    for shape in shapes:
        lowering = Lowering(tile=shape, kept=kept)
        tile, threads = (tuple(sizes.get(i, 1) for i in iterators) for sizes in (shape, lowering.team))
        points, count = prod(tile), prod(threads)
        operations = accesses = near = 0.0
        far = _stored_bytes(group)
        for nest in nests:
            extent = shifted(tile, nest.reach)
            times = executed(extent, threads) / points
            operations += times * nest.operations
            accesses += times * nest.accesses
            near += times * nest.near
            far += _footprint(group, nest.reads, extent) * prod(extent) / points
        shared = shared_bytes(group, lowering)
        registers = max(nest.registers for nest in nests)
        yield lowering, GpuWork(operations, accesses, near, far, registers, points / count, count, shared)


def _nests(group: Group, kept: Collection[int]) -> list[list[Value]]:
    """What the nests of a tile are for: a kept stage each, stored ones over the same points together."""
    here = (0,) * len(group.program.iterators)
    stages = {s.number: s for s in group.stages}
    nests: list[list[Value]] = []
    for stage in group.stages:
        if stage.number not in kept and not any(v in group.stored for v in stage.writes):
            continue
        last = nests[-1][0][0] if nests else -1
        together = stage.number not in kept and last >= 0 and last not in kept and stages[last].box == stage.box
        if together:
            nests[-1].append((stage.number, here))
        else:
            nests.append([(stage.number, here)])
    return nests


def _nest(group: Group, roots: list[Value], kept: Collection[int]) -> _Nest:
    order = _in_nest(group, roots, kept)
    loads = _loads(group, order)
    found = {v for v in _reads_of(group, order) if v[0] in kept and v not in order}
    near = _bytes(group, loads) + sum(_stage_bytes(group, n) for n, _ in (*found, *roots))
    around = reach(group, roots[0][0]) if roots[0][0] in kept else (0,) * len(group.program.iterators)
    # Loops that threads share cost some registers more.
    registers = OWN_REGISTERS + 6 + _live(group, order, found)
    accesses = len(loads) + len(found) + len(roots)
    return _Nest(around, _operations(group, order), _by_version(loads), accesses, near, registers)


def executed(extent: tuple[int, ...], threads: tuple[int, ...]) -> int:
    """The points for which a team's threads execute a nest over so many, those of warps that idle in part with them."""
    if threads[0] < WARP:
        return ceil(extent[0] / threads[0]) * threads[0] * prod(extent[1:])
    wide = sum(ceil(min(threads[0], extent[0] - turn) / WARP) for turn in range(0, extent[0], threads[0]))
    return wide * WARP * prod(extent[1:])


def _in_nest(group: Group, roots: list[Value], kept: Collection[int]) -> list[Value]:
    """What a nest computes for its roots, where others find the ``kept`` stages in shared memory."""
    found = _reads_of(group, roots)
    known = {v for v in found if v[0] in kept} - set(roots)
    while True:
        order = evaluations(group, roots, known)
        more = {v for v in order if v[0] in kept and v not in roots} | known
        if more == known:
            return order
        known = more


def _reads_of(group: Group, values: Iterable[Value]) -> set[Value]:
    stages = {s.number: s for s in group.stages}
    found = set()
    for number, at in values:
        for read in stages[number].reads:
            producer = group.producer(read)
            if producer is not None:
                found.add((producer.number, shifted(read.offset, at)))
    return found


# -- counts


def _operations(group: Group, order: Iterable[Value]) -> float:
    operations = {s.number: s.operations for s in group.stages}
    return float(sum(operations[number] for number, _ in order))


def _loads(group: Group, order: Iterable[Value]) -> frozenset[Read]:
    """The elements that some evaluations read from memory."""
    stages = {s.number: s for s in group.stages}
    return frozenset(
        Read(r.version, group.program.placed(r.version, shifted(r.offset, at)))
        for number, at in order
        for r in stages[number].reads
        if group.producer(r) is None
    )


def _by_version(reads: Iterable[Read]) -> dict[Version, set[Offset]]:
    found: dict[Version, set[Offset]] = {}
    for read in reads:
        found.setdefault(read.version, set()).add(read.offset)
    return found


def _bytes(group: Group, reads: Iterable[Read]) -> float:
    return float(sum(group.program.patterns[r.version.array].bytes for r in reads))


def _stored_bytes(group: Group) -> float:
    return float(sum(group.program.patterns[v.array].bytes for v in group.stored))


def _stage_bytes(group: Group, number: int) -> int:
    stage = next(s for s in group.stages if s.number == number)
    return sum(group.program.patterns[v.array].bytes for v in stage.writes)


def _words(group: Group, version: Version) -> int:
    return max(1, group.program.patterns[version.array].bytes // 4)


def _block(group: Group) -> tuple[int, ...]:
    """The points that the threads of a block are for, if each has one."""
    iterators, tile = group.program.iterators, group.wishes.tile
    if tile:
        return tuple(tile.get(i, 1) for i in iterators)
    return (256,) if len(iterators) == 1 else (*BLOCK, *(1,) * len(iterators))[: len(iterators)]


def _footprint(group: Group, reads: Rows, block: tuple[int, ...]) -> float:
    """Bytes a point that a block of points reads, each element once."""
    total = 0.0
    for version, offsets in reads.items():
        pattern = group.program.patterns[version.array]
        axes = [d for d, i in enumerate(group.program.iterators) if i in pattern.items]
        total += pattern.bytes * union({tuple(o[d] for d in axes) for o in offsets}, tuple(block[d] for d in axes))
    return total / prod(block)


def union(offsets: Collection[Offset], block: tuple[int, ...]) -> int:
    """The elements of a block of points moved by each of some offsets, together. Rows are as long as the points between
    their first and last offset.
    """
    if not block:
        return 1
    ends: dict[Offset, tuple[int, int]] = {}
    for first, *others in offsets:
        rest = tuple(others)
        low, high = ends.get(rest, (first, first))
        ends[rest] = min(low, first), max(high, first)
    if len(block) == 1:
        return sum(high - low + block[0] for low, high in ends.values())
    rows: dict[Offset, tuple[int, int]] = {}
    for rest, (low, high) in ends.items():
        for row in _box(block[1:]):
            at = shifted(rest, row)
            known = rows.get(at, (low, high))
            rows[at] = min(known[0], low), max(known[1], high)
    return sum(high - low + block[0] for low, high in rows.values())


def _box(sizes: tuple[int, ...]) -> list[Offset]:
    found: list[Offset] = [()]
    for size in sizes:
        found = [(*at, n) for at in found for n in range(size)]
    return found


def _live(group: Group, order: list[Value], known: Collection[Value], held: Collection[Read] = ()) -> int:
    """Words of values that are alive at once while some evaluations follow each other: from where they are computed or
    read to their last use. ``known`` values and ``held`` elements are somebody else's.
    """
    stages = {s.number: s for s in group.stages}
    first: dict[object, int] = {}
    last: dict[object, int] = {}
    words: dict[object, int] = {}
    for place, (number, at) in enumerate(order):
        stage = stages[number]
        for read in stage.reads:
            where = shifted(read.offset, at)
            producer = group.producer(read)
            value: object = (
                (producer.number, where)
                if producer is not None
                else Read(read.version, group.program.placed(read.version, where))
            )
            if value in known or value in held:
                continue
            first.setdefault(value, place)
            last[value] = place
            words[value] = _words(group, read.version) if producer is None else _stage_words(group, producer)
        first[number, at] = place
        last[number, at] = place
        words[number, at] = _stage_words(group, stage)
    changes = [0] * (len(order) + 2)
    for value, begin in first.items():
        changes[begin] += words[value]
        changes[last[value] + 1] -= words[value]
    most = alive = 0
    for change in changes:
        alive += change
        most = max(most, alive)
    return most


def _stage_words(group: Group, stage: Stage) -> int:
    return sum(_words(group, v) for v in stage.writes)
