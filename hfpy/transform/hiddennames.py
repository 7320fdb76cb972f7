"""Intrinsics that hfpy writes where something else has their name: ``size(a, 1)`` beside ``integer :: size``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.text.called import called_in, reduced_in
from hfpy.parse.text.physical import names_in_rows
from hfpy.transform.text.edits import Edit


def hidden_intrinsics(facts: Facts, routine: Routine, edits: Iterable[Edit]) -> Iterator[Diagnostic]:
    """An error for each. Arrays, texts and procedures whose names a routine mentions are let be: what hfpy writes may
    be a part of them, or a call of the user's.
    """
    looked: set[str] = set()
    for edit in edits:
        for name in called_in(edit.text):
            if name in looked or name not in WITHOUT_USE:
                continue
            looked.add(name)
            what, line, span = _meant(facts, routine, name, name in reduced_in(edit.text))
            if what:
                place = (line or routine.header).place(routine.file, *span)
                message = f"'{name}' is a {what} here, and hfpy needs the intrinsic of that name for generated code"
                yield error("HF406", message, place, f"rename the {what}")


def _meant(facts: Facts, routine: Routine, name: str, reduces: bool) -> tuple[str, LogicalLine | None, tuple[int, ...]]:
    """What of the program has a name, its line if the routine declares it, and where it is there; empty if the
    intrinsic, or what the routine mentions, is meant. What ``reduces`` must be the intrinsic.
    """
    found = facts.scopes.variable(name, routine.key)
    if found is None and not facts.scopes.procedures(name, routine.key):
        return "", None, ()
    scalar = found is not None and not found.symbol.shape and found.symbol.type.base != "character"
    if not scalar and not reduces and _mentions(facts, routine, name):
        return "", None, ()
    if found is None:
        return "procedure", None, ()
    line = found.symbol.line if found.home == routine.key else None
    return "variable", line, found.symbol.name_span if line else ()


def _mentions(facts: Facts, routine: Routine, name: str) -> bool:
    lines = facts.application.file(routine.key).source.lines
    last = routine.end.last if routine.end is not None else routine.header.first
    return name in names_in_rows(lines[routine.header.first : last + 1])
