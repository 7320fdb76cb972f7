"""What a translation will generate, and what a build needs beside it, in lines for build systems."""

from __future__ import annotations

from collections.abc import Iterator, Set

from hfpy.backendtable import with_directives
from hfpy.build import codes
from hfpy.build.cuda import EMULATION, MODULE_SOURCES, RUNTIME, SHADOW, find_cuda_tools
from hfpy.diagnostics import HfpyError, Place, error
from hfpy.options import Options
from hfpy.translation import Language, Translation


def check_by_others(languages: Set[Language], options: Options, place: str) -> None:
    """Raise HfpyError for languages and options that builds by other tools than hfpy cannot have."""
    message = ""
    if languages & {"hip", "opencl"}:
        message = "builds by other tools than hfpy have no HIP and no OpenCL yet"
    elif "cuda-fortran" in languages or options.mpi:
        message = "builds by other tools than hfpy have no CUDA Fortran and no decompositions yet"
    if message:
        raise HfpyError([error(codes.NOT_BY_WRAPPER, message, Place(place), "choose cuda-c, or use hfpy build")])


def planned(translation: Translation, options: Options) -> Iterator[str]:
    """A line for each generated file (``fortran``, ``kernels``), each file of the runtime that the program needs
    (``module`` in Fortran, ``runtime`` for the compiler of kernels), its ``include`` folders and macros (``define``),
    and the directives that compilers have to heed.

    Raises HfpyError for what builds by other tools cannot have.
    """
    languages = {file.contents.language for file in translation.files}
    check_by_others(languages, options, "--plan")
    for file in translation.files:
        yield f"{'kernels' if file.contents.language == 'cuda-c' else 'fortran'} {file.name}"
    if "cuda-c" in languages:
        tools = find_cuda_tools({}, emulated=True) if options.emulate else None
        sources = tools.runtime_sources() if tools is not None else sorted(RUNTIME.glob("*.cpp"))
        yield from (f"module {path}" for path in MODULE_SOURCES)
        yield from (f"runtime {path}" for path in sources)
        yield from (f"include {path}" for path in (RUNTIME, *((EMULATION, SHADOW) if options.emulate else ())))
        yield from ("define HFPY_EMULATE",) if options.emulate else ()
    backends = options.backends
    if translation.openmp or backends & with_directives("openmp"):
        yield "openmp"
    if backends & with_directives("openacc"):
        yield "openacc"
