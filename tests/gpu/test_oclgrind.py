"""Kernels under oclgrind: a machine that is not hfpy's looks at every access, for races and for memory that is none.

It is an OpenCL device that interprets kernels one statement at a time (accelerators.md). What it finds goes to a log.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.opencl import needs_opencl
from tests.samples.programs import ARGUMENTS, CHECKED, SAMPLES, build_sample, build_twin, run_program

sys.path.insert(0, str(SAMPLES))
from compare import compare

OCLGRIND = shutil.which("oclgrind")
STEPS = {"diffusion": ("20", "16", "18", "5"), "ocean": ("24", "18", "4", "4", "1"), "columns": ("9", "7", "11", "4")}

pytestmark = [
    needs_opencl,
    pytest.mark.full,
    pytest.mark.skipif(OCLGRIND is None, reason="oclgrind is not on this machine (make oclgrind)"),
]


@pytest.mark.parametrize("order", ["KIJ", "IJK"])
@pytest.mark.parametrize("sample", ARGUMENTS)
def test_samples_have_no_races(sample: str, order: str, tmp_path: Path) -> None:
    words = STEPS.get(sample, ARGUMENTS[sample])
    program = build_sample(sample, "opencl", order, CHECKED, tmp_path)
    log, result = tmp_path / "log", tmp_path / "result.dat"
    command = [str(OCLGRIND), "--data-races", "--log", str(log), str(program.path), str(result), *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert log.read_text(encoding="utf-8") == ""
    assert not compare(sample, result, run_program(build_twin(sample, tmp_path / "twin"), sample, 1, words))
