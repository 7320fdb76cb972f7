"""Building and running programs against the GPU runtime in emulation."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hfpy.build.compile.cuda import MODULE_SOURCES, CudaTools, find_cuda_tools
from hfpy.build.compile.gpuruntime import LIBRARY, runtime_library
from tests.command import CXXFLAGS
from tests.support import LEVEL

PROGRAMS = Path(__file__).parent / "programs"
NVCC = shutil.which("nvcc")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")

needs_nvcc = pytest.mark.skipif(NVCC is None, reason="nvcc is not on this machine")

Finished = subprocess.CompletedProcess[str]


def run(command: Sequence[str | Path], folder: Path | None = None) -> None:
    """Run a compiler; what it says is the failure's text."""
    ended = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def ran(program: Path, *arguments: str, status: int = 0, **environment: str) -> Finished:
    """Run a program with some environment variables and check its status."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("HFPY_")}
    ended = subprocess.run(
        [program, *arguments], capture_output=True, text=True, env={**known, **environment}, check=False, timeout=300
    )
    assert ended.returncode == status, f"{ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended


@dataclass(frozen=True)
class Emulation:
    """The runtime, built for the CPU in a folder with certain flags, and programs built with it."""

    folder: Path
    flags: tuple[str, ...]

    def tools(self) -> CudaTools:
        """The compiler of the emulation. Sanitizers take long to optimise."""
        flags = " ".join([*([LEVEL] if self.flags else []), *self.flags, *WARNINGS])
        return find_cuda_tools({**os.environ, "CXXFLAGS": flags}, emulated=True)

    def prepare(self) -> Emulation:
        """Itself, after building the library and the Fortran module."""
        tools = self.tools()
        if tools.emulated and not self.flags:
            # The library that other tests have, too. One with flags is compiled with the warnings of programs.
            tools = find_cuda_tools({**os.environ, "CXXFLAGS": CXXFLAGS}, emulated=True)
        runtime_library(tools, self.folder, run, 1, Path(os.environ["HFPY_CACHE"]))
        for source in MODULE_SOURCES:
            run(["gfortran", "-c", "-Wall", "-Werror", source], self.folder)
        return self

    def kernels(self, source: Path, target: Path) -> None:
        """Compile a file of kernels. The headers they share, which take most of the time, are compiled once."""
        tools = self.tools()
        headers = self.folder / "headers.hpp"
        if tools.emulated and not headers.exists():
            headers.write_text('#include "hfpy_kernel.hpp"\n#include "hfpy_launch.hpp"\n')
            command = tools.kernel_command(headers, self.folder / "headers.hpp.gch")
            command[command.index("-x") + 1] = "c++-header"
            run(command)
        alone = source.suffix != ".cu" or "#define" in source.read_text()  # before it includes them
        shared = ("-include", str(headers)) if tools.emulated and not alone else ()
        run(replace(tools, flags=(*tools.flags, *shared)).kernel_command(source, target))

    def program(
        self, kernels: str, host: str | None = None, defines: Sequence[str] = (), link: Sequence[str] = ()
    ) -> Path:
        """An executable of a C++ or CUDA file, and of a Fortran file with the main program if there is one. The
        ``defines`` are for that.
        """
        name = "_".join(["program", Path(kernels).stem, *defines]).replace("=", "_").replace("+", "p")
        target = self.folder / name
        if target.exists():
            return target
        tools = self.tools()
        objects = [self.folder / f"{Path(kernels).name}.o"]
        if not objects[0].exists():
            self.kernels(PROGRAMS / kernels, objects[0])
        if host is not None:
            objects.append(self.folder / f"{name}.f90.o")
            options = ["-cpp", LEVEL, f"-I{self.folder}", *self.flags, *(f"-D{d}" for d in defines)]
            run(["gfortran", "-c", *options, PROGRAMS / host, "-o", objects[1]])
        objects += [*(self.folder / f"{source.stem}.o" for source in MODULE_SOURCES), self.folder / LIBRARY]
        run(["gfortran", *self.flags, *objects, *tools.link_flags(), *link, "-o", target])
        return target


def nvcc_command(source: Path, target: Path, arch: str, debug: bool = False) -> Sequence[str]:
    """The command for a GPU, with warnings as errors."""
    flags = ["-Werror", "all-warnings"]
    tools = find_cuda_tools(os.environ, emulated=False, arch=arch, exact=True, debug=debug, nvcc_flags=flags)
    return tools.kernel_command(source, target)
