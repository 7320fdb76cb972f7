"""From annotated sources to running programs through the command line and the translator itself."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hfpy import cli

TOML = '[project]\nname = "demo"\nsources = ["source"]\n'
MODEL = """\
module model
  implicit none
contains
  subroutine fill(nx, ny, a)
    integer, intent(in) :: nx, ny
    real(8), intent(out) :: a(nx, ny)

    @parallelRegion{domName(i,j), domSize(nx,ny)}
    a(i, j) = 10.d0 * i + j
    @end parallelRegion
  end subroutine
end module
"""
MAIN = """\
program demo
  use model
  implicit none
  real(8) :: a(3, 2)
  call fill(3, 2, a)
  print '(6f5.1)', a
end program
"""


@pytest.fixture
def project(write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one region in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("FC", "CC", "FFLAGS", "CFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)
    write({"hfpy.toml": TOML, "source/model.h90": MODEL, "source/demo.f90": MAIN})
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.run(arguments)
    out, err = capfd.readouterr()
    return status, out, err


def test_runs(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "run") == (0, " 11.0 21.0 31.0 12.0 22.0 32.0\n", "")


@pytest.mark.parametrize("options", [(), ("--debug",)])
def test_compiler_messages_have_the_lines_of_the_annotated_source(
    project: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """With --debug the generated file holds line markers, and the compiler itself names the source."""
    faulty = MODEL.replace("  subroutine fill", "  ! one more line\n  subroutine fill").replace(
        "10.d0 * i", "name('x')"
    )
    (project / "source/model.h90").write_text(faulty)
    status, _, err = run(capfd, "build", *options)
    assert status == 3
    assert "source/model.h90:10:" in err
    assert not any(line.startswith("build/") for line in err.splitlines())


def test_an_edit_in_a_region_compiles_one_file(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "build")
    (project / "source/model.h90").write_text(MODEL.replace("10.d0 * i", "20.d0 * i"))
    _, _, err = run(capfd, "build", "--verbose")
    assert [line.split()[-1] for line in err.splitlines() if " -c " in line] == ["build/cpu-openmp/generated/model.F90"]
    assert run(capfd, "build")[1].endswith("(everything was up to date)\n")


def test_a_storage_order_file_of_another_name(
    project: Path, write: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    write(
        {
            "hfpy.toml": TOML + 'storage_order = "orders/k_first.F90"\n',
            "orders/k_first.F90": "#define AT(a,b,c) c,a,b\n#define DOM(a,b,c) c,a,b\n#define ONE 1\n",
            "source/model.h90": MODEL.replace("a(nx, ny)", "a(nx, ny, ONE)").replace("a(i, j)", "a(i, j, ONE)"),
            "source/demo.f90": MAIN.replace("a(3, 2)", "a(1, 3, 2)"),
        }
    )
    assert run(capfd, "run")[:2] == (0, " 11.0 21.0 31.0 12.0 22.0 32.0\n")


def test_modules_from_elsewhere(project: Path, write: Callable[..., None], capfd: pytest.CaptureFixture[str]) -> None:
    """As with MPI or NetCDF: hfpy has neither source nor knowledge, only a module file and a library."""
    write(
        {"elsewhere/far.f90": "module far\ncontains\n integer function away()\n  away = 7\n end function\nend module\n"}
    )
    folder = project / "elsewhere"
    subprocess.run(["gfortran", "-c", "far.f90"], cwd=folder, check=True)
    subprocess.run(["ar", "rcs", "libfar.a", "far.o"], cwd=folder, check=True)
    (folder / "far.f90").unlink()
    toml = TOML + 'include_dirs = ["elsewhere"]\nldflags = ["-Lelsewhere"]\nlibraries = ["far"]\n'
    write(
        {
            "hfpy.toml": toml,
            "source/model.h90": MODEL.replace("implicit none", "use far\n  implicit none")
            .replace("    @parallel", "    integer :: n\n    n = away()\n    @parallel")
            .replace("+ j", "+ j + n"),
        }
    )
    status, out, _ = run(capfd, "run")
    assert (status, out) == (0, " 18.0 28.0 38.0 19.0 29.0 39.0\n")


def test_submodules_wait_for_their_module(
    project: Path, write: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    write(
        {
            "source/a_part.f90": "submodule (whole) part\ncontains\n module procedure half\n  half = n / 2\n"
            " end procedure\nend submodule\n",
            "source/whole.f90": "module whole\n interface\n  module integer function half(n)\n"
            "   integer, intent(in) :: n\n  end function\n end interface\nend module\n",
            "source/demo.f90": "program demo\n use whole\n print '(i0)', half(8)\nend program\n",
        }
    )
    assert run(capfd, "run")[:2] == (0, "4\n")


def test_existing_names_of_the_runtime_library(
    project: Path, write: Callable[..., None], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module of the library is compiled along where it is used, unless the project has one of this name."""
    monkeypatch.setenv("FFLAGS", "-O0")  # the library's modules take the compiler long
    write({"source/demo.f90": MAIN.replace("use model", "use model\n  use time_profiling, only: counter1")})
    assert run(capfd, "run")[0] == 0
    assert (project / "build/cpu-openmp/generated/helper_functions.F90").is_file()
    write({"source/own.f90": "module time_profiling\n real(8) :: counter1\nend module\n"})
    assert run(capfd, "run")[0] == 0
    assert not (project / "build/cpu-openmp/generated/helper_functions.F90").exists()


def test_slices_of_device_arrays_are_empty_modules_on_the_cpu(
    project: Path, write: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    uses = "use model\n  use helper_functions_gpu\n  use helper_functions_cuda_fortran"
    write({"source/demo.f90": MAIN.replace("use model", uses)})
    assert run(capfd, "run")[:2] == (0, " 11.0 21.0 31.0 12.0 22.0 32.0\n")
    for name in ("helper_functions_gpu", "helper_functions_cuda_fortran"):
        text = (project / f"build/cpu-openmp/generated/{name}.F90").read_text()
        assert "contains" in text and "subroutine" not in text.lower()


def test_explain_and_check(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capfd, "explain", "fill")
    assert status == 0
    assert "fill" in out and "within" in out
    assert run(capfd, "check")[0] == 0
    (project / "source/model.h90").write_text(MODEL.replace("domName", "domNam"))
    status, _, err = run(capfd, "check")
    assert status == 1
    assert "source/model.h90:8:" in err and "domName" in err


FIXED = """\
C     of fixed form
#define MORE 50000
      subroutine {name}(n)
      integer n
      n = n +
     & {more}
      end
"""
MIXED = """\
program demo
#define WANTED n
  use free
  use newer
  use newest
  integer :: n, i
  integer :: a(9)
  n = one + two + three
  call cards(n)
  call both(n)
  !@parallelRegion
  do i = 1, 9
    a(i) = WANTED
  end do
  print '(i0)', a(9)
end program
"""
ENDINGS = {
    "source/free.f95": "module free\n  integer, parameter :: one = 1 ! of free form\nend module\n",
    "source/newer.F03": "module newer\n#ifndef GPU\n  integer, parameter :: two = 20\n#endif\nend module\n",
    "source/newest.f08": "module newest\n  integer, parameter :: three = 300\nend module\n",
    "source/cards.ftn": FIXED.format(name="cards", more=4000).replace("#define MORE 50000\n", ""),
    "source/both.FPP": FIXED.format(name="both", more="MORE"),
    "source/demo.F95": MIXED,
}


def test_all_endings_by_which_compilers_know_fortran(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write({"hfpy.toml": TOML, **ENDINGS})
    assert run(capfd, "run") == (0, "54321\n", "")
    assert "!$omp parallel do" in (tmp_path / "build/cpu-openmp/generated/demo.F95").read_text()


PREPROCESSED = """\
program demo
#ifdef WIDE
  integer, parameter :: n = 9
#else
  integer, parameter :: n = 3
#endif
#define TWICE 2
  integer :: a(n), i
  !@parallelRegion
  do i = 1, n
    a(i) = TWICE*i
  end do
  print '(a,i0)', '# ', sum(a)
end program
"""


def test_files_with_lines_for_the_preprocessor_get_it(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Compilers take a flag for that where the name does not end in capitals; such files are nothing without it."""
    monkeypatch.chdir(tmp_path)
    write({"hfpy.toml": f'{TOML}define = ["WIDE"]\n', "source/demo.f90": PREPROCESSED})
    assert run(capfd, "check") == (0, "no problems found\n", "")
    assert run(capfd, "run") == (0, "# 90\n", "")
    write({"hfpy.toml": TOML})
    assert run(capfd, "run") == (0, "# 12\n", "")


def test_other_lines_with_a_hash_stay_comments(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Marks of lines that a preprocessor has left."""
    monkeypatch.chdir(tmp_path)
    text = PREPROCESSED.replace("TWICE", "2")
    rows = [row for row in text.splitlines() if not row.startswith("#") and "n = 3" not in row]
    write({"hfpy.toml": TOML, "source/demo.f90": "\n".join(['# 1 "old.F90"', *rows, ""])})
    assert run(capfd, "run") == (0, "# 90\n", "")
    assert "-cpp" not in "".join(p.read_text() for p in tmp_path.rglob("*.json"))


USER = """\
subroutine user(k)
  use zz_kinds, only: kind_of
  use, intrinsic :: iso_c_binding
  integer(kind_of) :: k
{more}end subroutine
"""


def test_modules_that_interface_bodies_use_come_first(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "a_first.f90": f"module first\n  interface\n{USER.format(more='')}  end interface\nend module\n",
        "zz.f90": "module zz_kinds\n  integer, parameter :: kind_of = 8\nend module\n",
        "user.f90": USER.format(more="  k = k + 1\n"),
        "demo.f90": "program demo\n  use first\n  integer(8) :: k\n  k = 41\n  call user(k)\n  print '(i0)', k\nend\n",
    }
    write({"hfpy.toml": TOML, **{f"source/{name}": text for name, text in files.items()}})
    assert run(capfd, "run") == (0, "42\n", "")
