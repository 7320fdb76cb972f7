"""Long work is shown: which phases the translator tells of, the bar on a terminal, the times that --timings prints."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.command import python_process
from tests.terminal import on_terminal

ROUTINE = """module {name}
contains
  subroutine step(a)
    real, intent(inout) :: a(4)
    @parallelRegion{{domName(i), domSize(4)}}
    a = 1
    @end parallelRegion
  end subroutine step
end module {name}
"""
SLOW = """
import sys, time
from pathlib import Path
from hfpy import cli
from hfpy.build import progress
from hfpy.parse import application

progress.PATIENCE = {patience}
parse = application.unit_for

def slowly(*given):
    time.sleep(0.3)
    return parse(*given)

application.unit_for = slowly
sys.exit(cli.run(["transpile", *sys.argv[1:], "-o", "out"]))
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    paths = [tmp_path / f"{name}.h90" for name in ("one", "two", "three")]
    for path in paths:
        path.write_text(ROUTINE.format(name=path.stem))
    return paths


def test_the_translator_tells_its_phases(sources: list[Path], tmp_path: Path) -> None:
    reported: list[tuple[str, int, int]] = []
    options = Options(backend="sequential", cache_dir=tmp_path / "cache")
    assert translate(sources, options, lambda *given: reported.append(given)).files
    phases = ["reading", "parsing", "analysing", "optimising", "transforming", "remembering"]
    assert list(dict.fromkeys(name for name, _, _ in reported)) == phases
    assert [entry for entry in reported if entry[0] == "reading"] == [("reading", n, 3) for n in range(3)]
    assert [entry for entry in reported if entry[0] == "parsing" and entry[2]] == [("parsing", n, 6) for n in range(6)]
    assert [entry for entry in reported if entry[0] == "transforming"] == [("transforming", n, 3) for n in range(3)]


def slowly(patience: float) -> str:
    """What ``hfpy transpile`` writes to a terminal when parsing is slow."""
    words = [sys.executable, "-c", SLOW.format(patience=patience), "one.h90", "two.h90", "three.h90"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(sys.path)}
    text, status = on_terminal(words, environment, "stderr")
    assert status == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_bar_on_a_terminal(sources: list[Path]) -> None:
    shown = slowly(0.1)
    assert "parsing" in shown
    assert re.search(r"[2-5]/6", shown)


def test_no_bar_for_short_work(sources: list[Path]) -> None:
    assert slowly(60.0) == ""


def test_no_bar_elsewhere(sources: list[Path]) -> None:
    Path("slow.py").write_text(SLOW.format(patience=0.1))
    done = python_process(["slow.py", "one.h90", "two.h90", "three.h90"], Path.cwd())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def timed(err: str) -> list[str]:
    """The phases in a report of timings."""
    assert err.startswith("timings:\n")
    return [line.rsplit(None, 2)[0].strip() for line in err.splitlines()[1:]]


def test_timings_show_every_phase(sources: list[Path], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["transpile", *map(str, sources), "-o", "out", "--timings"]) == 0
    assert timed(capfd.readouterr().err) == [
        "reading",
        "parsing",
        "analysing",
        "optimising",
        "transforming",
        "writing",
        "total",
    ]


def test_timings_of_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hfpy.toml").write_text('[project]\nname = "demo"\nsources = ["demo.h90"]\n')
    Path("demo.h90").write_text(ROUTINE.format(name="one") + "program demo\n  print *, 1\nend program demo\n")
    assert cli.run(["build", "--timings"]) == 0
    parts = [
        "looking for changes",
        "reading",
        "parsing",
        "analysing",
        "optimising",
        "transforming",
        "remembering",
        "writing",
    ]
    assert timed(capfd.readouterr().err) == [*parts, "compiling", "linking", "total"]
    assert cli.run(["build", "--timings"]) == 0
    assert timed(capfd.readouterr().err) == ["looking for changes", "compiling", "linking", "total"]
