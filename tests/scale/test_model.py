"""The model of messages and steps, against figures by hand (distributed.md §4, §5)."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.scale.network import STAGING_START, Network, Node, Part, face, one_phase, together_pays, two_phases
from hfpy.scale.prediction import (
    Computer,
    Exchange,
    Program,
    exchange_time,
    fits,
    part_of,
    predict,
    predict_on,
    process_grids,
    weak,
)
from hfpy.scale.scalefile import read_plan

ASUCA = Path(__file__).parents[2] / "benchmarks" / "scale" / "asuca.toml"
NETWORK = Network(latency=5e-6, overhead=1e-6, gap=1e-6, bandwidth=10e9)
NODE = Node(100e9)


def test_the_published_run_of_asuca() -> None:
    """distributed.md §4: 6 x 4 processes, 264 x 326 x 58 points each, 39.9 MB a field, 1.66 MB a field and exchange of
    width 3, 0.17 ms at 10 GB/s.
    """
    plan = read_plan(ASUCA)
    made = predict(plan.program, plan.computer, 24)
    assert made is not None
    assert made.grid == (6, 4)
    assert (*made.part.points, made.part.levels) == (264, 326, 58)
    points = math.prod(made.part.points) * 58
    assert round(points / 1e6, 1) == 5.0
    assert round(8 * points / 1e6, 1) == 39.9
    sent = 2 * face(made.part, 0, 3, 8) + 2 * face(made.part, 1, 3, 8, (3, 3))
    assert round(sent / 1e6, 2) == 1.66
    only_network = Network(0, 0, 0, 10e9)
    took = two_phases(only_network, Node(math.inf), made.part, (3, 3), 8, True)
    assert round(1e3 * took.total, 2) == 0.17
    assert predict(plan.program, plan.computer, 10_000) is not None


def test_two_phases_by_hand() -> None:
    part = Part((100, 80), 10, (2, 2))
    took = two_phases(NETWORK, NODE, part, (2, 2), 8, True)
    first, second = 8 * 2 * 80 * 10, 8 * 2 * (100 + 4) * 10
    assert took.latency == pytest.approx(2 * (4 * 1e-6 + 5e-6))
    assert took.network == pytest.approx(2 * (first + second) / 10e9)
    assert took.packing == pytest.approx(8 * (first + second) / 100e9)
    assert took.staging == 0
    without = two_phases(NETWORK, NODE, part, (2, 2), 8, False)
    assert without.network == pytest.approx(2 * 8 * 2 * 10 * (80 + 100) / 10e9)


def test_halos_in_pieces() -> None:
    """Along the domain whose points are beside each other, memory moves whole cache lines for each piece."""
    part = Part((100, 80), 10, (2, 2), contiguous=0)
    first, second = 8 * 2 * 80 * 10, 8 * 2 * (100 + 4) * 10
    moved = 2 * (2 * first + 80 * 10 * (64 + 2 * 16)) + 8 * second
    assert two_phases(NETWORK, NODE, part, (2, 2), 8, True).packing == pytest.approx(moved / 100e9)
    both = replace(part, neighbours=(0, 0), wraps=(True, True))
    alone = two_phases(NETWORK, NODE, both, (2, 2), 8, True)
    assert alone.packing == pytest.approx((2 * 80 * 10 * (64 + 2 * 16) + 4 * second) / 100e9)
    short = replace(part, element=4)  # twice as many pieces of half the bytes, for as many bytes a point
    assert two_phases(NETWORK, NODE, short, (2, 2), 8, True).packing > moved / 100e9
    at_once = one_phase(NETWORK, NODE, part, (2, 2), 8, False).packing
    assert at_once == pytest.approx((2 * (2 * first + 80 * 10 * 96) + 8 * 8 * 2 * 100 * 10) / 100e9)
    assert two_phases(NETWORK, NODE, replace(part, neighbours=(0, 2)), (2, 0), 8, True).packing == 0


def test_one_phase_by_hand() -> None:
    part = Part((100, 80), 10, (2, 2))
    took = one_phase(NETWORK, Node(100e9, staging=5e9), part, (2, 2), 8, True)
    moved = 8 * 10 * (2 * 2 * 80 + 2 * 2 * 100 + 4 * 4)
    assert took.latency == pytest.approx(16 * 1e-6 + 5e-6)
    assert took.network == pytest.approx(moved / 10e9)
    assert took.staging == pytest.approx(2 * (moved / 5e9 + STAGING_START))
    assert one_phase(NETWORK, NODE, part, (2, 2), 8, False).latency == pytest.approx(8 * 1e-6 + 5e-6)


def test_when_all_at_once_pays() -> None:
    """With corners: one latency against the overhead of four messages more, and ten regions."""
    launch = (8 * 1e-6) / 10
    slow = replace(NETWORK, latency=16.1e-6)
    assert together_pays(slow, 0.0, 2, True, launch)
    assert not together_pays(replace(slow, latency=15.9e-6), 0.0, 2, True, launch)
    assert together_pays(NETWORK, 0.0, 2, False, 2e-6)  # two regions more, and one latency of 5 µs less
    assert not together_pays(NETWORK, 0.0, 2, False, 3e-6)
    assert together_pays(NETWORK, 20e-6, 2, True, launch)  # and what a device's buffers take once more
    assert not together_pays(slow, 0.0, 2, True, launch, groups=2)
    assert together_pays(slow, 0.0, 2, True, launch, kinds=2, groups=2)  # the types wait for one another in phases


def test_messages() -> None:
    assert NETWORK.message(1) == pytest.approx(7e-6)
    assert NETWORK.message(10_000_001) == pytest.approx(7e-6 + 1e-3)
    assert replace(NETWORK, gap=3e-6).several(4) == pytest.approx(8e-6 + 5e-6 + 3 * 2e-6)


def test_who_has_neighbours() -> None:
    program = Program((100, 90), 10, 8, 0, 1, periodic=(True, False))
    assert part_of(program, (1, 1)).neighbours == (0, 0)
    assert part_of(program, (2, 2)).neighbours == (2, 1)
    assert part_of(program, (3, 4)) == Part((34, 23), 10, (2, 2))
    assert part_of(program, (1, 4)).wraps == (True, False)
    alone = two_phases(NETWORK, NODE, part_of(program, (1, 1)), (1, 1), 8, True)
    assert (alone.latency, alone.network) == (0, 0)
    assert alone.packing == pytest.approx(4 * 8 * 90 * 10 / 100e9)  # both sides of i, read and written
    assert part_of(replace(program, grid=(100,)), (4,)) == Part((25,), 10, (2,), (False,))


@pytest.mark.parametrize("processes", [1, 7, 12, 24, 60])
def test_all_grids_are_tried(processes: int) -> None:
    wanted = {(a, processes // a) for a in range(1, processes + 1) if processes % a == 0}
    assert set(process_grids(processes, 2)) == wanted
    program = Program((400, 100), 20, 100, 10, 5, (Exchange(3, 2),))
    computer = Computer(50e9, 1e12, 5e-6, NETWORK)
    made = predict(program, computer, processes)
    possible = [predict_on(program, computer, grid).seconds for grid in wanted if fits(program, computer, grid)]
    assert made is not None
    assert made.seconds == min(possible)


def test_what_does_not_fit() -> None:
    program = Program((8, 8), 10, 8, 0, 1, (Exchange(1, 3),), fields=10)
    computer = Computer(50e9, 1e12, 5e-6, NETWORK)
    assert fits(program, computer, (2, 2))
    assert not fits(program, computer, (4, 1))  # parts of 2 points, halos of 3
    small = replace(computer, capacity=8 * 10 * 10 * 14 * 14 - 1)
    assert not fits(program, small, (1, 1))
    assert fits(program, replace(small, capacity=small.capacity + 1), (1, 1))
    assert predict(program, small, 1) is None


def test_overlap() -> None:
    program = Program((1000, 1000), 50, 100, 0, 4, (Exchange(5, 2),), periodic=(True, True))
    computer = Computer(50e9, 1e12, 5e-6, replace(NETWORK, bandwidth=2e9), frame=2, split=1e-5)
    blocking = predict_on(program, computer, (2, 2))
    behind = replace(program, exchanges=(replace(program.exchanges[0], behind=32),))
    overlapping = predict_on(behind, computer, (2, 2))
    took = exchange_time(behind.exchanges[0], behind, computer, overlapping.part)
    assert overlapping.hidden == pytest.approx(took.latency + took.network)  # the interior takes longer than that
    frame = (500 * 500 - 496 * 496) * 50 * 32 / 50e9
    assert overlapping.spent["frame"] == pytest.approx(frame + 1e-5)
    assert overlapping.seconds < blocking.seconds
    tiny = predict_on(replace(behind, grid=(20, 20)), computer, (2, 2))
    assert tiny.hidden < overlapping.hidden


def test_what_binds() -> None:
    program = Program((1000, 1000), 50, 100, 1, 4, (Exchange(5, 2),), reductions=1, serial=1e-6)
    computer = Computer(50e9, 1e12, 5e-6, NETWORK)
    assert predict_on(program, computer, (1, 1)).binds == "memory"
    assert predict_on(replace(program, operations=1e4), computer, (1, 1)).binds == "operations"
    assert predict_on(replace(program, serial=1e3), computer, (1, 1)).binds == "serial"
    assert predict_on(replace(program, regions=1e9), computer, (1, 1)).binds == "launches"
    slow = replace(computer, network=replace(NETWORK, bandwidth=1e6))
    assert predict_on(program, slow, (2, 2)).binds == "network"
    assert predict_on(program, replace(computer, network=replace(NETWORK, latency=10)), (2, 1)).binds == "reductions"


def test_weak_scaling_keeps_the_part() -> None:
    program = Program((100, 80), 10, 100, 0, 5, (Exchange(1, 1),))
    computer = Computer(50e9, 1e12, 5e-6, NETWORK)
    for processes in (1, 2, 6, 64):
        made = weak(program, computer, processes)
        assert made is not None
        assert made.part.points == (100, 80)
        assert math.prod(made.grid) == processes
