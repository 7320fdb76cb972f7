"""How large parts of a program may be: beyond these limits it is refused, so that no input makes hfpy fail or hang.

Fortran 2023 allows a statement of a million characters and names of 63. The other limits are far above what people and
generators write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.source import LogicalLine
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.tokens import Token

LONGEST_STATEMENT = 1_000_000
LONGEST_NAME = 255  # the compiler tells of those between 64 and this
DEEPEST_BLOCKS = 100
DEEPEST_EXPRESSION = 500
LARGEST_FILE = 64 << 20  # bytes

# Not from an underscore: the inside of masked character literals are underscores.
_LONG_NAME = re.compile(rf"(?<!\w)[A-Za-z0-9]\w{{{LONGEST_NAME}}}")
_OPENING, _CLOSING, _SEPARATORS = ("(", "[", "(/"), (")", "]", "/)"), (",", ":", "::", "=")


def within_limits(path: str, lines: Sequence[LogicalLine]) -> tuple[list[LogicalLine], list[Diagnostic]]:
    """The lines without those that are too long or hold a name that is, and an error for each of these."""
    kept: list[LogicalLine] = []
    found: list[Diagnostic] = []
    for line in lines:
        problem = _too_long(path, line) if len(line.text) > LONGEST_NAME else None
        if problem is None:
            kept.append(line)
        else:
            found.append(problem)
    return kept, found


def _too_long(path: str, line: LogicalLine) -> Diagnostic | None:
    size = len(line.text)
    if size > LONGEST_STATEMENT:
        message = f"this statement has {size} characters; the longest that Fortran allows has {LONGEST_STATEMENT}"
        return error("HF115", message, line.place(path, 0, 1))
    name = _LONG_NAME.search(mask_strings(line.text))
    if name is None:
        return None
    kind, most = ("number", "") if name[0].isdigit() else ("name", "; Fortran allows 63 characters")
    message = f"this {kind} is too long: '{name[0][:20]}…'{most}"
    return error("HF115", message, line.place(path, *name.span()))


def is_too_deep(tokens: Sequence[Token]) -> bool:
    """Whether the tree of an expression would be deeper than :data:`DEEPEST_EXPRESSION`: operators in a row and
    brackets within each other count.
    """
    if len(tokens) <= DEEPEST_EXPRESSION:
        return False
    counts, depth = [0], 0
    for token in tokens:
        if token.text in _OPENING:
            counts.append(1)
            depth += 1
        elif token.text in _CLOSING:
            depth -= counts.pop() if len(counts) > 1 else 0
        elif token.text in _SEPARATORS:
            depth -= counts[-1] - 1
            counts[-1] = 1
        elif token.kind in ("op", "dotted"):
            counts[-1] += 1
            depth += 1
        if depth > DEEPEST_EXPRESSION:
            return True
    return False


def readable(path: Path) -> str:
    """Why a file is not read (empty: it may be): it is a device, a pipe or something else without an end, or too large.

    Raises OSError if there is no such file.
    """
    if not path.is_file():
        path.stat()
        return "it is no regular file"
    if path.stat().st_size > LARGEST_FILE:
        return f"it has more than {LARGEST_FILE >> 20} MiB"
    return ""
