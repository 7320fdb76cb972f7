"""The gate to fparser: its expression grammar."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


class GrammarError(Exception):
    """The text is no Fortran expression."""


@lru_cache(maxsize=1)
def fortran() -> Any:
    """The module of fparser's Fortran 2003 classes with the 2008 grammar set up (once a process)."""
    from fparser.two import Fortran2003
    from fparser.two.parser import ParserFactory

    ParserFactory().create(std="f2008")
    return Fortran2003


def parse_expression(text: str) -> Any:
    """fparser's tree of an expression.

    Raises GrammarError if the text is none.
    """
    classes = fortran()
    from fparser.two.utils import FortranSyntaxError, InternalError, InternalSyntaxError, NoMatchError

    try:
        tree = classes.Expr(text)
    except (NoMatchError, FortranSyntaxError, InternalSyntaxError, InternalError) as problem:
        raise GrammarError(f"no Fortran expression: {text}") from problem
    if tree is None:
        raise GrammarError(f"no Fortran expression: {text}")
    return tree
