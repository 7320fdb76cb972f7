"""What ``@if`` conditions ask of targets and positions (hybrid-fortran.md §3.5)."""

from __future__ import annotations

from hfpy.backendtable import TABLE
from hfpy.model.directives import IfDirective


def holds_architecture(condition: IfDirective, backend: str) -> bool:
    """Whether ``architecture(…)`` names what the routine's backend is for."""
    entry = TABLE.get(backend)
    return entry is not None and not entry.answers.isdisjoint(condition.values)


def holds_position(condition: IfDirective, label: str) -> bool:
    """Whether ``parallelRegion(…)`` names the routine's position."""
    return label in condition.values
