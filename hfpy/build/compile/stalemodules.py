"""Module files of another build that a compiler would read in the place of those of this build."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

from hfpy.build.compile.compilers import Family


def other_modules(made: Path, folders: Iterable[Path], family: Family) -> list[Path]:
    """The module files of the name of one that was ``made``, in folders that the compiler searches before its own,
    that say something else. Compilers look into the folder in which they run before all others.
    """
    found = (folder / made.name for folder in folders)
    return [path for path in found if path.is_file() and _meaning(path, family) != _meaning(made, family)]


def _meaning(path: Path, family: Family) -> bytes:
    """What a module file says, without the name of the source that it was made from."""
    data = path.read_bytes()
    if family != "gnu":
        return data
    try:
        return gzip.decompress(data).partition(b"\n")[2]
    except (OSError, EOFError):
        return data
