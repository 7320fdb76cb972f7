"""Comments by which users acknowledge warnings: ``!@allow HF500 a`` (docs/projects.md, "Warnings that are known").

Such a comment is before the statement with the warning, or after it on the same line, or before a region, for all
of the region. It names a code and, if it is not for all, arrays and variables. It changes nothing but what is shown:
errors stay, and what hfpy makes of the code is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hfpy.codes import CODES
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.parse.text.physical import physical
from hfpy.values import dataclass

_ALLOW = re.compile(r"!\s*@\s*allow\b(.*)$", re.IGNORECASE)
_BEGIN = re.compile(r"!?\s*@\s*parallelregion\b", re.IGNORECASE)
_END = re.compile(r"!?\s*@\s*end\s*parallelregion\b", re.IGNORECASE)
_NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE)


@dataclass(frozen=True)
class Allowed:
    """One comment: the code, the names (none: all), and the lines that it is for, counted from 1."""

    place: Place
    code: str
    names: frozenset[str]
    first: int
    last: int

    def covers(self, found: Diagnostic, rows: Sequence[str]) -> bool:
        """Whether a warning is one that the comment acknowledges."""
        place = found.place
        if found.code != self.code or not self.first <= place.line <= self.last:
            return False
        name = _NAME.match(rows[place.line - 1], max(place.column - 1, 0))
        return not self.names or (name is not None and name.group().lower() in self.names)


def acknowledged(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics without the warnings that comments of their files acknowledge; with a warning for each such comment
    of these files that acknowledges nothing.
    """
    listed = tuple(found)
    warned = {d.place.file for d in listed if d.severity == "warning" and d.place.line}
    kept: list[Diagnostic] = [d for d in listed if d.place.file not in warned]
    for file in sorted(warned):
        rows = _rows(file)
        comments = _comments(file, rows)
        used: set[Allowed] = set()
        for diagnostic in (d for d in listed if d.place.file == file):
            covering = [c for c in comments if diagnostic.severity == "warning" and c.covers(diagnostic, rows)]
            used.update(covering)
            kept += [] if covering else [diagnostic]
        unknown = [c for c in comments if c.code not in CODES]
        kept += [warning("HF255", f"'{c.code or 'nothing'}' is no code of a warning", c.place) for c in unknown]
        idle = [c for c in comments if c not in used and c not in unknown]
        kept += [warning("HF255", f"there is no {c.code} here that '!@allow' could acknowledge", c.place) for c in idle]
    return tuple(kept)


def _rows(file: str) -> Sequence[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ()


def _comments(file: str, rows: Sequence[str]) -> list[Allowed]:
    found = []
    for number, row in enumerate(rows, 1):
        match = _ALLOW.search(row) if "@" in row else None
        if match is None:
            continue
        code, *names = match.group(1).replace(",", " ").split() or [""]
        alone = physical(row).apart
        first = _next_statement(rows, number) if alone else number
        last = _last_line(rows, first)
        place = Place(file, number, match.start() + 1, len(match.group().rstrip()))
        found.append(Allowed(place, code.upper(), frozenset(n.lower() for n in names), first, last))
    return found


def _next_statement(rows: Sequence[str], number: int) -> int:
    """The first line after one that holds code, or a region's directive."""
    for following in range(number + 1, len(rows) + 1):
        row = rows[following - 1]
        if _BEGIN.match(row.strip()) or not physical(row).apart:
            return following
    return number


def _last_line(rows: Sequence[str], first: int) -> int:
    """The last line of a statement with its continuations, or of the region that begins on a line."""
    if _BEGIN.match(rows[first - 1].strip()):
        ends = (n for n in range(first, len(rows) + 1) if _END.match(rows[n - 1].strip()))
        return next(ends, first)
    last = first
    while last < len(rows) and rows[last - 1].split("!")[0].rstrip().endswith("&"):
        last += 1
    return last
