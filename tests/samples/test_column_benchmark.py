"""The benchmark of column physics: its medians, its table, and a run that finds the region in the profile."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import columns
from benchmarks.columns import BEGIN, CASES, END, Measured, Physics, publish, table, timed, timed_by_hand

MEASURED = [Measured("physics", {0: [3.0, 4.0, 9.0], 2: [1.0, 2.0, 9.0]}, [1.5, 3.0, 27.0])]


def test_the_speedup_is_the_median_of_pairs() -> None:
    assert MEASURED[0].speedup == 2.0
    assert "| physics | 4.000 s | 2.000 s | 2.00 | 3.000 s | 1.50 |" in table(MEASURED)


def test_the_page_keeps_what_is_around(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nbehind\n")
    publish(MEASURED, 3, page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n") and text.endswith(f"{END}\nbehind\n")
    assert "old" not in text and "| physics |" in text
    real = columns.PAGE.read_text(encoding="utf-8")
    assert real.count(BEGIN) == real.count(END) == 1


@pytest.mark.full
def test_the_regions_are_found(tmp_path: Path) -> None:
    case = Physics("columns", "columns", "physics_step", (), ("x.dat", "8", "6", "10", "2"), CASES[1].by_hand)
    assert timed(case, 2, tmp_path) > 0.0


@pytest.mark.full
@pytest.mark.parametrize("case", [c for c in CASES if c.by_hand], ids=lambda c: c.sample)
def test_the_physics_by_hand_is_that_of_the_sample(case: Physics, tmp_path: Path) -> None:
    """But for rounding: the compiler contracts both differently."""
    small = replace(case, arguments=("x.dat", "37", "6", "10", "9", "1")[: len(case.arguments)])
    assert timed(small, 0, tmp_path) > 0.0
    made = next(tmp_path.glob("*/x.dat"))
    assert timed_by_hand(small, tmp_path) > 0.0
    one, other = made.read_bytes(), (tmp_path / "x.dat").read_bytes()
    assert len(one) == len(other) and one[:16] == other[:16]
    head = len(one) % 8
    values = np.frombuffer(one[head:], "f8"), np.frombuffer(other[head:], "f8")
    assert np.isfinite(values[0]).all()
    assert np.allclose(*values, rtol=1e-9, atol=1e-9)
