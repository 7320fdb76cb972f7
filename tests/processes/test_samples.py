"""Samples that run as many processes: their output is that of one, bit for bit."""

from __future__ import annotations

import filecmp
import os
import shutil
from pathlib import Path

import pytest

from tests.command import hfpy_process

SAMPLES = Path(__file__).parents[2] / "samples"
LAUNCH = ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n")
# Sizes that no number of processes divides, and few steps.
ARGUMENTS = {"weather": ("17", "13", "9", "6", "2"), "stencils": ("17", "19", "6")}
ROWS = {"weather": ("13", "17", "9", "6", "2"), "stencils": ("21", "13", "5")}
WAYS = {
    "cpu": (),
    "ijk": ("--layout", "i j k tile"),
    "cuda-c": ("--target", "gpu", "--emulate"),
    "cuda-fortran": ("--target", "gpu", "--backend", "cuda-fortran", "--emulate"),
    "openacc": ("--target", "gpu", "--backend", "openacc", "--emulate"),
    "openmp-target": ("--target", "gpu", "--backend", "openmp-target", "--emulate"),
}

pytestmark = pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Open MPI is not installed (make mpi)")


def run(project: Path, file: Path, arguments: tuple[str, ...], *options: str, ranks: int = 0) -> None:
    """Build and run a sample; ``ranks`` is the number of processes, 0 for a build without MPI."""
    # Without library functions for vectors, whose results depend on where a loop is cut.
    environment = {k: v for k, v in os.environ.items() if k not in ("FC", "FFLAGS")}
    environment |= {"FFLAGS": "-O1 -ffp-contract=off -fno-tree-vectorize", "OMP_NUM_THREADS": "2"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_STACKSIZE": "64M"}
    many: list[str] = []
    if ranks:
        environment["FC"] = "mpifort.openmpi"
        many = ["--mpi", "--launcher", " ".join([*LAUNCH, str(ranks)])]
    command = ["run", "-C", str(project), *many, *options, "--", str(file), *arguments]
    done = hfpy_process(command, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


CASES = [(name, way) for name in ARGUMENTS for way in WAYS if (name, way) != ("stencils", "ijk")]  # that is its order


def copied(name: str, folder: Path) -> Path:
    """A sample's project, in a folder of its own."""
    ignored = shutil.ignore_patterns("build", "output")
    return Path(shutil.copytree(SAMPLES / name, folder / name, ignore=ignored))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_few_lines_are_for_many_processes(name: str) -> None:
    words = ("@decomposition", "@haloExchange", "@wholeGrid", "global(", "onEdge(")
    rows = [row for path in (SAMPLES / name / "source").iterdir() for row in path.read_text().splitlines()]
    assert 1 < sum(any(word in row for word in words) for row in rows) <= 10


@pytest.mark.full
def test_weather_as_four_processes(tmp_path: Path) -> None:
    project, one, many = copied("weather", tmp_path), tmp_path / "one.dat", tmp_path / "many.dat"
    run(project, one, ARGUMENTS["weather"])
    run(project, many, ARGUMENTS["weather"], ranks=4)
    assert filecmp.cmp(one, many, shallow=False)


@pytest.mark.full
@pytest.mark.parametrize(("name", "way"), CASES)
def test_as_many_processes(name: str, way: str, tmp_path: Path) -> None:
    project, one = copied(name, tmp_path), tmp_path / "one.dat"
    for arguments in (ARGUMENTS[name], ROWS[name]):
        run(project, one, arguments, *WAYS[way])
        for ranks in (1, 2, 4, 6):
            many = tmp_path / f"many{ranks}.dat"
            run(project, many, arguments, *WAYS[way], ranks=ranks)
            assert filecmp.cmp(one, many, shallow=False), f"{ranks} processes, {arguments}"
