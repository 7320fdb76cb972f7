"""Declarations without some of their variables."""

from __future__ import annotations

from collections.abc import Collection

from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.transform.text.edits import Edit, replace_range


def without(routine: Routine, line: LogicalLine, names: Collection[str]) -> Edit:
    """The declaration on a line without some of the variables that it declares; nothing where these are all."""
    together = [s for s in routine.spec.symbols.values() if s.line is line]
    left = ", ".join(line.text[slice(*s.entity_span)] for s in together if s.name not in names)
    head = line.text[: min(s.entity_span[0] for s in together)]
    return replace_range(line, 0, len(line.text), f"{head}{left}" if left else "")
