"""Files of existing projects that are there for another compiler alone: versions of a program in CUDA Fortran or for
Intel's compiler, beside the hybrid one (hybrid-fortran.md §15). They cannot be compiled here. Where no executable needs
them, that does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.build import codes
from hfpy.build.compile.graph import CompiledFile, providers
from hfpy.diagnostics import Diagnostic, Place, note

# Modules that come with the compilers of PGI and NVIDIA, or with Intel's.
_OF_COMPILERS = frozenset(
    {
        *("cudafor", "cudadevice", "cublas", "cublas_v2", "cublasxt", "cusparse", "cusolverdn", "cufft", "curand"),
        *("curand_device", "cutensorex", "cooperative_groups", "wmma", "accel_lib", "pgi_acc_common", "nvtx"),
        *("ifport", "ifcore", "ifposix", "ifwin"),
    }
)


def without_unneeded(
    files: Sequence[CompiledFile], mains: Iterable[CompiledFile]
) -> tuple[list[CompiledFile], list[Diagnostic]]:
    """The files but those that use a module of another compiler, directly or not, while no main program uses theirs;
    a note for each that is left out.
    """
    homes = providers(files)
    by_name = {file.name: file for file in files}
    needed: set[str] = set()
    pending = [file.name for file in mains]
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += [homes[module] for module in by_name[name].uses if module in homes]
    foreign: dict[str, str] = {}
    again = True
    while again:
        again = False
        for file in files:
            why = next((m for m in file.uses if m in _OF_COMPILERS - homes.keys() or homes.get(m) in foreign), "")
            if why and file.name not in foreign and file.name not in needed:
                foreign[file.name] = why
                again = True
    reported = [
        note(
            codes.SETTING_IGNORED,
            f"the file has no effect: it uses '{foreign[file.name]}', which this compiler cannot have, "
            "and no executable needs it",
            Place(str(file.source)),
            "name it in EXCEPTIONS",
        )
        for file in files
        if file.name in foreign
    ]
    return [file for file in files if file.name not in foreign], reported
