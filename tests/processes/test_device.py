"""Buffers of messages on a device: MPI works with them there if it can, else they go through the host. Emulation keeps
the device's memory apart, so that a buffer that is taken from the wrong place shows.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.gpu.opencl import needs_opencl
from tests.mpi.launch import BUILDS, environment
from tests.processes.exchanges import exchange_cases
from tests.processes.programs import DOMAINS, WAYS, Way, built, faults, marked, written

FEW = ("base", "periodic_ij", "overlap_sides", "overlap_periodic_ij", "overlap_types")
LABELS = marked({label: label == "cuda-c" for label, way in WAYS.items() if way.gpu})
GRIDS = marked({(2, 1): True, (1, 1): False, (1, 2): False, (2, 2): False, (3, 2): False})
BUFFER = "'a buffer of messages'"


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("label", LABELS)
def test_buffers_on_a_device(label: str, grid: tuple[int, int], device: int) -> None:
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases(FEW), HFPY_MPI_DEVICE=str(device))


@pytest.mark.full
@pytest.mark.parametrize("check", [0, 1])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("label", LABELS)
def test_cases_with_messages_from_a_device(label: str, grid: tuple[int, int], check: int) -> None:
    more = {"HFPY_MPI_DEVICE": "1", "HFPY_MPI_CHECK": str(check)}
    assert not faults(WAYS[label], "openmpi", grid, written(), **more)
    assert not faults(WAYS[label], "openmpi", grid, exchange_cases(), **more)


@needs_opencl
@pytest.mark.full
@pytest.mark.parametrize("device", [0, 1])
def test_buffers_of_opencl_go_through_the_host(device: int) -> None:
    """They have no addresses that MPI could use, whatever it is asked to."""
    way = Way("opencl", {"target": "gpu", "backend": "opencl", "domains": DOMAINS})
    assert not faults(way, "openmpi", (2, 1), exchange_cases(FEW), HFPY_MPI_DEVICE=str(device))


def copies_of_buffers(device: int, case: str) -> int:
    """How many copies of buffers between host and device two processes make for one case."""
    program = built(WAYS["cuda-c"], "openmpi", exchange_cases(FEW))
    extra = {"HFPY_MPI_DEVICE": str(device), "HFPY_TRACE": "1", "OMP_NUM_THREADS": "1"}
    command = [*BUILDS["openmpi"].launcher, "-n", "2", str(program), "2", "1", case]
    done = subprocess.run(
        command,
        env=environment() | extra,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    assert "kernel" in done.stderr
    return done.stderr.count(BUFFER)


@pytest.mark.parametrize("case", ["exchange_base", "exchange_overlap_sides"])
def test_no_copies_where_mpi_works_with_the_device(case: str) -> None:
    assert copies_of_buffers(0, case) > 0
    assert copies_of_buffers(1, case) == 0
