"""``hfpy -C DIR``: every command works as if it had been called in DIR."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from hfpy.cli import cli, run

MODULE = """module m
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a = i
    @end parallelRegion
  end subroutine s
end module m
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "hfpy.toml").write_text('[project]\nname = "sunny"\nsources = ["m.h90"]\n')
    (folder / "m.h90").write_text(MODULE)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return folder


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_is_run_there(name: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the arguments are read there: a path that has to exist is one of DIR."""
    seen: list[Path] = []
    command = cli.commands[name]

    def looked(_context: click.Context, _parameter: click.Parameter, value: object) -> object:
        seen.append(Path.cwd())
        return value

    path = click.Argument(["path"], type=click.Path(exists=True), callback=looked)
    monkeypatch.setattr(command, "params", [path])
    monkeypatch.setattr(command, "callback", lambda path, **_: seen.append(Path.cwd()))
    assert run(["-C", str(project), name, "m.h90"]) == 0
    assert seen == [project, project]


def test_what_commands_do_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = Path.cwd()
    for words in (
        ["check"],
        ["explain", "s"],
        ["domains"],
        ["graph", "-o", "calls.svg"],
        ["transpile", "m.h90", "-o", "out"],
    ):
        assert run(["-C", "../there" if Path.cwd() == here else ".", *words]) == 0, words
    assert (project / "out" / "m.F90").is_file()
    assert list(here.iterdir()) == []
    capsys.readouterr()
    assert run(["-C", "nowhere", "check"]) == 2
    assert "-C nowhere: No such file" in capsys.readouterr().err


def test_a_compiler_s_command_line(project: Path) -> None:
    """``hfpy fc`` takes a shorter way through hfpy than other commands."""
    (project / "p.f90").write_text("print *, 1\nend\n")
    command = [sys.executable, "-c", "from hfpy.start import main; main()"]
    words = ["-C", str(project), "fc", "gfortran", "-c", "p.f90"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, (project / "p.o").is_file()) == (0, True), done.stderr
    words[1] = "nowhere"
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "hfpy: -C nowhere: No such file or directory\n")


def test_pictures_have_the_name_of_the_project(project: Path) -> None:
    """That of its settings, not of its folder."""
    title = "sunny: calls on the CPU"
    assert run(["graph", str(project), "-o", "calls.dot"]) == 0
    assert f'digraph "{title}"' in Path("calls.dot").read_text()
    assert run(["explain", "", str(project), "--html", "pages"]) == 0
    assert f"<title>{title}</title>" in Path("pages/index.html").read_text()
    assert run(["graph", str(project / "m.h90"), "-o", "calls.dot"]) == 0
    assert 'digraph "m.h90: calls' in Path("calls.dot").read_text()
