"""Diagnostics in colours on a terminal, where rich is installed (the extra ``progress``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from hfpy.diagnostics import Diagnostic, pieces, render

_STYLES = {
    "place": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "caret": "bold green",
    "hint": "green",
}


def diagnostic_printer() -> Callable[[Diagnostic], None]:
    """What prints a diagnostic to standard error: in colours on a terminal, unless ``NO_COLOR`` is set or ``TERM`` is
    ``dumb``; as plain text to files and other programs, unless ``FORCE_COLOR`` is set.
    """
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        return _plain
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return _plain
    console = Console(stderr=True, soft_wrap=True, highlight=False)

    def show(diagnostic: Diagnostic) -> None:
        parts = [(text, _STYLES[style]) if style else text for text, style in pieces(diagnostic)]
        console.print(Text.assemble(*parts), soft_wrap=True)

    return show


def _plain(diagnostic: Diagnostic) -> None:
    click.echo(render(diagnostic), err=True)
