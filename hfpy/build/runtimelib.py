"""The runtime library: which of its sources a project needs (hybrid-fortran.md §12)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

RUNTIME = Path(__file__).resolve().parent.parent / "runtime" / "fortran"
_SUFFIXES = (".f90", ".F90", ".h90", ".H90")
_USE = re.compile(rb"^[ \t]*use\b[ \t]*(?:,[^:\n]*)?(?:::)?[ \t]*([a-z]\w*)", re.M | re.I)
_MODULE = re.compile(rb"^[ \t]*module[ \t]+(?!procedure\b)([a-z]\w*)[ \t]*(?:!.*)?\r?$", re.M | re.I)


def runtime_sources(sources: Sequence[Path], everything: bool = False) -> tuple[Path, ...]:
    """The sources of the runtime library whose modules are used by ``sources`` or by one another.

    ``everything`` takes all of them, as existing projects expect. A module that the project defines itself
    is left out in either case.
    """
    library = _library()
    used: set[str] = set(library) if everything else set()
    defined: set[str] = set()
    for path in sources:
        try:
            data = path.read_bytes()
        except OSError:
            continue  # the translator says so
        used |= _names(_USE, data)
        defined |= _names(_MODULE, data)
    wanted: dict[Path, None] = {}
    pending = sorted(used)
    while pending:
        name = pending.pop()
        file = library.get(name)
        if file is not None and name not in defined and file not in wanted:
            wanted[file] = None
            pending += _names(_USE, file.read_bytes())
    return tuple(sorted(wanted))


def _library() -> dict[str, Path]:
    """Each module of the runtime library with its file."""
    modules: dict[str, Path] = {}
    for path in sorted(RUNTIME.iterdir()):
        if path.suffix in _SUFFIXES:
            modules |= dict.fromkeys(_names(_MODULE, path.read_bytes()), path)
    return modules


def _names(pattern: re.Pattern[bytes], data: bytes) -> set[str]:
    return {name.decode("ascii", "replace").lower() for name in pattern.findall(data)}
