"""Every stencil kernel at every level of the optimiser, and with every schedule that directives can ask for, on every
backend: bit by bit what the plain twin computes.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from itertools import product
from pathlib import Path

import pytest

from hfpy.build.session import Given, open_project
from hfpy.options import TUNING_FILE, Tuned
from hfpy.project import source_files
from hfpy.tune.runs import find_work
from samples.compare import compare, read_fields
from tests.samples.programs import CHECKED, EMULATED, OPTIMISED, build_sample, build_twin, run_program

BACKENDS = ("sequential", "openmp", "cuda-c", "cuda-fortran", "openacc", "openmp-target")
LEVELS = ("0", "1", "2", "3")
KINDS: dict[str, tuple[str, ...]] = {"double": (), "single": ("-DSINGLE",)}
# One with no even size, and one of more blocks than one.
SIZES = (("13", "11", "9"), ("37", "70", "6"))

# What is put into the directives of all regions over points, whose sizes are these, and further options. Regions over
# columns (the vertical solver) are along, each point of theirs a loop over k.
SIZES_OF_REGIONS = "domSize(nx,ny,nz)"
SCHEDULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "as the model says": ("", ()),
    "inlined": ("fuse(all)", ()),
    "unrolled 2": ("unroll(j:2)", ()),
    "unrolled 4": ("unroll(j:4)", ()),
    "unrolled in k": ("unroll(k:2)", ()),
    "tiled": ("tile(i:16, j:4)", ()),
    "tiled and unrolled": ("tile(i:16, j:8), unroll(j:2)", ()),
    "walking in k": ("march(k:4)", ()),
    "walking in j": ("fuse(all), march(j:7)", ()),
    "walking and unrolled": ("march(k:3), unroll(j:2), tile(i:16, j:8)", ()),
    "shared tiles": ("fuse(all), share(i:16, j:4)", ()),
    "for sizes": ("", ("--specialise", "nx=13 ny=11")),
    "grouped otherwise": ("", ()),
    "sweeps apart": ("", ()),
    "sweeps as one": ("", ()),
}
# What is put into the directives of regions over columns, in some schedules.
SIZES_OF_COLUMNS = "domSize(nx,ny)}"
COLUMNS = {"sweeps apart": "fuse(no)", "sweeps as one": "fuse(column)"}

# The samples' matrix and test_golden.py meet level 2; here is what they leave out.
COVERING = (
    pytest.param("sequential", "0", "double", "as the model says", marks=pytest.mark.full),
    pytest.param("openmp", "1", "double", "as the model says", marks=pytest.mark.full),
    pytest.param("openmp", "2", "single", "tiled", marks=pytest.mark.full),
    pytest.param("openmp", "3", "double", "unrolled 4", marks=pytest.mark.full),
    pytest.param("openmp", "2", "single", "for sizes", marks=pytest.mark.full),
    pytest.param("cuda-c", "2", "double", "shared tiles", marks=pytest.mark.full),
    pytest.param("openacc", "2", "single", "walking and unrolled", marks=pytest.mark.full),
    pytest.param("cuda-fortran", "2", "double", "tiled and unrolled", marks=pytest.mark.full),
    pytest.param("openacc", "3", "double", "unrolled 2", marks=pytest.mark.full),
)

Expected = dict[str, list[Path]]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """What the twin computes at all sizes, by kind, when first asked for."""
    folder = tmp_path_factory.mktemp("twins")

    class Made(Expected):
        def __missing__(self, kind: str) -> list[Path]:
            program = build_twin("stencils", folder / kind, KINDS[kind])
            assert not program.warnings, program.warnings
            self[kind] = [run_program(program, "stencils", 2, sizes) for sizes in SIZES]
            return self[kind]

    return Made()


def check(
    backend: str, level: str, kind: str, flags: str, expected: Expected, folder: Path, schedule: str = ""
) -> None:
    """Build all kernels once, run them at all sizes, compare with the twin."""
    if backend in EMULATED and shutil.which("g++") is None:
        pytest.skip("no g++ here")
    attributes, further = SCHEDULES[schedule] if schedule else ("", ())
    options = ("--opt", level, *KINDS[kind], *further)

    def prepare(project: Path) -> None:
        for path in project.rglob("*.h90") if attributes else ():
            text = path.read_text(encoding="utf-8")
            assert SIZES_OF_REGIONS in text or path.stem == "vertical", path
            path.write_text(text.replace(SIZES_OF_REGIONS, f"{SIZES_OF_REGIONS}, {attributes}"), encoding="utf-8")
        if schedule in COLUMNS:
            path = project / "source" / "vertical.h90"
            text = path.read_text(encoding="utf-8")
            assert text.count(SIZES_OF_COLUMNS) == 4
            written = f"{SIZES_OF_COLUMNS[:-1]}, {COLUMNS[schedule]}}}"
            path.write_text(text.replace(SIZES_OF_COLUMNS, written), encoding="utf-8")
        if schedule == "grouped otherwise":
            _group_otherwise(project, "cpu" if backend in ("sequential", "openmp") else "gpu", backend)

    program = build_sample("stencils", backend, "IJK", flags, folder, options, prepare=prepare)
    for sizes, twin in zip(SIZES, expected[kind], strict=True):
        assert not compare("stencils", run_program(program, "stencils", 2, sizes), twin), sizes


def _group_otherwise(project: Path, target: str, backend: str) -> None:
    """Let the third best grouping be taken for each kernel, in blocks of 8 rows, as hfpy tune would write it."""
    session = open_project(project, Given(target=target, backend=backend), {})
    works = find_work(source_files(session.project), session.options, (), 3)
    runs = [(work, run) for work in works for run in work.runs]
    assert sum(len(run.choices) == 3 for _, run in runs) > 8
    chosen = [Tuned(work.routine, run.stages, backend, run.choices[-1], 8) for work, run in runs]
    text = json.dumps({"cpu": [], "gpu": [], target: [asdict(t) for t in chosen]})
    (project / TUNING_FILE).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("backend", "level", "kind", "schedule"), COVERING)
def test_covering(backend: str, level: str, kind: str, schedule: str, expected: Expected, tmp_path: Path) -> None:
    check(backend, level, kind, CHECKED, expected, tmp_path, schedule)


def test_the_kernels_tuned_by_hand(expected: Expected, tmp_path: Path) -> None:
    program = build_twin("stencils", tmp_path, of="expert")
    assert not program.warnings, program.warnings
    for sizes, twin in zip(SIZES, expected["double"], strict=True):
        known = {f.name: f.values for f in read_fields("stencils", twin)}
        found = read_fields("stencils", run_program(program, "stencils", 2, sizes))
        assert {f.name.split()[0] for f in found} == {"hdiffsa", "fastwavesuv", "fvtp2d"}
        assert [f.name for f in found if f.values.tobytes() != known[f.name].tobytes()] == [], sizes


@pytest.mark.full
@pytest.mark.parametrize("flags", [CHECKED, OPTIMISED], ids=["checked", "optimised"])
@pytest.mark.parametrize(("backend", "level", "kind"), list(product(BACKENDS, LEVELS, KINDS)))
def test_whole_matrix(backend: str, level: str, kind: str, flags: str, expected: Expected, tmp_path: Path) -> None:
    check(backend, level, kind, flags, expected, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("backend", ["openmp", "cuda-c", "cuda-fortran", "openacc"])
@pytest.mark.parametrize("schedule", [name for name in SCHEDULES if name != "as the model says"])
def test_schedules(schedule: str, backend: str, expected: Expected, tmp_path: Path) -> None:
    check(backend, "2", "double", CHECKED, expected, tmp_path, schedule)
