"""Where a key of a TOML file is: ``tomllib`` gives values without places, diagnostics want both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hfpy.diagnostics import Place

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_DOTTED})\s*=")
_ONE_KEY = re.compile(_KEY)
_SYNTAX_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def _parts(dotted: str) -> tuple[str, ...]:
    """``a."b.c"`` as ``("a", "b.c")``."""
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _ONE_KEY.findall(dotted))


def _without_text(line: str) -> str:
    """The line with strings and the comment blanked, so that brackets can be counted."""
    masked = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", lambda m: "s" * len(m.group()), line)
    return masked.split("#", 1)[0]


def find_key(text: str, path: tuple[str, ...], file: str) -> Place:
    """The place of the key ``path`` in the TOML ``text`` of ``file``; its table's, if the key is not found.

    A key within an inline table is looked for on the lines of that table.
    """
    table: tuple[str, ...] = ()
    best, best_length, depth = Place(file, 1, 1), 0, 0
    for number, line in enumerate(text.splitlines(), start=1):
        found: list[tuple[tuple[str, ...], int, int]] = []
        if depth == 0 and (header := _HEADER.match(line)):
            table = _parts(header.group(1))
            found.append((table, header.start(1), len(header.group(1))))
        elif depth == 0 and (assignment := _ASSIGNMENT.match(line)):
            key = table + _parts(assignment.group(1))
            found.append((key, assignment.start(1), len(assignment.group(1))))
            if path[: len(key)] == key and len(path) > len(key):
                found += _inside(line, assignment.end(), key, path[len(key)])
        if not line.lstrip().startswith("#") and not _HEADER.match(line):
            masked = _without_text(line)
            depth += sum(masked.count(c) for c in "[{") - sum(masked.count(c) for c in "]}")
        for key, start, length in found:
            if path[: len(key)] == key and len(key) > best_length:
                best, best_length = Place(file, number, start + 1, length), len(key)
    return best


def name_at(lines: Sequence[str], row: int, column: int) -> tuple[tuple[str, ...], str]:
    """The table that a line (from 0) is in, and the key or the text in quotes at a column (from 0); an empty name where
    there is neither.
    """
    headers = (found for line in lines[: row + 1] if (found := _HEADER.match(line)))
    table = _parts(([""] + [header.group(1) for header in headers])[-1])
    line = lines[row] if row < len(lines) else ""
    code = len(_without_text(line))
    keys = (m for m in _ONE_KEY.finditer(line) if m.start() <= column <= m.end() and m.start() < code)
    return table, next((_parts(match.group())[0] for match in keys), "")


def _inside(line: str, start: int, table: tuple[str, ...], name: str) -> list[tuple[tuple[str, ...], int, int]]:
    """The key ``name`` of an inline table that begins on ``line`` at ``start``."""
    match = re.search(rf"(?<![\w-])[\"']?{re.escape(name)}[\"']?\s*=", line[start:])
    if match is None:
        return []
    return [((*table, name), start + match.start(), len(name))]


def syntax_error_place(message: str, file: str) -> Place:
    """The place that ``tomllib`` names in its message."""
    match = _SYNTAX_PLACE.search(message)
    return Place(file, int(match.group(1)), int(match.group(2))) if match else Place(file, 1, 1)
