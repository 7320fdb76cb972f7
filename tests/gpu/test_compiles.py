"""The same files under other compilers: nvcc without warnings, NVRTC without host headers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from hfpy.build.compile.cuda import MODULE_SOURCES, RUNTIME, find_cuda_tools
from hfpy.build.compile.gpuruntime import runtime_library
from tests.gpu.emulated import NVCC, PROGRAMS, needs_nvcc, nvcc_command, run
from tests.support import Batch, Case, translate_text


@needs_nvcc
@pytest.mark.parametrize(
    ("name", "arch", "debug"),
    [
        pytest.param("advect.cu", "sm_80", False, marks=pytest.mark.full),
        pytest.param("advect.cu", "sm_90", True, marks=pytest.mark.full),
        pytest.param("kernels.cu", "sm_80", True, marks=pytest.mark.full),
        ("kernels.cu", "sm_90", False),
        pytest.param("reductions.cu", "sm_90", False, marks=pytest.mark.full),  # by default: test_reductions.py
    ],
)
def test_nvcc_compiles_without_warnings(name: str, arch: str, debug: bool, tmp_path: Path) -> None:
    run(nvcc_command(PROGRAMS / name, tmp_path / "x.o", arch, debug))


SMOOTH = """\
module m
contains
  subroutine smooth(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: a(0:nx+1,0:ny+1,nz)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1,nz)
    @parallelRegion{domName(i,j,k), domSize(nx,ny,nz)}
    b(i,j,k) = a(i-1,j,k) + a(i+1,j,k) + a(i,j-1,k) + a(i,j+1,k)
    @end parallelRegion
  end subroutine
end module
"""


@needs_nvcc
def test_both_types_of_indices(tmp_path: Path) -> None:
    """A kernel has a form with indices of 32 bits, for blocks of one shape, and one with 64 bits for any; an option
    leaves out one.
    """
    done = translate_text({"m.h90": SMOOTH}, target="gpu", backend="cuda-c").require()
    (tmp_path / "m.cu").write_text(done.files["m.cu"])
    found = {}
    for options in ([], ["-DHF_INDEX32"], ["-DHF_INDEX64"]):
        target = tmp_path / "m.ptx"
        command = [NVCC or "", "-ptx", "-arch=sm_80", "-std=c++17", *options, f"-I{RUNTIME}", tmp_path / "m.cu"]
        run([*command, "-o", target])
        text = target.read_text()
        for kernel in text.split(".visible .entry ")[1:]:
            form = "narrow" if "hfk0_smoothIiE" in kernel.split("(")[0] else "wide"
            found[form, *options] = kernel
    assert set(found) == {("narrow",), ("wide",), ("narrow", "-DHF_INDEX32"), ("wide", "-DHF_INDEX64")}
    narrow, wide = found["narrow",], found["wide",]
    assert ".maxntid 256" in narrow and ".maxntid" not in wide
    assert "%ntid" not in narrow and "%ntid" in wide
    products = [len(re.findall(r"\b(?:mul|mad)\.lo\.s64\b", text)) for text in (narrow, wide)]
    assert products[0] == 0 < products[1]


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
    flags = ["-Xcompiler", "-O0"]  # its speed is not the point
    tools = find_cuda_tools(os.environ, emulated=False, arch="sm_80", nvcc_flags=flags)
    library = runtime_library(tools, tmp_path, run, 1, Path(os.environ["HFPY_CACHE"]))
    run(tools.kernel_command(PROGRAMS / "advect.cu", tmp_path / "kernels.o"))
    host = ["-cpp", f"-J{tmp_path}", *MODULE_SOURCES, PROGRAMS / "advect.f90", tmp_path / "kernels.o", library]
    run(["gfortran", *host, *tools.link_flags(), "-o", tmp_path / "advect"])
    ended = subprocess.run([tmp_path / "advect"], capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        assert ended.stdout == "right\n"
    else:
        assert ended.returncode == 3
        assert ended.stderr.startswith("hfpy: advect.h90:40: no CUDA device can be used: ")
        assert "hfpy build --emulate compiles for the CPU" in ended.stderr


def many_arguments(count: int) -> dict[str, str]:
    """A program whose only kernel has that many arrays, and integers and reals by value."""
    names = [f"a{n}" for n in range(count)]
    rows = ["module m", "implicit none", "contains", "subroutine s(n, k, x, &", *(f"{n}, &" for n in names[1:]), "a0)"]
    rows += ["integer, intent(in) :: n, k", "real(8), intent(in) :: x"]
    rows += [f"real({4 if n % 3 else 8}), intent(inout) :: a{n}(n)" for n in range(count)]
    rows += ["@parallelRegion{domName(i), domSize(n)}"]
    rows += [f"{name}(i) = {name}(i) + k*x + {number}" for number, name in enumerate(names)]
    rows += ["@end parallelRegion", "end subroutine", "subroutine run()"]
    rows += [f"real({4 if n % 3 else 8}) :: a{n}(5)" for n in range(count)]
    rows += [*(f"{name} = 1" for name in names), "call s(5, 2, 0.5d0, &", *(f"{n}, &" for n in names[1:]), "a0)"]
    rows += [*(f"print '(5f8.1)', {name}" for name in names), "end subroutine", "end module", ""]
    return {"m.h90": "\n".join(rows)}


@needs_nvcc
@pytest.mark.parametrize("count", [81, *(pytest.param(n, marks=pytest.mark.full) for n in (165, 300))])
def test_kernels_with_many_arguments(count: int, tmp_path: Path) -> None:
    done = translate_text(many_arguments(count), target="gpu", backend="cuda-c").require()
    (kernels,) = (text for name, text in done.files.items() if name.endswith(".cu"))
    (tmp_path / "m.cu").write_text(kernels)
    run(nvcc_command(tmp_path / "m.cu", tmp_path / "x.o", "sm_80"))


def test_kernels_with_many_arguments_in_emulation(tmp_path: Path) -> None:
    files = many_arguments(85)
    plain = translate_text(files).require()
    kernels = translate_text(files, target="gpu", backend="cuda-c").require()
    printed = []
    for name, made in (("plain", plain), ("kernels", kernels)):
        batch = Batch([Case("m", made.files, "m")], tmp_path / name)
        printed.append(batch.output("m"))
    assert printed[0] == printed[1] and printed[0].count("\n") == 85
