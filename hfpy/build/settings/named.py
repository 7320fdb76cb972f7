"""Paths that settings and command lines mention: each has to be there, or what is said of it would be lost silently."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build import codes
from hfpy.diagnostics import Diagnostic, HfpyError, Place, warning
from hfpy.project import Project, key_place, matches


def unknown_paths(project: Project) -> Iterator[Diagnostic]:
    """A warning for each entry of ``exclude``, ``include_dirs``, ``drop_directives`` and ``[files]`` that means no file
    or folder.
    """
    if not (project.exclude or project.include_dirs or project.drop_directives or project.file_flags):
        return
    place = key_place(project, "project", "include_dirs")
    folders = (project.root / d for d in project.include_dirs)
    yield from unknown_folders([f for f in folders if not project.legacy], place)
    try:
        every = replace(project, exclude=()).files
    except HfpyError:  # reported where the sources are read
        return
    names = {p.name for p in every} | {p.relative_to(project.root).as_posix() for p in every if _below(p, project)}
    for pattern in project.exclude if not project.legacy else ():
        if not any(matches(path, project.root, pattern) for path in every):
            yield _warning(f"'{pattern}' in exclude", pattern, names, key_place(project, "project", "exclude"))
    for pattern in project.drop_directives:
        if pattern != "*" and not any(matches(path, project.root, pattern) for path in every):
            place = key_place(project, "project", "drop_directives")
            yield _warning(f"'{pattern}' in drop_directives", pattern, names, place)
    for pattern in project.file_flags:
        if not any(matches(path, project.root, pattern) for path in every):
            yield _warning(f"'{pattern}' in [files]", pattern, names, key_place(project, "files", pattern))


def unknown_folders(folders: Sequence[Path], place: Place) -> Iterator[Diagnostic]:
    """A warning for each folder of included files that is not there."""
    for folder in folders:
        if folder.is_dir():
            continue
        beside = {str(p) for p in folder.parent.iterdir() if p.is_dir()} if folder.parent.is_dir() else set()
        yield _warning(f"'{folder}', where included files shall be,", str(folder), beside, place)


def _below(path: Path, project: Project) -> bool:
    return path.is_relative_to(project.root)


def _warning(what: str, name: str, known: Collection[str], place: Place) -> Diagnostic:
    near = difflib.get_close_matches(name, list(known), 1, 0.6)
    hint = f"did you mean '{near[0]}'?" if near else "check the name; paths are relative to the folder of hfpy.toml"
    return warning(codes.NAME_UNKNOWN, f"{what} means nothing that is there", place, hint)
