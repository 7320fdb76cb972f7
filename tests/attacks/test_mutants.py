"""Whatever is done to a program: a result or diagnostics, in time, and no HF900. HFPY_MUTANTS asks for more mutants."""

from __future__ import annotations

import os
from functools import partial

import pytest

from tests.attacks.judge import judged, warm
from tests.attacks.mutants import WAYS, mutant, programs
from tests.support import storage_order, translate_text

COUNT = int(os.environ.get("HFPY_MUTANTS", "240"))
FIRST = int(os.environ.get("HFPY_MUTANTS_FROM", "0"))
PER_TEST = 40


def warm_up() -> None:
    """Load and compile in this process what translations need; see :func:`warm`."""
    known = dict(programs())
    chosen = [known[name] for name in ("samples/columns", "samples/diffusion", "realcode/programs/t11")]
    warm(partial(translate_text, p, None if "layout" in w else storage_order(), **w) for w in WAYS for p in chosen)


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
