"""What ``hfpy fc --scan`` has written: generated sources, and an index of what each source became.

The index is read once for each file that a build compiles: it is plain JSON, and whether it is up to date is asked of
the file system alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hfpy.values import dataclass

FOLDER = ".hfpy"
INDEX = "index.json"
FORMAT = 1


@dataclass(frozen=True)
class Made:
    """What a source became: ``identity`` if its text stays as it is; else the Fortran file in the store with a digest
    of its text, and files of kernels.
    """

    identity: bool
    fortran: str
    digest: str
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Store:
    """A scanned program. ``arguments`` are those of the scan, ``inputs`` the files that it read, with their states."""

    folder: Path
    sources: dict[str, Made]
    inputs: dict[str, list[int]]
    folders: tuple[str, ...]
    arguments: dict[str, Any]
    defined: frozenset[str]
    openmp: bool
    openacc: bool
    runtime: tuple[str, ...]
    kernel_command: tuple[str, ...]
    library: str
    link_flags: tuple[str, ...]

    def current(self) -> bool:
        """Whether all that the scan read is as it was."""
        return all(state_of(path) == state for path, state in self.inputs.items())

    def covers(self, source: str) -> bool:
        """Whether a source is in one of the folders that were scanned."""
        return any(Path(source).is_relative_to(folder) for folder in self.folders)


def state_of(path: str) -> list[int]:
    """Size and time of a file; nothing if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def read_store(folder: Path) -> Store | None:
    """The store in a folder; None if there is none that this hfpy has written."""
    try:
        entry = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if entry.get("format") != FORMAT:
        return None
    return Store(
        folder,
        {name: Made(m[0], m[1], m[2], tuple(m[3])) for name, m in entry["sources"].items()},
        entry["inputs"],
        tuple(entry["folders"]),
        entry["arguments"],
        frozenset(entry["defined"]),
        entry["openmp"],
        entry["openacc"],
        tuple(entry["runtime"]),
        tuple(entry["kernel_command"]),
        entry["library"],
        tuple(entry["link_flags"]),
    )


def as_json(store: Store) -> str:
    """The index as text."""
    return json.dumps(
        {
            "format": FORMAT,
            "sources": {name: [m.identity, m.fortran, m.digest, list(m.kernels)] for name, m in store.sources.items()},
            "inputs": store.inputs,
            "folders": list(store.folders),
            "arguments": store.arguments,
            "defined": sorted(store.defined),
            "openmp": store.openmp,
            "openacc": store.openacc,
            "runtime": list(store.runtime),
            "kernel_command": list(store.kernel_command),
            "library": store.library,
            "link_flags": list(store.link_flags),
        },
        indent=1,
    )


def store_for(sources: Iterable[str]) -> Store | None:
    """The store that a build works with: the one that ``HFPY_STORE`` names, else the nearest ``.hfpy`` above the first
    source or the current folder.
    """
    named = os.environ.get("HFPY_STORE")
    if named:
        return read_store(Path(named))
    places = [*[Path(source).resolve().parent for source in sources][:1], Path.cwd()]
    for place in places:
        for folder in (place, *place.parents):
            if (folder / FOLDER / INDEX).is_file():
                return read_store(folder / FOLDER)
    return None


def fpm_package() -> Path | None:
    """The fpm package around the current folder whose ``fpm.toml`` mentions ``[extra.hfpy]``; fpm calls compilers in
    the package's folder.
    """
    if os.environ.get("HFPY_STORE"):
        return None
    here = Path.cwd()
    for folder in (here, *here.parents):
        try:
            text = (folder / "fpm.toml").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return folder if re.search(r"^[ \t]*\[[ \t]*extra[ \t]*\.[ \t]*hfpy\b", text, re.M) else None
    return None
