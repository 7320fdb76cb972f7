"""hfpy: one annotated Fortran source, fast CPU and GPU programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hfpy.version import VERSION

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from hfpy.api import Program
    from hfpy.kernels.objects import Library

__version__ = VERSION


def load(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str = "cpu",
    backend: str | None = None,
    *,
    emulate: bool = False,
    opt: int | None = None,
    specialise: str | bool = False,
    flags: Sequence[str] | None = None,
    layout: str | None = None,
    storage_order: str | os.PathLike[str] | None = None,
    define: Sequence[str] = (),
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    **sizes: Any,
) -> Library:
    """Compile annotated Fortran and give its routines as callables on NumPy arrays (docs/python.md).

    ``source`` is a file, several files, a folder (a project if it has an ``hfpy.toml``), or the text of a source, which
    has more than one line. ``flags`` replace the compiler's, the other options are those of the command line.
    ``sizes`` are scalars of modules, set before each call. What was compiled before from the same content is
    taken from the cache folder.

    Raises HfpyError for faults of the Fortran code, ToolError if a compiler is missing or fails, UsageError for
    options that cannot be.
    """
    from hfpy.kernels.api import load as loaded

    return loaded(
        source,
        target,
        backend,
        emulate=emulate,
        opt=opt,
        specialise=specialise,
        flags=flags,
        layout=layout,
        storage_order=storage_order,
        define=define,
        include_dirs=include_dirs,
        sizes=sizes,
    )


def read(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str = "cpu",
    backend: str | None = None,
    *,
    trust: bool = False,
    **options: Any,
) -> Program:
    """A program as a Python value: its kernels, their transformations, the generated sources (docs/scripts.md).

    ``source`` is a folder with an ``hfpy.toml``, a file, or several files; ``options`` are those of the command line.
    Nothing of a project is executed unless ``trust``, which runs its scripts.

    Raises HfpyError for faults of the Fortran code or of scripts, UsageError for options that cannot be.
    """
    from hfpy.api import read as read_program

    return read_program(source, target, backend, trust=trust, **options)
