"""Groups with sweeps: stages that go along a column one after the other, and parallel ones beside them, as one region
over the columns (stencil-optimisation.md §7).

Each column is computed by itself, so whatever the group writes it may read in the same column only. Loops of the same
direction become one where each turn finds what it needs; loops of the other direction follow, and what they need of the
first is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from hfpy.model.directives import Region
from hfpy.model.statements import flatten
from hfpy.transform.stencil.clusters import Cluster, clusters
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.fusion import against
from hfpy.transform.stencil.groups import Group, Illegal
from hfpy.transform.stencil.inlining import Inliner
from hfpy.transform.stencil.members import Member, Touch
from hfpy.transform.stencil.program import Box, Offset, Program, Stage, Version, moved
from hfpy.values import dataclass

MOST_CARRIED = 4  # levels back from which values are kept in single variables


@dataclass(frozen=True)
class ColumnGroup(Group):
    """Some stages of a program with at least one sweep among them."""

    @cached_property
    def inliner(self) -> Inliner:
        """Which stages are computed where they are needed."""
        return Inliner(self.program, self.stages)

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """What the column consists of. Raises Illegal."""
        return self.inliner.members

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """The loops along the column."""
        return clusters(self.members)

    @cached_property
    def vanished(self) -> frozenset[str]:
        """Arrays of which a few values a column are all that is needed at any time."""
        names = {a for m in self.members for a in m.writes}
        return frozenset(n for n in names if self._vanishes(n))

    def _vanishes(self, array: str) -> bool:
        pattern = self.program.patterns[array]
        inliner = self.inliner
        outside = inliner.read_outside(array) or inliner.known_outside(array)
        if outside or not pattern.local or self.program.iterators[-1] not in pattern.items:
            return False
        if any(v.array == array for s in self.stages if s.number in inliner.gone for v in s.writes):
            return False
        homes = [c for c in self.clusters if any(t.array == array for m in c.members for t in m.touches)]
        if len(homes) != 1 or not _in_variables(homes[0], array):
            return False
        return not self.program.again or _by_itself(homes[0], array)

    def carried(self, cluster: Cluster) -> Mapping[str, int]:
        """Arrays in memory whose last values the loop of a cluster can keep in variables, and how many levels back."""
        found = {}
        for array in sorted({a for m in cluster.loops for a in m.writes} - self.vanished):
            back = lags(cluster, array)
            certain = any(array in m.sure for m in cluster.loops)
            if self.program.iterators[-1] not in self.program.patterns[array].items or not certain:
                continue
            if 0 < back <= MOST_CARRIED and self._loadable(cluster, array, back):
                found[array] = back
        return found

    def _loadable(self, cluster: Cluster, array: str, back: int) -> bool:
        """Whether the elements before the first turn may be read, whatever the turn does."""
        level = -back * cluster.way
        for one in cluster.loops:
            if any(t.array == array and t.spot.level == level and t.surely for t in one.touches):
                return True
            lines = {s.line.key for s in flatten(one.body)}
            for key, access in one.stage.accesses.items():
                at = access.array == array and access.row is None and access.offset[-1] == level
                if at and key[0] in lines and key in one.stage.safe:
                    return True
        return False

    # -- what groups of parallel stages have, too

    @cached_property
    def stored(self) -> frozenset[Version]:
        """What stays in memory."""
        return frozenset(v for m in self.members for v in m.stage.writes if v.array not in self.vanished)

    @cached_property
    def needs(self) -> Mapping[int, frozenset[Offset]]:
        """The points at which each stage is computed for one turn."""
        here = (0,) * len(self.program.iterators)
        found: dict[int, set[Offset]] = {s.number: set() for s in self.stages}
        for one in self.members:
            found[one.stage.number].add(here)
            for instance in one.instances:
                if instance.spot.level is not None:
                    found[instance.number].add((*instance.spot.across, instance.spot.level))
        return {n: frozenset(o) for n, o in found.items()}

    @cached_property
    def box(self) -> Box:
        """The columns. Raises Illegal if stages differ in them."""
        boxes = {m.stage.box[:-1] for m in self.members}
        if len(boxes) != 1:
            raise Illegal("its regions go over different columns")
        return boxes.pop()

    @cached_property
    def inputs(self) -> frozenset[Version]:
        """What comes from memory."""
        read = {t.array for m in self.members for t in m.touches if not t.write}
        return frozenset(r.version for s in self.stages for r in s.reads if r.version.array in read)

    @cached_property
    def required(self) -> Mapping[int, Box]:
        """The boxes of the stages."""
        return {s.number: s.box for s in self.stages}

    @property
    def sweep(self) -> Stage:
        """The first stage with loops of its own, from which the new region takes its directive."""
        return next(s for s in self.stages if s.pieces)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The directives of the stages, that of the first with loops of its own before the others."""
        ordered = [self.sweep, *(s for s in self.stages if s is not self.sweep)]
        return tuple(s.region.region for s in ordered if s.region.region is not None)

    def check(self) -> None:
        """Raises Illegal if the stages cannot be one region."""
        assert self.wishes is not None
        if len({s.wishes.fuse for s in self.stages}) > 1:
            raise Illegal("'fuse' keeps them apart")
        if len(self.stages) == 1:
            return
        if reason := against(self.regions):
            raise Illegal(reason)
        if any(s.wishes for s in self.stages):
            raise Illegal("'unroll' and 'tile' are for regions without loops along columns")
        assert self.members and self.clusters
        for one in self.members:
            beside = {self.program.patterns[a].name for a in one.writes} - self._in_columns()
            if beside:
                raise Illegal(f"'{min(beside)}' does not belong to a column")
        assert self.box is not None

    def _in_columns(self) -> set[str]:
        across = set(self.program.iterators[:-1])
        return {n for n, p in self.program.patterns.items() if across <= set(p.items)}

    def suits(self, target: str, effort: Effort) -> None:
        """Raises Illegal if the group does not fit the target or the effort."""
        if len(self.stages) == 1:
            return
        if not effort.again and any(len(n) > 1 for n in self.needs.values()):
            raise Illegal("a stage would be computed more than once")
        if not effort.again and target == "cpu" and not all(s.pieces for s in self.stages):
            raise Illegal("a loop along the column would replace one along rows")

    def rewritten(self, target: str) -> bool:
        """Whether the new region does more than what regions one after the other do: on the CPU these come in blocks of
        columns together anyway.
        """
        if target == "gpu":
            return len(self.stages) > 1 or any(self.carried(c) for c in self.clusters)
        fewer = any(len(c.loops) > 1 for c in self.clusters)
        return len(self.stages) > 1 and (fewer or bool(self.vanished or self.inliner.gone))


def lags(cluster: Cluster, array: str) -> int:
    """How many levels back the loop of a cluster reads an array."""
    return max(
        (-t.spot.level * cluster.way for t in _reads(cluster.loops, array) if t.spot.level is not None), default=0
    )


def _reads(members: Sequence[Member], array: str) -> Iterator[Touch]:
    return (t for m in members for t in m.touches if t.array == array and not t.write)


def _in_variables(cluster: Cluster, array: str) -> bool:
    """Whether all of an array that the turns of a cluster use at any time are its values of the last few levels, each
    certainly set before it is read.
    """
    if cluster.levels is None or lags(cluster, array) > MOST_CARRIED:
        return False
    known = False
    levels: set[object] = set()
    for one, place in zip(cluster.members, cluster.places, strict=True):
        touches = [t for t in one.touches if t.array == array]
        if not touches:
            continue
        if place != "turn" or (one.row is not None and (cluster.after_begin(one.row) or 0) >= 0):
            return False
        for touch in touches:
            if touch.spot.level is None and (one.span is not None or touch.spot.row != one.row):
                return False
            if touch.spot.level is not None and touch.spot.level * cluster.way > 0:
                return False
        if one.span is None:
            reads = any(not t.write for t in touches) and (array in one.exposed or array not in one.writes)
            if (reads or array not in one.sure) and one.row not in levels:
                return False
            levels.add(one.row)
            continue
        here = any(t.spot.level == 0 for t in touches if not t.write)
        if (array in one.exposed or (here and array not in one.writes)) and not known:
            return False
        if array in one.writes and array not in one.sure and not known:
            return False
        known = known or array in one.sure
    return known


def _by_itself(cluster: Cluster, array: str) -> bool:
    """Whether a cluster sets each element of an array that it reads, and no other time that it ran has to do with it:
    its loops have the same levels, and statements before them set those from which the first turns read.
    """
    loops = [m for m in cluster.loops if any(t.array == array for t in m.touches)]
    levels = {m.row for m in cluster.at("turn") if m.span is None and array in m.sure}
    wanted = [moved(cluster.begin, -by * cluster.way) for by in range(1, lags(cluster, array) + 1)]
    return all(m.span == cluster.levels for m in loops) and all(level in levels for level in wanted)


def group_of(program: Program, stages: Sequence[Stage]) -> Group:
    """The group of some neighbouring stages."""
    kind = ColumnGroup if any(s.pieces for s in stages) else Group
    return kind(program, tuple(stages))
