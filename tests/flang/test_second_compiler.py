"""A second compiler judges what hfpy writes: flang 22 compiles it, and it prints what the plain program prints.

Both are compiled by flang, so that functions of its library are the same; results are compared bit by bit.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from samples.compare import compare
from tests.gpu import constructs
from tests.random.programs import program_pair
from tests.samples import programs
from tests.support import FLANG, LAYOUT, OPENMP, SEQUENTIAL, CompileError, Corpus, Pair, Variant

pytestmark = pytest.mark.skipif(shutil.which(FLANG.command) is None, reason="flang-22 is not on this machine")
PLAIN = " ".join(FLANG.flags[:2])
WAYS: Mapping[str, Variant] = {
    v.label: v for v in (replace(OPENMP, threads=(2,)), SEQUENTIAL, replace(LAYOUT, label="layout"))
}


def check(pairs: Sequence[Pair], way: Variant, folder: Path) -> None:
    """Programs translated in one way and compiled by flang print what the plain programs do."""
    corpus = Corpus(pairs, folder, {p.name: (way,) for p in pairs}, FLANG)
    failures, run = [], 0
    for p in pairs:
        try:
            expected = corpus.expected(p.name)
        except CompileError:
            continue  # the plain program is beyond flang
        if corpus.translation(p.name, way).errors:
            continue
        assert expected
        try:
            corpus.check(p.name)
            run += 1
        except AssertionError as failure:
            failures.append(f"{p.name}: {str(failure)[-2500:]}")
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:3])
    assert run > len(pairs) // 2


@pytest.mark.parametrize("way", [pytest.param(w, marks=[pytest.mark.full] * (w != "openmp")) for w in WAYS])
def test_random_programs(way: str, tmp_path: Path) -> None:
    first = 40 * list(WAYS).index(way)
    check([program_pair(Random(n), f"p{n}") for n in range(first, first + 8)], WAYS[way], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("first", range(500, 740, 40))
@pytest.mark.parametrize("way", WAYS)
def test_more_random_programs(way: str, first: int, tmp_path: Path) -> None:
    check([program_pair(Random(n), f"p{n}") for n in range(first, first + 40)], WAYS[way], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("way", ["openmp", "sequential"])
def test_support_table(way: str, tmp_path: Path) -> None:
    pairs = [p for p in constructs.pairs() if not any(name.endswith(".f") for name in p.hybrid)]
    check(pairs, WAYS[way], tmp_path)


@pytest.mark.parametrize(
    "sample", [pytest.param(s, marks=() if s == "reduction" else pytest.mark.full) for s in programs.ARGUMENTS]
)
@pytest.mark.parametrize("backend", ["openmp", pytest.param("sequential", marks=pytest.mark.full)])
def test_samples(sample: str, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample gives the bits of its twin, sums of reals over many points nearly so (contract 7)."""
    monkeypatch.setattr(programs, "COMPILER", FLANG.command)
    monkeypatch.setattr(programs, "CHECKED", PLAIN)
    twin = programs.run_program(programs.build_twin(sample, tmp_path / "twin"), sample, 1)
    built = programs.build_sample(sample, backend, "KIJ", PLAIN, tmp_path)
    assert not compare(sample, programs.run_program(built, sample, 2), twin)
