"""Notes on regions that are not in blocks of columns, though blocks would make them much faster."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, note
from hfpy.transform.columns.optimise import InBlocks
from hfpy.transform.stencil.honoured import in_users_text

# Below this, nothing is said: the estimate is no better.
_LEAST = 1.5
_HINT = (
    "take the cause out of the region and the routines that it calls, or keep the region as it is with the attribute "
    "fuse(no)"
)


def not_in_blocks(facts: Facts, made: InBlocks, before: Facts) -> Iterator[Diagnostic]:
    """A note for each cause. ``facts`` are of the text that was read, ``before`` of that which the pass worked on."""
    reported: set[tuple[str, int, str]] = set()
    for lost in made.lost:
        place = in_users_text(lost.refusal.place, facts.application, before.application)
        cause = place.file, place.line, lost.refusal.text
        if lost.factor >= _LEAST and cause not in reported:
            reported.add(cause)
            message = (
                f"a region of '{lost.routine}' computes one column after the other, since {lost.refusal.text}; in "
                f"blocks of columns it would be about {lost.factor:.1f} times as fast"
            )
            yield note("HF706", message, place, _HINT)
