"""hfpy.mk in users' Makefiles: right under ``make -j``, only what changed, safe when interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from interrupts import interruptible

from tests.support import write_files

ROOT = Path(__file__).parents[2]
HFPY = f"{sys.executable} {Path(__file__).parent / 'plain_hfpy.py'}"
MAKEFILE = f"""\
HFPY := {HFPY}
HFPY_SOURCES := source
FC := gfortran
FFLAGS := -O1
include {ROOT}/makefiles/hfpy.mk

all: $(HFPY_EXECUTABLES)
clean: hfpy-clean
"""
BASE = """\
module base
  implicit none
  integer, parameter :: factor = 3
contains
  integer function scaled(n)
    integer, intent(in) :: n
    scaled = n * factor
  end function
end module
"""
MIDDLE = """\
#include "plus.h"
module middle
  use base, only: scaled
  use, intrinsic :: iso_c_binding, only: c_int
  private
  public :: say
  interface
    integer(c_int) function level() bind(c)
      import :: c_int
    end function
  end interface
contains
  subroutine say(n)
    integer, intent(in) :: n
    print '(i0)', scaled(n) + PLUS + level()
  end subroutine
end module
"""
SOURCES = {
    "Makefile": MAKEFILE,
    "source/a_demo.f90": "program demo\n use middle\n call say(14)\nend program\n",
    "source/middle.F90": MIDDLE,
    "source/plus.h": "#define PLUS 0\n",
    "source/z_base.h90": BASE,
    "source/low/level.c": "int level(void) { return 0; }\n",
}


class Make:
    """Runs make in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            k: v for k, v in os.environ.items() if k not in ("FC", "CC", "FFLAGS", "MAKEFLAGS", "MAKELEVEL")
        }

    def __call__(self, *arguments: str, status: int = 0) -> tuple[list[str], str]:
        """The sources that were compiled (or executables linked), and everything that was printed."""
        ended = subprocess.run(
            ["make", "-j2", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=self.environment,
            check=False,
        )
        output = ended.stdout + ended.stderr
        assert ended.returncode == status, output
        done = [Path(line.split()[-1]).name for line in ended.stdout.splitlines() if " -c " in line]
        return sorted(done), output

    def program(self) -> str:
        return subprocess.run(
            [self.folder / "build/make-cpu/a_demo"], capture_output=True, text=True, check=True
        ).stdout


@pytest.fixture
def make(write: Callable[..., None], tmp_path: Path) -> Make:
    write(SOURCES)
    return Make(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder, built once."""
    folder = tmp_path_factory.mktemp("built")
    write_files(SOURCES, folder)
    Make(folder)()
    return folder


@pytest.fixture
def made(built: Path, tmp_path: Path) -> Make:
    """In a copy of it, where nothing is left to be done."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return Make(tmp_path)


def test_builds_and_then_does_nothing(make: Make) -> None:
    done, _ = make()
    assert done == ["a_demo.f90", "level.c", "middle.F90", "z_base.F90"]
    assert make.program() == "42\n"
    done, output = make()
    assert done == []
    assert "transl" not in output and "gfortran" not in output


def test_only_what_changed(made: Make, write: Callable[..., None]) -> None:
    write({"source/z_base.h90": BASE.replace("n * factor", "n * factor + 1")})
    assert made()[0] == ["z_base.F90"]
    assert made.program() == "43\n"
    write({"source/z_base.h90": BASE.replace("factor = 3", "factor = 2")})
    done, _ = made()
    assert done == ["middle.F90", "z_base.F90"]  # what the main program sees of middle stays as it was
    assert made.program() == "28\n"
    write({"source/plus.h": "#define PLUS 5\n"})
    assert made()[0] == ["middle.F90"]
    assert made.program() == "33\n"
    write({"source/low/level.c": "int level(void) { return 100; }\n"})
    assert made()[0] == ["level.c"]
    assert made.program() == "133\n"
    assert made()[0] == []


def test_flags_count(made: Make, write: Callable[..., None]) -> None:
    assert made("FFLAGS=-O2")[0] == ["a_demo.f90", "level.c", "middle.F90", "z_base.F90"]
    assert made("FFLAGS=-O2")[0] == []


def test_selections_stay_selections(make: Make, write: Callable[..., None]) -> None:
    """gfortran gets the flags without which it makes branches of them again, for the files that have some."""
    branch = """subroutine limit(nx, nz, a, x)
  integer, intent(in) :: nx, nz
  real, intent(in) :: a(nx,nz)
  real, intent(inout) :: x(nx,nz)
  real :: m
  integer :: k
  @parallelRegion{domName(i), domSize(nx)}
  do k = 2, nz
    if (a(i,k) > 1.0) then
      m = sqrt(a(i,k))
    else
      m = 0.5 * x(i,k-1)
    end if
    x(i,k) = m + x(i,k-1)
  end do
  @end parallelRegion
end subroutine limit
"""
    write({"source/limit.h90": branch})
    lines = make(f"HFPY={sys.executable} -m hfpy")[1].splitlines()
    compiled = {Path(line.split()[-1]).name: line for line in lines if " -c " in line}
    assert "-fno-thread-jumps" in compiled["limit.F90"]
    assert "-fno-trapping-math" in compiled["limit.F90"]
    assert "-fno-thread-jumps" not in compiled["middle.F90"]
    lines = make(f"HFPY={sys.executable} -m hfpy", "FFLAGS=-O1 -ffpe-trap=invalid")[1].splitlines()
    (again,) = (line for line in lines if " -c " in line and line.endswith("limit.F90"))
    assert "-fno-thread-jumps" in again and "-fno-trapping-math" not in again


def test_new_and_removed_files(made: Make, write: Callable[..., None], tmp_path: Path) -> None:
    write({"source/more/extra.f90": "module extra\nend module\n"})
    assert made()[0] == ["extra.f90"]
    (tmp_path / "source/more/extra.f90").unlink()
    assert made()[0] == []
    assert not (tmp_path / "build/make-cpu/modules/extra.mod").exists()
    write({"source/a_demo.f90": "program demo\n use extra\nend program\n"})
    made(status=2)


def test_what_is_lost_comes_back(made: Make, tmp_path: Path) -> None:
    build = tmp_path / "build/make-cpu"
    (build / "modules/base.mod").unlink()
    assert "z_base.F90" in made()[0]
    (build / "generated/middle.F90").unlink()
    made()
    assert (build / "generated/middle.F90").exists()
    (build / "objects/a_demo.f90.o").unlink()
    assert made()[0] == ["a_demo.f90"]
    (build / "a_demo").unlink()
    made()
    assert made.program() == "42\n"


def test_messages_lead_to_the_source(make: Make, write: Callable[..., None]) -> None:
    write({"source/z_base.h90": "!hfpy-lines 5\n" + BASE.replace("n * factor", "n * faktor")})
    _, output = make(status=2)
    assert "source/z_base.h90:8:" in output
    write({"source/z_base.h90": BASE})
    make()
    assert make.program() == "42\n"


def test_errors_of_the_translation_stop_make(made: Make, write: Callable[..., None], tmp_path: Path) -> None:
    write({"source/z_base.h90": BASE + "!hfpy-error bad\n"})
    _, output = made(status=2)
    assert "source/z_base.h90:10:1: error HF200: bad" in output
    assert (tmp_path / "build/make-cpu/generated/z_base.F90").read_text() == BASE


def test_submodules_follow_their_module(make: Make, write: Callable[..., None]) -> None:
    shape = "module shape\n interface\n  module integer function side(n)\n   integer, intent(in) :: n\n"
    shape += "  end function\n end interface\n integer, private :: more = 1\nend module\n"
    sub = "submodule (shape) sub\ncontains\n module procedure side\n  side = n + more\n end procedure\nend submodule\n"
    write({"source/shape.f90": shape, "source/a_sub.f90": sub})
    write({"source/a_demo.f90": "program demo\n use shape\n print '(i0)', side(1)\nend program\n"})
    make()
    assert make.program() == "2\n"
    write({"source/shape.f90": shape.replace("integer, private", "integer(8), private")})
    assert "a_sub.f90" in make()[0]
    assert make.program() == "2\n"


def test_interrupted_make_leaves_nothing_wrong(make: Make, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text(
        '#!/bin/sh\ncase "$*" in *z_base.F90*) ;; *) exec gfortran "$@";; esac\n'
        'while [ "$1" != -o ]; do shift; done\necho half > "$2"\ntouch hanging\nexec sleep 60\n'
    )
    slow.chmod(0o755)
    process = subprocess.Popen(
        ["make", "-j2", f"FC={slow}"],
        cwd=tmp_path,
        env=make.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=interruptible,
    )
    for _ in range(500):
        if (tmp_path / "hanging").exists():
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=300)
    assert process.returncode != 0
    assert not (tmp_path / "build/make-cpu/objects/z_base.F90.o").exists()
    make()
    assert make.program() == "42\n"


def test_clean_translates_nothing(made: Make, tmp_path: Path) -> None:
    made("clean", "HFPY=false")
    assert not (tmp_path / "build/make-cpu").exists()
    made("clean", "HFPY=false")


def test_names_that_make_cannot_handle(make: Make, write: Callable[..., None]) -> None:
    write({"source/with blank.f90": "module blank\nend module\n"})
    _, output = make(status=2)
    assert "make cannot handle the file name" in output


def test_reads_the_project_file(make: Make, write: Callable[..., None]) -> None:
    write({"Makefile": MAKEFILE.replace("HFPY_SOURCES := source\n", "")})
    toml = '[project]\nsources = ["source"]\n[files."middle.F90"]\nflags = ["-UPLUS", "-DPLUS=1"]\n'
    write({"hfpy.toml": toml})
    write({"source/plus.h": "#ifndef PLUS\n#define PLUS 0\n#endif\n"})
    make()
    assert make.program() == "43\n"
