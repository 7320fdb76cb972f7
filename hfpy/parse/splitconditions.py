"""``@if`` around declarations and statements: the two parts of a routine are read apart, and so each gets its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hfpy.model.macros import Macro
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options
from hfpy.parse.files import index_text


def with_split_conditions(
    index: FileIndex, routines: Mapping[str, Routine], options: Options, macros: Mapping[str, Macro]
) -> FileIndex:
    """A file, read again, in which the conditions that go on in the executable part of a routine end before it, and
    begin there anew.
    """
    rows = list(index.source.lines)
    user = list(index.expanded if index.expanded is not None else range(1, len(rows) + 1))
    found = [r.spec.split for r in routines.values() if r.file == index.path and r.spec.split is not None]
    for condition, behind in sorted(found, key=lambda pair: -pair[1].first):
        again = rows[condition.first : condition.last + 1]
        rows[behind.first : behind.first] = [" " * condition.segments[0][2] + "@end if", *again]
        user[behind.first : behind.first] = [user[condition.first]] * (1 + len(again))
    text = index.source.with_lines(rows).text
    made = index_text(Path(index.path), text, options, macros, tuple(user), index.hybrid)
    return replace(
        made, original=index.original or index.source.text, namesakes=index.namesakes, included=index.included
    )
