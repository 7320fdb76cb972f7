"""Tests of clean depths while the program runs, as statements beside regions and exchanges (distributed.md §3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from hfpy.analyze.processes.halodepths import FAR
from hfpy.analyze.processes.halomarks import Mark, Marks
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import character
from hfpy.transform.text.edits import Edit, insert_lines


def tests(marks: Sequence[Marks], routine: Routine, fixed: bool) -> Iterator[Edit]:
    """The statements of a routine that note what happens to fields, and that test reads."""
    for one in marks:
        for mark in one.by_routine.get(routine.key, ()):
            line = mark.line
            indent = " " * (6 if fixed else line.segments[0][2] - (1 if line.comment else 0))
            rows = [indent + row for row in _statements(mark, routine)]
            if mark.before:
                yield insert_lines(line.first, rows, 10, line.first)
            else:
                yield insert_lines(line.last + 1, rows, -7, line.last)


def _statements(mark: Mark, routine: Routine) -> Iterator[str]:
    """What one mark is as statements: a test for each box of points that is read."""
    address = f"loc({mark.name})"
    if mark.what == "set" and mark.place is not None:
        yield f"call hf_mark_set({address}, {_at(mark.place.file, mark.place.line)})"
    elif mark.need is None:
        yield f"call hf_mark_unknown({address})"
    if mark.need is None:
        return
    place = _read_at(mark.need.reference.at.statement.line, routine)
    boxes = [box for box in sorted(mark.need.depths) if all(FAR not in side for side in box)]
    for box in boxes:
        low, high = (", ".join(str(side[which]) for side in box) for which in (0, 1))
        yield f"call hf_mark_needed({address}, [{low}], [{high}], '{mark.name}', {place})"


def _read_at(line: LogicalLine, routine: Routine) -> str:
    place = line.place(routine.file)
    return _at(place.file, place.line)


def _at(file: str, line: int) -> str:
    """A place as messages of running programs show it: a character constant."""
    return character(f"{PurePath(file).name}:{line}")
