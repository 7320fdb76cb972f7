"""``find_package(hfpy)``: programs that CMake builds, with threads and with emulated kernels."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

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
        (ADDED, ""),
        (TAKEN, "TARGET gpu EMULATE"),
        pytest.param(TAKEN, "BACKEND sequential", marks=pytest.mark.full),
        pytest.param(ADDED, "TARGET gpu BACKEND openacc", marks=pytest.mark.full),
    ],
    ids=["added", "taken-kernels", "sequential", "openacc"],
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
