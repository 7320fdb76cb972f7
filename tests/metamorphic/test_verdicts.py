"""Changes of programs that mean nothing leave hfpy's verdicts as they are, and for spelling its text.

Each run draws for every program two changes and two ways to translate, by ``HFPY_CHANGES_FROM`` (a number, 0 unless
given), for some of the programs; the full run takes all of them with all changes, four ways for each program, and 60
drawn programs more.
"""

import os
from dataclasses import replace
from random import Random

import pytest

from tests.freeze import LEVELS, VARIANTS
from tests.metamorphic import programs
from tests.metamorphic.judge import CHANGES, Finding, findings
from tests.metamorphic.lines import program, texts

SEED = int(os.environ.get("HFPY_CHANGES_FROM", "0"))
WAYS = tuple(replace(v, options={**v.options, "opt": level}) for v in VARIANTS for level in LEVELS)
FIXED = tuple(programs.fixed())
PARTS = 24
DRAWN = 60


def reported(found: list[Finding]) -> str:
    return f"{len(found)} differences\n" + "\n".join(str(f) for f in found[:8])


@pytest.mark.parametrize("part", [p if p < 1 else pytest.param(p, marks=pytest.mark.full) for p in range(PARTS)])
def test_drawn_changes(part: int) -> None:
    found = []
    for number, tested in list(enumerate((*FIXED, *programs.drawn(3 * SEED, 12))))[part::PARTS]:
        rng = Random(1000 * SEED + number)
        names = tuple(rng.sample(sorted(CHANGES), 2))
        found += list(findings(tested, names, tuple(rng.sample(WAYS, 2))))
    assert not found, reported(found)


@pytest.mark.full
@pytest.mark.parametrize("part", range(5 * PARTS))
def test_every_change(part: int) -> None:
    found = []
    for number, tested in list(enumerate((*FIXED, *programs.drawn(1000 + DRAWN * SEED, DRAWN))))[part :: 5 * PARTS]:
        ways = Random(1000 * SEED + number).sample(WAYS, 4)
        found += list(findings(tested, tuple(CHANGES), tuple(ways)))
    assert not found, reported(found)


def test_programs_as_lines_are_the_same_text() -> None:
    for tested in FIXED:
        assert texts(program(tested.pair.hybrid)) == dict(tested.pair.hybrid)


@pytest.mark.full
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_changes_many_programs(change: str) -> None:
    least = {"signs": 5, "through_pointers": 15}.get(change, 40)
    changed = 0
    for tested in FIXED:
        before = program(tested.pair.hybrid)
        after = CHANGES[change](before)
        changed += after is not None and texts(after) != texts(before)
    assert changed >= least
