"""The columns of a line in fixed form: a label, the mark of a line that continues another one, a statement.

A tab in the first six columns ends the label: the statement begins after it, or, where a digit other than zero is
there, the line continues another one (the tab form of DEC's compilers, which gfortran reads in the same way).
"""

from __future__ import annotations

from typing import NamedTuple

from hfpy.parse.text.tokens import tokenise
from hfpy.suffixes import FIXED_COLUMNS

_MARKS = frozenset("123456789")


class Card(NamedTuple):
    """What is in the label's columns, whether the line continues another one, and where its statement begins, counted
    from 0.
    """

    label: str
    continues: bool
    start: int


def card(line: str) -> Card:
    """The columns of a line that is no comment and no directive."""
    tab = line.find("\t", 0, 6)
    label = line[:5] if tab < 0 else line[:tab]
    mark = line[5:6] if tab < 0 else line[tab + 1 : tab + 2]
    continues = not label.strip() and (mark not in ("", " ", "0") if tab < 0 else mark in _MARKS)
    return Card(label.strip(), continues, 6 if tab < 0 else tab + 1 + continues)


def without_margin(line: str, columns: int = FIXED_COLUMNS) -> str:
    """The columns that count, but all of a line with a tab in its label's columns, which has no columns."""
    return line[:columns] if "\t" not in line[:6] else line


def free_form(text: str) -> str:
    """A statement of fixed form as free form needs it: there operators and numbers have no blanks in them
    (F2018 6.3.2.2).
    """
    made, position = "", 0
    for token in tokenise(text):
        made += text[position : token.start] + token.text
        position = token.end
    return made + text[position:]
