"""``hfpy.toml`` in an editor: what the names in it mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.build.settings.tomlplaces import name_at
from hfpy.diagnostics import Place
from hfpy.lsp.looking import Looked
from hfpy.project import PROJECT_FILE


def is_settings(path: Path) -> bool:
    """Whether a file holds the settings of a project."""
    return path.name == PROJECT_FILE


def is_of_others(path: Path) -> bool:
    """Whether a file is settings of other tools, which editors send, too, when they are asked for files in TOML."""
    return path.suffix == ".toml" and not is_settings(path)


def routine_in_settings(lines: Sequence[str], row: int, column: int, looked: Looked) -> Place | None:
    """Where the routine is defined that is at a place (from 0) of the settings: a key of ``[routines]``, or a text
    in a list of routines or exports.
    """
    table, name = name_at(lines, row, column)
    if not name or table[:1] not in (("routines",), ("project",), ("debug_print",)):
        return None
    routines = looked.survey.named(name)
    return Place(routines[0].file, routines[0].line) if routines else None
