"""Clean depths as values: how far into a field's halo points are as their owners have them (distributed.md §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.processes.halolevels import Levels, Stale, all_meet
from hfpy.values import dataclass

#: How far points are away from the part, low and high by the number of the domain: a box around the part. Where it goes
#: beyond the part in two domains it has the points of the corner, too.
Box = tuple[tuple[int, int], ...]
#: The points of some boxes, of which none lies in another one. All have the part itself.
Depths = frozenset[Box]
#: As far as there is a halo.
FAR = 1_000


@dataclass(frozen=True)
class Halo:
    """What is certain of a field's halo: its clean depths, and where its points were set, if what is beyond the depths
    ``perhaps`` has been stale since (None: that of ``clean``): at one of several places, by the way that was taken.
    ``beyond`` are the clean depths of points beyond the boundary of the grid, which no region sets that keeps to the
    points of the grid: they matter where such a point is in the halo of another domain.
    """

    clean: Depths
    stale: tuple[Stale, ...] = ()
    perhaps: Depths | None = None
    beyond: Depths | None = None

    def joined(self, other: Halo) -> Halo:
        """What is certain on two ways."""
        stale = tuple(dict.fromkeys((*self.stale, *other.stale))) if self.stale and other.stale else ()
        perhaps = deepest(self.perhaps or self.clean, other.perhaps or other.clean)
        beyond = least(self.beyond, other.beyond) if self.beyond is not None and other.beyond is not None else None
        return Halo(least(self.clean, other.clean), stale, perhaps, beyond)

    def certainly_stale(self, depths: Depths, levels: Sequence[Levels]) -> bool:
        """Whether what goes so deep, and has such indices in other dimensions, certainly meets stale points."""
        return bool(self.stale) and not covers(self.perhaps or self.clean, depths) and all_meet(self.stale, levels)

    def with_stale(self, change: Callable[[Stale], Stale]) -> Halo:
        """The same where what is known of indices is something else."""
        return replace(self, stale=tuple(change(one) for one in self.stale)) if self.stale else self


#: The halos of which something is known. Of others nothing is.
State = Mapping[Identity, Halo]


def no_depths(domains: int) -> Depths:
    """The depths of what does not go into the halo of any domain."""
    return frozenset({((0, 0),) * domains})


def depths_of(sides: Mapping[int, tuple[int, int]], domains: int) -> Depths:
    """The depths of one reference by the numbers of domains: if it goes beyond two of them, it means the corner."""
    return frozenset({tuple(sides.get(number, (0, 0)) for number in range(domains))})


def sides_of(depths: Depths) -> Box:
    """How far it goes at most on each side."""
    return tuple(
        (max(low for low, _ in column), max(high for _, high in column)) for column in zip(*depths, strict=True)
    )


def has_corners(depths: Depths) -> bool:
    """Whether there are points that are beyond the part in two domains."""
    return any(sum(side != (0, 0) for side in box) > 1 for box in depths)


def exchanged(widths: Box, corners: bool) -> Depths:
    """What is clean after an exchange of some widths: without corners the halos of each domain alone."""
    if corners:
        return frozenset({widths})
    boxes = (tuple(side if n == number else (0, 0) for n, side in enumerate(widths)) for number in range(len(widths)))
    return _outermost(boxes)


def covers(clean: Depths, depths: Depths) -> bool:
    """Whether all points are clean. In each direction a box is covered if the point farthest away is."""
    return all(any(_has(box, point) for box in clean) for other in depths for point in _corners(other))


def deepest(one: Depths, other: Depths) -> Depths:
    """The points of both."""
    return _outermost(one | other)


def least(one: Depths, other: Depths) -> Depths:
    """The points that both have."""
    pairs = (zip(a, b, strict=True) for a, b in product(one, other))
    return _outermost(tuple((min(a, c), min(b, d)) for (a, b), (c, d) in pair) for pair in pairs)


def _corners(box: Box) -> Iterator[tuple[int, ...]]:
    """The points of a box that are farthest away, one in each direction: negative on the low side."""
    return product(*((-low, high) for low, high in box))


def _has(box: Box, point: tuple[int, ...]) -> bool:
    return all(-low <= at <= high for (low, high), at in zip(box, point, strict=True))


def _outermost(boxes: Iterable[Box]) -> Depths:
    """The boxes that do not lie in another one."""
    all_of_them = set(boxes)
    return frozenset(
        box for box in all_of_them if not any(box != other and _lies_in(box, other) for other in all_of_them)
    )


def _lies_in(box: Box, other: Box) -> bool:
    return all(a <= c and b <= d for (a, b), (c, d) in zip(box, other, strict=True))


def joined(states: Sequence[State]) -> State:
    """What is certain on all of some ways."""
    first = states[0]
    shared = set(first).intersection(*states[1:])
    found = {}
    for identity in shared:
        halo = first[identity]
        for other in states[1:]:
            halo = halo.joined(other[identity])
        found[identity] = halo
    return found
