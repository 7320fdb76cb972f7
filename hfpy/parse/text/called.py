"""Calls in lines of Fortran, such as those that hfpy has made: names before parentheses, with their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hfpy.model.source import compact
from hfpy.parse.text.lexer import mask_strings, strip_comment
from hfpy.parse.text.tokens import matching, split_top, words_of
from hfpy.values import dataclass

_CALLED = re.compile(r"(?<![\w%])([a-z]\w*)\s*\(", re.IGNORECASE)
_REDUCED = re.compile(r"\breduction\s*\(\s*(max|min|iand|ior|ieor)\s*:", re.IGNORECASE)
_MARKED = re.compile(r"\s*!\s*[$@]")  # rows that are no comments
_OF_KIND = re.compile(r"^\d+_\d|\d_\d$")
_CONTINUED = re.compile(r"&[ \t]*\n(?:[ \t]*\n)*[ \t]*(?:!\$(?:omp|acc)&?)?[ \t]*&?", re.IGNORECASE)
_CALL = re.compile(r"[ \t]*call hf(?:_|l\d)", re.IGNORECASE)
_DATA = re.compile(r"[ \t]*!\$(?:acc|omp target) (?:update|enter|exit)\b", re.IGNORECASE)
_DIRECTIVE = re.compile(r"[ \t]*!\$(?:omp|acc)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Called:
    """A call, or an element of an array: name and arguments in lower case and without blanks."""

    name: str
    args: tuple[str, ...]

    @property
    def of_kind(self) -> bool:
        """Whether an argument begins or ends with a number of a kind, as hfpy writes them (``max(0_8, n)``)."""
        return any(map(_OF_KIND.search, self.args))


def called_in(text: str) -> Iterator[Called]:
    """What is called in lines of free form, or has elements there: neither in comments and character constants, nor
    clauses of directives, but what is in these.
    """
    return _called(map(_code, text.splitlines())) if "(" in text else iter(())


def called_in_rows(rows: Iterable[str], fixed: bool) -> frozenset[Called]:
    """The same in rows of a file as users write them, also in their directives."""
    if not fixed:
        return frozenset(_called(map(_code, rows)))
    return frozenset(_called((_code(row[6:72]) for row in rows if row[:1] not in ("c", "C", "*")), " "))


def _code(row: str) -> str:
    """A row without what is in comments and character constants."""
    return mask_strings(row if _MARKED.match(row) else strip_comment(row)[0])


def _called(rows: Iterable[str], between: str = "\n") -> Iterator[Called]:
    for masked in _CONTINUED.sub("", between.join(rows)).splitlines():
        clauses = _DIRECTIVE.match(masked) is not None
        for found in _CALLED.finditer(masked):
            if not clauses or _within(masked, found.start()):
                opened = found.end() - 1
                closed = matching(masked, opened)
                parts = split_top(masked, ",", opened + 1, closed if closed >= 0 else len(masked))
                yield Called(found[1].lower(), tuple(compact(masked[a:b]) for a, b in parts))


def named_for_device(text: str) -> set[str]:
    """The names in lines that hfpy has made to start kernels and to keep data on a device in step, in lower case: those
    of components and in texts are none, nor are those of directives before loops, which mean what the loops do.
    """
    rows = _CONTINUED.sub("", "\n".join(map(_code, text.splitlines()))).splitlines()
    calls = any(map(_CALL.match, rows))
    return {
        word for row in rows if (calls if _DIRECTIVE.match(row) is None else _DATA.match(row)) for word in words_of(row)
    }


def reduced_in(text: str) -> list[str]:
    """The functions, in lower case, that are operators of reductions in directives."""
    return [found.lower() for found in _REDUCED.findall(mask_strings(text))] if "(" in text else []


def _within(masked: str, place: int) -> bool:
    """Whether a place in a text is in parentheses."""
    before = masked[:place]
    return before.count("(") > before.count(")")
