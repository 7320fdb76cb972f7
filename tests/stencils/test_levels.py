"""Every stencil kernel at every level of the optimiser on every backend: bit by bit what the plain twin computes."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

from samples.compare import compare, read_fields
from tests.samples.programs import CHECKED, EMULATED, OPTIMISED, build_sample, build_twin, run_program

BACKENDS = ("sequential", "openmp", "cuda-c", "cuda-fortran", "openacc", "openmp-target")
LEVELS = ("0", "1", "2", "3")
KINDS: dict[str, tuple[str, ...]] = {"double": (), "single": ("-DSINGLE",)}
# One with no even size, and one of more blocks than one.
SIZES = (("13", "11", "9"), ("37", "70", "6"))

# The samples' matrix and test_golden.py meet level 2; here is what they leave out.
COVERING = (
    ("sequential", "0", "double"),
    ("openmp", "1", "double"),
    ("openmp", "2", "single"),
    ("openmp", "3", "double"),
    ("cuda-c", "2", "single"),
    ("cuda-fortran", "2", "double"),
    ("openacc", "3", "double"),
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


def check(backend: str, level: str, kind: str, flags: str, expected: Expected, folder: Path) -> None:
    """Build all kernels once, run them at all sizes, compare with the twin."""
    if backend in EMULATED and shutil.which("g++") is None:
        pytest.skip("no g++ here")
    options = ("--opt", level, *KINDS[kind])
    program = build_sample("stencils", backend, "IJK", flags, folder, options)
    for sizes, twin in zip(SIZES, expected[kind], strict=True):
        assert not compare("stencils", run_program(program, "stencils", 2, sizes), twin), sizes


@pytest.mark.parametrize(("backend", "level", "kind"), COVERING)
def test_covering(backend: str, level: str, kind: str, expected: Expected, tmp_path: Path) -> None:
    check(backend, level, kind, CHECKED, expected, tmp_path)


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
