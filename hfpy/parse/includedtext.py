"""Included files whose text takes the place of the ``include`` line, which means that text (Fortran 2018, 6.4).

Files of declarations are read where they are included (:mod:`hfpy.parse.routines`). Procedures, or a ``contains``,
belong to the units of the file around them, and before and after statements hfpy may have to write others. Directives
make the units around them those of a file with directives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from hfpy.parse.index import index_units
from hfpy.parse.text.lexer import logical_lines
from hfpy.parse.text.limits import readable
from hfpy.values import dataclass

_INCLUDE = re.compile(r"\s*(?:#\s*)?include\s*(?:'([^']+)'|\"([^\"]+)\"|<([^>]+)>)\s*(?:!.*)?$", re.IGNORECASE)
_UNITS = re.compile(r"^\s*(?:contains\b|[^!\n]*\b(?:subroutine|function|procedure)\b)", re.IGNORECASE | re.MULTILINE)

Holds = Callable[[Path], bool]


@dataclass(frozen=True)
class WithIncluded:
    """A text with some included files, and for each of its lines the one of the including file that it is. ``included``
    lines are numbered behind the last one of that file: of each the included file, its line there, and that of the
    ``include``.
    """

    text: str
    line_map: tuple[int, ...]
    included: Mapping[int, tuple[str, int, int]]


class Inclusion:
    """Puts the text of those files in the place of ``include`` lines for which ``holds`` is true. They are beside the
    including file, or in one of some folders.
    """

    def __init__(self, path: Path, include_dirs: Sequence[Path], holds: Holds) -> None:
        self.path = path
        self.folders = (path.parent, *include_dirs)
        self.holds = holds

    def made(self, rows: Sequence[str], last: int) -> WithIncluded | None:
        """The rows of the file with what it includes; None if that is nothing. ``last`` is its last line."""
        around = (self.path.resolve(),)
        if not any(self._named(row, around) is not None for row in rows):
            return None
        lines: list[str] = []
        line_map: list[int] = []
        included: dict[int, tuple[str, int, int]] = {}
        for number, row in enumerate(rows, 1):
            for text, file, line in self._rows(row, around):
                lines.append(text)
                line_map.append(last + 1 + len(included) if file else number)
                if file:
                    included[line_map[-1]] = file, line, number
        return WithIncluded("\n".join(lines) + "\n", tuple(line_map), included)

    def _rows(self, row: str, around: tuple[Path, ...]) -> Iterator[tuple[str, str, int]]:
        """A row, or what it includes, with the row as a comment before it; of what is included the file and line. The
        files ``around`` it are not included again.
        """
        path = self._named(row, around)
        if path is None:
            yield row, "", 0
            return
        yield f"! {row.strip()}", "", 0
        for number, inner in enumerate(_text(path).splitlines(), 1):
            for text, file, line in self._rows(inner, (*around, path.resolve())):
                yield text, file or str(path), line or number

    def _named(self, row: str, around: Collection[Path]) -> Path | None:
        """The file that a row includes, if it is one of those that are wanted."""
        named = _INCLUDE.match(row) if "nclude" in row or "NCLUDE" in row else None
        path = next(
            (p for f in self.folders if named and (p := f / next(filter(None, named.groups()))).is_file()), None
        )
        wanted = path is not None and not readable(path) and path.resolve() not in around and self.holds(path)
        return path if wanted else None


def with_included_units(
    path: Path, rows: Sequence[str], include_dirs: Sequence[Path], fixed: bool, directives: bool
) -> WithIncluded | None:
    """The rows of a file with the text of those files that it includes and that hold procedures, or the ``contains``
    before some, or, where they are asked for, ``directives`` in comments; None if none does.
    """
    return Inclusion(path, include_dirs, lambda included: _belongs(included, fixed, directives)).made(rows, len(rows))


def _belongs(path: Path, fixed: bool, directives: bool) -> bool:
    text = _text(path)
    if not _UNITS.search(text) and not (directives and "@" in text):
        return False
    lines, _ = logical_lines(str(path), text.splitlines(), hybrid=False, fixed=fixed)
    if directives and any(line.directive for line in lines):
        return True
    units = index_units(str(path), lines).units
    return any(u.contains >= 0 or u.kind not in ("program", "blockdata") for u in units)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")
