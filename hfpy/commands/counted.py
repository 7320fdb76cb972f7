"""``hfpy check --summary``: causes of faults, and where regions are looked for, of loops that stay serial, counted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hfpy.commands.tables import print_parts
from hfpy.diagnostics import Diagnostic, printable
from hfpy.report.causes import show, summary

if TYPE_CHECKING:
    from hfpy.annotate.staying import Loops
    from hfpy.translation import Translation


def show_counted(
    found: Sequence[Diagnostic], translation: Translation | None, paths: Iterable[Path], form: str
) -> None:
    """Print the causes of diagnostics, and of loops that stay serial: those in ``paths`` that are files, or all."""
    made = summary(found, translation.survey() if translation is not None else None)
    files = frozenset(path.resolve() for path in paths if path.is_file())
    loops = _loops(translation, files) if translation is not None else None
    if form == "json":
        more = {"loops": loops.as_dict()} if loops is not None else {}
        click.echo(printable(json.dumps({**made.as_dict(), **more}, indent=2)))
        return
    if loops is None:
        print_parts(show(made))
        return
    from hfpy.annotate.staying import show as show_loops

    print_parts([*show(made), *show_loops(loops)])


def _loops(translation: Translation, files: frozenset[Path]) -> Loops | None:
    """What became of plain loops in some files, or in all; None where no regions were looked for in them."""
    automatic = translation.loops()
    if automatic is None:
        return None
    from hfpy.annotate.staying import staying

    return staying(automatic, lambda file: not files or Path(file).resolve() in files)
