"""Programs whose regions are their own loops compute what a compiler makes of them that knows no directives."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import CHECKS, FLAGS, Batch, Case, Pair, load_pairs, translate_text

FOLDER = Path(__file__).parent / "loops"
FIXED = {"fixed.f": (FOLDER / "fixed.f").read_text()}
PAIRS = {p.name: p for p in [*load_pairs(FOLDER), Pair("fixed", FIXED, FIXED, "fixed")]}
WAYS: Mapping[str, Mapping[str, Any]] = {
    "sequential": {"backend": "sequential", "opt": 0},
    "openmp": {"backend": "openmp"},
    "cuda-c": {"backend": "cuda-c", "target": "gpu"},
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Batch:
    cases = [Case(p.name, p.reference, p.module, f"run_{p.name}") for p in PAIRS.values()]
    return Batch(cases, tmp_path_factory.mktemp("plain"), (*FLAGS, *CHECKS))


def _translated(tested: Pair, way: str) -> Case:
    options = {"directives_as_regions": tested.name != "bare", "exports": (f"run_{tested.name}",), **WAYS[way]}
    return Case(
        tested.name, translate_text(tested.hybrid, **options).require().files, tested.module, options["exports"][0]
    )


@pytest.mark.parametrize("way", WAYS)
def test_results(way: str, plain: Batch, tmp_path: Path) -> None:
    made = Batch([_translated(p, way) for p in PAIRS.values()], tmp_path, openmp=way == "openmp")
    for name in PAIRS:
        assert made.output(name, threads=2 if way == "openmp" else 1) == plain.output(name) != ""
