"""The part of the runtime library for programs of many processes, and how it is compiled: on MPI, or without it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hfpy.build.compile.graph import CompiledFile
from hfpy.build.compile.includes import used_modules
from hfpy.build.compile.runtimelib import modules_in
from hfpy.build.files import digest
from hfpy.options import Options
from hfpy.translation import PROCESSES_MODULE, Contents
from hfpy.version import PACKAGE

_RUNTIME = PACKAGE / "runtime"
# What generated code calls, in its form on MPI and in that for one process, and the library below.
_BELOW = (_RUNTIME / "exact", _RUNTIME / "marks", _RUNTIME / "buffers")
ON_MPI = (_RUNTIME / "processes", _RUNTIME / "mpi", *_BELOW)
ALONE = (_RUNTIME / "processes" / "alone", *_BELOW)
_WRAPPER = "mpifort"


def compiler_asked(asked: str | None, options: Options) -> str | None:
    """The Fortran compiler that a project asks for; MPI's for a program of many processes where it asks for none."""
    return asked or (_WRAPPER if options.mpi else None)


def with_processes(files: dict[str, CompiledFile], options: Options) -> dict[str, CompiledFile]:
    """The files with those of the runtime library for many processes, where one uses its module: all of it on MPI, else
    the form for one process.
    """
    if not any(PROCESSES_MODULE in file.uses for file in files.values()):
        return files
    sources = (path for folder in (ON_MPI if options.mpi else ALONE) for path in sorted(folder.glob("*.[fF]90")))
    return files | {source.name: _compiled(source) for source in sources}


def flags_for_processes(file: CompiledFile, options: Options, cuda: bool) -> tuple[str, ...]:
    """Further flags for a file: the macros that put the library on MPI, and its buffers on devices. ``cuda``: there are
    kernels, whose arrays are in the table of hfpy's runtime.
    """
    if file.source.parent not in (*ON_MPI, *ALONE):
        return ()
    return (
        *(["-DHFPY_MPI"] if options.mpi and file.source.parent in ON_MPI else []),
        *(["-DHFPY_CUDA"] if cuda else []),
        *(["-DHFPY_OPENCL"] if "opencl" in options.backends else []),
        *(["-DHFPY_OFFLOAD"] if options.target == "gpu" else []),
    )


def _compiled(source: Path) -> CompiledFile:
    """A source of the library as a file to be compiled, which includes others."""
    data = source.read_bytes()
    beside = b"".join(path.read_bytes() for path in sorted(source.parent.glob("*.inc")))
    contents = Contents(provides=tuple(sorted(_provided(data)))).using(
        used_modules(data + b"\n" + _included(data, source.parent))
    )
    lines = range(1, data.count(b"\n") + 1)
    return CompiledFile(source.name, source, source, digest(data + beside), contents, lines)


def _provided(data: bytes) -> Iterable[str]:
    """The modules of a source, those that it makes of an included text by a macro among them."""
    named = (line.split()[2] for line in data.splitlines() if line.startswith(b"#define HF_MODULE "))
    return {*modules_in(data), *(name.decode().lower() for name in named)}


def _included(data: bytes, folder: Path) -> bytes:
    """The texts that a source includes."""
    names = (line.split(b'"')[1].decode() for line in data.splitlines() if line.startswith(b"#include "))
    return b"\n".join((folder / name).read_bytes() for name in dict.fromkeys(names))
