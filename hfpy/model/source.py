"""Text and places: logical lines, and the way back from a character of one to the user's file.

A *logical line* is one Fortran statement or one directive: continuation lines joined, comments
dropped, statements separated by ``;`` split. Every character of its text maps to a physical line
and column (design contract 1), so that edits and messages reach the user's own text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from hfpy.diagnostics import Place
from hfpy.values import dataclass

LineKey = tuple[str, int, int]


def compact(text: str) -> str:
    """A text without blanks and in lower case."""
    return "".join(text.lower().split())


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """One statement or directive.

    ``text`` is the joined text; ``segments`` are (offset in text, physical line, column) triples,
    lines and columns 0-based; ``label`` is the statement label or empty, without
    leading zeros and blanks; ``label_at`` is its physical line and column, ``label_width`` its length as written.
    ``directive`` marks an ``@`` line; ``comment`` says that a directive stood after ``!`` (design §6). ``file`` is set
    where the line stems from an included file.
    """

    text: str
    segments: tuple[tuple[int, int, int], ...]
    last: int
    label: str = ""
    directive: bool = False
    comment: bool = False
    file: str = ""
    label_at: tuple[int, int] = (-1, -1)
    label_width: int = 0

    @property
    def compact(self) -> str:
        """The text without blanks and in lower case: equal for statements that differ in these alone."""
        return compact(self.text)

    @property
    def first(self) -> int:
        """0-based physical line on which the statement begins."""
        return self.segments[0][1]

    @property
    def key(self) -> LineKey:
        """What tells this logical line from every other of its unit: file (if included), line and column of its
        begin.
        """
        return self.file, self.segments[0][1], self.segments[0][2]

    def locate(self, offset: int) -> tuple[int, int]:
        """Physical (line, column), both 0-based, of the character at ``offset`` of the text."""
        index = bisect_right(self.segments, (offset, 1 << 30, 0)) - 1
        start, line, column = self.segments[max(index, 0)]
        return line, column + offset - start

    def down(self, rows: int) -> LogicalLine:
        """The same line some physical lines further down."""
        segments = tuple((start, line + rows, column) for start, line, column in self.segments)
        row, column = self.label_at
        return replace(
            self,
            segments=segments,
            last=self.last + rows,
            label_at=(row + rows, column) if self.label else (row, column),
        )

    def place(self, file: str, start: int = 0, end: int | None = None) -> Place:
        """The place of ``text[start:end]`` in the user's file (on its first physical line)."""
        line, column = self.locate(start)
        stop = len(self.text) if end is None else end
        return Place(self.file or file, line + 1, column + 1, max(1, stop - start))


@dataclass(frozen=True, slots=True)
class SourceText:
    """A user's file as read: path as the user wrote it, physical lines without line ends, the line end, and the byte
    order mark. ``mixed`` is the text itself where its lines end in two ways. So many ``columns`` of a line count in
    fixed form; 0 says that the file is in free form.
    """

    path: str
    lines: tuple[str, ...]
    newline: str = "\n"
    final_newline: bool = True
    mark: str = ""
    mixed: str = ""
    columns: int = 0

    @property
    def text(self) -> str:
        """The whole text again, byte for byte."""
        return self.mixed or self.mark + self.newline.join(self.lines) + (self.newline if self.final_newline else "")

    def with_lines(self, lines: Sequence[str]) -> SourceText:
        """A file with other lines, which end as those of this one do; where those end in two ways, with ``\\n``."""
        return replace(self, lines=tuple(lines), mixed="")


def source_text(path: str, text: str) -> SourceText:
    """Split a file's text into physical lines, remembering how they end (``\\r\\n`` files stay such). If lines end in
    both ways, they are those of ``\\n``: compilers ignore the ``\\r``.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    whole, text = text, text[len(mark) :]
    ends = text.count("\r\n")
    mixed = 0 < ends < text.count("\n")
    newline = "\r\n" if ends and not mixed else "\n"
    lines = (text.replace("\r\n", "\n") if mixed else text).split(newline)
    final = len(lines) > 1 and lines[-1] == ""
    if final or lines == [""]:
        lines.pop()
    return SourceText(path, tuple(lines), newline, final, mark, whole if mixed else "")


def changed_rows(before: Sequence[str], after: Sequence[str]) -> tuple[int, int, int]:
    """Which lines differ: the first one, and the ends (not included) in the text before and in the one after."""
    most = min(len(before), len(after))
    first = next((n for n in range(most) if before[n] != after[n]), most)
    rest = most - first
    behind = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    return first, len(before) - behind, len(after) - behind
