"""Libraries: an archive, a shared library, module files and a pkg-config file, used by programs that hfpy never saw."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hfpy.cli import run as hfpy

TOML = """\
[project]
name = "mini physics"
kind = "library"
version = "1.2"
sources = ["source"]
[target.cpu]
flags = ["-O0"]
[domains]
i = { size = ["nx"], iterators = ["i"] }
k = { size = ["nz"], iterators = ["k"] }
[layout]
cpu = "k i"
gpu = "k i"
"""
PHYSICS = """\
module physics
  use, intrinsic :: iso_c_binding, only: c_int, c_double
  implicit none
  real(8) :: scale
  private :: column
contains
  subroutine step(nx, nz, t, q)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nx, nz)
    real(8), intent(in) :: q(nx, nz)
    real(8) :: w(nx, nz)
    @parallelRegion{domName(i), domSize(nx)}
    call column(nx, nz, i, t, q, w)
    @end parallelRegion
  end subroutine step
  subroutine twice(nx, nz, t, q)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nx, nz)
    real(8), intent(in) :: q(nx, nz)
    call step(nx, nz, t, q)
    call step(nx, nz, t, q)
  end subroutine twice
  subroutine column(nx, nz, i, t, q, w)
    integer, intent(in) :: nx, nz, i
    real(8), intent(inout) :: t(nx, nz), w(nx, nz)
    real(8), intent(in) :: q(nx, nz)
    integer :: k
    w(i, 1) = 0
    do k = 2, nz
      w(i, k) = w(i, k-1)*0.5d0 + q(i, k)
      t(i, k) = t(i, k) + w(i, k)*scale
    end do
  end subroutine column
  subroutine warm(n, x) bind(c, name="warm")
    integer(c_int), value :: n
    real(c_double), intent(inout) :: x(n)
    @parallelRegion{domName(i), domSize(n)}
    x(i) = x(i) + i
    @end parallelRegion
  end subroutine warm
end module physics
block data constants
  real(8) :: factor
  common /constants_block/ factor
  data factor /0.25d0/
end block data constants
subroutine setup()
  use physics, only: scale
  real(8) :: factor
  common /constants_block/ factor
  scale = factor
end subroutine setup
"""
CHECK = """\
program check
  use physics
  call setup()
  print *, scale
end program check
"""
USER = """\
program user
  use physics, only: step
  implicit none
  real(8) :: t(5,3), q(5,3)
  integer :: i, k
  do k = 1, 3
    do i = 1, 5
      t(i,k) = i + 10*k
      q(i,k) = i*k
    end do
  end do
  call setup()
  call step(5, 3, t, q)
  print '(5f9.3)', t
end program user
"""
PRINTED = """\
   11.000   12.000   13.000   14.000   15.000
   21.500   23.000   24.500   26.000   27.500
   32.000   34.000   36.000   38.000   40.000
"""
IN_C = """\
#include <stdio.h>
void warm(int n, double *x);
int main(void) {
  double x[3] = {1, 2, 3};
  warm(3, x);
  printf("%g %g %g\\n", x[0], x[1], x[2]);
}
"""
FILES = {"lib/hfpy.toml": TOML, "lib/source/physics.h90": PHYSICS, "lib/source/check.f90": CHECK}


@pytest.fixture
def library(write: Callable[..., None], tmp_path: Path) -> Path:
    write({**FILES, "user.f90": USER, "user.c": IN_C})
    return tmp_path / "lib"


def asked(config: Path, key: str) -> list[str]:
    """The flags under a key of a pkg-config file, as that tool would print them."""
    text = config.read_text()
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.M):
        text = text.replace(f"${{{name}}}", value)
    text = text.replace("${prefix}", str(config.parents[2]))
    found = re.search(rf"^{re.escape(key)}: (.*)$", text, re.M)
    return found[1].split() if found else []


def linked(folder: Path, config: Path, keys: tuple[str, ...], source: str = "user.f90") -> str:
    """What a program prints that is compiled and linked with the flags of a pkg-config file."""
    flags = [flag for key in keys for flag in asked(config, key)]
    compiler = "gcc" if source.endswith(".c") else "gfortran"
    subprocess.run([compiler, folder / source, *flags, "-o", folder / "user"], cwd=folder, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(config.parents[1])}
    return subprocess.run([folder / "user"], env=environment, capture_output=True, text=True, check=True).stdout


def installed(library: Path, *options: str) -> Path:
    """Where the library's pkg-config file is after installing."""
    prefix = library.parent / "prefix"
    assert hfpy(["install", str(library), "--prefix", str(prefix), *options]) == 0
    return prefix / "lib" / "pkgconfig" / "mini_physics.pc"


def test_users(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = installed(library, "--backend", "openmp")
    assert "'t' keeps its declared order: code that hfpy does not see may call 'step'" in capsys.readouterr().err
    assert asked(config, "Version") == ["1.2"]
    assert linked(library.parent, config, ("Cflags", "Libs")) == PRINTED
    assert linked(library.parent, config, ("Cflags", "Libs"), "user.c") == "2 4 6\n"
    shared = config.parents[1] / "libmini_physics.so"
    shared.unlink()
    assert linked(library.parent, config, ("Cflags", "Libs", "Libs.private")) == PRINTED
    assert not (library / "build/cpu-openmp/check").exists()  # main programs of a library are built where it names them
    capsys.readouterr()
    installed(library, "--backend", "openmp")
    assert capsys.readouterr().out == f"installed {shared}\n"


@pytest.mark.full
def test_users_of_kernels(library: Path) -> None:
    config = installed(library, "--target", "gpu", "--emulate")
    assert linked(library.parent, config, ("Cflags", "Libs")) == PRINTED
    assert linked(library.parent, config, ("Cflags", "Libs"), "user.c") == "2 4 6\n"
    (config.parents[1] / "libmini_physics.so").unlink()
    assert linked(library.parent, config, ("Cflags", "Libs", "Libs.private")) == PRINTED


def test_what_is_exported(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hfpy(["check", str(library)]) == 0
    kept = capsys.readouterr().err
    assert "'t' keeps" in kept and "'w'" not in kept and "may call 'step'" in kept  # 'twice' calls it, and others may
    toml = library / "hfpy.toml"
    toml.write_text(TOML.replace("version", 'exports = ["warm"]\nversion'))
    assert hfpy(["check", str(library)]) == 0
    assert "'t' keeps" not in capsys.readouterr().err


def test_named_programs(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toml = library / "hfpy.toml"
    toml.write_text(TOML.replace("version", 'executables = ["check"]\nversion'))
    config = installed(library, "--backend", "sequential")
    program = config.parents[2] / "bin" / "check"
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert float(done.stdout) == 0.25


@pytest.mark.parametrize("command", ["run", "verify", "tune"])
def test_nothing_to_run(command: str, library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (library / "source/physics.h90").write_text("module m\ninteger :: a\nend module m\n")
    assert hfpy([command, "-C", str(library), *(["--program"] if command == "tune" else [])]) == 2
    assert "the project is a library" in capsys.readouterr().err


def test_unknown_kind(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (library / "hfpy.toml").write_text(TOML.replace('"library"', '"libary"'))
    assert hfpy(["check", str(library)]) == 1
    assert "unknown kind 'libary'" in capsys.readouterr().err


def test_staged(library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DESTDIR", str(tmp_path / "stage"))
    assert hfpy(["install", str(library), "--prefix", "/opt/mini", "--backend", "openmp"]) == 0
    config = tmp_path / "stage/opt/mini/lib/pkgconfig/mini_physics.pc"
    assert config.read_text().startswith("prefix=/opt/mini\n")


@pytest.mark.parametrize("library", [True, False])
def test_transpiled_sources_of_a_library(library: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other code may call a public procedure of a library, also where one of the library calls it: ``step``."""
    (tmp_path / "physics.h90").write_text(PHYSICS)
    (tmp_path / "main.f90").write_text("program main\nend program main\n")
    domains = '[domains]\ni = { size = ["nx"], iterators = ["i"] }\nk = { size = ["nz"], iterators = ["k"] }\n'
    (tmp_path / "hfpy.toml").write_text(
        f'[project]\nname = "p"\nsources = ["physics.h90", "main.f90"]\n[layout]\ncpu = "k i"\n{domains}'
    )
    extra = ["--library"] if library else []
    monkeypatch.chdir(tmp_path)
    assert hfpy(["transpile", "-o", "out", *extra]) == 0
    text = (tmp_path / "out" / "physics.F90").read_text()
    assert ("t(nx, nz)" in text) == library and ("t(nz,nx)" in text) != library
