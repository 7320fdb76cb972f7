"""Tables of commands: plain text in pipes, by rich on a terminal, with the same cells."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from hfpy.build.machine.doctor import EXTRAS, PACKAGES, Checkup, Health, Tool, as_parts
from hfpy.build.progress import Phases
from hfpy.commands.tables import Table, as_text, print_parts
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.command import hfpy_process
from tests.terminal import on_terminal

SOURCE = """subroutine s(n, a)
  integer :: n
  real(8) :: a(n)
  @parallelRegion{domName(i), domSize(n)}
  a(i) = 1
  write (7) a(i)
  @end parallelRegion
end subroutine
"""
COMMAND = [sys.executable, "-m", "hfpy", "check", "--summary", "--target", "gpu", "s.h90"]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def test_cells_of_several_lines_and_rules() -> None:
    table = Table(("n", "what"), [("1", "a\nbb"), None, ("10", "é")], frozenset({0}))
    assert str(table) == "   n  what\n  ────────\n   1  a\n      bb\n  ────────\n  10  é"
    assert as_text(["head", table]) == f"head\n\n{table}"


def _environment(**more: str) -> dict[str, str]:
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**plain, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm-256color", **more}


def _piped(folder: Path, **more: str) -> str:
    return hfpy_process(COMMAND[3:], cwd=folder, env=_environment(**more)).stdout


def _on_terminal(folder: Path, columns: int) -> str:
    return on_terminal(COMMAND, _environment(), "stdout", folder, columns)[0]


def test_plain_in_a_pipe_and_as_wide_as_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "s.h90").write_text(SOURCE)
    plain = _piped(tmp_path)
    assert "\x1b" not in plain and plain.startswith("1 of 1 regions are refused\n\n  frees  has  code ")
    shown = _on_terminal(tmp_path, 60)
    assert "\x1b[1m" in shown
    rows = ESCAPES.sub("", shown).splitlines()
    assert max(len(row) for row in rows if not row.startswith("frees:")) <= 60
    assert plain.split()[:9] == " ".join(rows).split()[:9] and "cure:" in shown
    assert "\x1b" in _piped(tmp_path, FORCE_COLOR="1") and "\x1b[1;3" not in _piped(tmp_path, NO_COLOR="1")


def _shown(parts: Iterable[str | Table], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What is printed where colours are asked for, without them."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    print_parts(parts, blank=False)
    text = capsys.readouterr().out
    assert "\x1b[1m" in text
    return ESCAPES.sub("", text)


def test_what_is_known_of_a_routine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.h90").write_text(SOURCE.replace("  write (7) a(i)\n", ""))
    made = translate([tmp_path / "s.h90"], Options(backend="openmp"))
    plain = made.explain("s").splitlines()
    assert plain[0].startswith("subroutine s  (") and plain[3] == "  data (* parallel dimension, + inserted):"
    assert plain[4].startswith("    ") and plain[4].split()[0] == "a"
    rows = _shown(made.explained("s"), monkeypatch, capsys).splitlines()
    assert rows[:4] == plain[:4]
    assert any(row.split()[:2] == ["name", "dimensions"] for row in rows)
    assert any(row.split() == plain[4].split() for row in rows)
    assert as_text((*made.explained(None), "", *made.explained(None)), blank=False).count("\n\n") == 1


def test_a_checkup(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    health = (
        Health("openmp", True, "host"),
        Health("cuda-c", False, "", True, ("a CUDA compiler",), ("tried with g++",)),
    )
    checkup = Checkup(
        dict.fromkeys(("hfpy", "python", *PACKAGES, *EXTRAS), "1.2"),
        (Tool("fortran", None, "no gfortran"),),
        (),
        health,
        chosen={"cpu": "openmp"},
    )
    plain = as_text(as_parts(checkup), blank=False)
    assert "  Fortran   none: no gfortran\n" in plain
    assert "\nbackends\n  openmp         ready (host)\n  cuda-c         only with --emulate\n" in plain
    assert f"\n{'':17}lacks a CUDA compiler\n{'':17}tried with g++\n\nno project here" in plain
    rows = [row.split() for row in _shown(as_parts(checkup), monkeypatch, capsys).splitlines()]
    assert ["language", "compiler", "version"] in rows and ["Fortran", "none", "no", "gfortran"] in rows
    assert ["cuda-c", "only", "with", "--emulate", "lacks", "a", "CUDA", "compiler"] in rows
    assert ["tried", "with", "g++"] in rows


def test_the_time_of_phases(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    table = Phases(False, {"reading": 1.25, "writing": 10}).report()
    assert str(table).splitlines() == [
        "timings:",
        "  reading     1.250 s",
        "  writing    10.000 s",
        "  total      11.250 s",
    ]
    rows = [row.split() for row in _shown((table,), monkeypatch, capsys).splitlines() if row.strip()]
    assert rows[0] == ["phase", "time"] and rows[-1] == ["total", "11.250", "s"]
