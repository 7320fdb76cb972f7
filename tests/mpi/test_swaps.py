"""Exchanges of packed buffers: plans used again and again, phases, delayed and synchronous messages."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.mpi.launch import results
from tests.mpi.reference import Array, Case, as_type, grids
from tests.mpi.test_fields import EVERYWHERE, Reader, checked, matrix


def in_phases(case: Case, rank: int) -> Array:
    """The field after an exchange along i, and one along j of whole columns, which takes what lies outside along."""
    at = case.indices(rank)
    (own_i, halo_i, _), (own_j, halo_j, _) = case.classes(rank, at)
    wide = replace(case, outer=True).after(rank)
    plain = as_type(case.type, case.initial(rank, at, own_i & own_j))
    return np.where((halo_i & own_j) | halo_j, wide, plain)


def swaps(ranks: int) -> list[tuple[Case, bool]]:
    """Cases, and whether they exchange in phases."""
    found = []
    for grid, periodic, phases in product(grids(ranks, 2), product([True, False], repeat=2), (True, False)):
        for low, high in (((2, 1), (1, 2)), ((0, 1), (1, 0))):
            case = Case((9, 11), grid, periodic, low, high, (0, 1), (0, 0), turns=3)
            found += [(case, phases)] * case.fits
    return found


def swapped(name: str, ranks: int, folder: Path, **extra: str) -> tuple[list[bool], str]:
    """Run all swaps and compare both fields; whether messages were there at once in each case, and what was said."""
    cases = swaps(ranks)
    # In the engine's swaps, `corners` asks for phases, and `outer` for buffers by their addresses.
    asked = [
        case.settings | {"kind": "swap", "corners": phases, "outer": n % 3 == 0}
        for n, (case, phases) in enumerate(cases)
    ]
    written, said = results(name, ranks, folder, asked, **extra)
    early = [False] * len(cases)
    for rank, reader in enumerate(map(Reader, written)):
        for n, (case, phases) in enumerate(cases):
            early[n] |= bool(reader.take("int32", ())[()])
            shape = case.indices(rank)[0].shape
            moved = replace(case, turns=case.turns + 1)  # the engine adds the turn, not one less
            expected = in_phases(moved, rank) if phases else moved.after(rank)
            np.testing.assert_array_equal(reader.take("real64", shape), expected, err_msg=f"{case} {phases} {rank}")
            np.testing.assert_array_equal(reader.take("real64", shape), expected + 1000)
        assert not reader.data
    return early, said


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_plans(name: str, ranks: int, tmp_path: Path) -> None:
    _, said = swapped(name, ranks, tmp_path)
    assert "hfpy" not in said


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_synchronous_sends(name: str, ranks: int, tmp_path: Path) -> None:
    """Nothing waits for ever when sends end only as they are received; nothing is left open."""
    _, said = swapped(name, ranks, tmp_path, HFPY_MPI_CHECK="1")
    assert "exchanges of process 0 checked, all finished" in said


@pytest.mark.parametrize(
    ("name", "ranks"), [("serial", 1), ("openmpi", 2), pytest.param("mpich", 2, marks=pytest.mark.full)]
)
def test_delayed_messages(name: str, ranks: int, tmp_path: Path) -> None:
    """Messages come later, right ones, and not before: also where a process is its own neighbour."""
    early, _ = swapped(name, ranks, tmp_path, HFPY_MPI_DELAY="5")
    assert not any(early)


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 4), pytest.param("mpich-old", 2, marks=pytest.mark.full)])
def test_fields_with_synchronous_sends(name: str, ranks: int, tmp_path: Path) -> None:
    checked(name, ranks, tmp_path, matrix(ranks), HFPY_MPI_CHECK="1")


@pytest.mark.parametrize("check", ["0", "1"])
@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_two_exchanges_at_once(name: str, ranks: int, check: str, tmp_path: Path) -> None:
    """In buffers of all types; processes start the two in different orders, since their sites differ."""
    ring = {"kind": "pairs", "nd": 1, "global": 12, "grid": 0, "low": 1, "high": 1, "periodic": True}
    written, _ = results(name, ranks, tmp_path, [ring], HFPY_MPI_CHECK=check)
    kinds = ["real32", "real64", "int32", "int64", "logical", "complex32", "complex64"] * 2
    for reader in map(Reader, written):
        for kind in kinds:
            found, expected = reader.take(kind, (10,)), reader.take(kind, (10,))
            np.testing.assert_array_equal(found, expected, err_msg=kind)
        assert not reader.data


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_sections(name: str, ranks: int, tmp_path: Path) -> None:
    """Compilers pass copies of sections that are not contiguous: they are copied back."""
    ring = {"kind": "sections", "nd": 1, "global": 12, "grid": 0, "low": 1, "high": 1, "periodic": True}
    written, _ = results(name, ranks, tmp_path, [ring])
    for rank, reader in enumerate(map(Reader, written)):
        own = np.array_split(np.arange(1, 13), ranks)[rank]
        around = np.array([(own[0] - 2) % 12 + 1, *own, own[-1] % 12 + 1])
        levels = np.full((2, len(around), 4), -1, np.int32)
        levels[:, 1:-1, :] = (100 * own[:, None] + np.arange(1, 5))[None]
        levels[1, :, ::2] = 100 * around[:, None] + np.array([1, 3])
        np.testing.assert_array_equal(reader.take("int32", levels.shape), levels)
        levels[0, [0, -1], ::3] = np.iinfo(np.int32).max
        np.testing.assert_array_equal(reader.take("int32", levels.shape), levels)


@pytest.mark.parametrize("name", ["HFPY_MPI_DELAY", "HFPY_MPI_TIMEOUT"])
def test_a_setting_that_is_no_number(name: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f'{name} is "soon"; set it to a number'):
        swapped("serial", 1, tmp_path, **{name: "soon"})
