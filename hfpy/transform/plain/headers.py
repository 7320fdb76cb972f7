"""``module procedure`` bodies in plain form: with the arguments that their interfaces declare, so that other steps can
change them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.units import Routine, UnitIndex
from hfpy.transform.text.edits import Edit, replace_rows


def header_edits(facts: Facts, _effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for those of some routines whose arguments are in an interface alone."""
    made: dict[str, list[Edit]] = {}
    for key in keys:
        unit, routine, index = facts.application.unit(key), facts.routine(key), facts.application.file(key)
        end = routine.end
        if unit.declared and end is not None and index.alone(routine.header) and index.alone(end):
            made.setdefault(routine.file, []).extend(_edits(routine, unit))
    return made


def _edits(routine: Routine, unit: UnitIndex) -> Iterator[Edit]:
    header, end = routine.header, routine.end
    assert end is not None
    margin = " " * header.segments[0][2]
    first, *declared = (line.text for line in unit.declared)
    rows = [margin + first, *(f"{margin}  {text}" for text in declared)]
    yield replace_rows(header.first, header.last, [(row, header.first) for row in rows])
    yield replace_rows(end.first, end.last, [(f"{margin}end {unit.kind}", end.first)])
