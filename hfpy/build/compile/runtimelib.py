"""The runtime library: which of its sources a project needs (hybrid-fortran.md §12)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from hfpy.build.compile.includes import used_modules
from hfpy.version import PACKAGE

RUNTIME = PACKAGE / "runtime" / "fortran"
_SUFFIXES = (".f90", ".F90", ".h90", ".H90")
_BEGINNING = 6  # letters of names that few texts have
_FOR_C = b"write1DToGenericFile"
_MODULE = re.compile(rb"^[ \t]*module[ \t]+(?!procedure\b)([a-z]\w*)[ \t]*(?:!.*)?\r?$", re.M | re.I)


def runtime_sources(sources: Sequence[Path], foreign: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The sources of the runtime library whose modules are used by ``sources`` or by one another.

    ``foreign`` are C sources, which may call the one procedure that is there for them. A module that the
    project defines itself is left out.
    """
    library = _library()
    beginnings = {name[:_BEGINNING].encode() for name in library}
    used: set[str] = set()
    defined: set[str] = set()
    for path in sources:
        data = _content(path)
        lowered = data.lower()
        if not any(beginning in lowered for beginning in beginnings):
            continue  # as in most files: to look at each line takes longer
        uses, defines = _modules(data)
        used |= uses
        defined |= defines
    if any(_FOR_C in _content(path) for path in foreign):
        used.add("helper_functions")
    wanted: dict[Path, None] = {}
    pending = sorted(used)
    while pending:
        name = pending.pop()
        file = library.get(name)
        if file is not None and name not in defined and file not in wanted:
            wanted[file] = None
            pending += used_modules(file.read_bytes())
    return tuple(sorted(wanted))


@lru_cache(maxsize=1024)
def _modules(data: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """The modules that a text uses, and those that it defines. An editor asks again at each save."""
    return frozenset(used_modules(data)), frozenset(modules_in(data))


@cache
def _library() -> Mapping[str, Path]:
    """Each module of the runtime library with its file."""
    modules: dict[str, Path] = {}
    for path in sorted(RUNTIME.iterdir()):
        if path.suffix in _SUFFIXES:
            modules |= dict.fromkeys(modules_in(path.read_bytes()), path)
    return modules


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # the translator or the compiler says so


def modules_in(data: bytes) -> set[str]:
    """The modules that a text defines, by its lines alone."""
    return {name.decode("ascii", "replace").lower() for name in _MODULE.findall(data)}
