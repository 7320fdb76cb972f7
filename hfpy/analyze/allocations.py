"""How large allocatable arrays are: as all their allocations say."""

from __future__ import annotations

from hfpy.analyze.bodies import words
from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Range


def known_size(facts: Facts, data: DataObject, position: int) -> str | None:
    """The size of a dimension in use, in words of the array's routine; of an allocatable array that of its allocations,
    if they are all the same. None where it cannot be told.
    """
    dimension = data.used[position]
    if not dimension.size.endswith(":") or dimension.declared is None:
        return dimension.size
    found: set[str | None] = set()
    for key, references in facts.references.items():
        for reference in references:
            if reference.role != "allocate":
                continue
            other = facts.object(reference.name, key)
            if other is None or other.identity != data.identity or not reference.indices:
                continue
            index = reference.indices[dimension.declared]
            text = reference.at.statement.line.text[index.start : index.end]
            found.add(None if isinstance(index, Range) else _seen(facts, text, key, data.routine))
    return found.pop() if len(found) == 1 else None


def _seen(facts: Facts, size: str, there: str, here: str) -> str | None:
    """A size of one routine in words of another; None where there are none."""
    value = facts.domains.value(size, there)
    if value is not None:
        return str(value)
    text = "".join(size.lower().split())
    for word in words(text):
        one, other = facts.object(word, there), facts.object(word, here)
        if one is None or other is None or one.identity != other.identity or other.home == here:
            return None
    return text
