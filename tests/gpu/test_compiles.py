"""The same files under other compilers: nvcc without warnings, NVRTC without host headers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from hfpy.build.cuda import MODULE_SOURCES, RUNTIME, find_cuda_tools, runtime_library
from tests.gpu.emulated import NVCC, PROGRAMS, needs_nvcc, nvcc_command, run


@needs_nvcc
@pytest.mark.parametrize(
    ("name", "arch", "debug"),
    [
        ("advect.cu", "sm_80", False),
        ("advect.cu", "sm_90", True),
        ("kernels.cu", "sm_80", True),
        ("kernels.cu", "sm_90", False),
        ("reductions.cu", "sm_90", False),
    ],
)
def test_nvcc_compiles_without_warnings(name: str, arch: str, debug: bool, tmp_path: Path) -> None:
    run(nvcc_command(PROGRAMS / name, tmp_path / "x.o", arch, debug))


@needs_nvcc
def test_index_arithmetic_in_32_bits(tmp_path: Path) -> None:
    """Fewer multiplications of 64 bits."""
    source = PROGRAMS / "advect.cu"
    counts = []
    for option in ("-DHF_INDEX64", "-DHF_INDEX32"):
        target = tmp_path / f"{option}.ptx"
        run([NVCC or "", "-ptx", "-arch=sm_80", option, f"-I{RUNTIME}", source, "-o", target])
        counts.append(len(re.findall(r"\b(?:mul|mad)\.lo\.s64\b", target.read_text())))
    assert counts[1] < counts[0]


@pytest.mark.parametrize("name", ["advect.cu", "kernels.cu"])
def test_no_host_header_under_nvrtc(name: str) -> None:
    command = ["g++", "-x", "c++", "-std=c++17", "-E", "-D__CUDACC_RTC__", "-D__CUDACC__", f"-I{RUNTIME}"]
    ended = subprocess.run([*command, PROGRAMS / name], capture_output=True, text=True, check=True)
    included = set(re.findall(r'^# 1 "([^<"]+)"', ended.stdout, re.M))
    allowed = {str(PROGRAMS / name), "/usr/include/stdc-predef.h", *map(str, RUNTIME.glob("hfpy_*.hpp"))}
    assert str(RUNTIME / "hfpy_kernel.hpp") in included
    assert str(RUNTIME / "hfpy_launch.hpp") not in included
    assert included <= allowed


@needs_nvcc
def test_program_for_a_gpu(tmp_path: Path) -> None:
    """It links with the static CUDA runtime; where there is no GPU it says so."""
    tools = find_cuda_tools(os.environ, emulated=False, arch="sm_80")
    library = runtime_library(tools, tmp_path, run)
    run(tools.kernel_command(PROGRAMS / "advect.cu", tmp_path / "kernels.o"))
    host = ["-cpp", f"-J{tmp_path}", *MODULE_SOURCES, PROGRAMS / "advect.f90", tmp_path / "kernels.o", library]
    run(["gfortran", *host, *tools.link_flags(), "-o", tmp_path / "advect"])
    ended = subprocess.run([tmp_path / "advect"], capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        assert ended.stdout == "right\n"
    else:
        assert ended.returncode == 3
        assert ended.stderr.startswith("hfpy: advect.h90:40: no CUDA device can be used: ")
