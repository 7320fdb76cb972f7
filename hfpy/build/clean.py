"""Removing what was built, and nothing else."""

from __future__ import annotations

import filecmp
import itertools
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from hfpy.backendtable import BACKENDS
from hfpy.build.driver import KINDS
from hfpy.build.existing.legacy import copy_of
from hfpy.build.files import explained, require_inside
from hfpy.diagnostics import Place
from hfpy.project import Project, key_place


def clean_project(project: Project, targets: Iterable[str]) -> list[Path]:
    """Remove the folders of the targets, with any backend, from the project's build folder; the removed ones.

    Only folders that hfpy has built in go, and the build folder itself only if that leaves it empty. What an existing
    project has copied from one goes, too, if it is the copy still.
    Raises HfpyError if something cannot be removed, or lies outside of the project.
    """
    build = project.root / project.build_dir
    require_inside(project.root, build, key_place(project, "project", "build_dir"))
    removed = []
    for target in targets:
        for backend, *kinds in itertools.product(BACKENDS, *(("", kind) for kind in KINDS)):
            folder = build / f"{target}-{backend}{''.join(kinds)}"
            if (folder / ".lock").is_file():
                require_inside(project.root, folder, Place(str(folder)))
                removed += _without_copies(project, target, folder) if project.legacy else []
                with explained(folder):
                    shutil.rmtree(folder)
                removed.append(folder)
    if build.is_dir() and not any(build.iterdir()):
        with explained(build):
            build.rmdir()
    return removed


def _without_copies(project: Project, target: str, folder: Path) -> list[Path]:
    """Remove the copies of the executables in a folder; the removed ones."""
    programs = {path.name: path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK)}
    removed = []
    for name, path in programs.items():
        copy = copy_of(project, target, name, programs)
        if copy.is_file() and filecmp.cmp(path, copy, shallow=False):
            require_inside(project.root, copy, Place(str(copy)))
            with explained(copy):
                copy.unlink()
            removed.append(copy)
    return removed
