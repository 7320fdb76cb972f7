"""Removing what was built, and nothing else."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable
from pathlib import Path

from hfpy.backendtable import BACKENDS
from hfpy.build.driver import KINDS
from hfpy.build.files import explained, require_inside
from hfpy.diagnostics import Place
from hfpy.project import Project, key_place


def clean_project(project: Project, targets: Iterable[str]) -> list[Path]:
    """Remove the folders of the targets, with any backend, from the project's build folder; the removed ones.

    Only folders that hfpy has built in go, and the build folder itself only if that leaves it empty.
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
                with explained(folder):
                    shutil.rmtree(folder)
                removed.append(folder)
    if build.is_dir() and not any(build.iterdir()):
        with explained(build):
            build.rmdir()
    return removed
