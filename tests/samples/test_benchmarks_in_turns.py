"""The benchmarks of whole samples against programs by hand: their tables, their page, and that the versions by hand are
the programs.
"""

from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import cloud, euler, turns
from benchmarks.turns import Times, publish

EULER = [
    Times(n, {"plain": [2.0, 3.0], "by hand": [2.5, 4.0], "hfpy": [9.0, 2.0], "hfpy --opt 0": [3.0, 3.5]})
    for n in (1, 2)
]
CLOUD = [Times(1, {cloud.HAND: [2.5, 2.0], "hfpy": [9.0, 1.0], "hfpy --opt 0": [3.0, 3.5]})]


def test_the_shortest_runs_count() -> None:
    rows = euler.table(EULER).splitlines()
    assert rows[2] == "| 1 | 2.000 s | 2.500 s | 2.000 s | 1.00 | 0.80 | 3.000 s |"
    assert rows[3] == "| 2 | 2.000 s | 2.500 s | 2.000 s |  | 0.80 | 3.000 s |"
    assert cloud.table(CLOUD).splitlines()[2] == "| 1 | 2.000 s | 1.000 s | 0.50 | 3.000 s |"


def test_programs_run_in_turns() -> None:
    asked: list[tuple[str, int]] = []

    def timed(name: str, threads: int) -> float:
        asked.append((name, threads))
        return float(len(asked))

    one, two = turns.in_turns(["a", "b"], 2, timed)
    assert asked[:4] == [("a", 1), ("b", 1), ("b", 1), ("a", 1)]
    assert (one.threads, one.seconds) == (1, {"a": [1.0, 4.0], "b": [2.0, 3.0]})
    assert two.best("a") == 5.0


@pytest.mark.parametrize("name", ["euler", "cloud"])
def test_the_page_keeps_what_is_around(name: str, tmp_path: Path) -> None:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = tmp_path / "page.md"
    page.write_text(f"before\n{begin}\nold\n{end}\nbehind\n")
    publish(name, "4 × 5 cells", 3, "| 1 |", page)
    text = page.read_text()
    assert text.startswith(f"before\n{begin}\n") and text.endswith(f"{end}\nbehind\n")
    assert "old" not in text and "4 × 5 cells" in text and "load average" in text and "| 1 |" in text
    real = turns.PAGE.read_text(encoding="utf-8")
    assert real.count(begin) == real.count(end) == 1


@pytest.mark.full
@pytest.mark.parametrize("benchmark", [euler, cloud])
def test_all_programs_compute_the_same(benchmark: ModuleType, tmp_path: Path) -> None:
    benchmark.check(benchmark.build(tmp_path), tmp_path)
