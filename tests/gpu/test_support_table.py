"""The table in docs/gpu.md of what each backend supports: every cell is an example that is translated, and run where it
is not refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.constructs import BACKENDS, ROWS, pairs
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, Corpus, Pair

VARIANTS = dict(zip(BACKENDS, (CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET), strict=True))
PAIRS = dict(zip(ROWS, pairs(), strict=True))
PAGE = Path(__file__).parents[2] / "docs" / "gpu.md"


def table() -> dict[str, list[str]]:
    """The rows of the page: construct, and a cell for each backend."""
    text = PAGE.read_text(encoding="utf-8").partition("| construct |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def outcome(pair: Pair, backend: str) -> str:
    """What becomes of an example: ``yes`` or the code of its refusal."""
    done = VARIANTS[backend].translated(pair)
    codes = {d.code for d in done.errors}
    assert len(codes) < 2, codes
    if not codes:
        assert "hfl0_" in done.text or "!$" in done.text, "nothing was made of the region"
    return codes.pop() if codes else "yes"


def test_the_page_has_every_row() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_cells(row: str) -> None:
    """Translated, or refused with a code, as the page says."""
    assert [outcome(PAIRS[row], b) for b in BACKENDS] == table()[row]


@pytest.mark.parametrize(
    "backend", [pytest.param(b, marks=[pytest.mark.full] * (b in ("openacc", "openmp-target"))) for b in BACKENDS]
)
def test_examples_run(backend: str, tmp_path: Path) -> None:
    """What is not refused prints what the plain program prints; all in one executable."""
    at = BACKENDS.index(backend)
    pairs = [PAIRS[row] for row, cells in table().items() if cells[at] == "yes"]
    assert len(pairs) > len(ROWS) // 2
    corpus = Corpus(pairs, tmp_path, {pair.name: (VARIANTS[backend],) for pair in pairs})
    for pair in pairs:
        corpus.check(pair.name)
