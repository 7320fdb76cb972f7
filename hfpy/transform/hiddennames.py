"""Intrinsics that hfpy writes where something else has their name: ``size(a, 1)`` beside ``integer :: size``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import INQUIRY, WITHOUT_USE
from hfpy.analyze.language.scopes import Found
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.text.called import Called, called_in, called_in_rows, reduced_in
from hfpy.transform.text.edits import Edit


def hidden_intrinsics(facts: Facts, routine: Routine, edits: Iterable[Edit]) -> Iterator[Diagnostic]:
    """An error for each that some edits of a routine need. What is written as the user wrote it in the routine means
    what it means there, and so do elements of arrays with such names.
    """
    for name in _hidden(facts, routine, edits):
        found = facts.scopes.variable(name, routine.key)
        what = "variable" if found is not None else "procedure"
        line, span = _declared(found, routine)
        place = (line or routine.header).place(routine.file, *span)
        message = f"'{name}' is a {what} here, and hfpy needs the intrinsic of that name for generated code"
        yield error("HF406", message, place, f"rename the {what}")


def needs_hidden(facts: Facts, routine: Routine, *edits: Edit) -> bool:
    """Whether some edits of a routine need an intrinsic whose name means something else there."""
    return any(_hidden(facts, routine, edits))


def files_need_hidden(facts: Facts, edits: Mapping[str, Sequence[Edit]]) -> bool:
    """The same of edits in files, by their paths."""
    for path, made in edits.items():
        units = sorted(facts.application.routines_in(path), key=lambda unit: unit.header.first)
        begins = [unit.header.first for unit in units]
        for edit in (e for e in made if any(call.name in WITHOUT_USE for call in called_in(e.text))):
            before = reversed(units[: bisect_right(begins, edit.line)])
            unit = next((u for u in before if u.end is not None and edit.line <= u.end.last), None)
            if unit is not None and needs_hidden(facts, unit, edit):
                return True
    return False


def _declared(found: Found | None, routine: Routine) -> tuple[LogicalLine | None, tuple[int, ...]]:
    """The line of a routine that declares a variable, and where on it; nothing if that is elsewhere."""
    if found is None or found.home != routine.key or found.symbol.line is None:
        return None, ()
    return found.symbol.line, found.symbol.name_span


def _hidden(facts: Facts, routine: Routine, edits: Iterable[Edit]) -> Iterator[str]:
    """The names of intrinsics that edits need and that mean something else."""
    told: set[str] = set()
    own: Collection[Called] | None = None
    for edit in edits:
        reduced = reduced_in(edit.text)
        for call in (*called_in(edit.text), *(Called(name, ()) for name in reduced)):
            if call.name in told or call.name not in WITHOUT_USE or facts.scopes.is_intrinsic(call.name, routine.key):
                continue
            if own is None:
                own = _own_calls(facts, routine)
            if call.name in reduced or not _is_users(facts, routine, call, own):
                told.add(call.name)
                yield call.name


def _own_calls(facts: Facts, routine: Routine) -> Collection[Called]:
    """What a routine calls, as its text has it."""
    index = facts.application.file(routine.key)
    last = routine.end.last if routine.end is not None else len(index.source.lines)
    return called_in_rows(index.source.lines[routine.header.first : last + 1], index.fixed)


def _is_users(facts: Facts, routine: Routine, call: Called, own: Collection[Called]) -> bool:
    """Whether a call means what has its name in the program: the user has written it so, or it is an element or a part
    of a variable, as far as one can tell. Inquiries of arrays are taken for hfpy's.
    """
    first = facts.scopes.variable(call.args[0], routine.key) if call.args else None
    if call.name in INQUIRY and first is not None and first.symbol.rank:
        return False
    found = facts.scopes.variable(call.name, routine.key)
    if found is None or not (found.symbol.rank or found.symbol.type.base == "character"):
        return call in own
    return call in own or (len(call.args) == max(found.symbol.rank, 1) and not call.of_kind)
