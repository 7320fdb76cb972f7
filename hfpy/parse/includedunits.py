"""Included files that hold whole procedures: their text takes the place of the ``include`` line.

An ``include`` line means that text (Fortran 2018, 6.4). Files of declarations and of statements are read where they are
included (:mod:`hfpy.parse.routines`); procedures, or a ``contains``, belong to the units of the file around them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from hfpy.parse.index import index_units
from hfpy.parse.text.lexer import logical_lines
from hfpy.parse.text.limits import readable
from hfpy.values import dataclass

_INCLUDE = re.compile(r"\s*(?:#\s*)?include\s*(?:'([^']+)'|\"([^\"]+)\"|<([^>]+)>)\s*(?:!.*)?$", re.IGNORECASE)
_UNITS = re.compile(r"^\s*(?:contains\b|[^!\n]*\b(?:subroutine|function|procedure)\b)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class WithUnits:
    """A text with its included procedures, and for each of its lines the one of the including file that it is.
    ``included`` lines are numbered behind the last one of that file: of each the included file, its line there, and
    that of the ``include``.
    """

    text: str
    line_map: tuple[int, ...]
    included: Mapping[int, tuple[str, int, int]]


def with_included_units(path: Path, rows: Sequence[str], include_dirs: Sequence[Path], fixed: bool) -> WithUnits | None:
    """The rows of a file with the text of those files that it includes and that hold procedures; None if none does."""
    folders, around = (path.parent, *include_dirs), (path.resolve(),)
    if not any(_units_of(row, folders, fixed, around) is not None for row in rows):
        return None
    lines: list[str] = []
    line_map: list[int] = []
    included: dict[int, tuple[str, int, int]] = {}
    for number, row in enumerate(rows, 1):
        for text, file, line in _rows(row, folders, fixed, around):
            lines.append(text)
            line_map.append(len(rows) + 1 + len(included) if file else number)
            if file:
                included[line_map[-1]] = file, line, number
    return WithUnits("\n".join(lines) + "\n", tuple(line_map), included)


def _rows(row: str, folders: Sequence[Path], fixed: bool, around: tuple[Path, ...]) -> Iterator[tuple[str, str, int]]:
    """A row, or what it includes if that has procedures, with the row as a comment before it; of what is included the
    file and line. The files ``around`` it are not included again.
    """
    found = _units_of(row, folders, fixed, around)
    if found is None:
        yield row, "", 0
        return
    yield f"! {row.strip()}", "", 0
    path, rows = found
    for number, inner in enumerate(rows, 1):
        for text, file, line in _rows(inner, folders, fixed, (*around, path.resolve())):
            yield text, file or str(path), line or number


def _units_of(
    row: str, folders: Sequence[Path], fixed: bool, around: Collection[Path]
) -> tuple[Path, list[str]] | None:
    """The file that a row includes, and its rows, if they hold procedures or the ``contains`` before some."""
    named = _INCLUDE.match(row) if "nclude" in row or "NCLUDE" in row else None
    path = next((p for f in folders if named and (p := f / next(filter(None, named.groups()))).is_file()), None)
    if path is None or readable(path) or path.resolve() in around:
        return None
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if not _UNITS.search(text):
        return None
    rows = text.splitlines()
    lines, _ = logical_lines(str(path), rows, hybrid=False, fixed=fixed)
    units = index_units(str(path), lines).units
    holds = any(u.contains >= 0 or u.kind not in ("program", "blockdata") for u in units)
    return (path, rows) if holds else None
