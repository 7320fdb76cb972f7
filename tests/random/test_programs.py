"""Random programs of several modules: whatever hfpy makes of them prints what the plain programs print.

Each program is translated in four of 16 ways. Twenty programs together have every pair of ways once: the ways are the
points of the affine plane of order 4, and the programs its lines. 4 programs in every run, which have all ways once;
``HFPY_PROGRAMS=2000`` for more, ``HFPY_PROGRAMS_FROM=N`` for others. The full run takes 408 others,
``python -m tests.campaign`` any number.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from hfpy.diagnostics import Diagnostic, render
from tests.random.programs import program_pair
from tests.support import GFORTRAN, CompileError, Compiler, Corpus, Pair, Variant

COUNT = int(os.environ.get("HFPY_PROGRAMS", "4"))
FIRST = int(os.environ.get("HFPY_PROGRAMS_FROM", "0"))
FULL = 408
PER_BATCH = 6
SIZES = (("nx", 5), ("nz", 3))


def way(backend: str, level: int, layout: bool = False, **more: object) -> Variant:
    """A way to translate."""
    gpu = backend not in ("sequential", "openmp")
    label = f"{backend}-{level}" + ("-layout" if layout else "") + ("-sizes" if "specialise" in more else "")
    options = {"backend": backend, "opt": level, **({"target": "gpu"} if gpu else {}), **more}
    return Variant(label, options, None, (3,) if backend in ("openmp", "openmp-target") else (1,), layout=layout)


WAYS = (
    *(way("sequential", 2), way("sequential", 3, True), way("sequential", 0, True)),
    way("sequential", 2, specialise=SIZES),
    *(way("openmp", 0), way("openmp", 2), way("openmp", 3), way("openmp", 2, True)),
    *(way("cuda-c", 0), way("cuda-c", 2), way("cuda-c", 1, True)),
    way("cuda-fortran", 2),
    *(way("openacc", 2), way("openacc", 0, True)),
    *(way("openmp-target", 0), way("openmp-target", 2)),
)  # fmt: skip


PRODUCT = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))  # of the field with four elements; ^ is its sum
LINES = (
    *([(x, PRODUCT[slope][x] ^ shift) for x in range(4)] for slope in range(4) for shift in range(4)),
    *([(x, y) for y in range(4)] for x in range(4)),
)


def ways_of(number: int) -> tuple[Variant, ...]:
    """Four of the ways; any two ways meet in one of 20 programs."""
    return tuple(WAYS[4 * x + y] for x, y in LINES[number % len(LINES)])


def drawn(first: int, count: int) -> list[Pair]:
    """The programs of some numbers."""
    return [program_pair(Random(n), f"p{n}") for n in range(first, first + count)]


def well_refused(d: Diagnostic, pair: Pair) -> bool:
    """Whether an error says what of the program is the reason: names that it has, at a line of it."""
    text = "\n".join(pair.hybrid.values()).lower()
    message = d.message.lower()
    quoted = [name for part in re.findall(r"'([^']+)'", message) for name in re.findall(r"[a-z]\w*", part)]
    names = quoted or re.findall(r"\b([a-z]\w*)\(", message)
    known = all(re.search(rf"\b{name}\b", text) for name in names)
    return d.code != "HF900" and d.place.line > 0 and known and bool(names)


def failures(
    first: int, count: int, folder: Path, reported: Counter[str], compiler: Compiler = GFORTRAN
) -> Iterator[str]:
    """What goes wrong with some programs; ``reported`` counts runs, and refusals by their codes."""
    pairs = drawn(first, count)
    chosen: Mapping[str, tuple[Variant, ...]] = {p.name: ways_of(first + n) for n, p in enumerate(pairs)}
    corpus = Corpus(pairs, folder, chosen, compiler)
    for p in pairs:
        for variant in chosen[p.name]:
            done = corpus.translation(p.name, variant)
            if done.errors:
                reported.update({f"refused {done.errors[0].code} {variant.options['backend']}": 1, "refused": 1})
                bad = [d for d in done.errors if not well_refused(d, p)]
                if bad:
                    yield f"{p.name} {variant.label} is refused badly:\n{render(bad[0])}"
                continue
            reported["run"] += 1
            try:
                corpus.check_one(p.name, variant)
            except CompileError as failure:
                yield f"{p.name} {variant.label} does not compile: {str(failure)[:2500]}"
            except AssertionError as failure:
                yield f"{p.name} {variant.label}: {str(failure)[-1500:]}"


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_BATCH))
def test_drawn_programs(first: int, tmp_path: Path) -> None:
    check(first, min(PER_BATCH, FIRST + COUNT - first), tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST + 10_000, FIRST + 10_000 + FULL, PER_BATCH))
def test_more_drawn_programs(first: int, tmp_path: Path) -> None:
    check(first, PER_BATCH, tmp_path)


def check(first: int, count: int, folder: Path) -> None:
    reported: Counter[str] = Counter()
    found = list(failures(first, count, folder, reported))
    assert not found, f"{len(found)} of {4 * count}, {dict(reported)}\n" + "\n".join(found[:3])
    assert reported["refused"] < count * 2


def test_every_pair_of_ways_meets() -> None:
    met = Counter(frozenset(pair) for n in range(20) for pair in combinations((v.label for v in ways_of(n)), 2))
    assert len({v.label for v in WAYS}) == 16
    assert set(met.values()) == {1} and len(met) == 16 * 15 // 2


def test_programs_use_the_language() -> None:
    texts = ["".join(p.hybrid.values()) for p in drawn(0, 100)]
    assert len(set(texts)) == 100
    for feature in (
        "=> held", "their_step", "f%inner%r", "target ::", "ptr =>", "select case", "where (", "reduction(max",
        "call col(", "near(", "if (t1 < 3.d0) then", "allocatable", "private", "do turn", "startAt(", "order(i)",
    ):  # fmt: skip
        assert sum(feature in text for text in texts) >= 5, feature
