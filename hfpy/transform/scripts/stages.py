"""The stages of the stencil program that a kernel is part of (kernel-metadata-and-transforms.md §2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.transform.scripts.work import Work
from hfpy.transform.stencil.program import Offset
from hfpy.transform.stencil.runs import RunFinder
from hfpy.transform.stencil.sweeps import group_of


@dataclass(frozen=True)
class Stage:
    """A region of a stencil program: the arrays that it sets, those that it reads with the offsets from the point (by
    ``Stages.iterators``), its operations for one point, the line where it begins, and whether it goes along columns.
    """

    sets: tuple[str, ...]
    reads: Mapping[str, frozenset[Offset]]
    operations: int
    line: int
    sweeps: bool

    def __repr__(self) -> str:
        return f"<{', '.join(self.sets)} from {', '.join(self.reads)}, line {self.line}>"


@dataclass(frozen=True)
class Stages:
    """Neighbouring regions over the same points, in the order of the text; ``iterators`` are those of the offsets.
    ``needed`` are the offsets from a point at which each stage has to be known for the point's results.
    """

    iterators: tuple[str, ...]
    stages: tuple[Stage, ...]
    needed: tuple[frozenset[Offset], ...]

    def evaluations(self) -> tuple[int, ...]:
        """How often each stage is computed for a point if all of them are one kernel that stores nothing in between."""
        return tuple(max(1, len(offsets)) for offsets in self.needed)

    def extent(self, array: str) -> Mapping[str, tuple[int, int]]:
        """How far around a point an array that a stage sets is needed: low and high by iterator.

        Raises KeyError for an array that no stage sets.
        """
        pairs = zip(self.stages, self.needed, strict=True)
        offsets = [o for stage, found in pairs if array in stage.sets for o in found]
        if not any(array in stage.sets for stage in self.stages):
            raise KeyError(f"no stage sets '{array}'")
        columns = list(zip(*offsets, strict=True)) or [(0,)] * len(self.iterators)
        return {i: (min(0, *column), max(0, *column)) for i, column in zip(self.iterators, columns, strict=True)}


def stages_of(work: Work, key: str, number: int) -> Stages | None:
    """The stages of the program that a region is part of; None for one that is in none."""
    routine = work.routine(key)
    found = RunFinder(work.facts, RoutineSharing(work.facts, work.effects, routine)).search()
    construct = routine.regions[number]
    program = next((p for p in found.programs if any(s.region is construct for s in p.stages)), None)
    if program is None:
        return None
    needs = group_of(program, program.stages).needs
    stages = []
    for stage in program.stages:
        reads: dict[str, set[Offset]] = {}
        for read in stage.reads:
            reads.setdefault(read.version.array, set()).add(read.offset)
        sets = tuple(v.array for v in stage.writes)
        listed = {name: frozenset(offsets) for name, offsets in sorted(reads.items())}
        stages.append(Stage(sets, listed, stage.operations, stage.place.line, bool(stage.pieces)))
    return Stages(program.iterators, tuple(stages), tuple(frozenset(needs[s.number]) for s in program.stages))
