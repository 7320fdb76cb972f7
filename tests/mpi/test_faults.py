"""What goes wrong on some process ends the whole job, soon, and with a message that says what it was."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.mpi.launch import engine, started

MOST = 30  # seconds

# The fault, and what its message has to say. Some take seconds, since a farewell is waited out.
QUICK = {
    "rows": "1 points cannot be divided among 2 processes: each needs a row of its own",
    "narrow": "9 points cannot be divided among 2 processes.* at least as many as the halo is wide",
    "grid": "among 2 processes in a grid of 2 x 3: that grid has 6 places",
    "unready": "used before hf_decompose has set it",
    "negative": "is negative",
    "sizes": "global size is 12 at process 0 and 13 at process 1 in dimension 1",
    "names": "process 1 sets up decomposition other where process 0 sets up ring",
    "longer": "message from process 1 has more than the 8 bytes",
    "shorter": "message from process 1 has 8 bytes where 16 are expected",
    "dies": "",
    "unfinished": "ends while 1 exchanges are started and not finished",
    "twice": "started again before it is finished",
    "finish": "finished that has not been started",
    "buffer": "reaches beyond its buffers, which have 2 and 2 elements",
    "bounds": "has 8 elements, but its bounds are said to be 1 and 7",
    "too-wide": "is 2 wide; decomposition ring has been made for 1",
    "whole": "has 8 x 1 x 1 x 1 elements at process 0 where 12 x 1 x 1 x 1 are needed",
}
SLOW = {
    "silent": "process 1 has ended before a message that is expected of it",
    "stops": "process 1 has ended before a message that is expected of it",
    "stops-in-sum": "process 1 has ended, and others wait for it",
    "stops-before-another": "process 1 has ended, and others wait for it",
    "error-stop": "process 1 has ended before a message that is expected of it",
}
BOTH = ["openmpi", pytest.param("mpich", marks=pytest.mark.full)]
OTHERS = ["openmpi-old", "mpich-old"]


def ended(name: str, fault: str, message: str, folder: Path, ranks: int = 2, **extra: str) -> None:
    """Run a fault, and see that the job ends with a message on its standard error."""
    begun = time.monotonic()
    done = started(name, ranks, folder, fault, **extra)
    assert done.returncode != 0, done.stdout
    assert time.monotonic() - begun < MOST
    if not message:
        assert done.stderr + done.stdout  # the launcher speaks; that of MPICH, on standard output
        return
    lines = [line for line in done.stderr.splitlines() if line.startswith("hfpy: ")]
    assert any(re.search(message, line) for line in lines), done.stderr


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("fault", QUICK)
def test_fault(name: str, fault: str, tmp_path: Path) -> None:
    ended(name, fault, QUICK[fault], tmp_path)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("fault", [pytest.param(f, marks=[pytest.mark.full] * (f != "stops-in-sum")) for f in SLOW])
def test_a_process_that_ends_early(name: str, fault: str, tmp_path: Path) -> None:
    """It says farewell, and those that wait for it look for that."""
    ended(name, fault, SLOW[fault], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("fault", [*QUICK, *SLOW])
def test_fault_on_the_old_module(name: str, fault: str, tmp_path: Path) -> None:
    ended(name, fault, (QUICK | SLOW)[fault], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["sizes", "longer", "dies", "stops", "stops-in-sum", "error-stop"])
def test_fault_among_more_processes(fault: str, tmp_path: Path) -> None:
    message = (QUICK | SLOW)[fault]
    ended("openmpi", fault, message, tmp_path, ranks=4)


@pytest.mark.parametrize(
    ("fault", "culprit", "ranks"),
    [("stops-far", 2, 4), ("stops-in-gather", 2, 5)],
)
@pytest.mark.full
def test_a_process_that_is_no_neighbour_ends_early(fault: str, culprit: int, ranks: int, tmp_path: Path) -> None:
    ended("openmpi", fault, f"process {culprit} has ended before a message that is expected of it", tmp_path, ranks)


@pytest.mark.full
def test_process_0_ends_early(tmp_path: Path) -> None:
    message = "process 0 has ended before a message that is expected of it"
    ended("openmpi", "stops-in-scatter", message, tmp_path, ranks=4)


@pytest.mark.parametrize("name", BOTH)
def test_lengths_are_compared_beforehand(name: str, tmp_path: Path) -> None:
    """Also where one process sends nothing and another waits: at once, with both lengths."""
    message = "process 1 sends 0 bytes where 8 are expected"
    begun = time.monotonic()
    ended(name, "silent", message, tmp_path, HFPY_MPI_CHECK="1")
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("name", BOTH)
def test_the_longest_wait(name: str, tmp_path: Path) -> None:
    ended(name, "sleeps", "no message of process 1 for 2 s", tmp_path, HFPY_MPI_TIMEOUT="2")


@pytest.mark.parametrize(
    ("name", "other", "message"),
    [
        ("serial", "openmpi", "the launcher has started 2 processes, but the program was built without MPI"),
        ("serial", "mpich", "the launcher has started 2 processes, but the program was built without MPI"),
        ("openmpi", "mpich", "the launcher has started 2 processes, but each is alone"),
        ("mpich", "openmpi", "the launcher has started 2 processes, but each is alone"),
    ],
)
def test_the_launcher_of_another_library(name: str, other: str, message: str, tmp_path: Path) -> None:
    """Each process would compute everything, and all write the same files."""
    program = engine(name)
    engine(other)
    done = started(other, 2, tmp_path, "finish", program=program)
    assert done.returncode != 0
    assert message in done.stderr
