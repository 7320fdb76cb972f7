"""``hfpy new``: a small project that builds and runs at once."""

from __future__ import annotations

import re
from pathlib import Path

from hfpy.build.files import write_atomically
from hfpy.diagnostics import UsageError
from hfpy.version import PACKAGE

_TEMPLATE = PACKAGE / "templates" / "new"
_RENAMED = {"gitignore": ".gitignore"}


def new_project(folder: Path) -> Path:
    """Make ``folder`` with a project of its name; the folder.

    Raises UsageError if the folder exists and is not empty, or its name cannot be a program's;
    HfpyError if it cannot be written.
    """
    name = folder.resolve().name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise UsageError(f"'{name}' cannot name a project: use letters, digits, '_' and '-', a letter first")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists already and is not empty")
    for template in sorted(_TEMPLATE.rglob("*")):
        if template.is_file():
            inside = template.relative_to(_TEMPLATE)
            stem = (
                name if inside.name == "main.f90" else inside.stem
            )  # the file of the main program names the executable
            target = folder / inside.with_name(_RENAMED.get(inside.name, f"{stem}{inside.suffix}"))
            write_atomically(target, template.read_text(encoding="utf-8").replace("@NAME@", name).encode())
    return folder
