"""The commands of ``hfpy`` in groups, as its help shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

GROUPS: Mapping[str, Sequence[str]] = {
    "Begin": ("new", "init", "annotate", "domains", "doctor"),
    "Build and run": ("build", "run", "install", "clean"),
    "Look": ("check", "explain", "graph", "report"),
    "Compare and measure": ("verify", "tune", "probe", "scale"),
    "In other builds": ("fc", "transpile", "makefile", "test"),
    "Shell and editor": ("completion", "lsp"),
}


class Grouped(click.Group):
    """Commands in groups, each in the order of :data:`GROUPS`."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups with what their commands do."""
        room = formatter.width - 6 - max(len(name) for names in GROUPS.values() for name in names)
        for title, names in GROUPS.items():
            rows = [(name, self.commands[name].get_short_help_str(room)) for name in names]
            with formatter.section(title):
                formatter.write_dl(rows)
