"""``hfpy check FILE`` in a project: the whole project is read, and that file's diagnostics alone are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.build.driver import build_folder
from hfpy.build.session import Given, open_project
from hfpy.commands import checking

TOML = '[project]\nname = "demo"\nsources = ["source"]\n'
SIZES = "module sizes\n  implicit none\n  integer, parameter :: n = 8\nend module sizes\n"
WORK = """module work
  use sizes, only: n
  implicit none
contains
  subroutine fill(a)
    real(8), intent(out) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 1
    @end parallelRegion
  end subroutine fill
end module work
"""
MAIN = """program main
  use work, only: fill
  use sizes, only: n
  implicit none
  real(8) :: a(n)
  call fill(a)
  print *, a
end program main
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").mkdir()
    (tmp_path / "hfpy.toml").write_text(TOML)
    for name, text in {"sizes.f90": SIZES, "work.h90": WORK, "main.f90": MAIN}.items():
        (tmp_path / "source" / name).write_text(text)
    return tmp_path


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.run(("check", *arguments))
    out, err = capfd.readouterr()
    return status, out, err


def test_the_rest_of_the_project_is_known(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From every folder, by every spelling of the path, and for several files."""
    (project / "source/main.f90").write_text(MAIN.replace("fill(a)", "fill(a, 1)"))
    for name in ("source/work.h90", "./source/../source/work.h90", str(project / "source/sizes.f90")):
        status, out, err = call(capfd, name)
        assert (status, out) == (0, ""), name
        assert err == "other files of the project have 1 error: hfpy check\n"
    status, out, err = call(capfd, "source/main.f90", "source/work.h90")
    assert status == 1
    assert "source/main.f90:6" in err and "other files" not in err
    monkeypatch.chdir(project / "source")
    status, out, err = call(capfd, "work.h90", "--format", "json")
    assert (status, out) == (0, "[]\n")
    status, out, _ = call(capfd, "main.f90", "--format", "json")
    assert status == 1
    assert [Path(d["file"]).name for d in json.loads(out)] == ["main.f90"]
    (project / "source/main.f90").write_text(MAIN)
    assert call(capfd, "main.f90") == (0, "no problems found\n", "")


def test_files_of_no_project_are_a_program_of_their_own(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "lone.f90").write_text("program lone\n  print *, 1\nend program\n")
    (project / "source/main.f90").write_text(MAIN.replace("fill(a)", "fill(a, 1)"))
    assert call(capfd, "lone.f90") == (0, "no problems found\n", "")


def test_what_was_found_is_kept_until_something_changes(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the store of a project that was built: a source, a setting, a module of another project."""
    (project / "other").mkdir()
    (project / "hfpy.toml").write_text(TOML + 'include_dirs = ["other"]\n')
    (project / "source/main.f90").write_text(MAIN.replace("implicit none", "use elsewhere, only: x\n  implicit none"))
    assert call(capfd, "source/main.f90")[0] == 1
    assert not (project / "build").exists()
    session = open_project(Path("."), Given(), {})
    build_folder(session.project, session.options).mkdir(parents=True)
    first = call(capfd, "source/main.f90")
    assert first[0] == 1 and "HF254" in first[2]
    made: list[object] = []
    full = checking._made
    monkeypatch.setattr(checking, "_made", lambda *given: made.append(1) or full(*given))
    assert call(capfd, "source/main.f90") == first
    assert call(capfd, "source/work.h90")[0] == 0
    assert not made
    (project / "other/elsewhere.mod").write_text("")
    assert call(capfd, "source/main.f90") == (0, "no problems found\n", "")
    assert len(made) == 1
    (project / "source/sizes.f90").write_text(SIZES.replace("sizes", "sizez"))
    assert call(capfd, "source/work.h90")[0] == 1
    assert len(made) == 2
    (project / "source/sizes.f90").write_text(SIZES)
    assert call(capfd, "source/work.h90")[0] == 0
    assert len(made) == 2
