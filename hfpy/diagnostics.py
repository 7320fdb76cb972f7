"""Diagnostics: what hfpy says to its user, where, why, and what to do about it.

A :class:`Diagnostic` is a value. It is printed as

    file:line:column: error HF123: message
        source line
            ^^^^^
    note: file:line:column: a related place
    hint: what to do

or as one JSON object. The codes and their one-line meanings live in :mod:`hfpy.codes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from hfpy.codes import HINTS

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, order=True)
class Place:
    """A range on one line of a user's file: ``line`` and ``column`` are 1-based, ``length`` in characters."""

    file: str
    line: int = 0
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{max(self.column, 1)}"


@dataclass(frozen=True)
class Related:
    """A second place that belongs to a diagnostic, with what happens there."""

    place: Place
    message: str


@dataclass(frozen=True)
class Fix:
    """A change that a hint proposes. With ``way`` ``replace`` the characters of a place become ``text``; with ``state``
    the directive that begins in the line of the place gets the attribute ``text``, such as ``independent(a)``.
    :mod:`hfpy.parse.fixes` makes an edit of it.
    """

    place: Place
    text: str
    way: Literal["replace", "state"] = "replace"


@dataclass(frozen=True)
class Diagnostic:
    """One finding: severity, code (``HF123``), message, place, and optional hint and related places. ``cause`` is the
    message as others with the same cause have it, if it says more than that. ``fixes`` is what the hint proposes, as
    far as a tool can do it.
    """

    severity: Severity
    code: str
    message: str
    place: Place
    hint: str = ""
    related: tuple[Related, ...] = field(default=())
    cause: str = ""
    fixes: tuple[Fix, ...] = field(default=(), compare=False)

    def proposing(self, *fixes: Fix) -> Diagnostic:
        """The same diagnostic with fixes."""
        return replace(self, fixes=fixes)

    def as_dict(self) -> dict[str, object]:
        """The diagnostic as plain data for JSON (keys: severity, code, message, file, line, column, length, …)."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
            "length": self.place.length,
            "hint": self.hint,
            "related": [
                {"message": r.message, "file": r.place.file, "line": r.place.line, "column": r.place.column}
                for r in self.related
            ],
        }


class HfpyError(Exception):
    """The user's code is at fault; carries the diagnostics (exit status 1)."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(f"{d.place}: {d.code}: {d.message}" for d in self.diagnostics))


class BeyondLimits(Exception):
    """Something of the user's is too large or too deep; who raises it need not know the place
    (:mod:`hfpy.commands.mishaps`).
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class UsageError(Exception):
    """hfpy was called in a wrong way (exit status 2)."""


class ToolError(Exception):
    """A tool such as the compiler failed (exit status 3)."""


def error(
    code: str, message: str, place: Place, hint: str = "", related: Iterable[Related] = (), cause: str = ""
) -> Diagnostic:
    """An error diagnostic; without a hint of its own it gets that of its code."""
    return Diagnostic("error", code, message, place, hint or HINTS.get(code, ""), tuple(related), cause)


def warning(code: str, message: str, place: Place, hint: str = "", related: Iterable[Related] = ()) -> Diagnostic:
    """A warning diagnostic."""
    return Diagnostic("warning", code, message, place, hint, tuple(related))


def note(code: str, message: str, place: Place, hint: str = "") -> Diagnostic:
    """A note: nothing is wrong, but the user should know."""
    return Diagnostic("note", code, message, place, hint)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of the diagnostics is an error."""
    return any(d.severity == "error" for d in diagnostics)


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics without repetitions, in the order of their places."""
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda d: (d.place.file, d.place.line, d.place.column, d.code)))


def source_line(place: Place) -> str | None:
    """The line of a place in the user's file; None if it cannot be had."""
    lines = source_lines(place.file) if place.line else ()
    return lines[place.line - 1] if 0 < place.line <= len(lines) else None


def source_lines(file: str) -> Sequence[str]:
    """The lines of a user's file; none if it cannot be read."""
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ()


def printable(text: str) -> str:
    """A text for a terminal: what would move its cursor, change its colours or turn its writing round is shown as
    ``\\x1b`` or ``\\u202e``. Ends of lines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() or c in _BLANKS else _escaped(c) for c in text)


_BLANKS = "\u00a0\u202f\u2009\u3000"


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def excerpt(place: Place, line: str | None = None) -> str:
    """The source line with a caret below the place; empty if the line cannot be had."""
    text = line if line is not None else source_line(place)
    if text is None:
        return ""
    column = max(place.column, 1)
    length = max(1, min(place.length, len(text) - column + 1))
    before, marked = printable(text[: column - 1]), printable(text[column - 1 : column - 1 + length])
    pad = "".join("\t" if c == "\t" else " " for c in before)
    return f"    {printable(text)}\n    {pad}{'^' * max(len(marked), 1)}"


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as text, several lines, without a final newline; control characters are shown escaped."""
    return "".join(text for text, _ in pieces(diagnostic))


def pieces(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    """The text of :func:`render` in pieces, each with what it is: ``place``, the severity, ``caret``, ``hint``, or
    nothing.
    """
    d = diagnostic
    yield printable(f"{d.place}: "), "place"
    yield printable(f"{d.severity} {d.code}"), d.severity
    yield printable(f": {d.message}"), ""
    yield from _excerpt_pieces(d.place)
    for related in d.related:
        yield "\n  note: ", "note"
        yield printable(f"{related.place}: "), "place"
        yield printable(related.message), ""
        yield from _excerpt_pieces(related.place)
    if d.hint:
        yield "\n  hint: ", "hint"
        yield printable(d.hint), ""


def _excerpt_pieces(place: Place) -> Iterator[tuple[str, str]]:
    line, _, carets = excerpt(place).partition("\n")
    if line:
        yield f"\n{line}\n", ""
        yield carets, "caret"
