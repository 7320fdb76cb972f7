"""Loops of random plain programs as regions by hand: hfpy says what is wrong, or they do what the loops do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hfpy.analyze.regions import regionchecks
from tests.automatic import modern, programs, storages
from tests.automatic.byhand import judged
from tests.automatic.bystate import STATES, Combination, drawn, faults
from tests.support import Pair

COUNT = int(os.environ.get("HFPY_BYHAND", "1"))
FIRST = int(os.environ.get("HFPY_BYHAND_FROM", "0"))
KINDS = {"plain": programs.pair_of, "storages": storages.pair_of, "modern": modern.pair_of}
FULL = pytest.mark.full


@pytest.mark.parametrize("kind", [pytest.param(k, marks=[FULL] * (k != "plain")) for k in KINDS])
def test_loops_of_programs(kind: str, tmp_path: Path) -> None:
    made: Callable[[int], Pair] = KINDS[kind]
    done = [judged(made(n), "hand", tmp_path / str(n)) for n in range(FIRST, FIRST + COUNT)]
    assert not [wrong for wrong, _ in done if wrong]
    assert sum(loops for _, loops in done) >= COUNT


@pytest.mark.parametrize("state", [pytest.param(s, marks=[FULL] * (s != "saved")) for s in STATES])
def test_kinds_of_state(state: str, tmp_path: Path) -> None:
    """``HFPY_BYHAND=100`` draws many ways to set and to ask for something in a loop."""
    assert not faults(state, drawn(state, FIRST, 4 * COUNT), tmp_path)


def test_what_nobody_says_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regionchecks, "unseen_changes", lambda *_: ())
    saved = "block; integer, save :: bs = 0; bs = bs + 1; c(i) = bs; end block"
    assert len(faults("saved", [Combination(saved, "", "D")], tmp_path)) == 1
