"""How large arrays are, in words of the routine that asks: as their declaration, or all their allocations, say."""

from __future__ import annotations

from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Range, names_in
from hfpy.parse.expressions import expression
from hfpy.parse.grammar import GrammarError


def known_size(facts: Facts, data: DataObject, position: int) -> str | None:
    """The size or range of a dimension in use, in words of the array's routine; None where it cannot be told."""
    dimension = data.used[position]
    if not dimension.size.endswith(":") or dimension.declared is None:
        here = data.home == data.routine or _same_names(facts, dimension.size, data.home, data.routine)
        return dimension.size if here else None
    found: set[str | None] = set()
    for key, references in facts.references.items():
        for reference in references:
            if reference.role != "allocate":
                continue
            other = facts.object(reference.name, key)
            if other is None or other.identity != data.identity or not reference.indices:
                continue
            text = reference.at.statement.line.text
            index = reference.indices[dimension.declared]
            parts = (index.lower, index.upper) if isinstance(index, Range) else (index,)
            seen = [_seen(facts, text[p.start : p.end], key, data.routine) if p is not None else None for p in parts]
            found.add(None if None in seen else ":".join(s for s in seen if s is not None))
    return found.pop() if len(found) == 1 else None


def _seen(facts: Facts, size: str, there: str, here: str) -> str | None:
    """A size of one routine in words of another; None where there are none."""
    value = facts.domains.value(size, there)
    if value is not None:
        return str(value)
    return "".join(size.lower().split()) if _same_names(facts, size, there, here) else None


def _same_names(facts: Facts, size: str, there: str, here: str) -> bool:
    """Whether the names in a size of one unit mean the same in a routine, and nothing of the routine's own."""
    macros = {name.lower() for name in facts.application.macros}
    for part in size.split(":"):
        try:
            names = names_in(expression(part)) if part.strip() else set()
        except GrammarError:
            return False
        for word in names - macros:
            one, other = facts.object(word, there), facts.object(word, here)
            if one is None and other is None and facts.scopes.is_intrinsic(word, here):
                continue
            if one is None or other is None or one.identity != other.identity or other.home == here:
                return False
    return True
