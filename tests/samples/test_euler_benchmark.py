"""The benchmark of the finite volumes: its table, its page, and that the version by hand is the program."""

from pathlib import Path

import pytest

from benchmarks import euler
from benchmarks.euler import BEGIN, END, Times, build, check, publish, table

MEASURED = [
    Times(n, {"plain": [2.0, 3.0], "by hand": [2.5, 4.0], "hfpy": [9.0, 2.0], "hfpy --opt 0": [3.0, 3.5]})
    for n in (1, 2)
]


def test_the_shortest_runs_count() -> None:
    rows = table(MEASURED).splitlines()
    assert rows[2] == "| 1 | 2.000 s | 2.500 s | 2.000 s | 1.00 | 0.80 | 3.000 s |"
    assert rows[3] == "| 2 | 2.000 s | 2.500 s | 2.000 s |  | 0.80 | 3.000 s |"


def test_the_page_keeps_what_is_around(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nbehind\n")
    publish(MEASURED, 3, ("4", "5", "6", "1"), page)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n") and text.endswith(f"{END}\nbehind\n")
    assert "old" not in text and "4 × 5 cells" in text and "load average" in text
    real = euler.PAGE.read_text(encoding="utf-8")
    assert real.count(BEGIN) == real.count(END) == 1


@pytest.mark.full
def test_all_programs_compute_the_same(tmp_path: Path) -> None:
    check(build(tmp_path), tmp_path)
