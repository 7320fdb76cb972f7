"""Statements with coarrays: what another image has (Fortran 2018, 9.6), and what orders images (11.6)."""

from __future__ import annotations

import re
from dataclasses import replace

from hfpy.model.source import LogicalLine
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.tokens import matching

OTHER_IMAGES = "it names what another image has"
ORDERS_IMAGES = "it orders what images do"

# An array constructor follows an operator, a comma, or an opening parenthesis.
_SELECTOR = re.compile(r"(?<=[\w)])\s*\[")
_ORDERING = re.compile(
    r"(sync\s*(all|images|memory|team)|event\s*(post|wait)|(un)?lock\s*\(|form\s*team|fail\s*image)\b",
    re.IGNORECASE,
)


def orders_images(masked: str) -> bool:
    """Whether a statement is an image control statement, or one about teams."""
    return _ORDERING.match(masked) is not None


def without_images(line: LogicalLine) -> LogicalLine | None:
    """A line with blanks for its image selectors and the bounds of coarrays; None if it has none."""
    text = masked = mask_strings(line.text)
    found = _SELECTOR.search(masked)
    while found is not None:
        opening = found.end() - 1
        end = matching(masked, opening) + 1
        if not end:
            return None
        text = text[:opening] + " " * (end - opening) + text[end:]
        found = _SELECTOR.search(masked, end)
    if text == masked:
        return None
    blanked = (given if new == old else new for given, new, old in zip(line.text, text, masked, strict=True))
    return replace(line, text="".join(blanked))
