"""``FC="hfpy fc gfortran"`` in a Makefile: the program is right, what is stale is refused, what is plain passes."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.gpu.opencl import needs_opencl
from tests.wrapper.programs import ROOT, WRAPPER, done, hfpy, path_with_hfpy, write_program

MAKE = ("make", "-s", "-j2", f"FC={WRAPPER} gfortran")
SCAN = ("fc", "--scan", "src", "-D", "FACTOR=2", "-I", "src")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return write_program(tmp_path)


@pytest.fixture
def expected(tmp_path: Path) -> str:
    plain = write_program(tmp_path / "plain")
    done(plain, "make", "-s")
    return done(plain, "./prog")


def made(program: Path, source: str) -> float:
    """When the object of a source was made."""
    return (program / "obj" / f"{source}.o").stat().st_mtime


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--backend", "sequential"),
        pytest.param(("--target", "gpu", "--emulate"), marks=pytest.mark.full),
        pytest.param(("--target", "gpu", "--backend", "openacc"), marks=pytest.mark.full),
        pytest.param(("--target", "gpu", "--backend", "opencl"), marks=[pytest.mark.full, needs_opencl]),
    ],
    ids=" ".join,
)
def test_a_makefile(options: tuple[str, ...], program: Path, expected: str) -> None:
    assert "4 sources" in hfpy(program, *SCAN, *options)
    done(program, *MAKE)
    assert done(program, "./prog") == expected
    generated = "".join(p.read_text() for p in (program / ".hfpy" / "generated").glob("work*"))
    kernels = any(word in generated for word in ("__global__", "hf_range", "__kernel"))
    assert kernels == bool({"--emulate", "opencl"} & set(options))
    times = [made(program, name) for name in ("kinds", "field", "work", "main")]
    done(program, *MAKE)
    assert times == [made(program, name) for name in ("kinds", "field", "work", "main")]


def test_without_a_scan(program: Path) -> None:
    said = done(program, *MAKE, status=2)
    assert "src/work.F90:10:1: error HF813" in said and "hfpy fc --scan" in said
    assert (program / "obj" / "kinds.o").exists() and not (program / "obj" / "work.o").exists()


def test_an_edit_is_translated_and_compiled(program: Path) -> None:
    hfpy(program, *SCAN)
    done(program, *MAKE)
    before = {name: made(program, name) for name in ("kinds", "work")}
    time.sleep(0.02)
    source = program / "src" / "work.F90"
    source.write_text(source.read_text().replace("+ i + 10 * j", "+ i + 20 * j"))
    done(program, *MAKE)
    assert "  23.0" in done(program, "./prog")
    assert made(program, "kinds") == before["kinds"] and made(program, "work") > before["work"]
    source.write_text(source.read_text().replace("domName(i,j)", "domName(i)"))
    assert "src/work.F90:10" in done(program, *MAKE, status=2)


def test_an_object_of_another_translation(program: Path) -> None:
    hfpy(program, *SCAN)
    done(program, *MAKE)
    hfpy(program, *SCAN, "--schedule", "dynamic")
    objects = [f"obj/{name}.o" for name in ("kinds", "field", "work", "main")]
    said = done(program, *shlex.split(WRAPPER), "gfortran", "-o", "prog", *objects, status=1)
    assert "HF815" in said and "obj/work.o" in said
    done(program, *MAKE)  # the generated file is newer, and -MD names it
    done(program, "./prog")
    done(program, "ar", "qcs", "libwork.a", "obj/work.o")
    done(program, *shlex.split(WRAPPER), "gfortran", "-o", "prog", *objects[:2], objects[3], "libwork.a")
    hfpy(program, *SCAN)
    said = done(
        program, *shlex.split(WRAPPER), "gfortran", "-o", "prog", *objects[:2], objects[3], "libwork.a", status=1
    )
    assert "HF815" in said and "libwork.a" in said


def test_other_macros(program: Path) -> None:
    hfpy(program, *SCAN)
    said = done(program, *MAKE, "FFLAGS=-cpp -DFACTOR=3 -Jmod -Isrc", status=2)
    assert "HF814" in said and "-DFACTOR" in said
    done(program, *MAKE, "FFLAGS=-cpp -DFACTOR=2 -DELSEWHERE -Jmod -Isrc")


def test_forms_of_the_command_line(program: Path, expected: str) -> None:
    hfpy(program, *SCAN)
    compiler = [*shlex.split(WRAPPER), "gfortran"]
    sources = [f"src/{name}" for name in ("kinds.f90", "field.f90", "work.F90", "main.f90")]
    flags = ["-DFACTOR=2", "-Isrc", "-Jmod"]
    done(program, *compiler, *flags, *sources, "-o", "one")
    assert done(program, "./one") == expected
    (program / "all.rsp").write_text(" ".join([*flags, "-c", *sources]))
    done(program, *compiler, "@all.rsp")
    done(program, *compiler, "-otwo", "kinds.o", "field.o", "work.o", "main.o")
    assert done(program, "./two") == expected
    assert "GNU Fortran" in done(program, *compiler, "--version")
    assert not done(program, *compiler, *flags, "-fsyntax-only", "src/kinds.f90")
    assert "subroutine spread" in done(program, *compiler, *flags, "-E", "src/work.F90")
    assert done(program, *compiler, "-c", "src/nothing.f90", status=1)
    assert "HF805" in done(program, *shlex.split(WRAPPER), "no-such-compiler", "-c", "src/kinds.f90", status=2)


def test_messages_lead_to_the_users_lines(program: Path) -> None:
    source = program / "src" / "work.F90"
    source.write_text(source.read_text().replace("  end subroutine", "    b(1,1) = 'no'\n  end subroutine"))
    hfpy(program, *SCAN)
    said = done(program, *MAKE, status=2)
    assert f"{source}:17" in said.replace("src/work.F90", str(source)) or "work.F90:17" in said


def test_a_plain_file_costs_next_to_nothing(program: Path) -> None:
    """What has to be imported for it: nothing of click, fparser or isl, and no module of hfpy beside the wrapper."""
    hfpy(program, *SCAN)
    command = [sys.executable, "-X", "importtime", *shlex.split(WRAPPER)[1:], "true", "-c", "src/kinds.f90"]
    said = done(program, *command)
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if "|" in line}
    assert "hfpy.wrapper.main" in imported
    assert not imported & {"click", "fparser", "islpy", "numpy", "hfpy.cli", "hfpy.diagnostics", "hfpy.options"}
    modules = {name for name in imported if name.startswith("hfpy.") and not name.startswith("hfpy.wrapper")}
    assert modules <= {"hfpy.start", "hfpy.suffixes", "hfpy.values", "hfpy.version", "hfpy.__main__"}


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on this machine (make buildtools)")
def test_cmake(program: Path, expected: str) -> None:
    (program / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(prog Fortran)\n"
        "add_executable(prog src/kinds.f90 src/field.f90 src/work.F90 src/main.f90)\n"
        "target_compile_definitions(prog PRIVATE FACTOR=2)\n"
    )
    hfpy(program, *SCAN)
    asked = ("cmake", "-S", ".", "-B", "out", "-DCMAKE_Fortran_COMPILER=hfpy-gfortran")
    done(program, *asked, PATH=path_with_hfpy())
    done(program, "cmake", "--build", "out", "-j", "2")
    assert done(program, "out/prog") == expected
    source = program / "src" / "work.F90"
    os.utime(source, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns + 10**9))
    source.write_text(source.read_text().replace("+ i + 10 * j", "+ i + 20 * j"))
    done(program, "cmake", "--build", "out", "-j", "2")
    assert "  23.0" in done(program, "out/prog")


@pytest.mark.skipif(shutil.which("autoconf") is None, reason="autoconf is not on this machine (make buildtools)")
def test_autoconf(tmp_path: Path) -> None:
    """The sample, whose configure script says the compiler to make; then plain make."""
    there = ROOT / "samples" / "builds"
    sample = Path(shutil.copytree(there, tmp_path / "heat", ignore=shutil.ignore_patterns("out", "build", ".hfpy")))
    done(sample, "make", "-s")
    expected = done(sample, "out/make/heat")
    done(sample, "make", "clean")
    assert "2 sources" in hfpy(sample, "fc", "--scan")
    done(sample, "autoconf")
    done(sample, "./configure", "FC=hfpy-gfortran", PATH=path_with_hfpy())
    done(sample, "make", "-s", "-j2", PATH=path_with_hfpy())
    assert done(sample, "out/make/heat") == expected
    assert b".hfpy.made" in (sample / "out" / "make" / "diffusion.o").read_bytes()
