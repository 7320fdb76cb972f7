"""What the first statement that names a variable does with it, through calls: a look at the text that costs little."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.language.uses import Reference


def reads_first(effects: Effects, references: Iterable[Reference], key: str, name: str) -> bool:
    """Whether the first statement that names a variable, of those that some references of a routine are in, reads it.
    Then not all of it is set before, unless jumps change the order.
    """
    first = None
    for reference in references:
        if first is not None and reference.at.statement is not first:
            break
        if reference.name != name:
            continue
        first = reference.at.statement
        if _reads(effects, reference, key):
            return True
    return False


def _reads(effects: Effects, reference: Reference, key: str) -> bool:
    """Whether a reference reads its variable before it sets it; for an argument, whether the routine called does."""
    reads, writes = effects.of(reference, key)
    site = effects.site(reference, key) if reads and writes else None
    dummy = dummy_name(effects.facts, site, reference.position) if site is not None and site.callee else None
    if site is None or dummy is None:
        return reads and not writes
    slot = (site.callee, dummy)
    if slot not in effects.read_first:
        effects.read_first[slot] = False  # what a recursive call finds
        effects.read_first[slot] = reads_first(effects, effects.facts.references[site.callee], *slot)
    return effects.read_first[slot]
