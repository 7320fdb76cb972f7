"""Whether a place is after the last point of a loop, as Fortran."""

from __future__ import annotations

from hfpy.analyze.language.sizes import constant
from hfpy.parse.expressions.expressions import expression


def behind(place: str, last: str, step: str) -> str:
    """Whether a place is after the last point of a loop, as a condition that can be joined with others."""
    value = constant(expression(step))
    if value is None:  # up or down
        return f"({step} > 0 .and. {place} > {last} .or. {step} < 0 .and. {place} < {last})"
    return f"{place} {'>' if value > 0 else '<'} {last}"
