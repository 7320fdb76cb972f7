"""Programs for many processes: halos of fields of all shapes, questions about points, reductions, routines for the
whole grid. What a case computes is checked in the program at every point, halos and corners too, by the global index.
"""

from __future__ import annotations

import pytest

from tests.processes.exchanges import exchange_cases
from tests.processes.programs import WAYS, faults, marked, translated, written

# What is refused, with the code: kernels do not know the runtime library.
NO_KERNEL = {"point_called": "HF652", "auto_ways": "HF702"}
GRIDS = ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (1, 4))
# Cases of exchange for every run of the tests; the others are for the full run.
FEW = (
    "base periodic_ij no_corners_periodic sides uneven one_row line type_logical type_integer8 dims_1 forms types "
    "shapes one_cut_each plain_shapes overlap_periodic_ij overlap_sides overlap_forms overlap_types "
    "overlap_one_cut_each"
).split()
LABELS = marked({label: label in ("openmp",) for label in WAYS})


@pytest.mark.parametrize("label", LABELS)
def test_what_is_refused(label: str) -> None:
    way = WAYS[label]
    expected = dict(NO_KERNEL) if way.gpu else {}
    refused = translated(way, written()).refused
    assert {name: codes[0].split()[0] for name, codes in refused.items()} == expected
    assert not translated(way, exchange_cases(FEW)).refused


@pytest.mark.parametrize("grid", marked({grid: grid in ((1, 1), (3, 2)) for grid in GRIDS}))
@pytest.mark.parametrize("label", LABELS)
def test_cases(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, written())


@pytest.mark.parametrize("grid", marked({grid: grid in ((1, 1), (2, 1), (3, 2)) for grid in GRIDS}))
@pytest.mark.parametrize("label", LABELS)
def test_exchanges(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases(FEW))


@pytest.mark.full
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("label", LABELS)
def test_more_exchanges(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases())


@pytest.mark.parametrize("label", LABELS)
def test_one_process_without_mpi(label: str) -> None:
    assert not faults(WAYS[label], "alone", (1, 1), written())


@pytest.mark.full
@pytest.mark.parametrize("label", LABELS)
def test_exchanges_of_one_process_without_mpi(label: str) -> None:
    assert not faults(WAYS[label], "alone", (1, 1), exchange_cases())


@pytest.mark.full
@pytest.mark.parametrize("grid", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("mpi", ["mpich", "mpich-old", "openmpi-old"])
def test_other_builds_of_mpi(mpi: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS["openmp"], mpi, grid, written())
    assert not faults(WAYS["openmp"], mpi, grid, exchange_cases())
