"""Words of fixed form that run together, as blanks mean nothing there (``do10i=1,n``, ``callswap(a)``): a blank is put
between them, since all that reads statements looks for words.

That is done where a statement begins with a keyword that runs into what follows and cannot be an assignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hfpy.model.source import LogicalLine

_TYPES = "integer|real|doubleprecision|doublecomplex|complex|logical|character|byte"
# Behind the keyword comes a name, a number or a type, and then what may come behind it: a macro may be named like both.
_STATEMENT = re.compile(
    rf"""(?:{_TYPES}|call|subroutine|function|program|module|blockdata|use|implicit|dimension|common|data|save
      |external|intrinsic|entry|assign|stop|pause|return|print|read|rewind|backspace)
      (?=([a-z0-9]\w*)\s*(?:[,(*/]|$))""",
    re.VERBOSE | re.IGNORECASE,
)
_FUNCTION = re.compile(rf"(?:{_TYPES})\s*(?:\*\s*\d+\s*)?(function)([a-z]\w*)\s*\(\s*[a-z)]", re.IGNORECASE)
_LOOP = re.compile(r"do(\d+)?\s*,?\s*(?=[a-z_]\w*\s*=)|do(\d+)\s*,?\s*(?=while\s*\()", re.IGNORECASE)
_ASSIGN = re.compile(r"assign(\d+)(to)", re.IGNORECASE)
_WHOLE = frozenset("doubleprecision doublecomplex blockdata function".split())


def run_together(masked: str, start: int) -> list[int]:
    """Where blanks are missing between the words that a statement, which is no assignment, begins with at ``start``.
    ``masked`` is its text with blanked-out character constants.
    """
    return sorted({at for at in _between(masked, start) if 0 < at < len(masked) and _both_word(masked, at)})


def _both_word(text: str, at: int) -> bool:
    return bool(re.match(r"\w\w", text[at - 1 : at + 1]))


def _between(masked: str, start: int) -> Iterator[int]:
    """The ends of keywords, and of the numbers behind them."""
    if found := _LOOP.match(masked, start):
        yield from (start + 2, found.end())
    elif found := _FUNCTION.match(masked, start):
        yield from (found.start(1), found.end(1))
    elif (found := _STATEMENT.match(masked, start)) and (found.group() + found.group(1)).lower() not in _WHOLE:
        yield found.end()
        if assigned := _ASSIGN.match(masked, start):
            yield from assigned.span(2)


def with_blanks(line: LogicalLine, places: list[int]) -> LogicalLine:
    """A line with blanks before some of its characters."""
    text, position = "", 0
    segments: list[tuple[int, int, int]] = []
    for at in [*places, len(line.text)]:
        inside = ((begin, row, column) for begin, row, column in line.segments if position < begin < at)
        segments += [(len(text), *line.locate(position)), *((len(text) + b - position, r, c) for b, r, c in inside)]
        text += line.text[position:at] + (" " if at < len(line.text) else "")
        position = at
    return replace(line, text=text, segments=tuple(segments))
