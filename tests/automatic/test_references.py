"""The samples as plain Fortran: hfpy finds the regions of their references, and the results are equal."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from hfpy.analyze.callgraph.positions import active_regions
from hfpy.build.session import Given, open_project
from hfpy.pipeline import settled_application
from tests.command import CXXFLAGS, hfpy_process
from tests.samples.programs import CHECKED, ROOT, SAMPLES, Program, build_twin, run_program

sys.path.insert(0, str(SAMPLES))
from compare import compare

# Sample, and how many regions are found at least.
FOUND = {
    "diffusion": 5,
    "columns": 2,
    "reduction": 8,
    "module_data": 12,
    "stencils": 20,
    "cloud": 3,
    "euler": 12,
    "weather": 18,
}
WAYS = {"openmp": (), "cuda-c": ("--target", "gpu", "--emulate")}


def copied(sample: str, folder: Path) -> None:
    """The reference of a sample as a project whose own directives are dropped."""
    reference = SAMPLES / sample / "reference"
    names = []
    for name in (reference / "files.txt").read_text(encoding="utf-8").split():
        source = (reference / name).resolve()
        shutil.copy(source, folder)
        names.append(f'"{source.name}"')
    for included in (*reference.glob("*.h"), *reference.glob("*.inc")):
        shutil.copy(included, folder)
    settings = f'[project]\nname = "{sample}"\nsources = [{", ".join(names)}]\nauto = true\ndrop_directives = true\n'
    (folder / "hfpy.toml").write_text(settings)


def built(sample: str, backend: str, folder: Path) -> tuple[Program, str]:
    """The reference of a sample, built with ``auto`` and without its own directives, and the generated text."""
    copied(sample, folder)
    flags = {"FFLAGS": CHECKED.replace("-Wall ", ""), "CXXFLAGS": CXXFLAGS, "PYTHONPATH": str(ROOT)}
    command = ["build", ".", "--backend", backend, "-j", "1", *WAYS[backend]]
    done = hfpy_process(command, cwd=folder, env={**os.environ, **flags})
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    below = next(p for p in (folder / "build").iterdir() if p.is_dir())
    program = next(p for p in below.iterdir() if p.is_file() and not p.suffix and os.access(p, os.X_OK))
    texts = (p.read_text(encoding="utf-8", errors="replace") for p in (below / "generated").glob("*.[fF]90"))
    return Program(program, ""), "\n".join(texts)


@pytest.mark.parametrize("backend", ["openmp", pytest.param("cuda-c", marks=pytest.mark.full)])
@pytest.mark.parametrize("sample", [s if s == "diffusion" else pytest.param(s, marks=pytest.mark.full) for s in FOUND])
def test_a_reference_without_directives(sample: str, backend: str, tmp_path: Path) -> None:
    expected = run_program(build_twin(sample, tmp_path / "twin"), sample, 1)
    project = tmp_path / "project"
    project.mkdir()
    program, text = built(sample, backend, project)
    for threads in (1, 3) if backend == "openmp" else (1,):
        assert not compare(sample, run_program(program, sample, threads), expected)
    if backend == "openmp":
        assert text.count("@parallelRegion{") >= FOUND[sample]


def documented() -> dict[str, tuple[int, ...]]:
    """The numbers of regions in docs/automatic.md: by hand on the CPU and on GPUs, found on the CPU and on GPUs."""
    rows = (line.split("|") for line in (ROOT / "docs/automatic.md").read_text(encoding="utf-8").splitlines())
    cells = {row[1].strip(): ",".join(row[2:5]) for row in rows if len(row) == 7 and row[1].strip() in FOUND}
    return {sample: tuple(map(int, numbers.split(","))) for sample, numbers in cells.items()}


def test_every_sample_is_documented() -> None:
    assert documented().keys() == FOUND.keys()


@pytest.mark.parametrize("sample", [s if s == "columns" else pytest.param(s, marks=pytest.mark.full) for s in FOUND])
def test_found_beside_those_by_hand(sample: str, tmp_path: Path) -> None:
    copied(sample, tmp_path)
    command = ["annotate", "--format", "json", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = hfpy_process(command, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    found = tuple(summary[target]["parallel"] for target in ("cpu", "gpu"))
    by_hand = tuple(_by_hand(sample, target) for target in ("cpu", "gpu"))
    assert (*by_hand, *found) == documented()[sample]


def _by_hand(sample: str, target: str) -> int:
    session = open_project(SAMPLES / sample, Given(target=target), {})
    return len(active_regions(settled_application(session.sources, session.options).application, target))
