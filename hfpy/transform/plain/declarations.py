"""Declarations without some of their variables."""

from __future__ import annotations

from collections.abc import Collection

from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.declarations.declarations import entity_spans
from hfpy.transform.text.edits import Edit, replace_range


def without(routine: Routine, line: LogicalLine, names: Collection[str]) -> Edit:
    """The declaration on a line without some of the variables that it declares; nothing where these are all."""
    listed = entity_spans(line)
    gone = {s.entity_span for s in routine.spec.symbols.values() if s.line is line and s.name in names}
    left = ", ".join(line.text[start:end] for start, end in listed if (start, end) not in gone)
    return replace_range(line, 0, len(line.text), f"{line.text[: listed[0][0]]}{left}" if left else "")
