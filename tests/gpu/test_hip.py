"""The backend hip: the text of cuda-c, compiled for AMD's GPUs by clang, run in emulation."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hfpy.build.compile.cuda import HIP, RUNTIME, find_cuda_tools
from hfpy.diagnostics import ToolError
from tests.command import CXXFLAGS, hfpy_process
from tests.support import translate_text

CLANG = next((name for name in ("clang-19", "clang++-19") if shutil.which(name)), None)
STANDINS = Path(__file__).parent / "standins"
needs_clang = pytest.mark.skipif(CLANG is None, reason="clang 19 is not here")

HEAT = """\
module heat
  implicit none
contains
  subroutine warm(nx, ny, step, t, most)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: step
    real(8), intent(inout) :: t(nx,ny)
    real(8), intent(out) :: most
    most = 0
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:most)}
    t = t + step * exp(-real(i + j, 8)) + hypot(t, step)**3
    most = max(most, mod(t, 2d0) + nint(t))
    @end parallelRegion
  end subroutine warm
end module heat
"""
MAIN = """\
program main
  use heat
  implicit none
  real(8) :: t(5,4), most
  t = 1
  call warm(5, 4, 0.5d0, t, most)
  print '(f12.6)', most, sum(t)
end program main
"""


def kernels(backend: str) -> list[str]:
    done = translate_text({"heat.h90": HEAT}, target="gpu", backend=backend).require()
    return next(text for name, text in done.files.items() if name.endswith((".cu", ".hip"))).splitlines()


def test_the_text_is_that_of_cuda_c() -> None:
    mine, other = kernels("hip"), kernels("cuda-c")
    assert mine[0] == "// Made by hfpy from heat.h90 for gpu (hip): edit the source, not this file."
    assert mine[1:] == other[1:]


@needs_clang
@pytest.mark.parametrize("arch", ["gfx90a", pytest.param("gfx942", marks=pytest.mark.full)])
def test_clang_compiles_for_amd(arch: str, tmp_path: Path) -> None:
    """Device and host part of a generated file, and the runtime, against a stand-in for ROCm's header."""
    source = tmp_path / "heat.hip"
    source.write_text("\n".join(kernels("hip")))
    folders = [f"-I{folder}" for folder in (STANDINS, HIP, RUNTIME)]
    plain = [CLANG or "", "-x", "hip", f"--offload-arch={arch}", "-nogpulib", "-nogpuinc", "-std=c++17", *folders]
    warned = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-private-field", "-Wno-unused-function"]
    subprocess.run([*plain, *warned, "--cuda-device-only", "-O3", "-S", source, "-o", tmp_path / "heat.s"], check=True)
    code = (tmp_path / "heat.s").read_text()
    assert f"amdgcn-amd-amdhsa--{arch}" in code and "_Z9hfk0_warmIiEv" in code and "_Z9hfk0_warmIxEv" in code
    for file in (source, *sorted(RUNTIME.glob("*.cpp"))):
        command = [*plain, *warned, "--cuda-host-only", "-O0", "-fsyntax-only", file]
        subprocess.run(command, check=True)


def test_runs_in_emulation(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["."]\n')
    (tmp_path / "heat.h90").write_text(HEAT)
    (tmp_path / "main.f90").write_text(MAIN)
    printed = []
    for words in (["--target", "cpu"], ["--target", "gpu", "--backend", "hip", "--emulate"]):
        command = ["run", *words]
        quickly = {**os.environ, "CXXFLAGS": CXXFLAGS}
        done = hfpy_process(command, cwd=tmp_path, env=quickly)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1] and printed[0].strip()


def test_commands(tmp_path: Path) -> None:
    """hipcc gets the architecture and the folder with HIP's names; without it the message says what to do."""
    fake = tmp_path / "hipcc"
    fake.write_text("#!/bin/sh\necho HIP version: 6.0, clang version 17.0\n")
    fake.chmod(0o755)
    environment = {"HIPCC": str(fake), "HIPCCFLAGS": "-Wall", "PATH": os.environ["PATH"]}
    tools = find_cuda_tools(environment, emulated=False, made_for="hip", exact=True, debug=True)
    command = tools.kernel_command(Path("a.hip"), Path("a.o"))
    assert command[0] == str(fake) and command[-4:] == ["-Wall", "-o", "a.o", "a.hip"]
    assert {"hip", "--offload-arch=gfx90a", f"-I{HIP}", "-ffp-contract=off", "-DHFPY_CHECK"} <= set(command)
    assert "-lamdhip64" in tools.link_flags()
    with pytest.raises(ToolError, match=r"HIP compiler 'nowhere' is not on this machine(.|\n)*--emulate"):
        find_cuda_tools({"HIPCC": "nowhere"}, emulated=False, made_for="hip")


def test_one_runtime_a_program() -> None:
    more = HEAT.replace("heat", "cool").replace("warm", "chill")
    done = translate_text(
        {"heat.h90": HEAT, "cool.h90": more}, target="gpu", backend="hip", routines={"chill": "cuda-c"}
    )
    assert done.codes() == ["HF703"]
    assert "kernels for different devices" in done.errors[0].message
