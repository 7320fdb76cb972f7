"""Breaking lines that became longer than the 132 columns of free-form Fortran."""

from __future__ import annotations

from collections.abc import Collection

from hfpy.parse.text.lexer import mask_strings, strip_comment
from hfpy.parse.text.tokens import tokenise

LIMIT = 132
_LONGEST = 64  # columns of a token that begins at the limit: beyond it a line is not read, however long it is
_SWITCHED = "!$ "  # before lines that are comments where OpenMP is switched off
_BREAK_BEFORE = frozenset("+ - * / ** // == /= < > <= >= .and. .or. =>".split())


def wrap_line(text: str, macros: Collection[str] = ()) -> list[str]:
    """A free-form line as one or more lines of at most 132 columns, broken between tokens.

    A macro's argument list is never broken (the preprocessor would hand on the continuation); a
    trailing comment goes on a line before. A line without a place to break stays long. Each of the lines for one that
    is there for OpenMP alone begins as it does.
    """
    if text.lstrip().startswith(_SWITCHED) and len(text) > LIMIT:
        at = len(text) - len(text.lstrip())
        rows = wrap_line(" " * (at + len(_SWITCHED)) + text[at + len(_SWITCHED) :], macros)
        return [f"{text[:at]}{_SWITCHED}{row[at + len(_SWITCHED) :]}" for row in rows]
    code, quote = strip_comment(text)
    if len(code.rstrip()) <= LIMIT or quote or code.lstrip().startswith("#"):
        return [text]
    comment = text[len(code) :]
    indent = code[: len(code) - len(code.lstrip())]
    lines = [indent + comment] if comment else []
    rest = code.rstrip()
    lead = indent + "    & "
    first = True
    while len(rest) > LIMIT:
        least = len(indent) if first else len(lead)
        at = broken_at(rest, LIMIT - 2, macros, least)
        if at <= least and has_operators(code):
            rest, at = text_apart(rest, LIMIT - 2)
        if at <= 0 and first and indent:  # it is indented too far
            rest, indent, lead = rest.lstrip(), "", "    & "
            continue
        if at <= 0:
            break
        lines.append(rest[:at].rstrip() + " &")
        rest = lead + rest[at:].lstrip()
        first = False
    lines.append(rest)
    return lines


def has_operators(code: str) -> bool:
    """Whether texts in a statement may be joined by operators: between the slashes of ``data`` there are none."""
    return code.lstrip()[:4].lower() != "data"


def text_apart(text: str, limit: int) -> tuple[str, int]:
    """A line with the text in quotes that goes beyond the limit as two that are joined by ``//``, and the offset of the
    second one, to break the line at; 0 if there is no such text.
    """
    for token in tokenise(text):
        quote, at = token.text[-1:], limit - 3
        first = token.start + token.text.find(quote) + 1
        if token.kind == "string" and first < at and token.end > limit:
            before = text[first:at]
            at -= (len(before) - len(before.rstrip(quote))) % 2  # two quotes mean one
            kind = text[token.start : first]  # with the kind of the text
            return f"{text[:at]}{quote}//{kind}{text[at:]}", at + 3
    return text, 0


def broken_at(text: str, limit: int, macros: Collection[str], least: int, blanks: bool = False) -> int:
    """The best offset to break a line at: shallow parentheses first, then far right; 0 if there is none. With
    ``blanks`` a line may be broken at any blank, too, as directives may, which have clauses without commas.
    """
    lowered = {m.lower() for m in macros}
    best = (1 << 30, 0)
    depth = 0
    closed: int | None = None
    previous, end = "", 0
    for token in tokenise(mask_strings(text)[: limit + _LONGEST]):
        if token.start > limit:
            break
        word = token.text.lower()
        apart = previous == "," or word in _BREAK_BEFORE or (blanks and token.start > end)
        if closed is None and token.start > least + 4 and apart:
            # A break far to the left gains little: prefer depth, but only in the right part of the line.
            score = (depth + (4 if token.start < limit // 2 else 0), -token.start)
            best = min(best, score)
        if word in ("(", "[", "(/"):
            if closed is None and previous.lower() in lowered and word == "(":
                closed = depth
            depth += 1
        elif word in (")", "]", "/)"):
            depth -= 1
            if closed is not None and depth <= closed:
                closed = None
        previous, end = token.text, token.end
    return -best[1] if best[1] else 0
