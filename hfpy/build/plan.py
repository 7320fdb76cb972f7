"""What a translation will generate, and what a build needs beside it, in lines for build systems."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

from hfpy.backendtable import with_directives
from hfpy.build import codes
from hfpy.build.compile.cuda import EMULATION, HIP, MODULE_SOURCES, OPENCL, RUNTIME, SHADOW, find_cuda_tools
from hfpy.diagnostics import HfpyError, Place, error
from hfpy.options import Options
from hfpy.translation import C_LANGUAGES, Language, Translation


def check_by_others(languages: Set[Language], options: Options, place: str) -> None:
    """Raise HfpyError for languages and options that builds by other tools than hfpy cannot have."""
    if "cuda-fortran" in languages or options.mpi:
        message = "builds by other tools than hfpy have no CUDA Fortran and no decompositions yet"
        raise HfpyError([error(codes.NOT_BY_WRAPPER, message, Place(place), "choose cuda-c, or use hfpy build")])


def planned(translation: Translation, options: Options) -> Iterator[str]:
    """A line for each generated file (``fortran``, ``kernels``), each file of the runtime that the program needs
    (``module`` in Fortran, ``runtime`` for the compiler of kernels), its ``include`` folders and macros (``define``),
    the ``language`` of kernels and the library that they ``need``, and the directives that compilers have to heed.

    Raises HfpyError for what builds by other tools cannot have.
    """
    languages = {file.contents.language for file in translation.files}
    check_by_others(languages, options, "--plan")
    for file in translation.files:
        yield f"{'kernels' if file.contents.language in C_LANGUAGES else 'fortran'} {file.name}"
    if languages & C_LANGUAGES:
        yield from _runtime(languages, options)
    backends = options.backends
    if translation.openmp or backends & with_directives("openmp"):
        yield "openmp"
    if backends & with_directives("openacc"):
        yield "openacc"


def _runtime(languages: Set[Language], options: Options) -> Iterator[str]:
    """The lines about the runtime of kernels in C."""
    sources: tuple[Path, ...] = tuple(sorted(RUNTIME.glob("*.cpp")))
    folders: tuple[Path, ...] = (RUNTIME,)
    language, macro = "CUDA", ""
    if "opencl" in languages:
        sources = find_cuda_tools({}, emulated=False, made_for="opencl").runtime_sources()
        folders, language, macro = (*folders, OPENCL), "CXX", "HFPY_OPENCL"
        yield "need OpenCL"
    elif options.emulate:
        sources = find_cuda_tools({}, emulated=True).runtime_sources()
        folders, language, macro = (*folders, EMULATION, SHADOW), "CXX", "HFPY_EMULATE"
    elif "hip" in languages:
        folders, language = (*folders, HIP), "HIP"
    yield f"language {language}"
    yield from (f"module {path}" for path in MODULE_SOURCES)
    yield from (f"runtime {path}" for path in sources)
    yield from (f"include {path}" for path in folders)
    yield from (f"define {macro}",) if macro else ()
