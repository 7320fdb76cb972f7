"""Kernels in HIP in builds by other tools: ``hfpy fc`` and CMake, by clang 19 and stand-ins for what ROCm has.

Programs are built to the end, and come as far as the question for a device.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.test_hip import HEAT, MAIN, STANDINS
from tests.wrapper.programs import ROOT

CLANG = shutil.which("clang++-19")
HFPY = (sys.executable, "-m", "hfpy")
# What links and bundles code for AMD's GPUs: here code goes through them as it is.
TOOLS = {
    "lld": (
        'while [ $# -gt 0 ]; do\n  case $1 in -o) out=$2; shift;; *.o) in=$1;; esac\n  shift\ndone\ncp "$in" "$out"\n'
    ),
    "clang-offload-bundler": (
        "for word; do\n  case $word in -input=*) in=${word#*=};; -output=*) out=${word#*=};; esac\ndone\n"
        'cp "$in" "$out"\n'
    ),
}
CALLS = """DeviceGetAttribute DeviceGetDefaultMemPool DeviceSynchronize EventCreate EventCreateWithFlags EventDestroy
EventElapsedTime EventRecord EventSynchronize Free FreeAsync FuncGetAttributes GetDevice GetDeviceCount GetLastError
HostMalloc LaunchKernel Malloc MallocAsync MemGetInfo MemPoolSetAttribute MemPoolTrimTo MemcpyAsync SetDevice
StreamCreate StreamWaitEvent""".split()
OWN = ("PopCallConfiguration", "RegisterFatBinary", "RegisterFunction", "UnregisterFatBinary")
CONFIG = """add_library(hip::host SHARED IMPORTED)
set_target_properties(hip::host PROPERTIES IMPORTED_LOCATION ${CMAKE_CURRENT_LIST_DIR}/../../libamdhip64.so)
"""
LISTS = """cmake_minimum_required(VERSION 3.21)
project(heat LANGUAGES Fortran LANGUAGE)
find_package(hfpy REQUIRED)
add_executable(heat heat.h90 main.f90)
hfpy_target_sources(heat TARGET gpu BACKEND hip)
"""


def program(folder: Path) -> Path:
    (folder / "heat.h90").write_text(HEAT)
    (folder / "main.f90").write_text(MAIN)
    return folder


@pytest.mark.parametrize(("more", "language"), [((), "HIP"), (("--emulate",), "CXX")])
def test_the_plan(more: tuple[str, ...], language: str, tmp_path: Path) -> None:
    command = [*HFPY, "transpile", "heat.h90", "--target", "gpu", "--backend", "hip", *more, "--plan", "-o", "out"]
    done = subprocess.run(command, cwd=program(tmp_path), capture_output=True, text=True, check=True)
    rows = done.stdout.splitlines()
    assert "kernels heat.hip" in rows and f"language {language}" in rows
    assert any(row.endswith("runtime/hip") for row in rows) == (not more)
    assert any(row.endswith("runtime/cuda/emulate") for row in rows) == bool(more)
    assert ("define HFPY_EMULATE" in rows) == bool(more)


@pytest.fixture(scope="module")
def rocm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder like ROCm's, and the environment in which clang and the linker find what it has."""
    if CLANG is None:
        pytest.skip("clang 19 is not here")
    root = tmp_path_factory.mktemp("rocm")
    for folder in ("bin", "lib/cmake/hip-lang", "lib/cmake/hip"):
        (root / folder).mkdir(parents=True)
    shutil.copytree(STANDINS / "hip", root / "include" / "hip")
    for name, text in TOOLS.items():
        (root / "bin" / name).write_text(f"#!/bin/sh\n{text}")
        (root / "bin" / name).chmod(0o755)
    (root / "lib/cmake/hip-lang/hip-lang-config.cmake").write_text("")
    (root / "lib/cmake/hip/hip-config.cmake").write_text(CONFIG)
    fails = "".join(f"int hip{call}(...) {{ return 100; }}\n" for call in CALLS)
    fails += "".join(f"void *__hip{call}(...) {{ return 0; }}\n" for call in OWN)
    fails += 'const char *hipGetErrorString(int) { return "nothing is there"; }\n'
    (root / "calls.cpp").write_text(f'extern "C" {{\n{fails}}}\n')
    subprocess.run(["g++", "-shared", "-fPIC", "-o", "lib/libamdhip64.so", "calls.cpp"], cwd=root, check=True)
    flags = f"-nogpulib -nogpuinc -I{root / 'include'}"
    own = {
        "PATH": f"{root / 'bin'}:{os.environ['PATH']}",
        "LIBRARY_PATH": str(root / "lib"),
        "LD_LIBRARY_PATH": str(root / "lib"),
        "HIPCC": f"{CLANG} {flags}",
        "HIPFLAGS": f"{flags} --rocm-path={root}",
    }
    return root, {**os.environ, **own}


def has_no_device(command: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run([folder / command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done
    assert "no HIP device can be used: nothing is there\n  the process sees no device: " in done.stderr, done


@pytest.mark.full
def test_compiled_in_place_of_the_compiler(rocm: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    _, environment = rocm
    folder = program(tmp_path)

    def run(*words: str) -> None:
        subprocess.run([*HFPY, "fc", *words], cwd=folder, env=environment, check=True)

    run("--scan", ".", "--target", "gpu", "--backend", "hip")
    run("gfortran", "-c", "heat.h90", "-o", "heat.o")
    run("gfortran", "-c", "main.f90", "-o", "main.o")
    sections = subprocess.run(["objdump", "-h", "heat.o"], cwd=folder, capture_output=True, text=True, check=True)
    assert ".hip_fatbin" in sections.stdout
    run("gfortran", "heat.o", "main.o", "-o", "heat")
    has_no_device("heat", folder, environment)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on this machine (make buildtools)")
@pytest.mark.parametrize("language", ["HIP", "CXX"])
def test_built_by_cmake(language: str, rocm: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    root, environment = rocm
    folder = program(tmp_path)
    (folder / "CMakeLists.txt").write_text(LISTS.replace("LANGUAGE)", f"{language})"))
    asked = {
        "CMAKE_HIP_COMPILER": CLANG,
        "CMAKE_HIP_COMPILER_ROCM_ROOT": root,
        "CMAKE_PREFIX_PATH": root,
        "CMAKE_HIP_ARCHITECTURES": "gfx90a",
        "hfpy_DIR": ROOT / "hfpy" / "cmake",
        "HFPY_COMMAND": ";".join(HFPY),
    }
    command = ["cmake", "-S", ".", "-B", "out", *(f"-D{name}={value}" for name, value in asked.items())]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if language == "CXX":
        assert done.returncode and "kernels need HIP: project(...  LANGUAGES Fortran HIP)" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    subprocess.run(["cmake", "--build", "out", "-j", "2"], cwd=folder, env=environment, check=True)
    has_no_device("out/heat", folder, environment)
