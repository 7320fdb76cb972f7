"""Edits: changes of character ranges in the user's text (design contract 3).

Passes yield edits; they are checked for overlap and applied at once. What no edit touches stays byte
for byte; comments inside a replaced range are kept on lines of their own before the statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from hfpy.model.source import LogicalLine, SourceText
from hfpy.parse.text.cards import without_margin
from hfpy.parse.text.lexer import strip_comment
from hfpy.parse.text.physical import physical
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the text between two physical positions (line, column; 0-based, end exclusive).

    ``rank`` orders insertions at one place. ``origin`` is the line that new lines stem from, for the source map,
    ``origins`` the same line by line.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    rank: int
    text: str
    origin: int = -1
    origins: tuple[int, ...] = ()

    @property
    def insertion(self) -> bool:
        """Whether nothing is removed."""
        return (self.line, self.column) == (self.end_line, self.end_column)

    @property
    def whole_lines(self) -> bool:
        """Whether it inserts whole lines before one."""
        return self.insertion and self.column == 0 and self.text.endswith("\n")


class OverlapError(Exception):
    """Two edits want the same characters (``line``: 0-based): blocks that cross, or a bug of a pass."""

    def __init__(self, first: Edit, second: Edit) -> None:
        super().__init__(f"{first} and {second}")
        self.line = second.line


def replace_range(line: LogicalLine, start: int, end: int, text: str, rank: int = 0) -> Edit:
    """Replace ``line.text[start:end]``."""
    first = line.locate(start)
    if start == end:
        return Edit(*first, *first, rank, text)
    last = line.locate(end - 1)
    return Edit(*first, last[0], last[1] + 1, rank, text)


def insert(line: LogicalLine, offset: int, text: str, rank: int = 0) -> Edit:
    """Insert before the character at ``offset`` (after the last one, if ``offset`` is the length)."""
    if offset > 0:
        row, column = line.locate(offset - 1)
        return Edit(row, column + 1, row, column + 1, rank, text)
    row, column = line.locate(0)
    return Edit(row, column, row, column, rank, text)


def insert_lines(before: int, lines: Sequence[str], rank: int = 0, origin: int = -1) -> Edit:
    """Insert whole lines before physical line ``before`` (0-based)."""
    text = "".join(line + "\n" for line in lines)
    return Edit(before, 0, before, 0, rank, text, before if origin < 0 else origin)


def replace_lines(first: int, last: int, lines: Sequence[str], rank: int = 0) -> Edit:
    """Replace physical lines ``first`` to ``last`` (inclusive) by other lines; their comments are the caller's
    business.
    """
    text = "".join(line + "\n" for line in lines)
    return Edit(first, 0, last + 1, 0, rank, text, first)


def insert_rows(before: int, rows: Iterable[tuple[str, int]], rank: int = 0) -> Edit:
    """As :func:`insert_lines`, each line with the one (0-based) that it stems from."""
    listed = list(rows)
    text = "".join(row + "\n" for row, _ in listed)
    return Edit(before, 0, before, 0, rank, text, before, tuple(origin for _, origin in listed))


def replace_rows(first: int, last: int, rows: Iterable[tuple[str, int]]) -> Edit:
    """As :func:`replace_lines`, each line with the one (0-based) that it stems from."""
    listed = list(rows)
    text = "".join(row + "\n" for row, _ in listed)
    return Edit(first, 0, last + 1, 0, 0, text, first, tuple(origin for _, origin in listed))


@dataclass(frozen=True)
class Edited:
    """The result: lines, for each the source line (1-based, 0 for none), and whether it differs from the source's."""

    lines: tuple[str, ...]
    line_map: tuple[int, ...]
    changed: tuple[bool, ...]


Wrap = Callable[[str, bool], list[str]]  # the lines for a changed one; is nothing on it from the source?


def apply_edits(source: SourceText, edits: Iterable[Edit], wrap: Wrap | None = None) -> Edited:
    """Apply edits to a file's lines. ``wrap`` breaks a changed line that became too long.

    Raises OverlapError if two edits overlap.
    """
    ordered = sorted(edits)
    _check(ordered)
    source = _without_margins(source, ordered)
    ordered = [_with_conditions(source, edit) for edit in _with_comments(source, ordered)]
    starts = _offsets(source)
    text = "\n".join(source.lines) + "\n"
    pieces: list[tuple[str, int, bool]] = []
    position = 0
    for edit in ordered:
        begin = _offset(starts, edit.line, edit.column, len(text))
        end = _offset(starts, edit.end_line, edit.end_column, len(text))
        pieces.append((text[position:begin], position, False))
        if edit.origins:
            rows = edit.text.splitlines(keepends=True)
            pieces += [(row, origin, True) for row, origin in zip(rows, edit.origins, strict=True)]
        else:
            pieces.append((edit.text, edit.origin if edit.origin >= 0 else edit.line, True))
        position = max(position, end)
    pieces.append((text[position:], position, False))
    return _to_lines(pieces, starts, wrap)


def bare(source: SourceText, row: int) -> str:
    """A line without what fixed form has after its last column, such as the number of a card; a comment stays."""
    text = source.lines[row]
    if not source.columns or len(text) <= source.columns:
        return text
    counts = without_margin(text, source.columns)
    behind = text[len(counts) :].lstrip()
    return text if behind[:1] == "!" or len(strip_comment(counts)[0]) < len(counts) else counts


def _without_margins(source: SourceText, edits: Iterable[Edit]) -> SourceText:
    """A file in fixed form in which lines that edits change have none of the text that does not count: where they
    change the length of a line, or break it, that text would come to count.
    """
    if not source.columns:
        return source
    lines = list(source.lines)
    for edit in edits:
        rows = () if edit.whole_lines else (edit.line, edit.end_line) if edit.end_column else (edit.line,)
        for row in rows:
            if row < len(lines):
                lines[row] = bare(source, row)
    return source.with_lines(lines)


def _check(ordered: list[Edit]) -> None:
    for first, second in itertools.pairwise(ordered):
        if (second.line, second.column) < (first.end_line, first.end_column):
            raise OverlapError(first, second)


def _with_comments(source: SourceText, ordered: list[Edit]) -> list[Edit]:
    """Add the comments of replaced continuation lines as lines of their own before the statement."""
    result: list[Edit] = []
    for edit in ordered:
        if edit.end_line > edit.line and edit.end_column > 0 and edit.line < len(source.lines):
            kept = []
            quote = ""
            for row in range(edit.line, edit.end_line):
                code, quote = strip_comment(source.lines[row], quote)
                comment = source.lines[row][len(code) :]
                if comment:
                    indent = source.lines[edit.line][
                        : len(source.lines[edit.line]) - len(source.lines[edit.line].lstrip())
                    ]
                    kept.append(indent + comment)
            if kept:
                result.append(insert_lines(edit.line, kept, -1))
        result.append(edit)
    return sorted(result)


def _with_conditions(source: SourceText, edit: Edit) -> Edit:
    """An edit that takes lines away, with those ``#`` lines among them whose condition begins before or ends after
    them: heads of loops may be in a branch, and the rest of the loops after it.
    """
    if edit.column or edit.end_column or edit.end_line <= edit.line:
        return edit
    if any(physical(row).kind == "preprocessor" for row in edit.text.splitlines()):
        return edit  # it has the lines
    kept = _half_conditions(source.lines, edit.line, min(edit.end_line, len(source.lines)))
    if not kept:
        return edit
    text = edit.text + "".join(source.lines[row].lstrip() + "\n" for row in kept)
    here = edit.origin if edit.origin >= 0 else edit.line
    origins = edit.origins or (here,) * edit.text.count("\n")
    return replace(edit, text=text, origins=(*origins, *kept))


def _half_conditions(lines: Sequence[str], first: int, behind: int) -> list[int]:
    """The rows of ``#`` lines that belong to conditions of which other lines are outside of some rows."""
    kept: list[int] = []
    opened: list[list[int]] = []
    row = first
    while row < behind:
        found = physical(lines[row])
        rows = [row]
        while found.kind == "preprocessor" and lines[rows[-1]].endswith("\\") and rows[-1] + 1 < behind:
            rows.append(rows[-1] + 1)
        word = lines[row].strip()[1:].split(maxsplit=1)[:1] if found.kind == "preprocessor" else []
        name = word[0].partition("(")[0] if word else ""
        if name in ("if", "ifdef", "ifndef"):
            opened.append(rows)
        elif name in ("else", "elif") or (name == "endif" and not opened):
            (opened[-1] if opened else kept).extend(rows)
        elif name == "endif":
            opened.pop()
        row = rows[-1] + 1
    return sorted([*kept, *(r for group in opened for r in group)])


def _offsets(source: SourceText) -> list[int]:
    starts = [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _offset(starts: list[int], line: int, column: int, end: int) -> int:
    return min(starts[line] + column, end) if line < len(starts) else end


def _to_lines(pieces: list[tuple[str, int, bool]], starts: list[int], wrap: Wrap | None) -> Edited:
    from bisect import bisect_right

    lines: list[str] = []
    line_map: list[int] = []
    changed: list[bool] = []
    current: list[str] = []
    origin = 0
    touched = kept = False  # whether the line has new text, and text of the source

    def finish() -> None:
        nonlocal origin, touched, kept
        text = "".join(current)
        wrapped = wrap(text, not kept) if touched and wrap is not None else [text]
        for piece in wrapped:
            if touched and piece and not piece.strip():
                continue  # all that was on the line is gone
            lines.append(piece)
            line_map.append(origin)
            changed.append(touched)
        current.clear()
        origin, touched, kept = 0, False, False

    for text, where, new in pieces:
        position = where
        if new and text == "":
            touched = touched or bool(current)
        for part in text.splitlines(keepends=True):
            stripped = part[:-1] if part.endswith("\n") else part
            if origin == 0 and (stripped or not new):
                origin = where + 1 if new else bisect_right(starts, position)
            touched, kept = touched or new, kept or (not new and bool(stripped))
            current.append(stripped)
            if part.endswith("\n"):
                finish()
            position += len(part)
    if current:
        finish()
    return Edited(tuple(lines), tuple(line_map), tuple(changed))


def moved_lines(source: SourceText, edits: Iterable[Edit], first: int, last: int) -> tuple[list[str], list[int]]:
    """Physical lines ``first`` to ``last`` with the edits inside them applied, and the source line (0-based) of
    each.
    """
    part = SourceText(source.path, source.lines[first : last + 1], columns=source.columns)
    shifted = [
        Edit(
            e.line - first,
            e.column,
            e.end_line - first,
            e.end_column,
            e.rank,
            e.text,
            max(e.origin - first, 0),
            e.origins,
        )
        for e in edits
    ]
    edited = apply_edits(part, shifted)
    return list(edited.lines), [first + max(n - 1, 0) for n in edited.line_map]
