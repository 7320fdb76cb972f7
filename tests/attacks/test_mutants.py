"""Whatever is done to a program: a result or diagnostics, in time, and no HF900. HFPY_MUTANTS asks for more mutants."""

from __future__ import annotations

import os

import pytest

from tests.attacks.judge import judged
from tests.attacks.mutants import mutant, programs, warm_up

COUNT = int(os.environ.get("HFPY_MUTANTS", "20"))
FIRST = int(os.environ.get("HFPY_MUTANTS_FROM", "0"))
PER_TEST = 20


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    warm_up()


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PER_TEST))
def test_mutants(first: int) -> None:
    chosen = programs()
    faults = []
    for number in range(first, first + PER_TEST):
        made = mutant(number, chosen)
        verdict = judged(made.files, storage=made.storage, **made.options)
        if not verdict.good:
            said = verdict.fault or "; ".join(verdict.messages)
            faults.append(f"{number}: {made.name}, {dict(made.options)}: {said}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:10])
