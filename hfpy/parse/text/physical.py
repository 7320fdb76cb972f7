"""What a physical line of a file is: blank, a comment, a directive of some compiler, for the preprocessor, or code.

To hfpy only its own directives are more than comments. But directives of OpenMP, OpenACC and compilers belong to the
statement after them, and lines for the preprocessor cannot be moved or be there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from hfpy.parse.text.lexer import strip_comment
from hfpy.parse.text.sentinels import split_words
from hfpy.parse.text.tokens import words_of
from hfpy.values import dataclass

Kind = Literal["blank", "comment", "directive", "preprocessor", "code"]
_DIRECTIVE = re.compile(
    r"!(?:\$(?P<sentinel>omp|acc)\b(?:(?!\s*&)\s*(?P<words>[a-z ]*))?|\$|dir\$|dec\$|pgi\$|gcc\$|ibm\*|ocl)"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Physical:
    """A physical line. ``column`` is where its text begins, counted from 0, and ``length`` that of the text.

    ``sentinel`` is ``omp`` or ``acc`` for a directive of OpenMP or OpenACC, ``words`` are its words up to the first
    parenthesis or comma; a line that continues one has none.
    """

    kind: Kind
    column: int
    length: int
    sentinel: str = ""
    words: tuple[str, ...] = ()

    @property
    def apart(self) -> bool:
        """Whether a compiler that heeds no directives passes over the line."""
        return self.kind in ("blank", "comment", "directive")

    @property
    def begins(self) -> tuple[str, ...]:
        """The first two words of a directive."""
        return self.words[:2]


@lru_cache(maxsize=20_000)
def physical(row: str) -> Physical:
    """What a line of free-form source is."""
    text = row.strip()
    column, length = len(row) - len(row.lstrip()), len(text)
    if not text:
        return Physical("blank", column, length)
    if text[0] == "#":
        return Physical("preprocessor", column, length)
    if text[0] != "!":
        return Physical("code", column, length)
    found = _DIRECTIVE.match(text.lower())
    if found is None:
        return Physical("comment", column, length)
    words = tuple(part for word in (found["words"] or "").split() for part in split_words(word))
    return Physical("directive", column, length, found["sentinel"] or "", words)


def within_texts(rows: Iterable[str]) -> list[bool]:
    """Which lines of free form begin in a character constant that goes on from the line before."""
    found = []
    quote = ""
    for row in rows:
        found.append(bool(quote))
        quote = strip_comment(row, quote)[1]
    return found


def preprocessed(rows: Iterable[str], fixed: bool = False) -> bool:
    """Whether there is a line for the preprocessor among some (in ``fixed`` form ``#`` in column 6 is none)."""
    found = (row for row in rows if physical(row).kind == "preprocessor")
    return any(not (fixed and row.startswith("     #")) for row in found)


def names_in_rows(rows: Iterable[str]) -> frozenset[str]:
    """Every name in some lines, in lower case; names in comments and texts count, those of components do not."""
    return frozenset(word for row in rows for word in _names(row))


@lru_cache(maxsize=16)
def names_in_file(rows: tuple[str, ...]) -> frozenset[str]:
    """The names in all lines of a file, which is asked for as often as the file has regions."""
    return names_in_rows(rows)


@lru_cache(maxsize=50_000)
def _names(row: str) -> tuple[str, ...]:
    return tuple(words_of(row))


def identifiers(rows: Iterable[str]) -> frozenset[str]:
    """Every word in some lines that a macro may have as its name, as it is spelled."""
    return frozenset(word for row in rows for word in _IDENTIFIER.findall(row))
