"""Messages of the program's own beside the directives: blocking and not, with derived types and communicators of its
own, on fields that regions set and read, on the host and on devices.
"""

from __future__ import annotations

import pytest

from tests.processes.ownmessages import own_cases
from tests.processes.programs import WAYS, faults, marked, translated

LABELS = marked({label: label in ("openmp",) for label in WAYS})


@pytest.mark.parametrize("label", LABELS)
def test_all_are_taken(label: str) -> None:
    assert not translated(WAYS[label], own_cases()).refused


@pytest.mark.parametrize("grid", marked({(1, 1): False, (2, 1): True, (1, 2): False, (2, 2): False, (3, 2): True}))
@pytest.mark.parametrize("label", LABELS)
def test_own_messages(label: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS[label], "openmpi", grid, own_cases())


@pytest.mark.full
@pytest.mark.parametrize("grid", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("mpi", ["mpich", "mpich-old", "openmpi-old"])
def test_other_builds_of_mpi(mpi: str, grid: tuple[int, int]) -> None:
    assert not faults(WAYS["openmp"], mpi, grid, own_cases())
