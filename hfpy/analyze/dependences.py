"""Dependences between the points of a region, from the indices of written arrays.

Two references conflict if no dimension keeps them apart and an iterator's offset differs: then one point
reads or writes what another writes. hfpy cannot know whether a mask makes that safe, so it warns with both places.
"""

from __future__ import annotations

from dataclasses import dataclass

from hfpy.analyze.sizes import Linear, linear, linear_of
from hfpy.analyze.uses import Reference
from hfpy.model.expressions import Apply, Expr, Range, walk

Items = tuple[Expr | str, ...]


@dataclass(frozen=True)
class Access:
    """A reference with its index list and whether it writes."""

    reference: Reference
    items: Items
    writes: bool


@dataclass(frozen=True)
class Conflict:
    """Two accesses that meet in one element at different points."""

    write: Reference
    other: Reference
    iterator: str


def conflict(accesses: list[Access], iterators: tuple[str, ...], varying: frozenset[str]) -> Conflict | None:
    """The first conflict among the accesses of one array; ``varying`` are names that the region sets."""
    for write in accesses:
        if not write.writes:
            continue
        for other in accesses:
            if other is write or len(other.items) != len(write.items):
                continue
            iterator = _meets(write.items, other.items, iterators, varying)
            if iterator:
                return Conflict(write.reference, other.reference, iterator)
    return None


def _form(item: Expr | str) -> Linear | None:
    if isinstance(item, str):
        return linear_of(item) if item != ":" else None
    return None if isinstance(item, Range) else linear(item)


def _meets(first: Items, second: Items, iterators: tuple[str, ...], varying: frozenset[str]) -> str:
    """The iterator over which two index lists meet at different points; empty if they do not (or only at one point)."""
    found = ""
    for one, two in zip(first, second, strict=True):
        a, b = _form(one), _form(two)
        if a is None or b is None:
            continue
        left, right = dict(a), dict(b)
        mine = {n for n in iterators if n in left or n in right}
        difference = {k: left.get(k, 0) - right.get(k, 0) for k in left.keys() | right.keys()}
        rest = {k: v for k, v in difference.items() if v}
        if mine:
            if (rest and all(not k for k in rest)) or rest:
                found = found or sorted(mine)[0]
            continue
        names = {k for k in left.keys() | right.keys() if k}
        if rest and all(not k for k in rest) and not names & varying:
            return ""  # two different constant places: they never meet
    return found


def scattered(items: Items, iterators: tuple[str, ...]) -> bool:
    """Whether an iterator stands only inside another array's index (``s(idx(i))``): points may meet."""
    from hfpy.analyze.accesses import bare_iterators
    from hfpy.model.expressions import names_in

    for item in items:
        if isinstance(item, str) or bare_iterators(item, iterators):
            continue
        if any(isinstance(n, Apply) and names_in(n) & set(iterators) for n in walk(item)):
            return True
    return False
