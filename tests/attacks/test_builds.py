"""Builds that stopped at the compiler or the linker (C4, C5), and what hfpy tells early (R11)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hfpy import cli
from tests.support import storage_order, translate_text

MAIN = """\
program p
  use work, only: step
  {use}
  implicit none
  real(8) :: a(4)
  a = 1
  call step(4, a)
  print '(4f6.1)', a
  {after}
end program p
"""
WORK = """\
module work
contains
subroutine step(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  @parallelRegion{domName(i), domSize(n)}
  a(i) = a(i) + i
  @end parallelRegion
end subroutine
end module
"""
GENERAL = "EXECUTABLES=p\nSRC_DIR_COMMON=./source\nBASEDIR=./build\n"
SIDES = "FC = gfortran\nFFLAGS = -O1 {flag}\nLDFLAGS = {flag}\nCPU_IMPLEMENTATION_PRODUCTION={backend}Implementation\n"


def ran(program: Path) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


SPELLINGS = ["use omp_lib", "use, intrinsic :: omp_lib", "USE OMP_LIB, only: omp_get_wtime"]


@pytest.mark.parametrize(
    ("backend", "flag", "spelling"),
    [
        pytest.param(backend, flag, spelling, marks=[pytest.mark.full] * (way != number))
        for way, (backend, flag) in enumerate([("sequential", "-mp"), ("sequential", ""), ("openmp", "-fopenmp")])
        for number, spelling in enumerate(SPELLINGS)
    ],
)
def test_the_library_of_openmp(backend: str, flag: str, spelling: str, tmp_path: Path) -> None:
    if "intrinsic" in spelling:
        spelling = "use omp_lib, seconds => omp_get_wtime"
    call = "seconds" if "seconds" in spelling else "omp_get_wtime"
    (tmp_path / "source").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "source/p.f90").write_text(MAIN.format(use=spelling, after=f"if ({call}() < 0) stop 1"))
    (tmp_path / "source/work.h90").write_text(WORK)
    (tmp_path / "config/MakesettingsGeneral").write_text(GENERAL)
    (tmp_path / "config/MakesettingsCPU").write_text(SIDES.format(flag=flag, backend="Fortran"))
    assert cli.run(["build", str(tmp_path), "--backend", backend]) == 0
    assert ran(tmp_path / f"build/cpu-{backend}/p") == "   2.0   3.0   4.0   5.0\n"


@pytest.mark.parametrize(
    ("use", "after"),
    [
        ("use omp_lib", "if (omp_get_num_threads() < 1) stop 1"),
        ("use openacc", "call acc_init(acc_device_host)"),
    ],
)
@pytest.mark.parametrize("backend", ["sequential", "openmp"])
def test_libraries_of_directives_in_a_new_project(backend: str, use: str, after: str, tmp_path: Path) -> None:
    (tmp_path / "p.F90").write_text(MAIN.format(use=use, after=after))
    (tmp_path / "work.h90").write_text(WORK)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\n')
    assert cli.run(["build", str(tmp_path), "--backend", backend]) == 0
    assert ran(tmp_path / f"build/cpu-{backend}/p") == "   2.0   3.0   4.0   5.0\n"


SAME_FILES = (("a/x.h90", "a/x.H90"), ("a/x.h90", "a/x.F90"), ("a/x.f90", "a/X.f90"), ("a/x.H90", "a/X.F90"))


@pytest.mark.parametrize("files", SAME_FILES)
@pytest.mark.parametrize("words", [["check"], ["build"], ["transpile", "-o", "out"]])
def test_two_files_of_one_name_are_told_before_anything_is_read(
    files: tuple[str, str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("this is no Fortran\n")
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\n')
    monkeypatch.chdir(tmp_path)
    assert cli.run(words) == 1
    err = capfd.readouterr().err
    assert "HF807" in err and err.count(" error ") == 1


NAMESAKES = {
    "its own procedure": "module m\ncontains\nsubroutine {m}()\nend subroutine\nend module\n",
    "its own function": "module m\ncontains\nreal function {m}()\n{m} = 1\nend function\nend module\n",
    "an external procedure": "module m\nend module\nsubroutine {m}()\nend subroutine\n",
    "the program": "module m\nend module\nprogram {m}\nend program\n",
}


@pytest.mark.parametrize("kind", NAMESAKES)
@pytest.mark.parametrize("name", ["m", "M"])
def test_a_module_and_a_procedure_of_one_name(kind: str, name: str) -> None:
    text = NAMESAKES[kind].format(m=name)
    assert translate_text({"x.f90": text, "work.h90": WORK}).codes() == ["HF108"]
    fine = text.replace(f" {name}()", f" {name}x()").replace(f"program {name}", f"program {name}x")
    assert translate_text({"x.f90": fine, "work.h90": WORK}).codes() == []


HELPED = """\
program p
  use helper_functions
  use work, only: step
  implicit none
  real(8) :: a(AT(2,3,4))
  a = 0
  call step(2, 3, 4, a)
  print '(24f6.1)', a
end program p
#include "storage_order.F90"
"""


@pytest.mark.parametrize(
    ("blanks", "inner"),
    [
        pytest.param(blanks, inner, marks=[pytest.mark.full] * (outside % 3 != inside))  # both are read by one pattern
        for outside, blanks in enumerate([" ", "  \t", "\t", "    "])
        for inside, inner in enumerate(["#", "# ", "#\t"])
    ],
)
def test_blanks_before_the_macros_of_the_storage_order(
    blanks: str, inner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FFLAGS", "-O0")  # what is compiled beside takes most of the time
    order = storage_order("KIJ", "IJK").replace("#define", f"{blanks}{inner}define")
    (tmp_path / "storage_order.F90").write_text(order)
    text = '#include "storage_order.F90"\n' + HELPED.replace('#include "storage_order.F90"\n', "")
    (tmp_path / "p.F90").write_text(text)
    work = """\
module work
contains
subroutine step(nx, ny, nz, a)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: a(nx,ny,nz)
  integer :: k
  @domainDependant{attribute(autoDom)}
  a
  @end domainDependant
  @parallelRegion{domName(i,j), domSize(nx,ny)}
  do k = 1, nz
    a(i,j,k) = i + 10*j + 100*k
  end do
  @end parallelRegion
end subroutine
end module
"""
    (tmp_path / "work.h90").write_text(work)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["."]\n')
    assert cli.run(["build", str(tmp_path)]) == 0
    first = [float(x) for x in ran(tmp_path / "build/cpu-openmp/p").split()]
    assert first[:4] == [111, 211, 311, 411] and len(first) == 24
