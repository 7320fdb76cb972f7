"""The ways to compute a group on a GPU: a thread a point, a thread that walks along an iterator, teams of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.tiles import keepable

MOST_THREADS = 512  # threads of a team


@dataclass(frozen=True)
class Lowering:
    """How a group is computed. With ``iterator`` each thread walks along that one, ``size`` points; with ``tile`` the
    threads of a block (so many along each iterator) work as a team, which computes the stages ``kept`` (by number) once
    for the points of its tile and around it, into shared memory. With neither each thread computes a point.
    """

    iterator: str = ""
    size: int = 1
    tile: Mapping[str, int] = field(default_factory=dict)
    kept: frozenset[int] = frozenset()

    @property
    def team(self) -> dict[str, int]:
        """The threads of a team by iterator: as many as a tile has points, or so many that each computes a few."""
        threads = dict(self.tile)
        for iterator in reversed(threads):
            while prod(threads.values()) > MOST_THREADS and threads[iterator] > 1:
                threads[iterator] = (threads[iterator] + 1) // 2
        return threads

    @property
    def name(self) -> str:
        """In words, for people."""
        if self.tile:
            shape = " x ".join(str(n) for n in self.tile.values())
            return f"tiles of {shape} points in shared memory"
        return f"walking along {self.iterator}, {self.size} points a thread" if self.iterator else "points"


POINTS = Lowering()


def asked(group: Group, teams: bool) -> Lowering | None:
    """The lowering that directives ask for; None where they leave the choice to the model. ``teams`` says whether the
    threads of a block can work together.
    """
    wishes = group.wishes
    if wishes.share and teams and not any(n > 1 for n in wishes.unroll.values()):
        return Lowering(tile=wishes.share, kept=keepable(group, wishes.share))
    for iterator, size in wishes.march.items():
        if size > 1 and wishes.unroll.get(iterator, 1) == 1:
            return Lowering(iterator, size)
        return POINTS
    return None
