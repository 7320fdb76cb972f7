"""Programs around the library: with MPI of their own, started as many, optimised, running for long."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from tests.mpi.launch import ENGINE, engine, results, started
from tests.mpi.test_fields import Reader, checked, matrix
from tests.mpi.test_reductions import bits_of, hard_cases, totals
from tests.mpi.test_swaps import swapped, together

BOTH = ["openmpi", "mpich"]


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("openmpi", 4),
        pytest.param("openmpi", 3, marks=pytest.mark.full),
        pytest.param("openmpi-old", 4, marks=pytest.mark.full),
        pytest.param("mpich", 2, marks=pytest.mark.full),
        pytest.param("mpich-old", 2, marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("check", ["0", "1"])
def test_a_program_with_mpi_of_its_own(name: str, ranks: int, check: str, tmp_path: Path) -> None:
    """It keeps the say: its communicators, its messages, its MPI_Finalize."""
    done = started(name, ranks, tmp_path, program=engine(name, ("guest.F90",)), HFPY_MPI_CHECK=check)
    assert (done.returncode, done.stdout) == (0, "guest is content\n"), done.stderr


@pytest.mark.parametrize(
    "name", ["openmpi", *(pytest.param(name, marks=pytest.mark.full) for name in ("mpich", "openmpi-old", "mpich-old"))]
)
@pytest.mark.parametrize(
    ("how", "status", "message"),
    [
        ("", 0, ""),
        ("stop", 1, "hfpy: rank 1: the program ends without MPI_Finalize"),
        ("error-stop", 1, "ERROR STOP 3"),
        ("finalize", 1, "process 1 has ended before a message that is expected of it"),
        ("abort", 4, ""),
    ],
)
def test_how_such_a_program_ends(name: str, how: str, status: int, message: str, tmp_path: Path) -> None:
    """One process leaves the others alone; what it says itself stays."""
    done = started(name, 2, tmp_path, how, program=engine(name, ("own.F90",)))
    assert done.returncode == status
    assert message in done.stderr
    if not message:
        assert "hfpy" not in done.stderr
    if not how:
        assert not done.stderr


@pytest.mark.parametrize("name", BOTH)
def test_many_programs_of_one_process(name: str, tmp_path: Path) -> None:
    """One launcher may start members of an ensemble that know nothing of each other."""
    done = started(name, 2, tmp_path, "finish", program=engine("serial"), HFPY_MPI_ALONE="1")
    assert done.stderr.count("hfpy: an exchange is finished that has not been started") == 2


@pytest.mark.full
@pytest.mark.parametrize(("name", "ranks"), [("serial", 1), ("openmpi", 4), ("mpich", 2), ("mpich-old", 2)])
@pytest.mark.parametrize("flags", [("-O2",), ("-O3", "-flto=auto", "-march=native"), ("-O3", "-ffast-math")])
def test_optimised(name: str, ranks: int, flags: tuple[str, ...], tmp_path: Path) -> None:
    """Compilers draw no conclusions from what they cannot see: buffers change while others are called."""
    program = engine(name, ENGINE, *flags)
    checked(name, ranks, tmp_path, matrix(ranks), program)
    swapped(name, ranks, tmp_path, program)
    together(name, ranks, tmp_path, program)
    sets = hard_cases(Random(5))
    found = totals(name, ranks, tmp_path, sets, False, program)
    assert found == [bits_of(float(sum(map(Fraction, numbers), Fraction(0))) + 0.0) for numbers in sets]


@pytest.mark.parametrize(
    ("name", "ranks"), [("serial", 1), ("openmpi", 2), pytest.param("mpich", 2, marks=pytest.mark.full)]
)
def test_memory_does_not_grow(name: str, ranks: int, tmp_path: Path) -> None:
    """Thousands of exchanges, with plans used again, plans made anew, and decompositions."""
    case = {
        "kind": "growth",
        "nd": 2,
        "global": (24, 20),
        "low": (2, 2),
        "high": (2, 2),
        "grid": (0, 0),
        "turns": 3000,
        "dims": (1, 2),
        "periodic": (True, True),
    }
    written, _ = results(name, ranks, tmp_path, [case])
    for reader in map(Reader, written):
        early, late = reader.take("int32", (2,))
        assert late - early < 300, "kilobytes more"
