"""Bodies of regions indented by the loops that are written around them, where ``--indent`` asks for it.

Without it, the user's lines stay as they are written, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hfpy.parse.text.physical import physical, within_texts
from hfpy.transform.text.edits import Edited
from hfpy.transform.text.wrapping import LIMIT
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Body:
    """Lines of the source (0-based, last included) that loops are written around, the line of the directive before
    them, and the column where the outermost of their statements are to begin.
    """

    head: int
    first: int
    last: int
    column: int


def with_indentation(edited: Edited, bodies: Iterable[Body]) -> Edited:
    """The lines of a free-form file with the bodies moved to the right. Lines that would become too long stay, and so
    do lines for the preprocessor and those in the middle of a text.
    """
    lines = list(edited.lines)
    within = within_texts(lines)
    for body in bodies:
        rows = [n for n in _rows(edited.line_map, body) if not within[n]]
        found = {n: physical(lines[n]) for n in rows}
        least = min((row.column for row in found.values() if row.kind == "code"), default=body.column)
        blanks = " " * (body.column - least)
        for n, row in found.items():
            if row.kind not in ("blank", "preprocessor") and len(lines[n]) + len(blanks) <= LIMIT:
                lines[n] = blanks + lines[n]
    return replace(edited, lines=tuple(lines))


def _rows(line_map: tuple[int, ...], body: Body) -> list[int]:
    """The lines that are where the body stood: what moved to a routine of its own is further below."""
    found: list[int] = []
    for n, origin in enumerate(line_map):
        if body.first <= origin - 1 <= body.last:
            found.append(n)
        elif found and origin and origin - 1 != body.head:
            break
    return found
