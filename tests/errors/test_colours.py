"""Messages in colours: on a terminal alone, and with the text that they have without."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.command import hfpy_process
from tests.terminal import on_terminal

SOURCE = """subroutine s(n, a)
  integer :: n
  real(8) :: a(n)
  @parallelRegion{domName(i), domSise(n)}
  a(i) = 1 ! [bold]no markup[/bold] :smile:
  @end parallelRegion
end subroutine
"""
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def said(folder: Path, terminal: bool, **environment: str) -> str:
    """What ``hfpy check`` writes to standard error."""
    (folder / "s.h90").write_text(SOURCE)
    command = [sys.executable, "-m", "hfpy", "check", "s.h90"]
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    variables = {**plain, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm-256color", **environment}
    if not terminal:
        return hfpy_process(["check", "s.h90"], folder, variables).stderr
    return on_terminal(command, variables, "stderr", folder)[0]


def test_colours(tmp_path: Path) -> None:
    plain = said(tmp_path, terminal=False)
    assert "did you mean" in plain and "\x1b" not in plain
    shown = said(tmp_path, terminal=True)
    assert "\x1b[1;31merror HF201\x1b[0m" in shown and "\x1b[1;32m" in shown
    assert [row for row in plain.splitlines() if row not in ESCAPES.sub("", shown)] == []


@pytest.mark.parametrize(
    ("terminal", "variable", "coloured"),
    [(True, "NO_COLOR", False), (False, "FORCE_COLOR", True)],
)
def test_who_decides(terminal: bool, variable: str, coloured: bool, tmp_path: Path) -> None:
    assert ("[1;31m" in said(tmp_path, terminal, **{variable: "1"})) == coloured
