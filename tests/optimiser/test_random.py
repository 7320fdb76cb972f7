"""Random neighbouring regions: whatever the optimiser makes of them gives the bits of the plain loops.

3 programs in every run and 4 with sweeps, so that each variant has one; ``HFPY_RANDOM=2000`` for more of both,
``HFPY_RANDOM_FROM=N`` for others.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.optimiser.generator import stencil_pair
from tests.optimiser.sweeps import sweep_pair
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, OPENMP_TARGET, SEQUENTIAL, Corpus, Pair, Variant

COUNT = int(os.environ.get("HFPY_RANDOM", "3"))
SWEEPS = int(os.environ.get("HFPY_RANDOM", "4"))
FIRST = int(os.environ.get("HFPY_RANDOM_FROM", "0"))
PER_BATCH = 12
Maker = Callable[[Random, str], Pair]
Variants = tuple[Variant, ...]


def at_level(variant: Variant, level: int) -> Variant:
    """A variant with the optimiser at a level."""
    return replace(variant, label=f"{variant.label}-opt{level}", options={**variant.options, "opt": level})


def with_sizes(variant: Variant) -> Variant:
    """A variant with versions of regions for sizes that about half of the programs have."""
    sizes = (("nx", 6), ("ny", 9))
    return replace(variant, label=f"{variant.label}-sizes", options={**variant.options, "specialise": sizes})


VARIANTS = (at_level(OPENMP, 2), with_sizes(at_level(SEQUENTIAL, 3)), at_level(OPENMP, 1))
SWEEP_VARIANTS = tuple(at_level(v, 2) for v in (CUDA_C, OPENACC, CUDA_FORTRAN, OPENMP_TARGET))
KERNEL_VARIANTS = (with_sizes(at_level(CUDA_C, 2)), at_level(OPENACC, 2), at_level(OPENMP_TARGET, 1))


def check(first: int, folder: Path, variants: Variants, count: int = COUNT, make: Maker = stencil_pair) -> None:
    pairs = [make(Random(n), f"s{n}") for n in range(first, first + min(PER_BATCH, FIRST + count - first))]
    corpus = Corpus(pairs, folder, {p.name: (variants[n % len(variants)], variants[0]) for n, p in enumerate(pairs)})
    failures = []
    for p in pairs:
        try:
            corpus.check(p.name)
        except AssertionError as failure:
            failures.append(f"{p.name}: {str(failure)[:6000]}\n" + "\n".join(p.hybrid.values()))
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:2])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_BATCH))
def test_on_the_cpu(first: int, tmp_path: Path) -> None:
    check(first, tmp_path, VARIANTS)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_BATCH))
def test_as_kernels(first: int, tmp_path: Path) -> None:
    check(first, tmp_path, KERNEL_VARIANTS)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST, FIRST + SWEEPS, PER_BATCH))
def test_sweeps_on_the_cpu(first: int, tmp_path: Path) -> None:
    check(first, tmp_path, VARIANTS, SWEEPS, sweep_pair)


@pytest.mark.parametrize("first", range(FIRST, FIRST + SWEEPS, PER_BATCH))
def test_sweeps_as_kernels(first: int, tmp_path: Path) -> None:
    check(first, tmp_path, SWEEP_VARIANTS, SWEEPS, sweep_pair)
