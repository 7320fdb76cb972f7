"""``hfpy init``: what it writes is a project that has the sources of the folder."""

from pathlib import Path

import pytest

from hfpy.build.settings.projectfile import load_project
from hfpy.commands.beginning import begin
from hfpy.diagnostics import UsageError
from hfpy.project import source_files

MAIN = "program main\n  use physics\n  implicit none\n  call step\nend program main\n"
PHYSICS = "module physics\n{use}contains\n  subroutine step\n{body}  end subroutine step\nend module physics\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def physics(use: str = "", body: str = "") -> str:
    return PHYSICS.format(use=use, body=body)


def test_the_sources_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "shallow"
    others = {"build/old.f90": MAIN, ".git/hook.f90": MAIN, "out/CMakeCache.txt": "", "out/made.f90": MAIN}
    files = {"main.f90": MAIN, "src/deep/physics.F90": physics(), "src/notes.txt": "", "tests/try.f90": MAIN, **others}
    write(folder, files)
    begun = begin(folder)
    project = load_project(folder)
    assert (project.name, project.kind) == ("shallow", "program")
    assert project.sources == ("*.f90", "src")
    assert source_files(project) == (folder / "main.f90", folder / "src/deep/physics.F90")
    assert {t: project.target(t).backend for t in ("cpu", "gpu")} == {"cpu": "openmp", "gpu": "cuda-c"}
    reported = "\n".join(begun.reported())
    assert "2 sources, 1 main program" in reported and "left out: tests" in reported


def test_a_library_whose_only_sources_are_examples(tmp_path: Path) -> None:
    write(tmp_path, {"examples/physics.f90": physics()})
    assert "a library" in next(begin(tmp_path).reported())
    project = load_project(tmp_path)
    assert (project.kind, project.sources) == ("library", ("examples",))


def test_included_files_and_modules_that_are_not_there(tmp_path: Path) -> None:
    use = "  use netcdf\n  use elsewhere\n#include \"sizes.h\"\n  include 'deep/er.inc'\n"
    write(tmp_path, {"src/p.F90": physics(use), "inc/sizes.h": "", "more/deep/er.inc": "", "src/er.inc": ""})
    begun = begin(tmp_path)
    assert load_project(tmp_path).include_dirs == ("inc", "more")
    assert begun.unseen == ("elsewhere",)
    assert any("elsewhere" in line and "netcdf" not in line for line in begun.reported())


@pytest.mark.parametrize(
    ("name", "body", "command"),
    [
        ("p.f90", "  ! plain\n", "hfpy annotate"),
        ("p.f90", "  !$omp parallel do\n", "hfpy check --directives-as-regions"),
        ("p.h90", "  @parallelRegion{domName(i), domSize(n)}\n  @end parallelRegion\n", "hfpy check, then"),
    ],
)
def test_what_comes_next(name: str, body: str, command: str, tmp_path: Path) -> None:
    write(tmp_path, {name: physics(body=body)})
    assert [*begin(tmp_path).reported()][-1].startswith(f"now: {command}")


def test_it_never_overwrites(tmp_path: Path) -> None:
    write(tmp_path, {"p.f90": physics(), "hfpy.toml": "mine"})
    with pytest.raises(UsageError, match="exists already"):
        begin(tmp_path)
    assert (tmp_path / "hfpy.toml").read_text() == "mine"


def test_folders_without_sources(tmp_path: Path) -> None:
    write(tmp_path, {"a/readme.txt": "", "old/config/MakesettingsGeneral": "", "old/p.h90": physics()})
    with pytest.raises(UsageError, match="no Fortran sources"):
        begin(tmp_path / "a")
    with pytest.raises(UsageError, match="no folder"):
        begin(tmp_path / "b")
    with pytest.raises(UsageError, match="Hybrid Fortran project"):
        begin(tmp_path / "old")
    assert not [*tmp_path.rglob("hfpy.toml")]
