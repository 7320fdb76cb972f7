"""The calls of ``hfpy run --profile`` on every backend: the same counts, copies where hfpy's runtime makes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hfpy.build.driver import PROFILE_FOLDER
from hfpy.report.profile.results import Measured, read
from tests.report.test_profile import EXPECTED, NX, NY, NZ, PROGRAM, STEPS
from tests.support import FLAGS, compile_files, run, translate_text

BACKENDS = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What measures, compiled."""
    target = tmp_path_factory.mktemp("profile") / "hfpy_profile.o"
    command = ["gcc", "-c", "-Wall", "-Wextra", "-Werror", str(PROFILE_FOLDER / "hfpy_profile.c"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def measured(backend: str, folder: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> Measured:
    """What the program measures on a backend."""
    done = translate_text({"model.h90": PROGRAM}, target="gpu", backend=backend, profile=True).require()
    files = {**done.files, "hfpy_profile.f90": (PROFILE_FOLDER / "hfpy_profile.f90").read_text()}
    program = compile_files(files, folder, (*FLAGS, "-fopenmp", "-fopenacc", str(runtime)))
    (folder / "out").mkdir()
    monkeypatch.setenv("HFPY_PROFILE", str(folder / "out"))
    assert run(program).returncode == 7
    found = read(folder / "out")
    assert found is not None
    return found


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts(backend: str, tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(backend, tmp_path, runtime, monkeypatch)
    assert {k.name: (k.place, k.calls, k.points, k.bytes) for k in found.kernels} == EXPECTED
    assert all(0 < k.longest <= k.seconds < found.seconds for k in found.kernels)
    copies = {(c.name, c.way): (c.calls, c.bytes) for c in found.copies}
    if not backend.startswith("cuda"):
        assert copies == {}
        return
    whole_a, whole_b = 8 * (NX + 2) * (NY + 2) * NZ, 4 * NX * NY * NZ
    assert copies["a", "to device"] == (STEPS, STEPS * whole_a)
    assert copies["b", "to device"] == copies["b", "to host"] == (STEPS, STEPS * whole_b)
    assert copies["extra", "to device"] == (1, 8 * NX * NY)
    assert ("a", "to host") not in copies
    assert 0 < sum(c.seconds for c in found.copies) < found.seconds
    assert found.device_bandwidth == 0  # the emulation's memory is the host's
