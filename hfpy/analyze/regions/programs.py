"""Checks of ``@stencilProgram`` (kernel-metadata-and-transforms.md §2.1): its temporaries are arrays that nobody
reads outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import Listed, StencilScope
from hfpy.model.units import Routine


def check_programs(facts: Facts) -> list[Diagnostic]:
    """What is wrong with the temporaries of all stencil programs."""
    return [
        found
        for routine in routines_to_check(facts)
        for scope in routine.scopes
        for listed in scope.temporaries
        for found in _check(facts, routine, scope, listed)
    ]


def _check(facts: Facts, routine: Routine, scope: StencilScope, listed: Listed) -> Iterator[Diagnostic]:
    data = facts.object(listed.name, routine.key)
    if data is None:
        yield error("HF300", f"'{listed.name}' is not declared", listed.place)
        return
    if not data.rank:
        yield error(
            "HF202", f"'{listed.name}' is no array", listed.place, "scalars of a region are temporary by themselves"
        )
        return
    for reference in facts.references[routine.key]:
        line = reference.at.statement.line
        inside = scope.line.first < line.first < scope.end.first
        if reference.name != listed.name or inside or reference.role not in ("read", "argument"):
            continue
        place = line.place(routine.file, reference.node.start, reference.node.end)
        message = f"'{listed.name}' is a temporary of a stencil program and read outside of it"
        hint = "take it from temporary(…): then its values are kept"
        yield error("HF507", message, place, hint, [Related(listed.place, "declared a temporary here")])
        return
