"""Tables of commands: plain text to files and other programs; by rich on a terminal where that is installed (the extra
``progress``), as wide as the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from hfpy.commands.colours import console_for
from hfpy.diagnostics import printable
from hfpy.values import dataclass

if TYPE_CHECKING:
    from rich.table import Table as Shown

Row = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A head, and rows as long as that, whose cells may have several lines; None is a rule. ``right`` are the columns
    whose cells end at the right. ``plain`` is the text for files and other programs where that has another form.
    """

    head: Row
    rows: Sequence[Row | None]
    right: frozenset[int] = frozenset()
    plain: str = ""

    def __str__(self) -> str:
        if self.plain:
            return self.plain
        full = [self.head, *(row for row in self.rows if row is not None)]
        widths = [max(len(line) for row in full for line in row[n].split("\n")) for n in range(len(self.head))]
        rule = "  " + "─" * (sum(widths) + 2 * (len(widths) - 1))

        def line(cells: Row) -> str:
            pairs = enumerate(zip(cells, widths, strict=True))
            return "  " + "  ".join(c.rjust(w) if n in self.right else c.ljust(w) for n, (c, w) in pairs).rstrip()

        lines = [line(self.head), rule]
        for row in self.rows:
            parts = zip_longest(*(cell.split("\n") for cell in row), fillvalue="") if row is not None else ()
            lines += [line(cells) for cells in parts] if row is not None else [rule]
        return "\n".join(lines)

    def shown(self) -> Shown:
        """The table as rich has it."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as Shown
        from rich.text import Text

        made = Shown(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for n, title in enumerate(self.head):
            made.add_column(Text(printable(title)), justify="right" if n in self.right else "left", overflow="fold")
        for row in self.rows:
            if row is None:
                made.add_section()
            else:
                made.add_row(*(Text(printable(cell)) for cell in row))
        return made


def as_text(parts: Iterable[str | Table], blank: bool = True) -> str:
    """Texts and tables, with a blank line between them if ``blank``."""
    return ("\n\n" if blank else "\n").join(map(str, parts))


def print_parts(parts: Iterable[str | Table], err: bool = False, blank: bool = True) -> None:
    """Print texts and tables, to standard error if ``err``, with a blank line between them if ``blank``."""
    listed = list(parts)
    console = console_for(sys.stderr if err else sys.stdout)
    if console is None:
        click.echo(printable(as_text(listed, blank)), err=err)
        return
    from rich.text import Text

    for number, part in enumerate(listed):
        if isinstance(part, Table):
            console.print(part.shown(), soft_wrap=False)
        else:
            above = "\n" if blank and number and isinstance(listed[number - 1], str) else ""
            console.print(Text(above + printable(part)))
