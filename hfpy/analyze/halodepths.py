"""Clean depths as values: how far into a field's halo points are as their owners have them (distributed.md §3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hfpy.analyze.halolevels import Levels, Stale, all_meet
from hfpy.analyze.storage import Identity

#: Low and high by the number of the domain, and at the end the corners: for points that lie beside the part in two
#: domains, 1 if they are meant, or clean, as deep as the sides are: those on the low side of the first domain (and the
#: low and the high side of the second), then those on the high side.
Depths = tuple[tuple[int, int], ...]
#: The sides of two domains that a corner lies between: 0 for low, 1 for high.
Corner = tuple[int, int]
#: All four corners.
CORNERS = ((1, 1), (1, 1))
#: As far as there is a halo.
FAR = 1_000


@dataclass(frozen=True)
class Halo:
    """What is certain of a field's halo: its clean depths, and where its points were set, if what is beyond the depths
    ``perhaps`` has been stale since (None: that of ``clean``): at one of several places, by the way that was taken.
    """

    clean: Depths
    stale: tuple[Stale, ...] = ()
    perhaps: Depths | None = None

    def joined(self, other: Halo) -> Halo:
        """What is certain on two ways."""
        both = tuple((min(a, c), min(b, d)) for (a, b), (c, d) in zip(self.clean, other.clean, strict=True))
        stale = tuple(dict.fromkeys((*self.stale, *other.stale))) if self.stale and other.stale else ()
        return Halo(both, stale, deepest(self.perhaps or self.clean, other.perhaps or other.clean))

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
    return ((0, 0),) * (domains + len(CORNERS))


def depths_of(sides: Mapping[int, tuple[int, int]], domains: int) -> Depths:
    """The depths of one reference by the numbers of domains: if it goes beyond two of them, it means corners."""
    own = tuple(sides.get(number, (0, 0)) for number in range(domains))
    return (*own, *_corners(domains, lambda corner: 0 not in _beside(own, corner)))


def without_corners(depths: Depths) -> Depths:
    """The depths by the number of the domain alone."""
    return depths[: -len(CORNERS)]


def has_corners(depths: Depths) -> bool:
    """Whether any corners are meant, or clean."""
    return any(corner for row in depths[-len(CORNERS) :] for corner in row)


def after_exchange(before: Depths, widths: Depths, hopeful: bool = False) -> Depths:
    """What is clean behind an exchange of some widths. Corners are where there are none, and where the exchange has all
    that is clean beside them now; ``hopeful``: where any exchange had some of them.
    """
    made = without_corners(deepest(before, widths))

    def is_clean(corner: Corner) -> bool:
        now = _beside(made, corner)
        sent = _is_meant(widths, corner) and (hopeful or _beside(widths, corner) == now)
        kept = _is_meant(before, corner) and (hopeful or _beside(before, corner) == now)
        return 0 in now or sent or kept

    return (*made, *_corners(len(made), is_clean))


def _corners(domains: int, which: Callable[[Corner], bool]) -> Depths:
    """The corners of which something is true; none of a single domain."""
    if domains < len(CORNERS):
        return no_depths(0)
    return tuple((int(which((side, 0))), int(which((side, 1)))) for side in (0, 1))


def _beside(depths: Depths, corner: Corner) -> tuple[int, ...]:
    """The depths of the sides that a corner lies between."""
    return tuple(depths[number][side] for number, side in enumerate(corner))


def _is_meant(depths: Depths, corner: Corner) -> bool:
    return depths[corner[0] - len(CORNERS)][corner[1]] == 1 and 0 not in _beside(depths, corner)


def covers(clean: Depths, depths: Depths) -> bool:
    """Whether what is clean is as deep as some depths on all sides."""
    return all(a >= c and b >= d for (a, b), (c, d) in zip(clean, depths, strict=True))


def deepest(one: Depths, other: Depths) -> Depths:
    """The deeper one on each side."""
    return tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


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
