"""Names before parentheses in lines of Fortran that hfpy has made."""

from __future__ import annotations

import re

from hfpy.parse.text.lexer import mask_strings

_CALLED = re.compile(r"(?<![\w%])([a-z]\w*)\s*\(", re.IGNORECASE)
_REDUCED = re.compile(r"\breduction\s*\(\s*(max|min|iand|ior|ieor)\s*:", re.IGNORECASE)
_COMMENT = re.compile(r"^\s*!(?!\$).*", re.MULTILINE)


def called_in(text: str) -> list[str]:
    """The names, in lower case, that are called in lines of free form, or have elements there: not those in comments
    and character constants, but operators of reductions in directives.
    """
    if "(" not in text:
        return []
    shown = mask_strings(_COMMENT.sub("", text))
    return [found.lower() for pattern in (_CALLED, _REDUCED) for found in pattern.findall(shown)]
