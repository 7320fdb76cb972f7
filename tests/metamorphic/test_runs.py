"""Programs changed in ways that mean nothing print what they printed, however they are translated.

Each run compiles a few groups of programs, drawn by ``HFPY_CHANGES_FROM``; the full run takes every change of every
program, in two ways to translate.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.freeze import LEVELS, VARIANTS
from tests.metamorphic import programs
from tests.metamorphic.judge import CHANGES, changed_pair
from tests.metamorphic.lines import program, texts
from tests.support import CompileError, Corpus, Pair, Variant, variants_of

SEED = int(os.environ.get("HFPY_CHANGES_FROM", "0"))
LONG = ("-ffree-line-length-none",)  # new names make some lines too long
WAYS = tuple(
    replace(v, label=f"{v.label}-{n}", options={**v.options, "opt": n}, flags=LONG) for v in VARIANTS for n in LEVELS
)
RUNNING = tuple(t.pair for t in (*programs.fixed(), *programs.drawn(9000 + 30 * SEED, 30)) if t.runs)
GROUPS = 5  # in a short run
SHORT = 12
KERNELS = tuple(w for w in WAYS if w.options.get("target") == "gpu")  # test_kernels.py has these


def drawn(number: int, changes: Sequence[str], count: int) -> tuple[str, list[Pair]]:
    """A change, and programs that it changes."""
    rng = Random(100 * SEED + number)
    change = changes[number % len(changes)]
    made = [changed[0] for p in rng.sample(RUNNING, len(RUNNING)) if (changed := changed_pair(p, CHANGES[change]))]
    return change, made[:count]


def outcome(corpus: Corpus, name: str, way: Variant) -> str:
    """What a program prints, or how it ends where hfpy's runtime refuses what it does."""
    try:
        return corpus.output(name, way)
    except AssertionError as failure:
        return "".join(re.findall(r"ended with \d+", str(failure))) or str(failure)


def as_before(changed: Pair, way: Variant, folder: Path, corpus: Corpus) -> bool:
    """Whether the program does this without the change, too: some ask for the target, and have no twin for it."""
    before = next(p for p in RUNNING if p.name == changed.name)
    plain = Corpus([before], folder / before.name, {before.name: (way,)})
    if plain.translation(before.name, way).errors:
        return False
    return outcome(plain, before.name, way) == outcome(corpus, changed.name, way)


def compiles(changed: Pair, way: Variant, folder: Path) -> bool:
    """Whether the compiler takes the program without the change: some examples are for what hfpy says alone."""
    before = next(p for p in RUNNING if p.name == changed.name)
    try:
        Corpus([before], folder / f"{before.name}_before", {before.name: (way,)}).output(before.name, way)
    except CompileError:
        return False
    except AssertionError:
        return True
    return True


def valid(change: str, changed: Pair, folder: Path) -> bool:
    """Whether the compiler takes the twin with the change: not all arguments go to procedures of generic names."""
    after = CHANGES[change](program(changed.reference))
    if after is None or texts(after) == dict(changed.reference):
        return True
    twin = replace(changed, hybrid=texts(after), reference=texts(after))
    try:
        Corpus([twin], folder / f"{changed.name}_twin", {changed.name: ()}).expected(changed.name)
    except CompileError:
        return False
    except AssertionError:
        return True
    return True


def check(change: str, pairs: Sequence[Pair], way: Variant, folder: Path) -> None:
    """Programs translated in one way print what their plain twins print; what is refused is so without the change."""
    assert pairs
    corpus = Corpus(pairs, folder, {p.name: (way,) for p in pairs})
    failures, run = [], 0
    for p in pairs:
        done = corpus.translation(p.name, way)
        if done.errors:
            continue  # as before: test_verdicts.py
        try:
            corpus.check(p.name)
            run += 1
        except CompileError as failure:
            if not compiles(p, way, folder) or not valid(change, p, folder):
                continue
            failures.append(f"{change} of {p.name}: {str(failure)[:3000]}\n" + "\n".join(p.hybrid.values()))
        except AssertionError as failure:
            if as_before(p, way, folder, corpus):
                continue
            failures.append(f"{change} of {p.name}: {str(failure)[:3000]}\n" + "\n".join(p.hybrid.values()))
    assert not failures, f"{len(failures)} of {len(pairs)} programs\n" + "\n".join(failures[:3])
    assert run >= len(pairs) // 2


@pytest.mark.parametrize("number", [pytest.param(n, marks=[pytest.mark.full] * (n < 3)) for n in range(GROUPS)])
def test_drawn_groups(number: int, tmp_path: Path) -> None:
    rng = Random(SEED)
    change, pairs = drawn(number, rng.sample(sorted(CHANGES), len(CHANGES)), SHORT)
    check(change, pairs, rng.sample(WAYS, len(WAYS))[number], tmp_path)


def share(change: str, way: Variant) -> list[Pair]:
    """The programs that a full run takes for a change in one way to translate: every program is in two of them."""
    half = len(WAYS) // 2
    turn = WAYS.index(way) + sorted(CHANGES).index(change)
    programs_ = (p for n, p in enumerate(RUNNING) if (n - turn) % half == 0)
    return [changed[0] for p in programs_ if (changed := changed_pair(p, CHANGES[change]))]


@pytest.mark.full
@pytest.mark.parametrize("way", [w for w in WAYS if w not in KERNELS], ids=lambda w: w.label)
@pytest.mark.parametrize("change", CHANGES)
def test_every_change(change: str, way: Variant, tmp_path: Path) -> None:
    if pairs := share(change, way):
        check(change, pairs, way, tmp_path)


@pytest.mark.full
def test_every_change_has_programs() -> None:
    assert all(any(share(change, way) for way in WAYS) for change in CHANGES)


def test_programs_that_run_are_many() -> None:
    assert len(RUNNING) > 150
    assert all(variants_of(p) for p in RUNNING)
