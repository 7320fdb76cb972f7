"""The cost model against exact counting: sets of the points of a tile (stencil-optimisation.md §11)."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from hfpy.options import CPU
from hfpy.transform.stencil.blocks import block_sizes
from hfpy.transform.stencil.gpuwork import of_points
from hfpy.transform.stencil.groups import Group, Illegal
from hfpy.transform.stencil.keeping import keeping
from hfpy.transform.stencil.model import cost, rows_of, traffic
from hfpy.transform.stencil.program import Offset, Program, Stage
from tests.stencils.test_counts import EVALUATIONS, programs

__all__ = ["programs"]
KERNELS = [*EVALUATIONS, "fvtp2d"]
KEEPS = ("hdiffsa", "hdiffsmag", "fvtp2d_qi", "fvtp2d_qj", "fvtp2d")


def groups(program: Program) -> list[Group]:
    """All legal groups of neighbouring stages."""
    found = []
    for first, last in combinations_with_replacement(range(len(program.stages)), 2):
        group = Group(program, program.stages[first : last + 1])
        try:
            group.check()
        except Illegal:
            continue
        if group.stored:
            found.append(group)
    return found


def reads(group: Group, stage: Stage, at: Offset) -> set[tuple[int, Offset]]:
    """The values of other stages of the group that a stage reads to compute a point."""
    found = set()
    for read in stage.reads:
        producer = group.producer(read)
        if producer is not None:
            found.add((producer.number, tuple(a + b for a, b in zip(at, read.offset, strict=True))))
    return found


def stored(group: Group, stage: Stage) -> bool:
    return any(v in group.stored for v in stage.writes)


def counted(group: Group, tile: tuple[int, ...]) -> float:
    """Operations for a tile, computed point by point as the generated loops do it: the points of each nest are the box
    around those that are wanted; what is not kept is computed once for each point of a nest that needs it.
    """
    stages = {s.number: s for s in group.stages}
    kept = {s.number for s in keeping(group).kept}
    wanted: dict[int, set[Offset]] = {n: set() for n in stages}
    output = set(product(*(range(n) for n in tile)))
    total = 0
    for stage in reversed(group.stages):
        if stored(group, stage):
            wanted[stage.number] |= output
        elif stage.number not in kept:
            continue
        points = wanted[stage.number] if stage.number in kept else output
        columns = {p[1:] for p in points}  # how far the innermost loop goes around a tile is not in the model
        box = list(product(*(range(min(c), max(c) + 1) for c in zip(*columns, strict=True))))
        assert set(box) >= columns
        for column in box:
            # One point of the nest, and everything that it computes for itself.
            todo = {(stage.number, (0, *column))}
            done: set[tuple[int, Offset]] = set()
            while todo:
                number, at = todo.pop()
                done.add((number, at))
                total += stages[number].operations
                for other, point in reads(group, stages[number], at):
                    if other in kept:
                        wanted[other].add(point)
                    elif not group.alone(stages[other]) and (other, point) not in done:
                        todo.add((other, point))
    return total / (len(output) / tile[0])


@pytest.mark.parametrize("kernel", KERNELS)
def test_operations_in_blocks_of_rows(kernel: str, programs: dict[str, Program]) -> None:
    checked = 0
    for group in groups(programs[kernel]):
        rows = rows_of(group, CPU)
        plan = keeping(group)
        moved = {s.number: sum(programs[kernel].patterns[v.array].bytes for v in s.writes) for s in plan.kept}
        assert plan.price == 2 * sum(moved.values())
        sizes = block_sizes(group, rows)
        expected = counted(group, (1, rows, sizes.get("k", 1)))
        assert cost(group, CPU, "cpu").operations == pytest.approx(expected + plan.price, rel=1e-12)
        checked += bool(keeping(group).kept)
    assert bool(checked) == (kernel in KEEPS)


@pytest.mark.parametrize("kernel", KERNELS)
def test_operations_of_a_thread(kernel: str, programs: dict[str, Program]) -> None:
    """A thread computes each value that its point needs once: the closure of the dependences, as a set."""
    for group in groups(programs[kernel]):
        stages = {s.number: s for s in group.stages}
        todo = {(s.number, (0, 0, 0)) for s in group.stages if stored(group, s)}
        done: set[tuple[int, Offset]] = set()
        while todo:
            number, at = todo.pop()
            done.add((number, at))
            todo |= reads(group, stages[number], at) - done
        assert of_points(group).operations == sum(stages[n].operations for n, _ in done)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bytes_of_a_large_tile(kernel: str, programs: dict[str, Program]) -> None:
    """Elements of full rank that a tile of a group reads from memory and stores: but for the rim, the model's."""
    side = (40, 40, 40)
    program = programs[kernel]
    for group in groups(program)[-3:]:
        moved = 0.0
        for version in group.inputs | group.stored:
            pattern = program.patterns[version.array]
            if sum(i in program.iterators for i in pattern.items) < len(program.iterators):
                continue
            offsets = {
                tuple(a + b for a, b in zip(o, r.offset, strict=True))
                for s in group.stages
                for r in s.reads
                if r.version == version and group.producer(r) is None
                for o in group.needs[s.number]
            } or {(0, 0, 0)}
            reach = [max(o[d] for o in offsets) - min(o[d] for o in offsets) for d in range(3)]
            elements = {tuple(p) for p in product(*(range(n + r) for n, r in zip(side, reach, strict=True)))}
            moved += pattern.bytes * len(elements)
        points = side[0] * side[1] * side[2]
        assert traffic(group) <= moved / points <= traffic(group) * 1.5
