"""Designators and actual arguments in the text of a statement."""

from __future__ import annotations

import re

from hfpy.model.expressions import Expr, Keyword, Paren, Star
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.tokens import matching, split_top

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_PASSING = re.compile(r"%\s*(val|ref)\s*\(", re.IGNORECASE)
_KEYWORD_ARGUMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?![=>])\s*")


def designator_end(masked: str, start: int) -> int:
    """Offset behind the designator that begins at ``start`` (name, parenthesised lists, components), or -1."""
    found = _NAME.match(masked, start)
    if not found:
        return -1
    position = found.end()
    while position < len(masked):
        char = masked[position]
        if char == "(":
            closing = matching(masked, position)
            if closing < 0:
                return -1
            position = closing + 1
            while position < len(masked) and masked[position] == " ":
                position += 1
        elif char == "%":
            found = _NAME.match(masked, position + 1)
            if not found:
                return -1
            position = found.end()
        else:
            break
    return position


def assignment_sign(masked: str) -> tuple[int, bool] | None:
    """Offset of the ``=`` (or ``=>``) of an assignment, and whether it is a pointer assignment."""
    if "=" not in masked:
        return None
    end = designator_end(masked, 0)
    if end < 0 or end >= len(masked) or masked[end] != "=" or masked[end + 1 : end + 2] == "=":
        return None
    return end, masked[end + 1 : end + 2] == ">"


def argument(text: str, start: int, end: int) -> Expr:
    """One actual argument or control item: expression, ``name = expression``, ``*`` or ``*label``."""
    piece = text[start:end]
    stripped = piece.strip()
    lead = start + len(piece) - len(piece.lstrip())
    if stripped.startswith("*"):
        return Star(lead, lead + len(stripped))
    keyword = _KEYWORD_ARGUMENT.match(piece)
    if keyword:
        value = argument(text, start + keyword.end(), end)
        return Keyword(lead, value.end, keyword.group(1).lower(), value)
    passing = _PASSING.match(stripped)
    if passing and stripped.endswith(")"):  # an extension of many compilers: how an argument is passed
        inner = expression(stripped[passing.end() : -1], lead + passing.end())
        return Paren(lead, lead + len(stripped), inner) if passing[1].lower() == "val" else inner
    return expression(piece, start)


def arguments(text: str, masked: str, opening: int, base: int) -> tuple[Expr, ...]:
    """The arguments in the parentheses that open at ``opening`` of the masked text (``base``: its offset in
    ``text``).
    """
    closing = matching(masked, opening)
    if closing < 0:
        raise GrammarError("a parenthesis is not closed")
    return tuple(argument(text, a + base, b + base) for a, b in split_top(masked, ",", opening + 1, closing))
