"""How large arrays are, in words of the routine that asks: as their declaration, or all their allocations, say."""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.facts import Allocation, Facts
from hfpy.model.expressions import Fragment
from hfpy.model.extents import Dim
from hfpy.parse.expressions.fragments import compact, dim_at, fragment


def known_size(facts: Facts, data: DataObject, position: int) -> Dim | None:
    """The size or range of a dimension in use, in words of the array's routine; None where it is not known."""
    dimension = data.used[position]
    if not _from_elsewhere(dimension.extent) or dimension.declared is None:
        here = data.home == data.routine or _same_names(facts, dimension.extent.names, data.home, data.routine)
        return dimension.extent if here else None
    allocated = facts.allocations.get(data.identity, ())
    found = {_seen(facts, sizes[dimension.declared], key, data.routine) for key, sizes in allocated}
    return found.pop() if len(found) == 1 else None


def allocations(facts: Facts) -> dict[Identity, tuple[Allocation, ...]]:
    """The allocations of each array, by its home and name there."""
    found: dict[Identity, list[Allocation]] = {}
    for key, references in facts.references.items():
        for reference in references:
            data = facts.object(reference.name, key) if reference.role == "allocate" and reference.indices else None
            if data is not None:
                text = reference.at.statement.line.text
                sizes = tuple(dim_at(text, index) for index in reference.indices or ())
                found.setdefault(data.identity, []).append((key, sizes))
    return {identity: tuple(there) for identity, there in found.items()}


def _from_elsewhere(dim: Dim) -> bool:
    """Whether allocations or callers give the size, ``:`` or ``2:``."""
    return dim.form in ("deferred", "assumed")


def _seen(facts: Facts, given: Dim, there: str, here: str) -> Dim | None:
    """A size of one routine in words of another; None where there are none."""
    words = [None if b is None else _bound(facts, b, there, here) for b in (given.lower, given.upper)]
    return None if words[1] is None or (given.lower and words[0] is None) else Dim("explicit", words[0], words[1])


def _bound(facts: Facts, bound: Fragment, there: str, here: str) -> Fragment | None:
    value = facts.domains.value(bound, there)
    if value is not None:
        return fragment(str(value))
    return compact(bound) if _same_names(facts, bound.names, there, here) else None


def _same_names(facts: Facts, names: frozenset[str], there: str, here: str) -> bool:
    """Whether the names in a size of one unit mean the same in a routine, and nothing of the routine's own."""
    macros = {name.lower() for name in facts.application.macros}
    for word in names - macros:
        one, other = facts.object(word, there), facts.object(word, here)
        if one is None and other is None and facts.scopes.is_intrinsic(word, here):
            continue
        if one is None or other is None or one.identity != other.identity or other.home == here:
            return False
    return True
