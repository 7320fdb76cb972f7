"""Programs whose CUDA kernels and directives share arrays on the device: both need the same device (design §6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.backendtable import of_kind
from hfpy.build import codes
from hfpy.build.compile.compilers import Compiler
from hfpy.build.compile.graph import CompiledFile
from hfpy.diagnostics import HfpyError, Place, error
from hfpy.options import Options


def check_sharing(files: Iterable[CompiledFile], compiler: Compiler, flags: Sequence[str], options: Options) -> None:
    """Raises HfpyError if kernels would run on a GPU, and regions with addresses in its memory on the host."""
    directives = of_kind("offload") & {*options.routines.values(), *options.schemes.values(), options.backend}
    if options.emulate or not directives:
        return
    for file in files:
        for backend in file.contents.sharing:
            if not offloaded(compiler, flags, backend):
                text = f"the {backend} regions would run on the host, on arrays that CUDA kernels have on the GPU"
                hint = f"give flags for a GPU, such as {_EXAMPLES.get(compiler.family, _OTHER)}, or --emulate"
                raise HfpyError([error(codes.HOST_DIRECTIVES, text, Place(str(file.source)), hint)])


_EXAMPLES = {
    "gnu": "-foffload=nvptx-none -foffload-options=nvptx-none=-misa=sm_80",
    "nvidia": "-acc=gpu -mp=gpu",
}
_OTHER = "-fopenmp-targets=nvptx64"


def offloaded(compiler: Compiler, flags: Sequence[str], backend: str) -> bool:
    """Whether a compiler's flags send the directives of a backend to a GPU."""
    if compiler.family == "gnu":
        chosen = [f.partition("=")[2] for f in flags if f.startswith("-foffload=")]
        return bool(chosen) and chosen[-1] not in ("disable", "default")
    if compiler.family == "nvidia":
        if backend == "openmp-target":
            return any(f.startswith("-mp=") and "gpu" in f for f in flags)
        acc = [f for f in flags if f.startswith("-acc")]
        return not acc or "=" not in acc[-1] or "gpu" in acc[-1]
    return any(f.startswith(("-fopenmp-targets=", "--offload-arch=")) for f in flags)
