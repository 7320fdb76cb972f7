"""Building what the backends cuda-c, hip and opencl generate: kernels, the GPU runtime, what is linked.

For a GPU nvcc or hipcc compiles; in emulation (design §4) a C++ compiler builds the same files for the CPU. The
runtime's C++ sources become a library (:mod:`hfpy.build.compile.gpuruntime`); its Fortran modules,
:data:`MODULE_SOURCES`, are compiled like the program's own.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Literal

from hfpy.build import codes
from hfpy.build.compile.compilers import Compiler, environment_flags, find_compiler, shown
from hfpy.diagnostics import ToolError, UsageError
from hfpy.values import dataclass
from hfpy.version import PACKAGE

RUNTIME = PACKAGE / "runtime" / "cuda"
EMULATION = RUNTIME / "emulate"
JIT = RUNTIME / "jit"
HIP = RUNTIME.parent / "hip"
OPENCL = RUNTIME.parent / "opencl"
SHADOW = RUNTIME.parent / "races"
DEFAULT_ARCH, DEFAULT_HIP_ARCH = "sm_80", "gfx90a"
ARRAYS_SOURCE = RUNTIME / "hfpy_arrays.f90"
MODULE_SOURCES = (RUNTIME / "hfpy_device.f90", ARRAYS_SOURCE)

# How families of compilers instrument accesses, without what would join neighbouring ones.
WATCHES: Mapping[str, tuple[str, ...]] = {
    "gnu": (
        "-fsanitize=thread",
        "--param=tsan-instrument-func-entry-exit=0",
        "-fno-tree-vectorize",
        "-fno-store-merging",
    ),
    "llvm": ("-fsanitize=thread", "-fno-vectorize", "-fno-slp-vectorize"),
}

#: Whose devices kernels are compiled for.
Devices = Literal["cuda", "hip", "opencl"]
_STANDARD = "-std=c++17"
_LIBRARY_FOLDERS = re.compile(r"^#\$ LIBRARIES=(.*)$", re.M)


def devices_of(languages: Set[str]) -> Devices:
    """The devices that the kernels of a program are for, by the languages of its files."""
    return "hip" if "hip" in languages else "opencl" if "opencl" in languages else "cuda"


@dataclass(frozen=True)
class CudaTools:
    """What compiles kernels and the GPU runtime.

    ``compiler`` is nvcc, or a C++ compiler if ``emulated``, or if ``jit``: kernels are compiled when the program runs,
    by somebody else. ``arch`` is the compiler's name of the GPU's architecture,
    ``exact`` forbids fused multiply-add, so that results can be compared with the CPU's bit by bit, ``debug`` checks
    every index. ``flags`` are the user's. ``made_for`` are the devices: those of CUDA (``compiler`` is nvcc) or of HIP
    (hipcc), where emulation makes no difference; those of OpenCL, whose own compiler gets the kernels when the program
    runs, so that ``compiler`` is one of C++.
    """

    compiler: Compiler
    emulated: bool
    arch: str | None = None
    exact: bool = False
    debug: bool = False
    flags: tuple[str, ...] = ()
    jit: bool = False
    made_for: Devices = "cuda"

    @property
    def _hip(self) -> bool:
        return self.made_for == "hip" and not self.emulated

    @property
    def _opencl(self) -> bool:
        return self.made_for == "opencl"

    def kernel_command(self, source: Path, target: Path) -> list[str]:
        """The command that compiles a generated file of kernels."""
        if self.emulated:
            own = ["-x", "c++", "-O2", "-ffp-contract=off", *watched(self.compiler, self.flags)]
        elif self.jit or self._opencl:
            own = ["-x", "c++", "-O1"]
        elif self._hip:
            own = ["-O3", *(["-ffp-contract=off"] if self.exact else []), *(["-DHFPY_CHECK"] if self.debug else [])]
        else:
            own = ["-O3", *(["-fmad=false"] if self.exact else []), *(["-DHFPY_CHECK"] if self.debug else [])]
        return self._command(own, source, target)

    def runtime_command(self, source: Path, target: Path) -> list[str]:
        """The command that compiles one of :meth:`runtime_sources`."""
        return self._command(["-O2"], source, target)

    def runtime_sources(self) -> tuple[Path, ...]:
        """The C++ sources of the runtime, with those that mean a GPU or lead to one."""
        folders = [EMULATION] * self.emulated + [JIT] * self.jit + [OPENCL] * self._opencl
        return tuple(path for folder in (RUNTIME, *folders) for path in sorted(folder.glob("*.cpp")))

    def headers(self) -> tuple[Path, ...]:
        """The headers of the runtime."""
        return tuple(
            path
            for folder in (RUNTIME, HIP, OPENCL, SHADOW)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in (".h", ".hpp", ".cl")
        )

    def position_independent(self) -> CudaTools:
        """The tools for code that a shared library can hold."""
        own = ("-fPIC",) if self.emulated or self.made_for != "cuda" or self.jit else ("-Xcompiler", "-fPIC")
        return replace(self, flags=(*self.flags, *own))

    def link_flags(self) -> tuple[str, ...]:
        """What the Fortran compiler needs to link kernels and the runtime, after the library of the runtime.

        Raises ToolError if nvcc cannot be asked where its libraries are.
        """
        if self.emulated or self.jit:
            return ("-lstdc++", "-lpthread")
        if self._opencl:
            return ("-lOpenCL", "-lpthread", "-lstdc++")
        if self._hip:
            return (*(f"-L{folder}" for folder in rocm_folders(self.compiler)), "-lamdhip64", "-lpthread", "-lstdc++")
        folders = (f"-L{folder}" for folder in library_folders(self.compiler))
        return (*folders, "-lcudart_static", "-lrt", "-lpthread", "-ldl", "-lstdc++")

    def _command(self, own: Sequence[str], source: Path, target: Path) -> list[str]:
        command = [*self.compiler.command, "-c", _STANDARD, *own, f"-I{RUNTIME}"]
        if self.emulated:
            command += [f"-I{EMULATION}", f"-I{SHADOW}", "-DHFPY_EMULATE"]
        elif self.jit:
            command += [f"-I{JIT}", "-DHFPY_JIT"]
        elif self._opencl:
            command += [f"-I{OPENCL}", "-DHFPY_OPENCL"]
        elif self._hip:
            command += ["-x", "hip", f"--offload-arch={self.arch or DEFAULT_HIP_ARCH}", f"-I{HIP}"]
        else:
            command.append(f"-arch={self.arch or DEFAULT_ARCH}")
        if self.debug:
            command.append("-g")
        return [*command, *self.flags, "-o", str(target), str(source)]


def find_cuda_tools(
    environment: Mapping[str, str],
    *,
    emulated: bool,
    arch: str | None = None,
    exact: bool = False,
    debug: bool = False,
    nvcc_flags: Sequence[str] = (),
    made_for: Devices = "cuda",
) -> CudaTools:
    """The compiler for kernels: nvcc (or what NVCC names), for AMD's GPUs hipcc (or what HIPCC names), in emulation a
    C++ compiler (or what CXX names).

    ``nvcc_flags`` and NVCCFLAGS of the environment are for nvcc alone; hipcc gets HIPCCFLAGS, the C++ compiler
    CXXFLAGS.
    Raises ToolError if the compiler is not on this machine, UsageError for an emulation of OpenCL.
    """
    if made_for == "opencl" and emulated:
        raise UsageError(
            "the backend opencl has no emulation, as its programs run on CPUs, too: leave out --emulate; a driver for "
            "CPUs is pocl (Debian, Ubuntu: apt-get install pocl-opencl-icd ocl-icd-opencl-dev)"
        )
    if made_for == "opencl":
        flags = environment_flags(environment, "CXXFLAGS")
        compiler = find_compiler("c++", None, environment)
        return CudaTools(compiler, False, debug=debug, flags=flags, made_for=made_for)
    if emulated:
        flags = environment_flags(environment, "CXXFLAGS")
        compiler = find_compiler("c++", None, environment)
        return CudaTools(compiler, True, debug=debug, flags=flags, made_for=made_for)
    try:
        compiler = find_compiler(made_for, None, environment)
    except ToolError as fault:
        raise ToolError(f"{fault}\n  hint: without a GPU, --emulate runs the same kernels on the CPU") from None
    if made_for == "hip":
        flags = environment_flags(environment, "HIPCCFLAGS")
    else:
        flags = (*nvcc_flags, *environment_flags(environment, "NVCCFLAGS"))
    return CudaTools(compiler, False, arch, exact, debug, flags, made_for=made_for)


def watched(compiler: Compiler, flags: Sequence[str]) -> tuple[str, ...]:
    """The flags that let a compiler tell the runtime each access of memory (``hfpy_shadow.h``), one element at a time;
    none for compilers that cannot, and none beside sanitizers, which do not go together.
    """
    if compiler.family not in WATCHES or any(flag.startswith("-fsanitize") for flag in flags):
        return ()
    return WATCHES[compiler.family]


def find_jit_tools(environment: Mapping[str, str]) -> CudaTools:
    """A C++ compiler (or what CXX names) for launchers whose kernels are compiled when they run. Raises ToolError."""
    flags = environment_flags(environment, "CXXFLAGS")
    return CudaTools(find_compiler("c++", None, environment), False, flags=flags, jit=True)


def library_folders(nvcc: Compiler) -> tuple[Path, ...]:
    """The folders with the libraries of this nvcc, as it would give them to the linker.

    It is asked itself, since the command is often a script far from where CUDA is. Raises ToolError if it does not run.
    """
    command = [*nvcc.command, "--dryrun", "-c", "any.cu"]  # the file is not looked at
    try:
        asked = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ToolError(f"error {codes.TOOL_FAILED}: '{shown(command)}' does not run: {fault}") from None
    found = _LIBRARY_FOLDERS.search(f"{asked.stderr}\n{asked.stdout}")
    words = shlex.split(found[1]) if found else []
    folders = [Path(word.removeprefix("-L")).resolve() for word in words if word.startswith("-L")]
    return tuple(folder for folder in folders if folder.is_dir() and folder.name != "stubs")


def rocm_folders(hipcc: Compiler) -> tuple[Path, ...]:
    """The folder with HIP's library: beside the compiler's own, else where ROCm is installed as a rule; none where the
    linker finds it by itself.
    """
    command = shutil.which(hipcc.command[-1])
    places = [Path(command).resolve().parent.parent] if command else []
    places += [Path("/opt/rocm")]
    found = (folder / "lib" for folder in places)
    return tuple(folder for folder in found if list(folder.glob("libamdhip64.so*")))[:1]
