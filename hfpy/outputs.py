"""Names of the files that are generated from sources: all of them are written to one folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from hfpy.suffixes import HYBRID
from hfpy.values import dataclass


@dataclass(frozen=True)
class Outputs:
    """For each source, by its path, the ``names`` of the generated Fortran file, and the ``stems`` from which files and
    modules of kernels have their names.
    """

    names: Mapping[str, str]
    stems: Mapping[str, str]


def outputs_of(paths: Iterable[str]) -> Outputs:
    """The names for the sources of a program: those of the sources, with folders before them where files in different
    folders would have one name. Files of one folder keep theirs, even if they are the same.
    """
    sources = [PurePath(path) for path in paths]
    return Outputs(_apart(sources, output_name), _apart(sources, lambda path: path.stem))


def output_name(path: PurePath) -> str:
    """The name of the file that is generated from a source: ``.h90`` and ``.H90`` become ``.F90``."""
    return path.stem + ".F90" if path.suffix in HYBRID else path.name


def _apart(paths: Iterable[PurePath], named: Callable[[PurePath], str]) -> dict[str, str]:
    """The names of files by their paths; there are file systems that know no case."""
    same: dict[str, list[PurePath]] = {}
    for path in paths:
        same.setdefault(named(path).lower(), []).append(path)
    names = {str(path): named(path) for group in same.values() for path in group}
    several = [group for group in same.values() if len({path.parent for path in group}) > 1]
    taken = set(same) - {named(group[0]).lower() for group in several}
    for group in several:
        folders = list(dict.fromkeys(path.parent for path in group))
        above = _above(folders)
        for folder in folders:
            before = "_".join(part for part in folder.parts[above:] if part != "..")
            here = [path for path in group if path.parent == folder]
            made = [_with_folders(before, named(path)) for path in here]
            if any(name.lower() in taken for name in made):
                mark = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
                made = [_with_folders(_with_folders(before, mark), named(path)) for path in here]
            taken |= {name.lower() for name in made}
            names |= {str(path): name for path, name in zip(here, made, strict=True)}
    return names


def _with_folders(before: str, name: str) -> str:
    return f"{before}_{name}" if before else name


def _above(folders: list[PurePath]) -> int:
    """How many folders of their paths some folders have in common."""
    count = 0
    for parts in zip(*(folder.parts for folder in folders), strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    return count
