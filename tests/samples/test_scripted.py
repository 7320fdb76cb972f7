"""The samples with scripts, against NumPy: every backend, with the scripts and without, sizes that versions cover and
others.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.samples.programs import EXACT, SAMPLES, Program, build_sample, run_program
from tests.support import LEVEL

FULL = pytest.mark.full
BACKENDS = [
    "openmp",
    "cuda-c",
    *(pytest.param(b, marks=FULL) for b in ("sequential", "cuda-fortran", "openacc", "openmp-target")),
]
FLAGS = f"{LEVEL} {EXACT}"


def built(sample: str, backend: str, folder: Path, scripts: bool = True) -> Program:
    def without(project: Path) -> None:
        settings = project / "hfpy.toml"
        text = settings.read_text()
        settings.write_text(text if scripts else re.sub(r"(?s)\[scripts\].*?\n\n", "", text))

    return build_sample(sample, backend, "IJK", FLAGS, folder, prepare=without)


def checked(sample: str, result: Path, *arguments: str) -> str:
    command = [sys.executable, str(SAMPLES / sample / "check.py"), str(result), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def generated(program: Program) -> str:
    folder = program.path.parent / "generated"
    return "".join(p.read_text() for p in sorted(folder.rglob("*")) if p.is_file())


@pytest.mark.parametrize(
    "backend", ["openmp", *(pytest.param(getattr(b, "values", [b])[0], marks=FULL) for b in BACKENDS[1:])]
)
def test_mandelbrot(backend: str, tmp_path: Path) -> None:
    program = built("mandelbrot", backend, tmp_path / "with")
    result = run_program(program, "mandelbrot", 2, ("96", "100"))
    assert checked("mandelbrot", result, "96", "100").startswith("0 of")
    plain = built("mandelbrot", backend, tmp_path / "without", scripts=False)
    assert run_program(plain, "mandelbrot", 1, ("96", "100")).read_bytes() == result.read_bytes()
    said = "schedule(dynamic, 4)" if backend == "openmp" else "pictures.py"
    assert said in generated(program) and said not in generated(plain)


def test_a_wrong_picture_is_seen(tmp_path: Path) -> None:
    program = built("mandelbrot", "sequential", tmp_path, scripts=False)
    result = run_program(program, "mandelbrot", 1, ("48", "50"))
    data = np.fromfile(result, np.int32)
    data[2:] = data[2:] + (np.arange(data.size - 2) % 50 == 0)
    data.tofile(result)
    command = [sys.executable, str(SAMPLES / "mandelbrot" / "check.py"), str(result), "48", "50"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("backend", [pytest.param("cuda-c", marks=FULL) if b == "cuda-c" else b for b in BACKENDS])
def test_spectral(backend: str, tmp_path: Path) -> None:
    """Order 7 has a version, order 4 has none; both give the residuals of NumPy, and the bits of the plain build."""
    program = built("spectral", backend, tmp_path / "with")
    plain = built("spectral", "sequential", tmp_path / "without", scripts=False)
    for size in (("7", "2", "20"), ("4", "4", "20")):
        result = run_program(program, "spectral", 2, size)
        checked("spectral", result)
        other = run_program(plain, "spectral", 1, size)
        checked("spectral", other)
        mine, theirs = (np.frombuffer(p.read_bytes(), "<f8", offset=12) for p in (result, other))
        assert np.allclose(mine, theirs, rtol=1e-9, atol=1e-9 * abs(theirs).max())
    text = generated(program)
    assert "n1 == 8" in text and "n1 == 12" in text and "n1 == 5" not in text
    assert ("__shared__" in text) == (backend == "cuda-c")


def test_published_residuals(tmp_path: Path) -> None:
    """Those of kernel-metadata-and-transforms.md §3.2, for order 6 on 64 elements."""
    result = run_program(built("spectral", "openmp", tmp_path), "spectral", 2, ("6", "6", "20"))
    values = np.frombuffer(result.read_bytes(), "<f8", offset=12)
    history = values[64 * 343 :]
    assert np.allclose(history[[0, 1, 5, 20]], [80.87224, 56.55585, 21.81064, 1.028151], rtol=1e-6)
