"""Free or fixed form: by the name of a file, and by its text where the name says fixed form.

Some weather models have all of their sources in free form in files whose names end in ``.F``, and tell the compiler so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from hfpy.parse.text.lexer import strip_comment
from hfpy.suffixes import FIXED

FIXED_SUFFIXES = (*FIXED, ".f77")
_CARD = 72
# What begins in one of the first five columns in free form alone: fixed form has labels there (Fortran 2018, 6.3.3).
_BEGINS = re.compile(
    r" {0,4}(?:module|submodule|subroutine|program|function|use|implicit|integer|real|logical|type|elemental|pure"
    r"|recursive|end\s*(?:module|subroutine|program|function|do|if)?)\b",
    re.IGNORECASE,
)


def is_fixed(path: PurePath, rows: Iterable[str]) -> bool:
    """Whether a file with some lines is in fixed form."""
    return path.suffix in FIXED_SUFFIXES and not _is_free(rows)


def _is_free(rows: Iterable[str]) -> bool:
    """Whether a line can be in free form alone: by what begins before column 6, or since it is continued at its end."""
    for row in rows:
        if row[:1] in "cC*dD!#" or row[:6].count("\t"):
            continue  # in fixed form a comment, or code after a tab
        if _BEGINS.match(row):
            return True
        code = strip_comment(row)[0].rstrip() if "&" in row else ""
        if code.endswith("&") and len(code) <= _CARD and code[5:-1].strip():
            return True
    return False
