"""Random programs about objects of the points: kernels print what the plain programs print.

4 programs in every run; ``HFPY_OBJECTS=200`` for more, ``HFPY_OBJECTS_FROM=N`` for others. The full run takes 48
others.
"""

import os
from pathlib import Path

import pytest

from tests.random.objects import object_pair
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus

COUNT = int(os.environ.get("HFPY_OBJECTS", "4"))
FIRST = int(os.environ.get("HFPY_OBJECTS_FROM", "0"))
FULL, PER_BATCH = 48, 8
WAYS = (CUDA_C, CUDA_FORTRAN, OPENMP, OPENACC)


def check(first: int, count: int, folder: Path) -> None:
    pairs = [object_pair(first + number) for number in range(count)]
    corpus = Corpus(pairs, folder, {pair.name: WAYS for pair in pairs})
    for pair in pairs:
        for variant in WAYS:
            corpus.check_one(pair.name, variant)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_BATCH))
def test_objects(first: int, tmp_path: Path) -> None:
    check(first, min(PER_BATCH, FIRST + COUNT - first), tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST + 10_000, FIRST + 10_000 + FULL, PER_BATCH))
def test_more_objects(first: int, tmp_path: Path) -> None:
    check(first, PER_BATCH, tmp_path)


def test_programs_use_the_language() -> None:
    texts = ["".join(object_pair(seed).hybrid.values()) for seed in range(60)]
    assert len(set(texts)) == 60
    for feature in (
        "intent(out) :: x",
        "operator(+)",
        "present(factor)",
        "factor=",
        "block",
        "private\n",
        "if (",
        "%in =",
    ):
        assert sum(feature in text for text in texts) >= 5, feature
