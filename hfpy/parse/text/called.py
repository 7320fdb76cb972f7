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
    return [found.lower() for found in _CALLED.findall(_shown(text))] + reduced_in(text)


def reduced_in(text: str) -> list[str]:
    """The functions, in lower case, that are operators of reductions in directives."""
    return [found.lower() for found in _REDUCED.findall(_shown(text))]


def _shown(text: str) -> str:
    return mask_strings(_COMMENT.sub("", text)) if "(" in text else ""
