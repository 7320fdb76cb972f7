"""The benchmarks of whole samples against programs by hand: their tables, their page, and that the versions by hand are
the programs.
"""

from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import cloud, euler, hydro, never_slower, turns
from benchmarks.loops import LAYOUTS, LOOPS
from benchmarks.never_slower import Compared
from benchmarks.turns import Times, publish

EULER = [
    Times(
        n,
        {
            "plain": [2.0, 3.0],
            euler.USUAL: [5.0],
            euler.HAND: [2.5, 4.0],
            "hfpy": [9.0, 2.0],
            "hfpy --opt 0": [3.0, 3.5],
        },
    )
    for n in (1, 2)
]
HYDRO = [Times(2, {hydro.PLAIN: [4.0], hydro.HAND: [2.5, 2.0], "hfpy": [9.0, 1.0], "hfpy --opt 0": [3.0, 3.5]})]
CLOUD = [Times(1, {cloud.HAND: [2.5, 2.0], "hfpy": [9.0, 1.0], "hfpy --opt 0": [3.0, 3.5]})]


def test_the_shortest_runs_count() -> None:
    rows = euler.table(EULER).splitlines()
    assert rows[2] == "| 1 | 2.000 s | 5.000 s | 2.500 s | 2.000 s | 1.00 | 1.25 | 3.000 s |"
    assert rows[3] == "| 2 | 2.000 s | 5.000 s | 2.500 s | 2.000 s |  | 1.25 | 3.000 s |"
    assert hydro.table(HYDRO).splitlines()[2] == "| 2 | 4.000 s | 2.000 s | 1.000 s | 2.00 | 3.000 s |"
    assert cloud.table(CLOUD).splitlines()[2] == "| 1 | 2.000 s | 1.000 s | 2.00 | 3.000 s |"


def test_programs_run_in_turns() -> None:
    asked: list[tuple[str, int]] = []

    def timed(name: str, threads: int) -> float:
        asked.append((name, threads))
        return float(len(asked))

    one, two = turns.in_turns(["a", "b"], 2, timed)
    assert asked[:4] == [("a", 1), ("b", 1), ("b", 1), ("a", 1)]
    assert (one.threads, one.seconds) == (1, {"a": [1.0, 4.0], "b": [2.0, 3.0]})
    assert two.best("a") == 5.0


@pytest.mark.parametrize("name", ["euler", "cloud", "hydro", "never_slower"])
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
@pytest.mark.parametrize("benchmark", [euler, cloud, hydro])
def test_all_programs_compute_the_same(benchmark: ModuleType, tmp_path: Path) -> None:
    benchmark.check(benchmark.build(tmp_path), tmp_path)


def test_what_counts_as_slower() -> None:
    written = [1.0, 1.02, 1.1, 5.0]
    slower, noise, same = (
        Compared("a", [1.2, 1.3], written),
        Compared("b", [1.1, 1.2], written),
        Compared("c", [1.2], written, True),
    )
    assert (slower.slower, noise.slower, same.slower) == (True, False, False)
    rows = never_slower.table([noise, slower, same, Compared("d", [0.5], written)]).splitlines()
    assert rows[2] == "| a | 1000.000 | 1200.000 | 0.83 **slower** |"
    assert rows[3] == "| c | 1000.000 | 1200.000 | 0.83, same text |"
    assert rows[-2].startswith("4 loops: 1 significantly slower than 1.03; 1.06 times")
    assert rows[-1] == "1 have the same text at both levels; their speed-ups are 0.83 to 0.83."


def test_the_sixty_loops() -> None:
    assert len(LOOPS) == len({loop.name for loop in LOOPS}) == 60
    assert {loop.layout for loop in LOOPS} == set(LAYOUTS)
    assert {len(loop.domains) for loop in LOOPS} == {1, 2, 3, 4, 5}


@pytest.mark.full
def test_the_sixty_loops_compute_the_same(tmp_path: Path) -> None:
    numbers = range(len(LOOPS))
    never_slower.check(never_slower.build(tmp_path, numbers), numbers, tmp_path)
