"""The benchmark of the stencil kernels: its arithmetic, its page, and that it runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import stencil_report, stencils
from benchmarks.stencil_costs import OPERATOR, Costs, optimiser_time
from benchmarks.stencil_report import BEGIN, END, Report, Run, mean, publish, save, table

RUN = Run(
    "hdiffsa", True, (10, 10, 10), 8, 1, {"plain": (4.0, 6.0, 9.0), "generated": (2.0, 2.0, 3.0)}, 100, 10, 50.0, 40.0
)
OTHER = replace(RUN, kernel="fastwavesuv", seconds={**RUN.seconds, "tuned": (1.0, 1.0, 1.0), "plain": (1.0, 1.0, 1.0)})
REPORT = Report((RUN, OTHER), "gfortran", "-O3", 2, 3)


def test_ratios_are_medians_of_pairs() -> None:
    assert RUN.speedup("plain") == 3.0
    assert RUN.speedup("tuned") is None
    assert OTHER.speedup("tuned") == 0.5


def test_the_roofline_is_the_longer_of_both_times() -> None:
    assert RUN.bound == 2.0
    assert replace(RUN, operations=400).bound == 10.0
    assert RUN.share("plain") == pytest.approx(1 / 3)


def test_means_leave_out_what_is_not_counted() -> None:
    assert mean([2.0, 8.0]) == pytest.approx(4.0)
    extra = replace(RUN, kernel="thomas", counted=False)
    row = next(r for r in table(replace(REPORT, runs=(RUN, extra))).splitlines() if r.startswith("geometric"))
    assert row.split()[2] == "3.00"


def test_the_page_keeps_what_is_around_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nbehind\n")
    monkeypatch.setattr(stencil_report, "PAGE", page)
    monkeypatch.setattr(stencil_report, "PICTURES", tmp_path / "pictures")
    for _ in range(2):
        publish(REPORT)
        text = page.read_text()
        assert text.startswith(f"before\n{BEGIN}\n") and text.endswith(f"\n{END}\nbehind\n")
        assert "old" not in text and text.count("| hdiffsa | 6000.00 | 2000.00 | 3.00 |") == 1
        assert text.count("](pictures/stencils-") == 2
    assert all(p.stat().st_size > 10_000 for p in (tmp_path / "pictures").iterdir())


def test_the_page_of_the_docs_has_the_markers() -> None:
    text = stencil_report.PAGE.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


def test_everything_is_saved(tmp_path: Path) -> None:
    data = json.loads(save(REPORT, tmp_path).read_text())
    assert data["runs"][0]["seconds"]["plain"] == [4.0, 6.0, 9.0]
    assert data["runs"][0]["speedup"] == 3.0


@pytest.mark.full
def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = "hdiffsa uvbke --size 20 18 8 --real 8 --threads 1 --pairs 1 --calls 2"
    monkeypatch.setattr("sys.argv", ["stencils", *words.split()])
    written = stencil_report.ROOT / "benchmarks" / "results" / "of-no-interest.json"
    monkeypatch.setattr(stencils, "save", lambda report: written if save(report, tmp_path).exists() else None)
    assert stencils.main() == 0
    said = capsys.readouterr().out
    assert "geometric mean" in said
    assert "s for the operator of 18 stages" in said and " times as long (at most 1.5)" in said


def test_the_optimisers_own_time_is_measured() -> None:
    """Not held against the 2 s that are asked for, since the machine of the tests may be busy with other work."""
    sources = sorted((stencils.SAMPLES / "stencils" / "source").iterdir())
    assert 0 < optimiser_time(sources, 2, OPERATOR) < 20
    with pytest.raises(KeyError):
        optimiser_time(sources, 2, "fv3::gone")


def test_costs_are_told() -> None:
    text = table(replace(REPORT, costs=Costs(0.5, 2.0, 6.0, 4.0)))
    assert "own time: 0.50 s for the operator of 18 stages (at most 2 s is asked for), 2.00 s for all" in text
    assert "6.00 s generated, 4.00 s plain, 1.50 times as long" in text
