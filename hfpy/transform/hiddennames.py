"""Intrinsics that hfpy writes where a variable has their name: ``size(a, 1)`` beside ``integer :: size``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.units import Routine
from hfpy.parse.text.called import called_in
from hfpy.transform.text.edits import Edit


def hidden_intrinsics(facts: Facts, routine: Routine, edits: Iterable[Edit]) -> Iterator[Diagnostic]:
    """An error for each. Arrays and texts of such names are let be: what hfpy writes may be a part of them."""
    scalars: dict[str, bool] = {}
    for edit in edits:
        for name in called_in(edit.text):
            if name in scalars or name not in WITHOUT_USE:
                continue
            found = facts.scopes.variable(name, routine.key)
            scalars[name] = found is not None and not found.symbol.shape and found.symbol.type.base != "character"
            if found is None or not scalars[name]:
                continue
            line = found.symbol.line if found.home == routine.key else None
            place = (line or routine.header).place(routine.file, *(found.symbol.name_span if line else ()))
            message = f"'{name}' is a variable here, and hfpy needs the intrinsic of that name for generated code"
            yield error("HF406", message, place, "rename the variable")
