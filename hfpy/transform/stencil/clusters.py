"""Loops of a group of columns as one loop: which members go together, and in which turns (stencil-optimisation.md §7).

A cluster is one loop over the levels that all its loops have, in one direction. Levels that only some of them have, and
statements about single levels, are turns before and after it. What touches the same element must keep its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hfpy.analyze.language.sizes import Linear
from hfpy.transform.stencil.members import Member, Touch
from hfpy.transform.stencil.program import Span, distance, moved
from hfpy.values import dataclass

MOST_TURNS = 3  # before and after a loop


@dataclass(frozen=True)
class Cluster:
    """Members with the place of each: ``first`` (before everything), ``turn`` or ``last``. ``levels`` are those of the
    loop, None if there is none; ``before`` and ``behind`` tell how many turns there are around it.
    """

    members: tuple[Member, ...]
    places: tuple[str, ...]
    step: int
    levels: Span | None
    before: int = 0
    behind: int = 0

    @property
    def way(self) -> int:
        """1 upwards, -1 downwards."""
        return self.step or 1

    @property
    def begin(self) -> Linear:
        """The first level of the loop."""
        assert self.levels is not None
        return self.levels.lower if self.way > 0 else self.levels.upper

    @property
    def end(self) -> Linear:
        """The last level of the loop."""
        assert self.levels is not None
        return self.levels.upper if self.way > 0 else self.levels.lower

    @property
    def loops(self) -> tuple[Member, ...]:
        """The members that are loops."""
        return tuple(m for m in self.members if m.span is not None)

    def at(self, place: str) -> tuple[Member, ...]:
        """The members at a place."""
        return tuple(m for m, p in zip(self.members, self.places, strict=True) if p == place)

    def starts_early(self, one: Member) -> bool:
        """Whether a loop has turns before the common ones."""
        assert one.span is not None
        return (one.span.lower if self.way > 0 else one.span.upper) != self.begin

    def after_begin(self, level: Linear) -> int | None:
        """How many turns a level is after the first of the loop."""
        by = distance(level, self.begin)
        return None if by is None else by * self.way

    def after_end(self, level: Linear) -> int | None:
        """How many turns a level is after the last of the loop."""
        by = distance(level, self.end)
        return None if by is None else by * self.way


def clusters(members: Sequence[Member], together: bool = True) -> tuple[Cluster, ...]:
    """The members in as few loops as their order allows, each as early as it may be."""
    found: list[Cluster] = []
    for unit in _units(members):
        if found and together and (joined := _joined(found[-1], unit)) is not None:
            found[-1] = joined
            continue
        made = _cluster(tuple(unit))
        found += [made] if made is not None else [c for m in unit if (c := _cluster((m,))) is not None]
    return tuple(found)


def _units(members: Sequence[Member]) -> list[list[Member]]:
    """Each loop of a stage with the statements before it, and what is left behind the last."""
    units: list[list[Member]] = [[]]
    for one in members:
        if units[-1] and (units[-1][-1].span is not None or units[-1][-1].stage is not one.stage):
            units.append([])
        units[-1].append(one)
    return [u for u in units if u]


def _joined(cluster: Cluster, unit: list[Member]) -> Cluster | None:
    if cluster.levels is None or cluster.members[0].stage.box[:-1] != unit[0].stage.box[:-1]:
        return None
    return _cluster((*cluster.members, *unit))


def _cluster(members: tuple[Member, ...]) -> Cluster | None:
    """Members as one loop with the turns around it; None if that is not legal."""
    loops = [m for m in members if m.span is not None]
    if not loops:
        return Cluster(members, ("first",) * len(members), 0, None)
    steps = {m.step for m in loops} - {0}
    if len(steps) > 1:
        return None
    step = steps.pop() if steps else 0
    levels = _common(loops)
    if levels is None:
        return None
    cluster = Cluster(members, ("turn",) * len(members), step, levels)
    placed = _placed(cluster)
    return placed if placed is not None and legal(placed) else None


def _common(loops: Sequence[Member]) -> Span | None:
    """The levels that all loops have."""
    assert loops[0].span is not None
    lower, upper = loops[0].span.lower, loops[0].span.upper
    for one in loops[1:]:
        assert one.span is not None
        above, below = distance(one.span.lower, lower), distance(one.span.upper, upper)
        if above is None or below is None:
            return None
        lower = one.span.lower if above > 0 else lower
        upper = one.span.upper if below < 0 else upper
    return Span(lower, upper)


def _placed(cluster: Cluster) -> Cluster | None:
    """The cluster with a place for each statement outside of loops; levels that these are about leave the loop."""
    places = []
    for number, one in enumerate(cluster.members):
        if one.span is not None:
            places.append("turn")
            continue
        around = _around(cluster, one)
        if around is not None:
            cluster = around
            places.append("turn")
            continue
        earlier = any(conflicts(m, one) for m in cluster.members[:number])
        places.append("last" if earlier else "first")
    cluster = replace(cluster, places=tuple(places))
    before = behind = 0
    for one, place in zip(cluster.members, places, strict=True):
        for level in _levels(one, cluster) if place == "turn" else ():
            early, late = cluster.after_begin(level), cluster.after_end(level)
            before = max(before, -early if early is not None else 0)
            behind = max(behind, late if late is not None else 0)
    return replace(cluster, before=before, behind=behind) if max(before, behind) <= MOST_TURNS else None


def _levels(one: Member, cluster: Cluster) -> list[Linear]:
    """The first and last level of a member in the direction of the loop."""
    if one.span is None:
        assert one.row is not None
        return [one.row]
    return [one.span.lower, one.span.upper] if cluster.way > 0 else [one.span.upper, one.span.lower]


def _around(cluster: Cluster, one: Member) -> Cluster | None:
    """The cluster, its loop shorter if need be, so that statements about one level are before or after it."""
    if one.row is None:
        return None
    early, late = cluster.after_begin(one.row), cluster.after_end(one.row)
    if early is not None and early < 0:
        return cluster if -early <= MOST_TURNS else None
    if late is not None and late > 0:
        return cluster if late <= MOST_TURNS else None
    earlier = [m for m in cluster.members if m.number < one.number and m.span is not None]
    later = [m for m in cluster.members if m.number > one.number and m.span is not None]
    if not any(conflicts(m, one) for m in earlier) or not any(conflicts(one, m) for m in later):
        return None  # it can be before or after everything
    assert cluster.levels is not None
    lower, upper = cluster.levels.lower, cluster.levels.upper
    if early is not None and early < MOST_TURNS:
        first = moved(one.row, cluster.way)
        return replace(cluster, levels=Span(first, upper) if cluster.way > 0 else Span(lower, first))
    if late is not None and -late < MOST_TURNS:
        last = moved(one.row, -cluster.way)
        return replace(cluster, levels=Span(lower, last) if cluster.way > 0 else Span(last, upper))
    return None


# -- order


def legal(cluster: Cluster) -> bool:
    """Whether all members of a cluster see what they saw one after the other."""
    pairs = list(zip(cluster.members, cluster.places, strict=True))
    for number, (late, at) in enumerate(pairs):
        for early, before in pairs[:number]:
            if not _in_order(cluster, early, before, late, at):
                return False
    return True


def _in_order(cluster: Cluster, early: Member, before: str, late: Member, at: str) -> bool:
    if at == "last" or before == "first":
        return True
    if at == "first" or before == "last":
        return not conflicts(early, late)
    if early.stage is late.stage and early.carried & late.carried and not _values_in_order(cluster, early, late):
        return False
    for one in early.touches:
        for other in late.touches:
            if (one.write or other.write) and one.array == other.array and not _apart(one, early, other, late):
                if one.flat or other.flat:
                    return False
                if _behind(cluster, early) and not _behind(cluster, late):
                    return False
                if not _not_before(cluster, one, early, other, late):
                    return False
    return True


def conflicts(early: Member, late: Member) -> bool:
    """Whether two members may touch the same element or single value, and one of them sets it."""
    if early.stage is late.stage and early.carried & late.carried:
        return True
    return any(
        (one.write or other.write) and one.array == other.array and not _apart(one, early, other, late)
        for one in early.touches
        for other in late.touches
    )


def _reach(touch: Touch, one: Member) -> Span:
    """The levels of the elements that a member touches in all its turns."""
    if touch.spot.row is not None:
        return Span(touch.spot.row, touch.spot.row)
    assert one.span is not None and touch.spot.level is not None
    return Span(moved(one.span.lower, touch.spot.level), moved(one.span.upper, touch.spot.level))


def _apart(one: Touch, early: Member, other: Touch, late: Member) -> bool:
    """Whether two members certainly touch different levels."""
    if one.flat or other.flat:
        return False
    here, there = _reach(one, early), _reach(other, late)
    above, below = distance(here.lower, there.upper), distance(there.lower, here.upper)
    return (above is not None and above > 0) or (below is not None and below > 0)


def _behind(cluster: Cluster, one: Member) -> bool:
    """Whether statements about a level are run after the loop."""
    if one.span is not None:
        return False
    assert one.row is not None
    late = cluster.after_end(one.row)
    early = cluster.after_begin(one.row)
    return not (early is not None and early < 0) and late is not None and late > 0


def _not_before(cluster: Cluster, one: Touch, early: Member, other: Touch, late: Member) -> bool:
    """Whether the turn of the later member that touches an element never comes before that of the earlier one."""
    if one.spot.level is not None and other.spot.level is not None:
        return (one.spot.level - other.spot.level) * cluster.way >= 0
    first, second = _turn(one, early, other), _turn(other, late, one)
    if first is None or second is None:
        return False
    by = distance(second, first)
    return by is not None and by * cluster.way >= 0


def _turn(touch: Touch, one: Member, other: Touch) -> Linear | None:
    """The turn in which a member touches the element that another touch names, where that is one turn."""
    if one.span is None:
        return one.row
    if touch.spot.level is None or other.spot.row is None:
        return None
    return moved(other.spot.row, -touch.spot.level)


def _values_in_order(cluster: Cluster, early: Member, late: Member) -> bool:
    """Whether single values of a stage go from statements about a level to a loop whose turns all come later."""
    if early.span is not None or late.span is None or early.row is None or _behind(cluster, early):
        return False
    first = late.span.lower if cluster.way > 0 else late.span.upper
    by = distance(first, early.row)
    return by is not None and by * cluster.way > 0
