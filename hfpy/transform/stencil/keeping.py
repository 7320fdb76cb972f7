"""Which stages of a group on the CPU have rows of their own, and which are computed again wherever they are needed.

Keeping a value costs a store and loads, and a loop of its own; computing it again costs operations. What counts are the
points at which a stage would be computed by the nests that need it, given what is kept behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.program import Offset, Stage, shifted

# Operations in the time in which a byte goes to the first cache and comes back.
MOVING = 2.0


@dataclass(frozen=True)
class Keeping:
    """The stages that are kept; by the stage that a nest is for, how often the nest computes each stage at a point."""

    kept: tuple[Stage, ...]
    evaluations: Mapping[int, Mapping[int, int]]

    @property
    def any(self) -> bool:
        """Whether something is kept."""
        return bool(self.kept)


def keeping(group: Group) -> Keeping:
    """Decide for the stages of a group, the last first, since what is needed of a stage depends on those behind it."""
    here = (0,) * len(group.program.iterators)
    # By the stage that a nest is for: the points at which the nest needs the outputs of other stages.
    needs: dict[int, dict[int, set[Offset]]] = {s.number: {s.number: {here}} for s in group.stages if _stored(group, s)}
    kept: list[Stage] = []
    evaluations: dict[int, dict[int, int]] = {}
    for stage in reversed(group.stages):
        number = stage.number
        if group.alone(stage):  # other nests find it in memory
            needs = {n: {m: o for m, o in found.items() if m != number or n == number} for n, found in needs.items()}
        users = [n for n, found in needs.items() if found.get(number)]
        times = sum(len(needs[n][number]) for n in users)
        if stage.operations * (times - 1) > MOVING * _bytes(group, stage):
            kept.append(stage)
            needs[number] = {number: {here}}
            users = [number]
        for user in users:
            evaluations.setdefault(user, {})[number] = len(needs[user][number])
            for read in stage.reads:
                producer = group.producer(read)
                if producer is not None:
                    known = needs[user].setdefault(producer.number, set())
                    known |= {shifted(read.offset, o) for o in needs[user][number]}
    return Keeping(tuple(s for s in group.stages if s in kept), evaluations)


def _stored(group: Group, stage: Stage) -> bool:
    return any(v in group.stored for v in stage.writes)


def _bytes(group: Group, stage: Stage) -> int:
    """Bytes a point of what a stage computes."""
    return sum(group.program.patterns[v.array].bytes for v in stage.writes)
