"""What a diagnostic proposes, as edits of the user's text.

The edit is made from the text as it is now, so that it is right although lines have moved since the diagnostic was
found; where the text is no longer what the diagnostic is about, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hfpy.diagnostics import Fix
from hfpy.model.source import LogicalLine
from hfpy.parse.directives.directives import parse_directive
from hfpy.parse.files import HYBRID_SUFFIXES
from hfpy.parse.text.lexer import logical_lines
from hfpy.parse.text.sourceform import is_fixed
from hfpy.values import dataclass

_WORD = re.compile(r"\w+")
_LONGEST = 200  # lines of a directive that are looked at
_MEANINGS = {
    "independent": "no two points meet in an element",
    "distinct": "no two of its values are equal",
    "private": "each point sets what it reads",
}


@dataclass(frozen=True)
class Replacement:
    """Characters of a line (both from 0) that others replace; none with a ``length`` of 0, where text is inserted."""

    line: int
    column: int
    length: int
    text: str


def title_of(fix: Fix) -> str:
    """What a fix does, for a menu; for an attribute with what the user says by it."""
    if fix.way == "replace":
        return f"write '{fix.text}'"
    meaning = _MEANINGS.get(fix.text.partition("(")[0], "")
    return f"add {fix.text}: {meaning}" if meaning else f"add {fix.text}"


def replacement_of(fix: Fix, lines: Sequence[str]) -> Replacement | None:
    """The edit that a fix means in a file with these lines; None where its lines have become others."""
    number = fix.place.line - 1
    if not 0 <= number < len(lines):
        return None
    if fix.way == "state":
        line = directive_at(Path(fix.place.file), lines, number)
        return _stated(fix, line) if line is not None else None
    column, length = fix.place.column - 1, fix.place.length
    there = lines[number][column : column + length]
    return Replacement(number, column, length, fix.text) if _WORD.fullmatch(there) else None


def directive_at(path: Path, lines: Sequence[str], number: int) -> LogicalLine | None:
    """The directive that begins in a line (from 0) of a file, with its continuation lines; None if there is none."""
    rows = lines[number : number + _LONGEST]
    fixed, hybrid = is_fixed(path, lines), path.suffix in HYBRID_SUFFIXES
    if "@" not in rows[0]:
        return None
    found, _ = logical_lines(str(path), rows, hybrid=hybrid, fixed=fixed)
    line = found[0] if found else None
    if line is None or not line.directive or line.first != 0:
        return None
    return line.down(number)


def _stated(fix: Fix, line: LogicalLine) -> Replacement | None:
    """The insertion of an attribute, or of a further name into one that is there."""
    directive, problems = parse_directive(line, fix.place.file)
    if directive is None or problems or directive.keyword != "parallelregion" or directive.end:
        return None
    name, _, rest = fix.text.partition("(")
    entry = rest.removesuffix(")")
    there = directive.get(name.lower())
    if there is not None and entry.lower() in (e.lower() for e in there.entries):
        return None
    if there is not None:
        return _behind(line, there.end - 1, f", {entry}")
    if directive.attributes:
        return _behind(line, directive.attributes[-1].end, f", {fix.text}")
    brace = line.text.find("{")
    return _behind(line, brace + 1, fix.text) if brace >= 0 else _behind(line, len(line.text), f"{{{fix.text}}}")


def _behind(line: LogicalLine, offset: int, text: str) -> Replacement:
    """The insertion of a text after the character before an offset, on the line where that character is."""
    row, column = line.locate(offset - 1)
    return Replacement(row, column + 1, 0, text)
