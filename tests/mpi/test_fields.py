"""Fields on many processes: halo exchange, poison, gather and scatter, compared element by element with NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.mpi.launch import results
from tests.mpi.reference import TYPES, Array, Case, grids, random_case

# Where which numbers of processes run. The processes of MPICH wait by keeping their cores busy, but the library gives
# the core away where it waits: so there may be more of them than cores.
FEW = [("serial", 1), ("openmpi", 2), ("openmpi", 4), ("mpich", 2)]
FULL = [
    *(("openmpi", n) for n in (1, 6)),
    *(("openmpi-old", n) for n in (1, 2, 4, 6)),
    *(("mpich", n) for n in (1, 4, 6)),
    *(("mpich-old", n) for n in (1, 2, 4)),
]
EVERYWHERE = [*FEW, *(pytest.param(*pair, marks=pytest.mark.full) for pair in FULL)]


class Reader:
    """The values of a process, one array after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, kind: str, shape: tuple[int, ...]) -> Array:
        """The next array."""
        dtype = np.dtype(TYPES[kind])
        length = int(np.prod(shape)) * dtype.itemsize
        piece, self.data = self.data[:length], self.data[length:]
        assert len(piece) == length, "the process has written less"
        return np.frombuffer(piece, dtype).reshape(shape, order="F")


def checked(name: str, ranks: int, folder: Path, cases: list[Case], program: Path | None = None, **extra: str) -> None:
    """Run cases and compare all fields of all processes."""
    written, _ = results(name, ranks, folder, [case.settings for case in cases], program, **extra)
    readers = [Reader(data) for data in written]
    for case in cases:
        for rank, reader in enumerate(readers):
            compare(case, rank, reader)
    assert all(not reader.data for reader in readers)


def compare(case: Case, rank: int, reader: Reader) -> None:
    """Compare what a process has after one case."""
    if case.kind == "gather":
        if rank == 0:
            np.testing.assert_array_equal(reader.take(case.type, case.whole_shape()), case.whole(), err_msg=str(case))
        return
    shape = case.indices(rank)[0].shape
    found = reader.take(case.type, shape)
    if case.kind == "scatter":
        np.testing.assert_array_equal(found, case.scattered(rank), err_msg=f"{case}, process {rank}")
    elif case.kind == "exchange":
        np.testing.assert_array_equal(found, case.after(rank), err_msg=f"{case}, process {rank}")
    else:
        clean, dirty = case.poisoned(rank)
        np.testing.assert_array_equal(found[~dirty], clean[~dirty], err_msg=f"{case}, process {rank}")
        assert all_poison(case.type, found[dirty]), (case, rank)


def all_poison(kind: str, values: Array) -> bool:
    """Whether values are what hf_poison sets."""
    if kind.startswith("int"):
        return bool((values == np.iinfo(TYPES[kind]).max).all())
    if kind == "logical":
        return bool((values != 0).all())
    if kind.startswith("complex"):
        return bool((np.isnan(values.real) & np.isnan(values.imag)).all())
    return bool(np.isnan(values).all())


def matrix(ranks: int) -> list[Case]:
    """The cases that are known to go wrong somewhere, as far as they are allowed on so many processes."""
    return [case for case in _matrix(ranks) if case.fits]


def _matrix(ranks: int) -> Iterator[Case]:
    """Periodic or not, widths, sizes that do not divide, one row, orders of storage."""
    for grid, periodic in product(grids(ranks, 2), product([True, False], repeat=2)):
        plane = {"grid": grid, "periodic": periodic}
        yield Case(points=(13, 11), low=(2, 2), high=(2, 2), dims=(0, 1), extents=(0, 0), **plane)
        yield Case(points=(13, 11), low=(1, 0), high=(0, 1), dims=(1, 2), extents=(3, 0, 0), type="real32", **plane)
        yield Case(points=(12, 12), low=(1, 2), high=(2, 0), dims=(1, 0), extents=(0, 0, 1), corners=False, **plane)
        yield Case(points=(12, 12), low=(1, 2), high=(2, 1), dims=(0, 2), extents=(0, 2, 0), outer=True, **plane)
        yield Case(points=grid, low=(1, 1), high=(1, 1), dims=(0, 1), extents=(0, 0), type="int64", **plane)
    for width, periodic in product((1, 2, 3, 4), (True, False)):
        line = {"points": (4 * ranks + 3,), "grid": (ranks,), "periodic": (periodic,), "low": (width,)}
        yield Case(high=(width,), dims=(0,), extents=(0,), type="int32", **line)
        yield Case(high=(0,), dims=(2,), extents=(2, 2, 0, 2), turns=3, **line)


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_exchange(name: str, ranks: int, tmp_path: Path) -> None:
    random = Random(ranks)
    checked(name, ranks, tmp_path, [*matrix(ranks), *(random_case(random, ranks) for _ in range(40))])


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_poison_gather_and_scatter(name: str, ranks: int, tmp_path: Path) -> None:
    random = Random(1000 + ranks)
    kinds = ("poison", "gather", "scatter")
    cases = [random_case(random, ranks, kind) for kind in kinds for _ in range(20)]
    for kind, element in product(kinds, TYPES):
        plane = Case((9, 8), (ranks, 1), (True, False), (1, 1), (1, 1), (0, 1), (0, 0, 2), element, kind)
        cases.append(plane)
    checked(name, ranks, tmp_path, cases)


@pytest.mark.parametrize(("name", "ranks"), [("openmpi", 2), pytest.param("mpich", 2, marks=pytest.mark.full)])
def test_long_messages_go_in_parts(name: str, ranks: int, tmp_path: Path) -> None:
    """As those do that have more bytes than a default integer counts; here, more than 50."""
    random = Random(7)
    kinds = ("exchange", "gather", "scatter")
    cases = [random_case(random, ranks, kind) for kind in kinds for _ in range(15)]
    checked(name, ranks, tmp_path, cases, HFPY_MPI_CHUNK="50")


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "ranks"), [("serial", 1), ("openmpi", 3), ("openmpi", 6), ("openmpi", 8), ("mpich", 2)]
)
@pytest.mark.parametrize("seed", range(3))
def test_random(name: str, ranks: int, seed: int, tmp_path: Path) -> None:
    random = Random(10000 * ranks + seed)
    kinds = ("exchange", "exchange", "gather", "scatter", "poison")
    checked(name, ranks, tmp_path, [random_case(random, ranks, random.choice(kinds)) for _ in range(200)])
