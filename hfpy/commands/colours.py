"""Diagnostics in colours on a terminal, where rich is installed (the extra ``progress``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

import click

from hfpy.diagnostics import Diagnostic, pieces, render

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {
    "place": "bold",
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold cyan",
    "caret": "bold green",
    "hint": "green",
}


def console_for(stream: TextIO) -> Console | None:
    """What prints with rich to a stream: to a terminal, or anywhere if ``FORCE_COLOR`` is set. None else, or without
    rich.
    """
    if not (stream.isatty() or os.environ.get("FORCE_COLOR")):
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, soft_wrap=True, highlight=False)


def diagnostic_printer() -> Callable[[Diagnostic], None]:
    """What prints a diagnostic to standard error: in colours on a terminal, unless ``NO_COLOR`` is set or ``TERM`` is
    ``dumb``; as plain text to files and other programs, unless ``FORCE_COLOR`` is set.
    """
    console = console_for(sys.stderr)
    if console is None:
        return _plain
    from rich.text import Text

    def show(diagnostic: Diagnostic) -> None:
        parts = [(text, _STYLES[style]) if style else text for text, style in pieces(diagnostic)]
        console.print(Text.assemble(*parts), soft_wrap=True)

    return show


def _plain(diagnostic: Diagnostic) -> None:
    click.echo(render(diagnostic), err=True)
