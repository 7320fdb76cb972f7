"""Where the indices of dimensions that are not cut lie: whether what is read of a field is what has been set.

A field may have levels, moments, species: what happens to some of them says nothing of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hfpy.analyze.language.sizes import Linear
from hfpy.diagnostics import Place
from hfpy.values import dataclass


@dataclass(frozen=True)
class Level:
    """The indices that a reference takes in one dimension: those from ``first`` to ``last``, where these are known.
    ``whole``: all of the dimension. ``single``: one index. ``known``: whether anything is known of them.
    """

    first: Linear | None = None
    last: Linear | None = None
    whole: bool = False
    single: bool = False
    known: bool = True

    @property
    def fixed(self) -> bool:
        """Whether the indices depend on no variables."""
        return all(not atom for end in (self.first, self.last) for atom, _ in end or ())

    def later(self) -> Level:
        """What is known of the same indices after statements that may set variables."""
        return self if self.fixed or not self.single else Level(known=False)

    def turned(self, variable: str) -> Level:
        """What is known of the indices that a loop has set by its variable, after some of its turns."""
        names = {atom for end in (self.first, self.last) for atom, _ in end or ()}
        return Level() if self.single and variable in names else self

    def elsewhere(self) -> Level:
        """What is known of the same indices in another routine."""
        return self if self.fixed else replace(self, first=None, last=None, known=not self.single)

    def renamed(self) -> Level:
        """What is known of them as those of an argument, which may have other bounds."""
        return self if self.whole else Level(single=self.single, known=self.known and not self.single)

    def meets(self, other: Level) -> bool:
        """Whether some index is certainly one of both, if there are any, and ranges are longer than what is added to
        their ends.
        """
        if self.whole or other.whole:
            return True
        if not (self.known and other.known):
            return False
        gaps = [difference(self.last, other.first), difference(other.last, self.first)]
        if any(gap is not None and gap < 0 for gap in gaps):
            return False
        if self.single and other.single:
            return gaps == [0, 0]
        return not (self.single or other.single) or any(gap is not None for gap in gaps)


#: By the dimensions that are not cut, in their order.
Levels = tuple[Level, ...]


@dataclass(frozen=True)
class Stale:
    """Where the points of a field were set for certain, and at which levels."""

    place: Place
    levels: Levels

    def meets(self, levels: Levels) -> bool:
        """Whether a reference to the field certainly has some of these points, or neighbours of them."""
        return len(levels) == len(self.levels) and all(a.meets(b) for a, b in zip(self.levels, levels, strict=True))

    def later(self) -> Stale:
        """The same after statements that may set variables."""
        return replace(self, levels=tuple(level.later() for level in self.levels))

    def turned(self, variable: str) -> Stale:
        """The same after some turns of a loop."""
        return replace(self, levels=tuple(level.turned(variable) for level in self.levels))

    def elsewhere(self) -> Stale:
        """The same in another routine."""
        return replace(self, levels=tuple(level.elsewhere() for level in self.levels))

    def renamed(self) -> Stale:
        """The same for the dummy argument that means the field, or the other way round."""
        return replace(self, levels=tuple(level.renamed() for level in self.levels))


def added(one: Linear, other: Linear) -> Linear:
    """The sum of two linear forms."""
    terms = dict(one)
    for atom, factor in other:
        terms[atom] = terms.get(atom, 0) + factor
    return tuple(sorted((a, c) for a, c in terms.items() if c))


def difference(one: Linear | None, other: Linear | None) -> int | None:
    """The difference of two ends, where it is a number."""
    if one is None or other is None:
        return None
    terms = dict(added(one, tuple((atom, -factor) for atom, factor in other)))
    number = terms.pop("", 0)
    return None if terms else number


def all_meet(stale: Sequence[Stale], levels: Sequence[Levels]) -> bool:
    """Whether each of some references certainly has points of what was set, whichever way was taken."""
    return all(one.meets(levels_of_one) for one in stale for levels_of_one in levels)
