"""The benchmark of column physics: its medians, its table, and a run that finds the region in the profile."""

from pathlib import Path

import pytest

from benchmarks import columns
from benchmarks.columns import BEGIN, END, Measured, Physics, publish, table, timed

MEASURED = [Measured("physics", {0: [3.0, 4.0, 9.0], 2: [1.0, 2.0, 9.0]})]


def test_the_speedup_is_the_median_of_pairs() -> None:
    assert MEASURED[0].speedup == 2.0
    assert "| physics | 4.00 s | 2.00 s | 2.00 |" in table(MEASURED)


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
    case = Physics("columns", "columns", "physics_step", (), ("x.dat", "8", "6", "10", "2"))
    assert timed(case, 2, tmp_path) > 0.0
