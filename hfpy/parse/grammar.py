"""The gate to fparser: its expression grammar, and the few speed-ups that make it fit a build.

fparser2's matching spends most of its time on trial and error (peers.md §3.3). Two of the measured
cures are applied here, in this module only: compiled patterns are kept, and a bare name or
integer is not sent through the twelve levels of precedence. They change no tree (a test compares), are applied only to
the versions they were checked with, and ``HFPY_PLAIN_FPARSER=1`` switches them off.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

_CHECKED_VERSIONS = ("0.2.4", "0.2.5")
_BARE_NAME = re.compile(r"[A-Za-z]\w*\Z")
_BARE_INTEGER = re.compile(r"\d+\Z")
_OPERAND_CLASSES = frozenset(
    "Expr Level_5_Expr Equiv_Operand Or_Operand And_Operand Level_4_Expr Level_3_Expr Level_2_Expr Level_2_Unary_Expr "
    "Add_Operand Mult_Operand Level_1_Expr Primary Section_Subscript Int_Expr Scalar_Int_Expr Subscript "
    "Actual_Arg Actual_Arg_Spec".split()
)


class GrammarError(Exception):
    """The text is no Fortran expression."""


@lru_cache(maxsize=1)
def fortran() -> Any:
    """The module of fparser's Fortran 2003 classes, grammar set up (once a process)."""
    from fparser.two import Fortran2003
    from fparser.two.parser import ParserFactory

    ParserFactory().create(std="f2008")
    if not os.environ.get("HFPY_PLAIN_FPARSER"):
        _speed_up()
    return Fortran2003


def _speed_up() -> None:
    from importlib.metadata import version

    if version("fparser") not in _CHECKED_VERSIONS:
        return
    from fparser.two import Fortran2003, pattern_tools, utils

    _keep_patterns(pattern_tools.Pattern)
    plain_new = utils.Base.__new__

    def new(cls: Any, string: Any, parent_cls: Any = None, _deepcopy: bool = False) -> Any:
        if type(string) is str and cls.__name__ in _OPERAND_CLASSES:
            if _BARE_NAME.match(string):
                return plain_new(Fortran2003.Name, string)
            if _BARE_INTEGER.match(string):
                return plain_new(Fortran2003.Int_Literal_Constant, string)
        return plain_new(cls, string, parent_cls, _deepcopy)

    utils.Base.__new__ = new


def _keep_patterns(pattern_class: Any) -> None:
    """Let ``Pattern.named`` and ``abs(pattern)`` return the object they made the first time."""
    plain_named, plain_abs = pattern_class.named, pattern_class.__abs__
    made: dict[tuple[int, object], tuple[Any, Any]] = {}

    def named(self: Any, name: Any = None) -> Any:
        key = (id(self), name)
        if key not in made:
            made[key] = (self, plain_named(self, name))
        return made[key][1]

    def absolute(self: Any) -> Any:
        key = (id(self), "abs")
        if key not in made:
            made[key] = (self, plain_abs(self))
        return made[key][1]

    pattern_class.named = named
    pattern_class.__abs__ = absolute


def parse_expression(text: str) -> Any:
    """fparser's tree of an expression.

    Raises GrammarError if the text is none.
    """
    classes = fortran()
    from fparser.two.utils import FortranSyntaxError, InternalError, InternalSyntaxError, NoMatchError

    try:
        tree = classes.Expr(text)
    except (NoMatchError, FortranSyntaxError, InternalSyntaxError, InternalError) as problem:
        raise GrammarError(str(problem)) from problem
    if tree is None:
        raise GrammarError(text)
    return tree
