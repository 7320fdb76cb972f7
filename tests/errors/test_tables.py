"""Tables of commands: plain text in pipes, by rich on a terminal, with the same cells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hfpy.tables import Table, as_text
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
    return subprocess.run(COMMAND, cwd=folder, env=_environment(**more), capture_output=True, text=True).stdout


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
