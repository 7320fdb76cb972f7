"""``hfpy doctor``: what this machine has, what each backend needs of it, and what it lacks.

Compilers are not only looked for: each way of compiling that a backend needs is tried on a program of a few lines.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from hfpy.backendtable import ENTRIES, Entry
from hfpy.build.compile.compilers import Compiler, Language, find_compiler, is_well_known
from hfpy.build.compile.sharing import offloaded
from hfpy.commands.tables import Row, Table
from hfpy.diagnostics import ToolError
from hfpy.project import Project
from hfpy.values import dataclass

PACKAGES = ("fparser", "jinja2", "click", "networkx", "islpy")
EXTRAS = ("numpy", "matplotlib", "cupy-cuda12x", "pyopencl", "pygls", "rich")  # which some commands need
LANGUAGES: tuple[Language, ...] = ("fortran", "c", "c++", "cuda", "hip")
_LANGUAGE_NAMES = {"fortran": "Fortran", "c": "C", "c++": "C++", "cuda": "CUDA", "hip": "HIP"}
_SECONDS = 60

_FORTRAN = """program p
  print '(i0)', 42
end program p
"""
_OPENMP = """program p
  use omp_lib
  integer :: n
  n = 0
!$omp parallel reduction(max:n)
  n = omp_get_max_threads()
!$omp end parallel
  print '(i0)', n
end program p
"""
_LOOP = """program p
  integer :: i, n
  n = 0
  {}
  do i = 1, 42
    n = n + 1
  end do
  print '(i0)', n
end program p
"""
_ACC = _LOOP.format("!$acc parallel loop reduction(+:n)")
_TARGET = _LOOP.format("!$omp target teams distribute parallel do map(tofrom:n) reduction(+:n)")
_PROGRAMS = {
    ("loops", ""): _FORTRAN,
    ("loops", "openmp"): _OPENMP,
    ("loops", "openacc"): _ACC,
    ("offload", "openacc"): _ACC,
    ("offload", "openmp"): _TARGET,
}
_CXX = """#include <cstdio>
#include <vector>
int main() { std::vector<int> v(42); std::printf("%d\\n", int(v.size())); }
"""
_CUDA = "__global__ void k(int *p) { *p = 42; }\n"
_OPENCL = """#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
int main() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
  for (cl_uint p = 0; p < count && p < 16; ++p) {
    cl_device_id device;
    char name[256] = "";
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) continue;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
    std::printf("%s\\n", name);
  }
}
"""
_HIP = "#include <hip/hip_runtime.h>\n" + _CUDA


@dataclass(frozen=True)
class Tool:
    """A compiler that was looked for: what it says of itself, or what is wrong."""

    language: Language
    compiler: Compiler | None
    fault: str = ""


@dataclass(frozen=True)
class Gpu:
    """A GPU: its name, memory as text, the driver's version, and its architecture as nvcc names it."""

    name: str
    memory: str
    driver: str
    arch: str


@dataclass(frozen=True)
class Health:
    """Whether a backend can be built and run here (``works``), where its programs run, and what it lacks.

    ``emulation`` is whether ``--emulate`` works, None if the backend has none. ``notes`` are things worth knowing.
    """

    backend: str
    works: bool
    where: str
    emulation: bool | None = None
    lacks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the backend can be used at all, emulated if need be."""
        return self.works or bool(self.emulation)


@dataclass(frozen=True)
class Checkup:
    """Everything that was found. ``chosen`` are the backends of the project here by target, or hfpy's own choice."""

    versions: Mapping[str, str]
    tools: tuple[Tool, ...]
    gpus: tuple[Gpu, ...]
    backends: tuple[Health, ...]
    project: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """The targets whose backend cannot be used here."""
        health = {h.backend: h for h in self.backends}
        return tuple(target for target, backend in self.chosen.items() if not health[backend].usable)


def examine(environment: Mapping[str, str], project: Project | None = None) -> Checkup:
    """Look for everything, and try it; the compilers are those that the project's builds would use, unless it brings
    a command of its own along: that is not run (only commands that build run what is a project's).
    """
    settings = project.target("cpu") if project is not None else None
    asked: dict[Language, str | None] = {
        "fortran": settings.compiler if settings is not None else None,
        "c": settings.c_compiler if settings is not None else None,
    }
    notes = []
    for language, command in asked.items():
        if command and not is_well_known(command):
            asked[language] = None
            notes.append(f"the project compiles with '{command}', which is not tried here: building runs it")
    tools = {language: _tool(language, asked.get(language), environment) for language in LANGUAGES}
    gpus = find_gpus()
    trial = _Trial(tools, gpus, environment)
    chosen = {"cpu": "openmp"}
    if project is not None:
        chosen = {t: project.backend(t) for t in ("cpu", "gpu") if t == "cpu" or t in project.targets}
    return Checkup(
        versions(),
        tuple(tools.values()),
        gpus,
        tuple(trial.health(entry) for entry in ENTRIES),
        project.name if project is not None else "",
        chosen,
        tuple(notes),
    )


def versions() -> dict[str, str]:
    """The versions of hfpy, Python, the packages that hfpy needs and those of extras; empty where one is missing."""
    found = {"hfpy": "", "python": platform.python_version()}
    for package in ("hfpy", *PACKAGES, *EXTRAS):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = ""
    return found


def find_gpus() -> tuple[Gpu, ...]:
    """The GPUs that ``nvidia-smi`` tells of; none where there is no such command."""
    if shutil.which("nvidia-smi") is None:
        return ()
    query = "--query-gpu=name,memory.total,driver_version,compute_cap"
    try:
        command = ["nvidia-smi", query, "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    rows = [[word.strip() for word in line.split(",")] for line in done.stdout.splitlines()]
    known = [row for row in rows if done.returncode == 0 and len(row) == 4]
    return tuple(Gpu(name, memory, driver, f"sm_{cap.replace('.', '')}") for name, memory, driver, cap in known)


def amd_gpus() -> tuple[str, ...]:
    """The architectures of the GPUs that ``rocm_agent_enumerator`` of ROCm tells of; none without that command."""
    command = shutil.which("rocm_agent_enumerator") or shutil.which("/opt/rocm/bin/rocm_agent_enumerator")
    if command is None:
        return ()
    try:
        done = subprocess.run([command], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = done.stdout.split() if done.returncode == 0 else []
    return tuple(name for name in found if name.startswith("gfx") and name != "gfx000")


def _tool(language: Language, asked: str | None, environment: Mapping[str, str]) -> Tool:
    try:
        return Tool(language, find_compiler(language, asked, environment))
    except ToolError as fault:
        first, _, hint = str(fault).partition("\n")
        message = first.split(": ", 1)[-1]
        return Tool(language, None, f"{message}; {hint.strip().removeprefix('hint: ')}" if hint else message)


class _Trial:
    """Tries what the backends need; each way of compiling once."""

    def __init__(self, tools: Mapping[Language, Tool], gpus: tuple[Gpu, ...], environment: Mapping[str, str]) -> None:
        self.tools = tools
        self.gpus = gpus
        self.environment = environment
        self._tried: dict[tuple[Language, tuple[str, ...]], tuple[str, str]] = {}

    def health(self, entry: Entry) -> Health:
        """What one backend needs, and whether it is there."""
        if entry.kind == "kernels":
            ways = {"cuda": self._kernels, "hip": self._hip, "opencl": self._opencl}
            return ways[entry.runtime](entry.name)
        fortran = self.tools["fortran"].compiler
        flags: tuple[str, ...] = ()
        if fortran is not None and entry.directives:
            flags = fortran.spelling.openacc if entry.directives == "openacc" else fortran.spelling.openmp
        fault, printed = self.run("fortran", flags, _PROGRAMS[(entry.kind, entry.directives)])
        if fortran is not None and entry.directives and not flags:
            fault = f"{fortran.command[0]} knows no {entry.directives}"
        where, notes = "CPU", []
        if entry.directives == "openmp" and entry.kind == "loops":
            where = f"CPU, {printed} threads"
        if entry.kind == "offload" and fortran is not None:
            where = "GPU" if self.gpus and offloaded(fortran, flags, entry.name) else "host"
            if where == "host":
                notes = ["regions run on the CPU unless the flags of [target.gpu] send them to a GPU"]
        return Health(entry.name, not fault, where, None, (fault,) if fault else (), () if fault else tuple(notes))

    def _kernels(self, backend: str) -> Health:
        """The backends that make kernels: what a GPU needs, and what the emulation does."""
        plain = self.run("fortran", (), _FORTRAN)[0]
        emulation = self._emulation(plain)
        lacks = [plain] if plain else []
        fortran = self.tools["fortran"].compiler
        if backend == "cuda-fortran" and (fortran is None or fortran.family != "nvidia"):
            lacks.append("nvfortran: name it in FC or as compiler of [target.gpu]")
        nvcc = self.run("cuda", (), _CUDA)[0]
        lacks += [nvcc] if nvcc else []
        if not self.gpus:
            lacks.append("a GPU: nvidia-smi tells of none")
        notes = [f'arch = "{gpu.arch}" below [target.gpu] suits the {gpu.name}' for gpu in self.gpus[:1]]
        notes += [f"the emulation lacks {fault}" for fault in emulation]
        return Health(backend, not lacks, "GPU", not emulation, tuple(lacks), tuple(notes))

    def _emulation(self, plain: str) -> tuple[str, ...]:
        """What the emulation of kernels lacks."""
        return tuple(fault for fault in (plain, self.run("c++", (), _CXX)[0]) if fault)

    def _hip(self, backend: str) -> Health:
        """What AMD's GPUs need: hipcc, and the driver's list of devices."""
        plain = self.run("fortran", (), _FORTRAN)[0]
        emulation = self._emulation(plain)
        lacks = [fault for fault in (plain, self.run("hip", (), _HIP)[0]) if fault]
        names = amd_gpus()
        if not names:
            lacks.append("a GPU: rocm_agent_enumerator tells of none")
        notes = [f'arch = "{name}" below [target.gpu] suits the GPU here' for name in names[:1]]
        notes += [f"the emulation lacks {fault}" for fault in emulation]
        return Health(backend, not lacks, "GPU", not emulation, tuple(lacks), tuple(notes))

    def _opencl(self, backend: str) -> Health:
        """What OpenCL needs: a C++ compiler with the headers and the loader, and a driver with a device."""
        plain = self.run("fortran", (), _FORTRAN)[0]
        fault, printed = self.run("c++", ("-Wl,--no-as-needed", "-lOpenCL"), _OPENCL)
        if fault:
            fault += "; OpenCL's headers and loader: apt-get install ocl-icd-opencl-dev (Debian, Ubuntu)"
        lacks = [found for found in (plain, fault) if found]
        if not fault and not printed:
            lacks.append("a driver with a device; for CPUs there is pocl: apt-get install pocl-opencl-icd")
        where = f"OpenCL: {printed}" if printed else "OpenCL"
        return Health(backend, not lacks, where, None, tuple(lacks))

    def run(self, language: Language, flags: tuple[str, ...], text: str) -> tuple[str, str]:
        """Compile a program and run it (CUDA and HIP: only compile it): what went wrong, and the first line printed."""
        key = (language, (*flags, text))
        if key not in self._tried:
            self._tried[key] = self._run(language, flags, text)
        return self._tried[key]

    def _run(self, language: Language, flags: tuple[str, ...], text: str) -> tuple[str, str]:
        tool = self.tools[language]
        if tool.compiler is None:
            return tool.fault, ""
        suffix = {"fortran": ".f90", "c": ".c", "c++": ".cpp", "cuda": ".cu", "hip": ".hip"}[language]
        with tempfile.TemporaryDirectory(prefix="hfpy-doctor-") as name:
            source, program = Path(name) / f"try{suffix}", Path(name) / "try.exe"
            source.write_text(text)
            last = ["-c"] if language in ("cuda", "hip") else []
            command = [*tool.compiler.command, *flags, *last, "-o", str(program), str(source)]
            fault, _ = self._done(command, name)
            if fault or last:
                return (f"a {_LANGUAGE_NAMES[language]} compiler that works: {fault}" if fault else ""), ""
            fault, printed = self._done([str(program)], name)
            return (f"programs that run: {fault}" if fault else ""), printed.strip().split("\n")[0]

    def _done(self, command: list[str], folder: str) -> tuple[str, str]:
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=dict(self.environment) or None,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            return f"'{Path(command[0]).name}' does not run: {fault}", ""
        if done.returncode == 0:
            return "", done.stdout
        said = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()]
        reason = (errors or said or [f"status {done.returncode}"])[0].strip()
        return f"'{Path(command[0]).name}' fails: {reason}".replace(folder + os.sep, ""), ""


def as_parts(checkup: Checkup) -> Iterator[str | Table]:
    """A checkup for people, in lines and tables."""
    own = checkup.versions
    packages = ", ".join(f"{name} {own[name] or 'missing'}" for name in PACKAGES)
    extras = ", ".join(f"{name} {own[name] or 'not installed'}" for name in EXTRAS)
    yield f"hfpy {own['hfpy'] or '(not installed)'}, Python {own['python']}; {packages}"
    yield from (f"extras: {extras}", "", "compilers", _compilers(checkup.tools), "", "GPUs")
    yield from [f"  {g.name}, {g.memory}, {g.arch}, driver {g.driver}" for g in checkup.gpus] or ["  none found"]
    yield from ("", "backends", _backends(checkup.backends), "")
    yield f"project {checkup.project}" if checkup.project else "no project here; without one hfpy takes"
    by_name = {h.backend: h for h in checkup.backends}
    for target, backend in checkup.chosen.items():
        yield f"  {target}: {backend}, {_word(by_name[backend])}"
    yield from (f"  {note}" for note in checkup.notes)


def _compilers(tools: Sequence[Tool]) -> Table:
    rows: list[Row] = []
    for tool in tools:
        found = tool.compiler
        made = (" ".join(found.command), found.version) if found is not None else ("none", tool.fault)
        rows.append((_LANGUAGE_NAMES[tool.language], *made))
    plain = "\n".join(f"  {language:<9} {command}: {said}" for language, command, said in rows)
    return Table(("language", "compiler", "version"), rows, plain=plain)


def _backends(listed: Sequence[Health]) -> Table:
    rows = [(h.backend, _word(h), "\n".join([*(f"lacks {lack}" for lack in h.lacks), *h.notes])) for h in listed]
    lines = []
    for name, word, more in rows:
        lines += [f"  {name:<14} {word}", *(f"{'':17}{line}" for line in more.splitlines())]
    return Table(("backend", "here", "what to know"), rows, plain="\n".join(lines))


def _word(health: Health) -> str:
    if health.works:
        return f"ready ({health.where})" + (", --emulate too" if health.emulation else "")
    return "only with --emulate" if health.emulation else "not usable here"


def as_values(checkup: Checkup) -> dict[str, Any]:
    """A checkup as values for JSON."""
    return {
        "versions": dict(checkup.versions),
        "compilers": [
            {
                "language": t.language,
                "command": list(t.compiler.command) if t.compiler is not None else None,
                "family": t.compiler.family if t.compiler is not None else None,
                "version": t.compiler.version if t.compiler is not None else None,
                "fault": t.fault,
            }
            for t in checkup.tools
        ],
        "gpus": [vars(gpu) for gpu in checkup.gpus],
        "backends": [
            {**vars(h), "usable": h.usable, "lacks": list(h.lacks), "notes": list(h.notes)} for h in checkup.backends
        ],
        "project": checkup.project or None,
        "chosen": dict(checkup.chosen),
        "faults": list(checkup.faults),
        "notes": list(checkup.notes),
    }
