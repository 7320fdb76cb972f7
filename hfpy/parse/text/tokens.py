"""Tokens of one logical line, and splitting at depth zero.

Every token knows its offsets, so that names of a parsed expression can be tied to the user's text
(peers.md §4, point 3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from sys import intern

from hfpy.values import dataclass

_TOKEN = re.compile(
    r"""(?P<string>(?:(?:[A-Za-z_]\w*|\d+)_)?(?:'(?:[^']|'')*'|"(?:[^"]|"")*"))
      |(?P<boz>[BbOoZz](?:'[0-9A-Fa-f]+'|"[0-9A-Fa-f]+"))
      |(?P<number>(?:(?:\d+\.\d*|\.\d+)\s*[EeDdQq]\s*[+-]?\s*\d+|\d+\.?\d*(?=[EeDdQq][+-]?\d)[EeDdQq][+-]?\d+|\.\d+(?:[EeDdQq][+-]?\d+)?
         |\d+\.(?!\s*[A-Za-z]+\s*\.)(?:\d*)|\d+)(?:_[A-Za-z0-9]\w*)?)
      |(?P<name>[A-Za-z_]\w*)
      |(?P<dotted>\.\s*[A-Za-z]+\s*\.)
      |(?P<op>\*\*|//|/=|==|<=|>=|=>|::|\(/(?!=)|/\)|[-+*/=<>():,%\[\]@{}&.;?$\\`^|\#!"'])
      |(?P<space>\s+)""",
    re.VERBOSE,
)


# In fixed form blanks may be anywhere: `. EQ.`, `2.5 E24`.
_WITH_BLANKS = ("dotted", "number")

# Operators, numbers (with the name of a kind) and components are passed over as a whole, so that no part of one is
# taken for a name, and none is lost after one: `.gt.t`, `1.d0`, `1.and.k`, `1.0_wp`, `o%x`.
_WORD = re.compile(
    r"\.[a-z]+\.|%\s*[a-z]\w*|(?:\d+\.(?![a-z]+\.)\d*|\.?\d+)(?:[edq][+-]?\d+)?(?:_(?P<kind>[a-z]\w*)|_\d+)?|(?P<name>[a-z_]\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` (string, boz, number, name, dotted, op), the text, and its offsets in the line."""

    kind: str
    text: str
    start: int
    end: int


def tokenise(text: str, offset: int = 0) -> list[Token]:
    """The tokens of a text; offsets are shifted by ``offset``. Characters no token begins with become op tokens."""
    tokens: list[Token] = []
    position = 0
    length = len(text)
    match = _TOKEN.match
    while position < length:
        found = match(text, position)
        if found is None:
            tokens.append(Token("op", text[position], position + offset, position + 1 + offset))
            position += 1
            continue
        kind = found.lastgroup or "op"
        counted = _counted(text, found, tokens) if kind == "number" else -1
        if counted >= 0:
            tokens.append(Token("hollerith", text[position:counted], position + offset, counted + offset))
            position = counted
            continue
        if kind != "space":
            word = "".join(found.group().split()) if kind in _WITH_BLANKS else found.group()
            tokens.append(Token(kind, intern(word), position + offset, found.end() + offset))
        position = found.end()
    return tokens


def _counted(text: str, number: re.Match[str], before: list[Token]) -> int:
    """The end of a text with its length before it, such as ``5habcde`` (Fortran 66); -1 if it is none: after a name it
    belongs to a type (``real*8 h``).
    """
    begin = number.end()
    if text[begin : begin + 1] not in ("h", "H") or not number.group().isdigit():
        return -1
    end = begin + 1 + int(number.group())
    return end if end <= len(text) and (not before or before[-1].kind in ("op", "dotted")) else -1


def words_of(text: str) -> set[str]:
    """The names in a piece of Fortran, in lower case: variables, procedures and keywords, and kinds of literals.

    Operators (``.gt.``) and components (``%x``) are none. Strings and comments are read as code: a name too many does
    no harm where this is asked.
    """
    return {found.lower() for pair in _WORD.findall(text) for found in pair if found}


def places_of_words(masked: str) -> list[tuple[str, int, int]]:
    """The same names of a masked text in the order of the text, each with the places where it begins and ends."""
    found = ((word, group) for word in _WORD.finditer(masked) for group in ("kind", "name") if word.group(group))
    return [(word.group(group).lower(), word.start(group), word.end(group)) for word, group in found]


def matching(masked: str, start: int) -> int:
    """Offset of the parenthesis that closes the one at ``start`` of a masked text, or -1."""
    depth = 0
    for index in range(start, len(masked)):
        char = masked[index]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
            if depth == 0:
                return index
    return -1


def split_top(masked: str, separator: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Ranges of the pieces between separators at depth 0 of ``masked[start:end]`` (an empty text has none)."""
    stop = len(masked) if end is None else end
    if not masked[start:stop].strip():
        return []
    pieces: list[tuple[int, int]] = []
    depth = 0
    begin = start
    for index in range(start, stop):
        char = masked[index]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == separator and depth == 0:
            pieces.append((begin, index))
            begin = index + 1
    pieces.append((begin, stop))
    return pieces


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blanks at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def find_top(masked: str, what: Sequence[str], start: int = 0) -> int:
    """First offset from ``start`` at depth 0 where one of the strings is, or -1."""
    depth = 0
    for index in range(start, len(masked)):
        char = masked[index]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        if depth == 0 and any(masked.startswith(w, index) for w in what):
            return index
    return -1
