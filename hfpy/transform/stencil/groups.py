"""Groups of stages: what a group stores, what each of its stages must compute, and whether fusing is legal.

The rules are stencil-optimisation.md §3 and §4; what is needed is the Minkowski sum of offsets along the paths.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from hfpy.model.directives import Region
from hfpy.transform.stencil.fusion import against
from hfpy.transform.stencil.program import (
    Box,
    Offset,
    Program,
    Read,
    Stage,
    Version,
    Wishes,
    grown,
    hull,
    shifted,
    within,
)
from hfpy.values import dataclass

MOST_NEEDED = 200  # points of one stage for one output beyond which nobody would inline it


class Illegal(Exception):
    """Stages that cannot be one group, and why."""


@dataclass(frozen=True)
class Group:
    """Some stages of a program in their order. ``stored`` are the versions that it writes to memory."""

    program: Program
    stages: tuple[Stage, ...]

    @cached_property
    def inside(self) -> frozenset[int]:
        """The numbers of the stages."""
        return frozenset(s.number for s in self.stages)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The directives of the stages, the one first whose domains the new region has."""
        return tuple(s.region.region for s in self.stages if s.region.region is not None)

    @cached_property
    def stored(self) -> frozenset[Version]:
        """Versions that live on, or that stages of other groups read."""
        program = self.program
        made = {v for s in self.stages for v in s.writes}
        elsewhere = {r.version for s in program.stages if s.number not in self.inside for r in s.reads}
        return frozenset(v for v in made if v in program.live or v in elsewhere)

    @cached_property
    def needs(self) -> Mapping[int, frozenset[Offset]]:
        """The points of each stage that one point of the group needs, relative to it."""
        here = (0,) * len(self.program.iterators)
        found: dict[int, set[Offset]] = {s.number: set() for s in self.stages}
        for stage in reversed(self.stages):
            own = found[stage.number]
            if any(v in self.stored for v in stage.writes):
                own.add(here)
            for read in stage.reads:
                producer = self.producer(read)
                if producer is not None:
                    found[producer.number] |= {shifted(read.offset, o) for o in own}
            if len(own) > MOST_NEEDED:
                raise Illegal(f"more than {MOST_NEEDED} points of one stage are needed for a point of another")
        return {n: frozenset(o) for n, o in found.items()}

    def producer(self, read: Read) -> Stage | None:
        """The stage of the group that makes what is read; None if it comes from memory."""
        stage = self.program.producer(read.version)
        return stage if stage is not None and stage.number in self.inside else None

    @cached_property
    def wishes(self) -> Wishes:
        """What directives say about its stages, together. Raises Illegal where they contradict each other."""
        asked: dict[str, dict[str, int]] = {name: {} for name in ("unroll", "tile", "march", "share")}
        for stage in self.stages:
            for name, found in asked.items():
                wanted = getattr(stage.wishes, name)
                if found and wanted and found != wanted:
                    raise Illegal("its regions ask for different 'unroll', 'tile', 'march' or 'share'")
                found.update(wanted)
        first = self.stages[0].wishes
        return Wishes(fuse=first.fuse, schedule=first.schedule, collapse=first.collapse, **asked)

    @cached_property
    def box(self) -> Box:
        """The smallest box around what is stored. Raises Illegal if bounds cannot be compared."""
        found = hull([s.box for s in self.stages if any(v in self.stored for v in s.writes)])
        if found is None:
            raise Illegal("the bounds of its regions cannot be compared")
        return found

    @cached_property
    def inputs(self) -> frozenset[Version]:
        """What the group reads from memory."""
        return frozenset(r.version for s in self.stages for r in s.reads if self.producer(r) is None)

    def check(self) -> None:
        """Raises Illegal if the stages cannot be fused."""
        assert self.wishes is not None
        if len({s.wishes.fuse for s in self.stages}) > 1:
            raise Illegal("'fuse' keeps them apart")
        if len(self.stages) == 1:
            return
        if not self.stored:
            raise Illegal("nothing of it is used")
        if reason := against(self.regions):
            raise Illegal(reason)
        self._check_extents()
        self._check_memory()
        assert self.box is not None

    @cached_property
    def required(self) -> Mapping[int, Box]:
        """The box on which each stage is needed, for whatever is stored. Raises Illegal."""
        found: dict[int, list[Box]] = {s.number: [] for s in self.stages}
        boxes: dict[int, Box] = {}
        for stage in reversed(self.stages):
            wanted = found[stage.number]
            if any(v in self.stored for v in stage.writes):
                wanted.append(stage.box)
            if not wanted:
                continue
            around = hull(wanted)
            if around is None:
                raise Illegal("the bounds of its regions cannot be compared")
            boxes[stage.number] = around
            for read in stage.reads:
                producer = self.producer(read)
                if producer is not None:
                    found[producer.number].append(grown(around, [read.offset]))
        return boxes

    def _check_extents(self) -> None:
        """What is needed of a stage must be what it computes: elsewhere the array holds something else (rule 5)."""
        for stage in self.stages:
            needed = self.required.get(stage.number)
            if needed is not None and not within(needed, stage.box):
                names = ", ".join(v.array for v in stage.writes)
                raise Illegal(f"'{names}' is read where this region does not compute it")

    def _check_memory(self) -> None:
        """An array that is stored must not be read from memory at another point of the same group (rule 3)."""
        stored = {v.array for v in self.stored}
        for stage in self.stages:
            for read in stage.reads:
                if self.producer(read) is not None or read.version.array not in stored:
                    continue
                if any(any(shifted(read.offset, o)) for o in self.needs[stage.number]):
                    raise Illegal(f"'{read.version.array}' is read at a neighbour and written")
        if len({v.array for v in self.stored}) < len(self.stored):
            raise Illegal("an array is stored twice")
        self._check_overwriting()

    def _check_overwriting(self) -> None:
        """Nobody may compute from an array in memory after its new value has been stored there."""
        for version in self.stored:
            writer = self.program.producer(version)
            assert writer is not None
            for stage in self.stages:
                reads = any(r.version.array == version.array and self.producer(r) is None for r in stage.reads)
                if reads and any(n > writer.number for n in self._evaluated_for(stage)):
                    raise Illegal(f"'{version.array}' is overwritten before it is read for the last time")

    def alone(self, stage: Stage) -> bool:
        """Whether a stage is stored and needed at the point itself only, so that others find it in memory."""
        here = (0,) * len(self.program.iterators)
        return self.needs[stage.number] == {here} and all(v in self.stored for v in stage.writes)

    def _evaluated_for(self, stage: Stage) -> set[int]:
        """The numbers of the stored stages for which a stage is computed, its own among them."""
        found = {stage.number} if any(v in self.stored for v in stage.writes) else set()
        if self.alone(stage):
            return found
        for consumer in self.stages:
            if any(self.producer(r) is stage for r in consumer.reads):
                found |= self._evaluated_for(consumer)
        return found
