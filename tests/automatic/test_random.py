"""Random plain programs with the regions that hfpy finds: the bits of the serial program, in every way to run them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.analyze.dependence import queries
from hfpy.analyze.dependence.answers import Proved
from tests.automatic.programs import pair_of
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, Corpus, Pair, Variant

COUNT = int(os.environ.get("HFPY_AUTOMATIC", "12"))
FIRST = int(os.environ.get("HFPY_AUTOMATIC_FROM", "0"))


def _auto(variant: Variant, **more: object) -> Variant:
    return replace(variant, label=f"auto-{variant.label}", options={**variant.options, "auto": True}, **more)


VARIANTS = (_auto(OPENMP, threads=(1, 3, 5)), _auto(CUDA_C), _auto(CUDA_FORTRAN), _auto(OPENACC))


# A warning, which the tests take for an error: of an iterator that a body does not name.
UNUSED = ("unused variable",)


def failures(
    variant: Variant,
    numbers: range,
    folder: Path,
    made: Callable[[int], Pair] = pair_of,
    allowed: tuple[str, ...] = UNUSED,
) -> tuple[list[str], int]:
    """The programs that print something else than they do as they are, and how many regions all have got. Failures
    with one of some words in them are ``allowed``.
    """
    pairs = [made(n) for n in numbers]
    corpus = Corpus(pairs, folder, {p.name: (variant,) for p in pairs})
    wrong, regions = [], 0
    for pair in pairs:
        try:
            corpus.check_one(pair.name, variant)
        except AssertionError as failure:
            if not any(words in str(failure) for words in allowed):
                wrong.append(f"{pair.name}: {str(failure)[-400:]}")
        text = corpus.translation(pair.name, variant).text
        regions += sum(map(text.count, ("@parallelRegion{", "__global__", "attributes(global)")))
    return wrong, regions


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v is not VARIANTS[0])) for v in VARIANTS]
)
@pytest.mark.parametrize("count", [min(COUNT, 5), pytest.param(COUNT, id="all", marks=pytest.mark.full)])
def test_random_plain_programs(count: int, variant: Variant, tmp_path: Path) -> None:
    wrong, regions = failures(variant, range(FIRST, FIRST + count), tmp_path)
    assert not wrong, "\n".join(wrong[:4])
    assert regions > count, regions


@pytest.mark.full
def test_an_engine_that_proves_all_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries.Engine, "independent", lambda *_: Proved())
    wrong, _ = failures(VARIANTS[0], range(12), tmp_path)
    assert wrong
