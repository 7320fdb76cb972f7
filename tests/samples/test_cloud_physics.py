"""The physics of the sample cloud: Fortran against NumPy, two formulations of the same equations."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.command import CXXFLAGS, hfpy_process

SAMPLE = Path(__file__).parents[2] / "samples" / "cloud"


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"cloud_{name}", SAMPLE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"cloud_{name}"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the plain program writes, which is that of all backends."""
    folder = tmp_path_factory.mktemp("cloud")
    listed = (SAMPLE / "reference" / "files.txt").read_text().split()
    sources = [str(SAMPLE / "reference" / name) for name in listed]
    subprocess.run(["gfortran", "-O1", f"-J{folder}", "-o", folder / "cloud", *sources], check=True)
    subprocess.run([folder / "cloud", "cloud.dat", "230", "40", "1"], cwd=folder, check=True, capture_output=True)
    return folder / "cloud.dat"


def test_two_formulations_agree(output: Path) -> None:
    check = loaded("check")
    found = check.differences(str(output))
    assert len(found) == 17
    assert max(found.values()) < 1e-11


@pytest.mark.parametrize("place", [0, *(pytest.param(n, marks=pytest.mark.full) for n in (7, 5000)), -1])
def test_a_wrong_value_is_found(place: int, output: Path, tmp_path: Path) -> None:
    data = output.read_bytes()
    values = np.frombuffer(data, "<f8", offset=8).copy()
    values[place] += 1e-6 + 1e-6 * abs(values[place])
    (tmp_path / "wrong.dat").write_bytes(data[:8] + values.tobytes())
    command = [sys.executable, str(SAMPLE / "check.py"), str(tmp_path / "wrong.dat")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and "different" in ended.stdout
    (tmp_path / "short.dat").write_bytes(data[:-8])
    command[-1] = str(tmp_path / "short.dat")
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and "values" in ended.stderr


def test_the_picture_is_drawn(output: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(SAMPLE / "plot.py"), str(output), str(tmp_path / "cloud.png")]
    subprocess.run(command, check=True)
    assert (tmp_path / "cloud.png").read_bytes().startswith(b"\x89PNG")


ON_GPUS = ("--target", "gpu", "--backend")


@pytest.mark.parametrize(
    "options",
    [
        ("--backend", "openmp"),
        pytest.param(("--backend", "sequential"), marks=pytest.mark.full),
        pytest.param((*ON_GPUS, "cuda-c", "--emulate"), marks=pytest.mark.full),
        pytest.param((*ON_GPUS, "cuda-fortran", "--emulate"), marks=pytest.mark.full),
        pytest.param((*ON_GPUS, "openacc"), marks=pytest.mark.full),
        pytest.param((*ON_GPUS, "openmp-target"), marks=pytest.mark.full),
    ],
    ids=lambda options: options[-1] if options[-1] != "--emulate" else options[-2],
)
def test_blocks(options: tuple[str, ...], tmp_path: Path) -> None:
    """Loops over the columns inside of the routine: a region over blocks on CPUs, over columns on GPUs."""
    shutil.copytree(SAMPLE, tmp_path / "cloud", ignore=shutil.ignore_patterns("build", "*.dat"))
    project = tmp_path / "cloud" / "blocks"
    command = ["run", *options, "--", "out.dat", "75", "12", "1", "16"]
    environment = {**os.environ, "FFLAGS": "-O1", "CXXFLAGS": CXXFLAGS}
    ended = hfpy_process(command, cwd=project, env=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert max(loaded("check").differences(str(project / "out.dat")).values()) < 1e-11
