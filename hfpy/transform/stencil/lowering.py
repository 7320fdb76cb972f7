"""The ways to compute a group on a GPU: a thread a point, a thread that walks along an iterator, teams of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from math import prod

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.sweeps import ColumnGroup
from hfpy.transform.stencil.tiles import keepable
from hfpy.values import dataclass

MOST_THREADS, MOST_DEEP = 512, 64  # threads of a team, and along its third iterator
MOST_SHARED = 48 * 1024  # bytes that a kernel's arrays in shared memory may have (CUDA programming guide)


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
        for iterator in list(threads)[2:]:
            threads[iterator] = min(threads[iterator], MOST_DEEP)
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
    threads of a block can work together. A group that nobody uses stays as it is.
    """
    if not group.stored:
        return None
    against = ungranted(group, teams)
    wishes = group.wishes
    if wishes.share and "share" not in against:
        return _shared(group)
    for iterator, size in wishes.march.items():
        return Lowering(iterator, size) if size > 1 and "march" not in against else POINTS
    return None


def with_lowering(program: Program, way: str, numbers: Mapping[str, int]) -> Program:
    """A program whose stages ask for a lowering, ``march`` or ``share`` with numbers by iterator, unless they ask for
    one themselves. As it was if nothing is asked of its iterators.
    """
    sizes = {name: number for name, number in numbers.items() if name in program.iterators}
    asking = any(s.wishes.march or s.wishes.share for s in program.stages)
    if asking or not sizes or (way == "march" and program.iterators[0] in sizes):
        return program
    march, share = (sizes, {}) if way == "march" else ({}, sizes)
    stages = [replace(s, wishes=replace(s.wishes, march=march, share=share)) for s in program.stages]
    return replace(program, stages=tuple(stages))


def ungranted(group: Group, teams: bool) -> dict[str, str]:
    """Why ``march`` and ``share`` cannot be granted to a group that asks for them, by their names."""
    wishes = group.wishes
    found: dict[str, str] = {}
    if isinstance(group, ColumnGroup):
        because = "the region holds loops along columns, each thread takes one"
        return {name: because for name, sizes in (("march", wishes.march), ("share", wishes.share)) if sizes}
    if wishes.share:
        if not teams:
            found["share"] = "only kernels of cuda-c and hip have tiles in shared memory"
        elif any(n > 1 for n in wishes.unroll.values()):
            found["share"] = "'unroll' is for threads of their own"
        elif group.program.iterators[0] not in wishes.share:
            found["share"] = f"threads side by side are along '{group.program.iterators[0]}', which it does not name"
        elif len(wishes.share) > 3:
            found["share"] = "a block has threads in three dimensions at most"
        elif not keepable(group, wishes.share):
            found["share"] = "nothing is needed at several points of a tile"
        elif shared_bytes(group, _shared(group)) > MOST_SHARED:
            found["share"] = f"such tiles need more than {MOST_SHARED} bytes of shared memory"
    for iterator in wishes.march:
        if wishes.unroll.get(iterator, 1) > 1:
            found["march"] = f"'{iterator}' is unrolled"
        elif wishes.share and "share" not in found:
            found["march"] = "'share' is asked for as well"
    return found


def _shared(group: Group) -> Lowering:
    tile = {i: group.wishes.share[i] for i in group.program.iterators if i in group.wishes.share}
    return Lowering(tile=tile, kept=keepable(group, tile))


def shared_bytes(group: Group, lowering: Lowering) -> int:
    """The bytes of shared memory that a tile needs."""
    total = 0
    for stage in group.stages:
        if stage.number in lowering.kept:
            sizes = [lowering.tile.get(i, 1) for i in group.program.iterators]
            room = prod(size + by for size, by in zip(sizes, reach(group, stage.number), strict=True))
            total += room * sum(group.program.patterns[v.array].bytes for v in stage.writes)
    return total


def reach(group: Group, number: int) -> tuple[int, ...]:
    """How many points around a tile a stage is needed at, in each dimension."""
    needed = group.needs[number]
    return tuple(max(o[d] for o in needed) - min(o[d] for o in needed) for d in range(len(group.program.iterators)))
