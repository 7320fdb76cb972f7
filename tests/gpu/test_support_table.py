"""The table in docs/gpu.md of what each backend supports: every cell is an example that is translated, and run where it
is not refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.gpu.constructs import BACKENDS, ROWS, pairs
from tests.gpu.opencl import needs_opencl
from tests.support import CUDA_C, CUDA_FORTRAN, HIP, OPENACC, OPENCL, OPENMP_TARGET, Corpus, Pair, Translated, Variant

VARIANTS = dict(zip(BACKENDS, (CUDA_C, CUDA_FORTRAN, HIP, OPENCL, OPENACC, OPENMP_TARGET), strict=True))
PAIRS = dict(zip(ROWS, pairs(), strict=True))
PAGE = Path(__file__).parents[2] / "docs" / "gpu.md"


def table() -> dict[str, list[str]]:
    """The rows of the page: construct, and a cell for each backend."""
    text = PAGE.read_text(encoding="utf-8").partition("| construct |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


@cache
def translated(row: str, backend: str) -> Translated:
    """An example as it is translated."""
    return VARIANTS[backend].translated(PAIRS[row])


def outcome(row: str, backend: str) -> str:
    """What becomes of an example: ``yes`` or the code of its refusal."""
    done = translated(row, backend)
    codes = {d.code for d in done.errors}
    assert len(codes) < 2, codes
    if not codes:
        assert "hfl0_" in done.text or "!$" in done.text, "nothing was made of the region"
    return codes.pop() if codes else "yes"


def test_the_page_has_every_row() -> None:
    assert list(table()) == list(ROWS)


# Backends that make nearly the same of a row take turns by default where the page has the same in their cells.
ALIKE = (("cuda-c", "hip"), ("openacc", "openmp-target"))


def soon(row: str) -> list[str]:
    """The backends whose cells are tried by default."""
    cells = dict(zip(BACKENDS, table()[row], strict=True))
    number = list(ROWS).index(row)
    left = {two[number % 2] for two in ALIKE if cells[two[0]] == cells[two[1]]}
    return [backend for backend in BACKENDS if backend not in left]


@pytest.mark.parametrize("row", ROWS)
def test_some_cells(row: str) -> None:
    """Translated, or refused with a code, as the page says."""
    cells = dict(zip(BACKENDS, table()[row], strict=True))
    for backend in soon(row):
        assert outcome(row, backend) == cells[backend], backend


@pytest.mark.full
@pytest.mark.parametrize("row", ROWS)
def test_cells(row: str) -> None:
    assert [outcome(row, b) for b in BACKENDS] == table()[row]


@pytest.mark.parametrize(
    "row", [r if n % 4 == 0 else pytest.param(r, marks=pytest.mark.full) for n, r in enumerate(ROWS)]
)
def test_hip_has_the_kernels_of_cuda_c(row: str) -> None:
    """Whose examples run in emulation."""
    mine, other = (translated(row, backend).files for backend in ("hip", "cuda-c"))
    assert {n.replace(".cu", ".hip"): t.replace("(cuda-c)", "(hip)") for n, t in other.items()} == dict(mine)


RUNNING = [b for b in BACKENDS if b != "hip"]
_MARKS = {
    "openacc": [pytest.mark.full],
    "openmp-target": [pytest.mark.full],
    "opencl": [needs_opencl, pytest.mark.full],
}


@pytest.mark.parametrize("backend", [pytest.param(b, marks=_MARKS.get(b, [])) for b in RUNNING])
def test_examples_run(backend: str, tmp_path: Path) -> None:
    """What is not refused prints what the plain program prints; all in one executable."""
    at = BACKENDS.index(backend)
    run(backend, [row for row, cells in table().items() if cells[at] == "yes"], tmp_path)


# What is printed in another way than for CUDA.
SOON = (
    "assignments, arithmetic, numeric intrinsics",
    "whole arrays and sections",
    "local arrays of run-time size",
    "a point's array that begins with a value",
    "the last point's value of a scalar",
    "reductions `+`, `*`, `max`, `min`, `.and.`, `.or.`, `iand`, …",
    "kinds of reals, integers and logicals",
    "complex numbers",
    "constant arrays in routines called there",
    "optional arguments of called routines",
    "local arrays of run-time size in called routines",
    "module arrays in called routines",
    "`print`, `write(*,…)` of single values",
    "`stop` in called routines",
)


@needs_opencl
def test_some_examples_run_on_opencl(tmp_path: Path) -> None:
    run("opencl", SOON, tmp_path)


@dataclass(frozen=True)
class Kept(Variant):
    """A variant whose examples are translated once for all tests."""

    def translated(self, tested: Pair) -> Translated:
        """The pair, which is an example."""
        row = next(row for row, pair in PAIRS.items() if pair is tested)
        return translated(row, self.label)


def run(backend: str, rows: Sequence[str], folder: Path) -> None:
    pairs = [PAIRS[row] for row in rows]
    assert len(pairs) > len(ROWS) // 5
    variant = Kept(backend, VARIANTS[backend].options, None, VARIANTS[backend].threads)
    corpus = Corpus(pairs, folder, {pair.name: (variant,) for pair in pairs})
    for pair in pairs:
        corpus.check(pair.name)
