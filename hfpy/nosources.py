"""What is said where no source is found: what was looked for, what is there instead, and where Fortran is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from hfpy.build import codes
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.suffixes import FORTRAN

_ENDINGS = "Fortran files end in .f90, .f, .h90 and their like"
_MOST = 10_000  # files that are looked at
_FEW = 3  # folders, or endings, that are named


def no_project(folder: Path) -> str:
    """What helps where a folder has no project."""
    found = fortran_below(folder)
    if not found:
        return f"nor is there a Fortran file: {_ENDINGS}; `hfpy new NAME` makes a project"
    return f"`hfpy init` writes one for the Fortran files {_listed(found, 'here')}; a few files need none: name them"


def no_sources(folder: Path) -> str:
    """What helps where an ``hfpy.toml`` names no sources."""
    found = fortran_below(folder)
    named = str(found[0]) if found else "source"
    return f'write for instance sources = ["{named}"] below [project]'


def nothing_named(name: str) -> Diagnostic:
    """What a command is to work on is not there, or a folder without files."""
    path = Path(name)
    if path.is_dir():
        return no_fortran_in(Place(name))
    near = [n for n in _names_in(path.parent) if n != path.name]
    hint = _meant([str(path.parent / n) for n in get_close_matches(path.name, near, 1)])
    return error(codes.NO_SOURCES, "there is no such file or folder", Place(name), hint)


def nothing_listed(root: Path, entry: str, place: Place) -> Diagnostic:
    """An entry of ``sources`` names no file."""
    if (root / entry).is_dir():
        return error(codes.NO_SOURCES, f"the folder '{entry}' in sources has no file", place, _elsewhere(root))
    near = get_close_matches(entry, _names_in(root), 1) if not any(c in entry for c in "*?[") else []
    hint = _meant(near) or "sources takes folders, files and globs, relative to the folder of hfpy.toml"
    there = _elsewhere(root) if not near else ""
    message = f"'{entry}' in sources names no file"
    return error(codes.NO_SOURCES, message, place, "; ".join(h for h in (hint, there) if h))


def no_fortran(root: Path | None, left: Sequence[Path], excluded: Sequence[Path], place: Place) -> Diagnostic:
    """No source is Fortran: ``left`` are those that are there, ``excluded`` those that ``exclude`` takes away. ``root``
    is the folder of the ``hfpy.toml`` that names them, if one does.
    """
    away = [path for path in excluded if path.suffix in FORTRAN]
    message = "there is no Fortran file among the sources"
    if away:
        files = "the Fortran file" if len(away) == 1 else f"all {len(away)} Fortran files"
        return error(codes.NO_SOURCES, f"{message}: exclude takes {files} away", place, "take a pattern out of exclude")
    if left:
        message += f" ({_endings_of(left)})"
    there = _elsewhere(root) if root is not None else ""
    return error(codes.NO_SOURCES, message, place, "; ".join(h for h in (_ENDINGS, there) if h))


def no_fortran_in(place: Place) -> Diagnostic:
    """A folder that a command is to read has no Fortran."""
    return error(codes.NO_SOURCES, "there is no Fortran file in this folder", place, _ENDINGS)


def fortran_below(folder: Path) -> list[Path]:
    """The folders below one, relative to it, in which Fortran files are: those with most of them first."""
    found: Counter[Path] = Counter()
    for path in _files_below(folder):
        if path.suffix in FORTRAN:
            found[path.parent.relative_to(folder)] += 1
    return sorted(found, key=lambda p: (-found[p], p))


def _files_below(folder: Path) -> Iterator[Path]:
    seen = 0
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] not in "._" and name != "build")
        for name in files:
            seen += 1
            yield Path(parent) / name
        if seen > _MOST:
            return


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def _meant(near: Sequence[str]) -> str:
    return f"did you mean '{near[0]}'?" if near else ""


def _elsewhere(root: Path) -> str:
    found = fortran_below(root)
    return f"Fortran files are {_listed(found, 'beside hfpy.toml')}" if found else "no folder of the project has any"


def _listed(folders: Sequence[Path], here: str) -> str:
    shown = [here if path == Path(".") else f"in '{path}'" for path in folders[:_FEW]]
    return ", ".join(shown) + (f", and {len(folders) - _FEW} more folders" if len(folders) > _FEW else "")


def _endings_of(files: Sequence[Path]) -> str:
    """What files are there, by how their names end."""
    counted = Counter(path.suffix or path.name for path in files)
    return ", ".join(f"{count} {ending}" for ending, count in counted.most_common(_FEW))
