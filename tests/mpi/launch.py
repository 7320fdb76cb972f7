"""Builds of the MPI library with its test engine, and runs of it on several processes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from tests.kept import made, version

LIBRARY = Path(__file__).parents[2] / "hfpy" / "runtime" / "mpi"
PROGRAMS = Path(__file__).parent / "programs"
PARTS = "job grid waits links messages decomposition swaps boxes exchanges sums exact gathers".split()
EXACT = LIBRARY.parent / "exact" / "hfpy_exact.f90"
SOURCES = (EXACT, *(next(LIBRARY.glob(f"hfpy_halo_{part}.[fF]90")) for part in PARTS), LIBRARY / "hfpy_halo.F90")
ENGINE = tuple(f"{part}.F90" for part in ("engine", "special", "faults", "main"))
FLAGS = (
    os.environ.get("HFPY_TEST_LEVEL", "-O0"),
    "-g",
    "-fcheck=all",
    "-Wall",
    "-Wextra",
    "-std=f2008",
    "-Wno-function-elimination",
)
TIMEOUT = 300

# Variables by which launchers speak to their processes, and those that tell the library what to do.
_SENT_TYPES = re.compile(r"HFPY_|OMPI|PMI|MPI|SLURM|PALS|FLUX|MV2|HYDI|OMP_")


@dataclass(frozen=True)
class Build:
    """A way to build: a compiler, its flags, and the launcher of its programs (none: they run by themselves)."""

    name: str
    compiler: str
    flags: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """Which command is not installed here, or nothing."""
        commands = (self.compiler, *self.launcher[:1])
        return next((command for command in commands if shutil.which(command) is None), "")


# More processes than cores are no mistake here, and each may use any core.
_OPENMPI = ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none")
_OLD = ("-DHFPY_MPI", "-DHFPY_MPI_OLD")
BUILDS = {
    build.name: build
    for build in (
        Build("serial", "gfortran"),
        Build("openmpi", "mpifort.openmpi", ("-DHFPY_MPI",), _OPENMPI),
        Build("openmpi-old", "mpifort.openmpi", _OLD, _OPENMPI),
        Build("mpich", "mpifort.mpich", ("-DHFPY_MPI",), ("mpirun.mpich",)),
        Build("mpich-old", "mpifort.mpich", _OLD, ("mpirun.mpich",)),
    )
}


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="hfpy-mpi-")


@lru_cache
def engine(name: str, programs: tuple[str, ...] = ENGINE, *flags: str) -> Path:
    """The engine in one build, or another program; the test is skipped where its MPI is not installed."""
    build = BUILDS[name]
    if build.missing:
        pytest.skip(f"{build.missing} is not installed (make mpi)")
    folder = Path(tempfile.mkdtemp(dir=_scratch().name))
    for path in (EXACT, *LIBRARY.iterdir(), *PROGRAMS.iterdir()):
        shutil.copy(path, folder)
    command = [build.compiler, *build.flags, *FLAGS, *flags, *(s.name for s in SOURCES), *programs, "-o", "engine"]

    def compiled() -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    said = made([*command, version(build.compiler)], folder, compiled)
    assert "Warning" not in said, said
    return folder / "engine"


def environment(**extra: str) -> dict[str, str]:
    """The environment of a run: nothing of a launcher around the tests."""
    plain = {name: value for name, value in os.environ.items() if not _SENT_TYPES.match(name)}
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return plain | allowed | {"OMP_NUM_THREADS": "1"} | extra


def started(
    name: str, ranks: int, folder: Path, *arguments: str, program: Path | None = None, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run the engine, or another program, on some processes in a folder; fails where it takes too long."""
    build = BUILDS[name]
    count = ("-n", str(ranks)) if build.launcher else ()
    command = [*build.launcher, *count, str(program or engine(name)), *arguments]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment(**extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.terminate()  # the launcher ends its processes
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
            pytest.fail(f"{name} on {ranks} processes does not end: {' '.join(arguments)}")
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def results(
    name: str,
    ranks: int,
    folder: Path,
    cases: Sequence[Mapping[str, object]],
    program: Path | None = None,
    **extra: str,
) -> tuple[list[bytes], str]:
    """Run cases on some processes: what each process has written, and what was said on standard error."""
    (folder / "cases.nml").write_text("\n".join(namelist(case) for case in cases) + "\n")
    done = started(name, ranks, folder, program=program, **extra)
    assert done.returncode == 0, done.stdout + done.stderr
    return [(folder / f"result.{rank}").read_bytes() for rank in range(ranks)], done.stderr


def namelist(case: Mapping[str, object]) -> str:
    """A case as a namelist of Fortran."""
    return "&case " + ", ".join(f"{key} = {_spelled(value)}" for key, value in case.items()) + " /"


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, bool):
        return ".true." if value else ".false."
    if isinstance(value, tuple):
        return ", ".join(_spelled(each) for each in value)
    return str(value)
