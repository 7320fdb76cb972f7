"""What a thread of a GPU keeps while it walks along one iterator: values at other points of that iterator stay in
scalars that rotate from turn to turn, instead of being read or computed anew (stencil-optimisation.md §10, *hs*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hfpy.model.expressions import walk
from hfpy.model.statements import Assignment
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.points import copies
from hfpy.transform.stencil.program import Box, Offset, Read, Stage, Version, grown, hull, shifted
from hfpy.values import dataclass

# Points that a value is carried over: beyond, it is cheaper to read or compute it again than to hold it.
MOST_HELD = 6


@dataclass(frozen=True)
class Line:
    """Values of one version at points that differ along the walk only: the offset of the newest, which a turn makes,
    how many turns the oldest has been carried, and the box on which they are needed.
    """

    version: Version
    newest: Offset
    carried: int
    box: Box


@dataclass(frozen=True)
class WalkPlan:
    """A walk along dimension ``along``: lines of stages (in their order) and of inputs; by stage the points that one
    turn computes; the elements that a turn reads from memory.
    """

    along: int
    stages: tuple[tuple[Stage, tuple[Line, ...]], ...]
    inputs: tuple[Line, ...]
    evaluations: Mapping[int, frozenset[Offset]]
    loads: frozenset[Read]

    def held(self, line: Line) -> Iterator[Offset]:
        """The offsets whose values a line has in a turn, the oldest first."""
        for by in range(-line.carried, 1):
            yield _along(line.newest, self.along, by)


def walk_plan(group: Group, along: int) -> WalkPlan:
    """What is carried along one dimension, decided for the last stage first, since what is needed of a stage depends
    on those after it.
    """
    starts = set(copies(group))
    needed: dict[int, set[Offset]] = {s.number: set() for s in group.stages}
    loads: dict[Version, dict[Offset, list[tuple[Stage, Read]]]] = {}
    evaluated: dict[int, frozenset[Offset]] = {}
    kept: list[tuple[Stage, tuple[Line, ...]]] = []
    for stage in reversed(group.stages):
        wanted = needed[stage.number]
        if any(v in group.stored for v in stage.writes):
            wanted |= starts
        if not wanted:
            continue
        box = group.required[stage.number]
        lines = [_line(stage.writes[0], offsets, along, box) for offsets in _by_line(wanted, along)]
        found = tuple(line for line in lines if line is not None)
        carried = {o for line in found for o in wanted if _same(o, line.newest, along)}
        evaluated[stage.number] = frozenset((wanted - carried) | {line.newest for line in found})
        if found:
            kept.append((stage, tuple(sorted(found, key=lambda line: line.newest))))
        for read in stage.reads:
            producer = group.producer(read)
            places = {shifted(read.offset, o) for o in evaluated[stage.number]}
            if producer is not None:
                needed[producer.number] |= places
                continue
            for place in {group.program.placed(read.version, at) for at in places}:
                loads.setdefault(read.version, {}).setdefault(place, []).append((stage, read))
    inputs, read_now = _inputs(group, along, loads)
    return WalkPlan(along, tuple(reversed(kept)), inputs, evaluated, read_now)


def carried_versions(group: Group, stage: Stage) -> list[Version]:
    """The outputs of a stage that its lines carry: those that somebody reads or that are stored."""
    read = {r.version for s in group.stages for r in s.reads}
    return [v for v in stage.writes if v in read or v in group.stored]


def _inputs(
    group: Group, along: int, loads: Mapping[Version, Mapping[Offset, list[tuple[Stage, Read]]]]
) -> tuple[tuple[Line, ...], frozenset[Read]]:
    """The lines of inputs, and what a turn still reads."""
    certain = _Certain(group)
    found: list[Line] = []
    left: set[Read] = set()
    for version in sorted(loads, key=lambda v: (v.array, v.number)):
        pattern = group.program.patterns[version.array]
        moves = group.program.iterators[along] in pattern.items
        for offsets in _by_line(loads[version], along):
            uses = [(o, s, r) for o in offsets for s, r in loads[version][o]]
            surely = [(o, s, r) for o, s, r in uses if moves and certain.reads(s, r)]
            sure = {o for o, _, _ in surely} if certain.alike or surely == uses else set()
            box = hull([grown(group.required[s.number], [r.offset]) for _, s, r in surely]) if sure else None
            line = _line(version, sure, along, _where(group, version, box)) if box is not None else None
            if line is None:
                left |= {Read(version, o) for o in offsets}
                continue
            found.append(line)
            held = {_along(line.newest, along, by) for by in range(-line.carried, 1)}
            left |= {Read(version, o) for o in offsets - held} | {Read(version, line.newest)}
    return tuple(found), frozenset(left)


def _where(group: Group, version: Version, box: Box) -> Box:
    """A box on which a field is read; in dimensions that it does not have, all points of the group."""
    items = group.program.patterns[version.array].items
    spans = zip(group.program.iterators, box, group.box, strict=True)
    return tuple(span if iterator in items else whole for iterator, span, whole in spans)


class _Certain:
    """Which elements may be read for every point of a stage: those that their arrays surely have, and where all turns
    compute the same (``alike``) those that its text reads whatever the data are.
    """

    def __init__(self, group: Group) -> None:
        stored = [s.box for s in group.stages if any(v in group.stored for v in s.writes)]
        self.alike = all(box == stored[0] for box in stored) and len(copies(group)) == 1
        self.known: dict[int, frozenset[tuple[str, Offset]]] = {}

    def reads(self, stage: Stage, read: Read) -> bool:
        """Whether a read of a stage may be done at all points where it is computed."""
        if stage.number not in self.known:
            self.known[stage.number] = self._of(stage)
        return (read.version.array, read.offset) in self.known[stage.number]

    def _of(self, stage: Stage) -> frozenset[tuple[str, Offset]]:
        keys = set(stage.safe)
        if self.alike:
            for node in stage.body:
                if isinstance(node, Assignment):
                    keys |= {(node.line.key, e.start, e.end) for e in walk(node.value)}
        return frozenset((a.array, a.offset) for key, a in stage.accesses.items() if key in keys)


def _line(version: Version, offsets: set[Offset], along: int, box: Box) -> Line | None:
    """The line through some points, if it is worth to carry values along it."""
    places = [o[along] for o in offsets]
    if len(places) < 2 or max(places) - min(places) > MOST_HELD:
        return None
    newest = max(offsets, key=lambda o: o[along])
    return Line(version, newest, max(places) - min(places), box)


def _by_line(offsets: set[Offset] | Mapping[Offset, object], along: int) -> Iterator[set[Offset]]:
    """Offsets that differ in one dimension only, together."""
    found: dict[Offset, set[Offset]] = {}
    for offset in sorted(offsets):
        found.setdefault(_along(offset, along, -offset[along]), set()).add(offset)
    yield from found.values()


def _along(offset: Offset, along: int, by: int) -> Offset:
    return tuple(o + by if d == along else o for d, o in enumerate(offset))


def _same(one: Offset, other: Offset, along: int) -> bool:
    return all(a == b for d, (a, b) in enumerate(zip(one, other, strict=True)) if d != along)
