"""``find_package(hfpy)``: programs that CMake builds, with threads and with emulated kernels."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.gpu.opencl import needs_opencl
from tests.wrapper.programs import ROOT, done, write_program

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on this machine (make buildtools)")
SOURCES = "src/kinds.f90 src/field.f90 src/work.F90 src/main.f90"
LISTS = """cmake_minimum_required(VERSION 3.18)
project(prog LANGUAGES Fortran CXX)
find_package(hfpy REQUIRED)
WAY
install(TARGETS prog DESTINATION bin)
"""
DEFINED = "target_compile_definitions(prog PRIVATE FACTOR=2)\n"
ADDED = f"hfpy_add_executable(prog {SOURCES} MORE OPTIONS -D FACTOR=2)\n{DEFINED}"
TAKEN = (
    f"add_executable(prog {SOURCES})\n{DEFINED}"
    "target_include_directories(prog PRIVATE src)\nhfpy_target_sources(prog MORE)"
)


@pytest.mark.parametrize(
    ("way", "more"),
    [
        pytest.param(ADDED, "", marks=pytest.mark.full),  # as the library below
        pytest.param(TAKEN, "TARGET gpu EMULATE", marks=pytest.mark.full),
        (TAKEN, "BACKEND sequential"),
        pytest.param(ADDED, "TARGET gpu BACKEND openacc", marks=pytest.mark.full),
        pytest.param(TAKEN, "TARGET gpu BACKEND opencl", marks=[pytest.mark.full, needs_opencl]),
    ],
    ids=["added", "taken-kernels", "sequential", "openacc", "opencl"],
)
def test_a_program(way: str, more: str, tmp_path: Path) -> None:
    plain = write_program(tmp_path / "plain")
    done(plain, "make", "-s")
    program = write_program(tmp_path / "program")
    (program / "CMakeLists.txt").write_text(LISTS.replace("WAY", way.replace("MORE", more)))
    command = f"{sys.executable};-m;hfpy"
    configure = ["cmake", "-S", ".", "-B", "out", f"-Dhfpy_DIR={ROOT / 'hfpy' / 'cmake'}", f"-DHFPY_COMMAND={command}"]
    done(program, *configure, "-DCMAKE_INSTALL_PREFIX=installed")
    done(program, "cmake", "--build", "out", "-j", "2")
    assert done(program, "out/prog") == done(plain, "./prog")
    source = program / "src" / "work.F90"
    source.write_text(source.read_text().replace("+ i + 10 * j", "+ i + 20 * j"))
    done(program, "cmake", "--build", "out", "-j", "2")
    assert "  23.0" in done(program, "out/prog")
    done(program, "cmake", "--install", "out", "--prefix", "installed")
    assert "  23.0" in done(program, "installed/bin/prog")
    source.write_text(source.read_text().replace("domName(i,j)", "domName(i)"))
    assert "src/work.F90:10" in done(program, "cmake", "--build", "out", status=2)


USER = """cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES Fortran)
find_package(heat REQUIRED)
add_executable(user main.f90)
target_link_libraries(user heat::heat)
"""


@pytest.mark.parametrize("target", ["cpu", pytest.param("gpu", marks=pytest.mark.full)])
def test_a_library_and_who_uses_it(target: str, tmp_path: Path) -> None:
    """The sample's library is installed; another project finds it, and its program prints what a plain one prints."""
    sample = ROOT / "samples" / "builds"
    done(tmp_path, "gfortran", "-o", "plain", str(sample / "src" / "diffusion.f90"), str(sample / "app" / "main.f90"))
    expected = done(tmp_path, "./plain")
    hfpy_there = [f"-Dhfpy_DIR={ROOT / 'hfpy' / 'cmake'}", f"-DHFPY_COMMAND={sys.executable};-m;hfpy"]
    done(tmp_path, "cmake", "-S", str(sample), "-B", "out", f"-DHEAT_TARGET={target}", *hfpy_there)
    done(tmp_path, "cmake", "--build", "out", "-j", "2")
    assert done(tmp_path, "out/heat") == expected
    done(tmp_path, "cmake", "--install", "out", "--prefix", "installed")
    shutil.rmtree(tmp_path / "out")
    assert (tmp_path / "installed" / "include" / "heat" / "diffusion.mod").is_file()
    assert done(tmp_path, "installed/bin/heat") == expected
    user = tmp_path / "user"
    user.mkdir()
    shutil.copy(sample / "app" / "main.f90", user)
    (user / "CMakeLists.txt").write_text(USER if target == "cpu" else USER.replace("Fortran)", "Fortran CXX)"))
    done(user, "cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'}")
    done(user, "cmake", "--build", "out")
    assert done(user, "out/user") == expected


def test_what_cannot_be_installed(tmp_path: Path) -> None:
    (tmp_path / "a.f90").write_text("module a\nend module a\n")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(a LANGUAGES Fortran)\nfind_package(hfpy REQUIRED)\n"
        "add_library(plain a.f90)\nhfpy_install(plain)\n"
    )
    arguments = [f"-Dhfpy_DIR={ROOT / 'hfpy' / 'cmake'}", f"-DHFPY_COMMAND={sys.executable};-m;hfpy"]
    said = done(tmp_path, "cmake", "-S", ".", "-B", "out", *arguments, status=1)
    assert "hfpy_install: plain has no sources from hfpy_add_library" in said
