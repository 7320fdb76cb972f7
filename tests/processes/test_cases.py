"""Programs for many processes: halos of fields of all shapes, questions about points, reductions, routines for the
whole grid. What a case computes is checked in the program at every point, halos and corners too, by the global index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from hfpy.build.compile import processes
from tests.processes.exchanges import exchange_cases
from tests.processes.programs import WAYS, Case, faults, marked, translated, written

# What is refused, with the code: kernels do not know the runtime library.
NO_KERNEL = {"point_called": "HF652", "auto_ways": "HF702"}
GRIDS = ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (1, 4))
# Cases of exchange for every run of the tests; the others are for the full run. What of a case is in another one, too,
# is met there, or where exchanges take another way (test_choices, test_device).
FEW = (
    "no_corners_periodic sides uneven one_row line dims_1 forms types shapes one_cut_each plain_shapes "
    "overlap_periodic_ij overlap_forms overlap_types"
).split()
# Cases for the form of the library for one process: together they call all of it that any case calls.
ALONE = (
    "buffers_kept fixed_form overlapped point_nested point_periodic redundant sum_all sum_types two_decompositions "
    "whole_callees whole_inout whole_onlyj whole_renamed whole_state whole_string"
).split()
# Cases in another spelling, for the full run.
SPELLED = ("redundant_fixed",)
LABELS = marked({label: label in ("openmp",) for label in WAYS})


def soon() -> dict[str, Case]:
    """The written cases for every run of the tests."""
    return {name: case for name, case in written().items() if name not in SPELLED}


def spelled() -> dict[str, Case]:
    """Those for the full run."""
    return {name: written()[name] for name in SPELLED}


@pytest.mark.parametrize("label", LABELS)
def test_what_is_refused(label: str) -> None:
    way = WAYS[label]
    expected = dict(NO_KERNEL) if way.gpu else {}
    refused = translated(way, soon()).refused
    assert {name: codes[0].split()[0] for name, codes in refused.items()} == expected
    assert not translated(way, exchange_cases(FEW)).refused


@pytest.mark.parametrize("grid", marked({grid: grid in ((1, 1), (3, 2)) for grid in GRIDS}))
@pytest.mark.parametrize("label", LABELS)
def test_cases(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, soon())


@pytest.mark.full
@pytest.mark.parametrize("label", LABELS)
def test_what_is_refused_in_other_spellings(label: str) -> None:
    assert not translated(WAYS[label], spelled()).refused


@pytest.mark.full
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("label", LABELS)
def test_cases_in_other_spellings(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, spelled())


@pytest.mark.parametrize("grid", marked({grid: grid in ((1, 1), (2, 1), (3, 2)) for grid in GRIDS}))
@pytest.mark.parametrize("label", LABELS)
def test_exchanges(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases(FEW))


@pytest.mark.full
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("label", LABELS)
def test_more_exchanges(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases())


def called(names: Iterable[str]) -> set[str]:
    """The routines of the library for one process that some cases call."""
    listed = re.findall(r"\bhf_\w+", (processes.ALONE[0] / "hfpy_processes.F90").read_text().lower())
    files = translated(WAYS["openmp"], soon()).files
    texts = [text for file, text in files.items() if file.partition(".")[0] in names]
    return set(listed) & set(re.findall(r"\bhf_\w+", "\n".join(texts).lower()))


def test_few_cases_call_all_of_the_library() -> None:
    assert called(ALONE) == called(soon())


@pytest.mark.parametrize("names", marked({"few": True, "all": False}))
@pytest.mark.parametrize("label", LABELS)
def test_one_process_without_mpi(label: str, names: str) -> None:
    chosen = {name: case for name, case in written().items() if names == "all" or name in ALONE}
    assert not faults(WAYS[label], "alone", (1, 1), chosen)


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
