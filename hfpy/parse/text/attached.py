"""Which statement directives of the user's belong to: the one after them, the one before them, or the declarations.

To hfpy such lines are comments. What it puts before or after a statement must not come between both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hfpy.parse.text.lexer import mask_strings, strip_comment
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import own_directives_in

_ATTRIBUTES = re.compile(r"\s*!(?:dir|dec|gcc)\$\s*attributes\b", re.IGNORECASE)
_CODE = re.compile(r"\s*!\$\s*")
_OPENING = re.compile(r"(?:\w+\s*:\s*)?(?:if\b.*\bthen|do\b.*)$", re.IGNORECASE)


def above(rows: Sequence[str], first: int, row: int, fixed: bool, inside: bool = False) -> int:
    """The line for what comes before the statement on ``row``, which is the first one from the line ``first`` on;
    ``inside`` a block that one thread does, such as ``single``, where the statement is the first one of it.

    Comments of fixed form begin with ``!`` here.
    """
    behind = read = first
    for begin in range(first, row):
        if _ATTRIBUTES.match(rows[begin]):
            behind = begin + 1
    for directive in own_directives_in(rows, first, row, fixed):
        if directive.declares or directive.ends or directive.waits or (inside and directive.for_one):
            behind = max(behind, directive.last + 1)
        elif not directive.sentinel and directive.first >= read:
            read, opens = _conditional(rows, directive.first, row, fixed)
            behind = behind if opens else max(behind, read)
    found = (n for n in range(behind, row) if physical(rows[n]).kind == "directive")
    return next(found, row)


def behind(rows: Sequence[str], first: int, last: int, fixed: bool, inside: bool = False) -> int:
    """The line for what comes after a statement: the lines from ``first`` up to, not including, ``last`` are between
    it and the next one; ``inside`` a block that one thread does, where the statement is the last one of it, and behind
    what waits for the tasks of that thread.
    """
    found = first
    for directive in own_directives_in(rows, first, last, fixed):
        if inside and directive.for_one:
            break
        if directive.ends or (inside and directive.words == ("taskwait",)):
            found = directive.last + 1
    return found


def _conditional(rows: Sequence[str], row: int, last: int, fixed: bool) -> tuple[int, bool]:
    """The line after a statement that only compilers with OpenMP read, and whether it begins a construct."""
    text = _text(rows[row], fixed)
    while row + 1 < last and _goes_on(rows[row + 1], text, fixed):
        row += 1
        text = text.removesuffix("&") + _text(rows[row], fixed).removeprefix("&")
    return row + 1, _OPENING.match(mask_strings(text)) is not None


def _goes_on(row: str, text: str, fixed: bool) -> bool:
    """Whether a line goes on with what is said so far."""
    if not fixed:
        return text.endswith("&")
    return _CODE.match(row) is not None and row[5:6].strip(" 0") != ""


def _text(row: str, fixed: bool) -> str:
    """What a line says, without its mark and comments."""
    return strip_comment(row[6:] if fixed else _CODE.sub("", row, count=1))[0].strip()
