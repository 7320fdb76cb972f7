"""Existing Hybrid Fortran projects like the examples of hybrid-fortran.md §15: built as they are and run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.build.existing.legacy import HF_DIR
from tests.command import CXXFLAGS
from tests.support import LEVEL

PROJECTS = Path(__file__).parent
# Lines with "ok" that each program prints; the programs of a project run in this order, in one folder.
RUNS = {
    "array_accessor_functions": {"example": 1},
    "basin": {"basin": 2},
    "branches_around_parallel_regions": {"example": 4},
    "channel": {"channel": 3},
    "demo": {"demo": 10},
    "diffusion3d": {"diffusion3d": 1},
    "early_returns": {"example": 5},
    "five_d_parallel_vector": {"example": 1},
    "grains": {"grains": 1},
    "hybrid_device_and_host_routines": {"example": 3},
    "mixed_implementations": {"example": 4},
    "module_data": {"example": 6},
    "multi_kernel_routines": {"example": 2},
    "particle": {"make_input": 1, "particle": 1},
    "poisson": {"poisson": 1},
    "simple_stencil": {"example": 2},
    "stencil_with_local_array": {"example": 1},
    "strides": {"strides": 2},
    "template_project": {"example": 1},
    "two_programs": {"spin_up": 1, "forecast": 1},
}


def test_no_project_is_forgotten() -> None:
    assert set(RUNS) == {path.parent.name for path in PROJECTS.glob("*/config")}


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "FC",
        "CC",
        "CFLAGS",
        "LDFLAGS",
        "MAKEFLAGS",
        "MAKELEVEL",
        "DEBUG",
        "EMULATED",
        "HFPY_EMULATE_ORDER",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("FFLAGS", LEVEL)


def run_programs(name: str, folder: Path, target: str, threads: str) -> None:
    """Every program of a built project, one after the other."""
    for program, expected in RUNS[name].items():
        path = folder / "test" / program / f"{program}_{target}"
        environment = {**os.environ, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [path, target], cwd=path.parent, env=environment, capture_output=True, text=True, timeout=300
        )
        lines = (done.stdout + done.stderr).splitlines()
        assert done.returncode == 0, lines
        assert sum(" ok" in f" {line}" for line in lines) == expected, lines


@pytest.mark.parametrize("name", RUNS)
def test_project(name: str, tmp_path: Path) -> None:
    """``hfpy build``, then every program with 1, 2 and 8 threads."""
    folder = tmp_path / name
    shutil.copytree(PROJECTS / name, folder)
    assert cli.run(["build", str(folder)]) == 0
    for threads in ("1", "2", "8"):
        run_programs(name, folder, "cpu", threads)


# What has shown something on the GPU that no smaller test has; the others take part in full runs.
SHOWN = {"hybrid_device_and_host_routines"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in SHOWN else pytest.mark.full) for n in RUNS])
def test_project_on_the_gpu(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for the GPU, emulated."""
    monkeypatch.setenv("CXXFLAGS", CXXFLAGS)
    folder = tmp_path / name
    shutil.copytree(PROJECTS / name, folder)
    assert cli.run(["build", str(folder), "--target", "gpu", "--emulate"]) == 0
    run_programs(name, folder, "gpu", "1")


def test_its_tests_run_through_its_makefile(tmp_path: Path) -> None:
    """``make tests`` of a project with two programs, whose settings name schemes of other projects."""
    folder = tmp_path / "two_programs"
    shutil.copytree(PROJECTS / "two_programs", folder)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "HF_DIR": str(HF_DIR)}
    command = ["make", f"HFPY={sys.executable} -m hfpy", "tests_cpu", "DEBUG=1"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 test runs ok" in done.stdout
    assert "forecast -nx 3 -ny 9 -nz 4 -steps 1: ok" in done.stdout
    assert "warning HF809" not in done.stdout + done.stderr
