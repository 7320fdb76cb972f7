"""Files of one name in different folders of a project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hfpy import cli
from hfpy.build.settings.projectfile import load_project
from hfpy.options import Options
from hfpy.outputs import outputs_of
from hfpy.pipeline import translate
from hfpy.project import options_for, source_files

TOML = '[project]\nname = "p"\nsources = ["src"]\n'
PART = """\
module {m}
  implicit none
contains
  subroutine {m}_step(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    @parallelRegion{{domName(i), domSize(n)}}
    x(i) = {value}
    @end parallelRegion
  end subroutine
end module
"""
MAIN = """\
program main
  use first, only: first_step
  use second, only: second_step
  implicit none
  real(8) :: x(3)
  x = 1
  call first_step(3, x)
  call second_step(3, x)
  print '(3f6.1)', x
end program
"""
FILES = {
    "hfpy.toml": TOML,
    "src/a/type.h90": PART.format(m="first", value="x(i) + 1"),
    "src/b/type.h90": PART.format(m="second", value="x(i)*3"),
    "src/main.f90": MAIN,
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def ran(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


NAMED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("src/a/type.f90", "src/b/type.f90"): ("a_type.f90", "b_type.f90"),
    ("src/type.f90", "src/b/type.f90", "src/main.f90"): ("type.f90", "b_type.f90", "main.f90"),
    ("src/a/type.h90", "src/b/type.F90"): ("a_type.F90", "b_type.F90"),
    ("src/a/Type.f90", "src/b/type.f90"): ("a_Type.f90", "b_type.f90"),
    ("/p/x/one/type.f90", "/p/y/type.f90"): ("x_one_type.f90", "y_type.f90"),
    ("a/type.f90", "b/type.f"): ("type.f90", "type.f"),
    ("a/type.f90", "a/type.F90"): ("type.f90", "type.F90"),  # of one folder: an error
    ("a/x.h90", "a/x.F90", "b/x.f90"): ("a_x.F90", "a_x.F90", "b_x.f90"),
}


@pytest.mark.parametrize("paths", NAMED)
def test_names(paths: tuple[str, ...]) -> None:
    assert tuple(outputs_of(paths).names[path] for path in paths) == NAMED[paths]


@pytest.mark.parametrize(
    "paths",
    [
        ("a/type.f90", "b/type.f90", "a_type.f90", "b_type.f90"),
        ("a_b/c/type.f90", "a/b_c/type.f90", "a_b_c_type.f90"),
        ("../type.f90", "../../type.f90", "type.f90"),
    ],
)
def test_no_two_names_are_one(paths: tuple[str, ...]) -> None:
    outputs = outputs_of(paths)
    assert len({outputs.names[path].lower() for path in paths}) == len(paths)
    assert len({outputs.stems[path].lower() for path in paths}) == len(paths)


def test_kernels_of_one_stem_are_apart() -> None:
    assert outputs_of(["a/type.f90", "b/type.f"]).stems == {"a/type.f90": "a_type", "b/type.f": "b_type"}


def test_a_program_is_built(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    assert cli.run(["build", str(tmp_path)]) == 0
    program = tmp_path / "build/cpu-openmp/main"
    assert ran(program) == "   6.0   6.0   6.0\n"
    written(tmp_path, {"src/b/type.h90": PART.format(m="second", value="x(i)*4")})
    assert cli.run(["build", str(tmp_path)]) == 0
    assert ran(program) == "   8.0   8.0   8.0\n"
    made = {path.name for path in (program.parent / "generated").iterdir()}
    assert made == {"a_type.F90", "b_type.F90", "main.f90"}
    (tmp_path / "src/c").mkdir()
    shutil.move(tmp_path / "src/a/type.h90", tmp_path / "src/c/other.h90")
    assert cli.run(["build", str(tmp_path)]) == 0
    assert ran(program) == "   8.0   8.0   8.0\n"
    made = {path.name for path in (program.parent / "generated").iterdir()}
    assert made == {"other.F90", "type.F90", "main.f90"}


@pytest.mark.parametrize(
    "backend,kernels",
    [("cuda-c", "{}_type.cu"), ("cuda-fortran", "{}_type_kernels.cuf"), ("opencl", "{}_type_opencl.cpp")],
)
def test_kernels_and_their_modules(backend: str, kernels: str, tmp_path: Path) -> None:
    written(tmp_path, FILES)
    project = load_project(tmp_path)
    done = translate(source_files(project), Options(target="gpu", backend=backend))
    assert not done.diagnostics
    names = [file.name for file in done.files]
    assert sorted(names) == sorted(["main.f90", *(made.format(p) for p in "ab" for made in ("{}_type.F90", kernels))])
    modules = [module for file in done.files for module in file.contents.provides]
    assert len(set(modules)) == len(modules) == 4


@pytest.mark.full
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_kernels_run(backend: str, tmp_path: Path) -> None:
    written(tmp_path, FILES)
    assert cli.run(["build", str(tmp_path), "--target", "gpu", "--backend", backend, "--emulate"]) == 0
    assert ran(tmp_path / f"build/gpu-{backend}-emulated/main") == "   6.0   6.0   6.0\n"


def test_messages_lead_to_the_right_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = FILES["src/b/type.h90"].replace("  subroutine", "  ! a comment\n  subroutine", 1)
    written(
        tmp_path, {**FILES, "src/b/type.h90": wrong.replace("implicit none", "implicit none\n  real :: q = unknown()")}
    )
    assert cli.run(["build", str(tmp_path)]) == 3
    assert "src/b/type.h90:3:" in capfd.readouterr().err


def test_two_programs_of_one_name(tmp_path: Path) -> None:
    programs = {f"src/{n}/main.f90": f"program p\n print '(a)', '{n}'\nend program\n" for n in ("one", "two")}
    written(tmp_path, {"hfpy.toml": TOML, **programs})
    assert cli.run(["build", str(tmp_path)]) == 0
    assert [ran(tmp_path / f"build/cpu-openmp/{n}_main") for n in ("one", "two")] == ["one\n", "two\n"]


def test_a_program_keeps_the_name_that_no_other_has(tmp_path: Path) -> None:
    files = {"src/lib/heat.f90": "module heat\nend module\n", "src/app/heat.f90": "program p\n use heat\nend program\n"}
    written(tmp_path, {"hfpy.toml": TOML + 'executables = ["heat"]\n', **files})
    assert cli.run(["build", str(tmp_path)]) == 0
    assert (tmp_path / "build/cpu-openmp/heat").is_file()


def test_one_module_in_both_is_told_with_both_places(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, {**FILES, "src/b/type.h90": FILES["src/a/type.h90"]})
    assert cli.run(["check", str(tmp_path)]) == 1
    reported = capfd.readouterr()
    both = reported.out + reported.err
    assert "HF108" in both and "a/type.h90" in both and "b/type.h90" in both


@pytest.mark.parametrize(
    "turns", [((3, "   6.0"),), pytest.param(((3, "   6.0"), (5, "  10.0")), marks=pytest.mark.full)], ids=len
)
def test_make(turns: tuple[tuple[int, str], ...], tmp_path: Path) -> None:
    """An edit is made in test_make.py, too."""
    root = Path(__file__).parents[2]
    hfpy = f"env PYTHONPATH={root} {sys.executable} -m hfpy"
    makefile = f"HFPY := {hfpy}\nFC := gfortran\nFFLAGS := -O0\nHFPY_SOURCES := src\ninclude {root}/makefiles/hfpy.mk\n"
    written(tmp_path, {**FILES, "Makefile": makefile})
    environment = {k: v for k, v in os.environ.items() if k not in ("FC", "FFLAGS", "MAKEFLAGS", "MAKELEVEL")}
    for value, shown in turns:
        written(tmp_path, {"src/b/type.h90": PART.format(m="second", value=f"x(i)*{value}")})
        subprocess.run(["make", "-j2"], cwd=tmp_path, env=environment, capture_output=True, check=True)
        assert ran(tmp_path / "build/make-cpu/main") == shown * 3 + "\n"


def test_a_file_that_comes_changes_names_of_others(tmp_path: Path) -> None:
    """A translation that is kept is taken for the same files alone."""
    written(tmp_path, {name: text for name, text in FILES.items() if name != "src/b/type.h90"})
    project = load_project(tmp_path)

    def names() -> list[str]:
        paths = source_files(load_project(tmp_path))
        options = options_for(project, "cpu")
        return [f.name for f in translate(paths, options).files]

    written(tmp_path, {"src/main.f90": "program main\nend program\n"})
    assert names() == ["type.F90", "main.f90"]
    written(tmp_path, FILES)
    assert names() == ["a_type.F90", "b_type.F90", "main.f90"]
