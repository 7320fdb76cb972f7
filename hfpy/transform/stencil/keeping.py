"""Which stages of a group on the CPU have rows of their own, and which are computed again wherever they are needed.

Keeping a value costs a store and loads, and a loop of its own; computing it again costs operations. What counts are the
points at which a stage would be computed by the nests that need it, given what is kept after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.operations import beyond
from hfpy.transform.stencil.program import Offset, Stage, shifted
from hfpy.values import dataclass

# Operations in the time in which a byte goes to the first cache and comes back, and in that of reading an element
# again. Measured with a sum of two fields and a second difference of it (96 × 64 to 192 × 96 × 40 points: 0.75 to 0.88
# of the time where the sum's rows are kept), with a Laplacian that is used along rows (0.6), and with the interpolated
# values of fvtp2d, which are read at three points of six elements (1.2).
_ROWS, _READ = 2.0, 2.0
# The same for rows that are needed at several points of an iterator outside, too: a block then reaches along it, its
# rows do not fit into the first cache, and each stream of memory is left after a row. Measured with fastwavesuv, 256 ×
# 256 × 60 points: four operations six times take 0.86 of the time of keeping them, ten operations 0.91, `exp` 1.11.
_OUTSIDE = 6.5


@dataclass(frozen=True)
class Keeping:
    """The stages that are kept; by the stage that a nest is for, how often the nest computes each stage at a point;
    what keeping costs at a point, in operations.
    """

    kept: tuple[Stage, ...]
    evaluations: Mapping[int, Mapping[int, int]]
    price: float = 0.0

    @property
    def any(self) -> bool:
        """Whether something is kept."""
        return bool(self.kept)


def keeping(group: Group) -> Keeping:
    """Decide for the stages of a group, the last first, since what is needed of a stage depends on those after it."""
    here = (0,) * len(group.program.iterators)
    # By the stage that a nest is for: the points at which the nest needs the outputs of other stages.
    needs: dict[int, dict[int, set[Offset]]] = {s.number: {s.number: {here}} for s in group.stages if _stored(group, s)}
    kept: dict[int, float] = {}  # by stage
    evaluations: dict[int, dict[int, int]] = {}
    for stage in reversed(group.stages):
        number = stage.number
        if group.alone(stage):  # other nests find it in memory
            needs = {n: {m: o for m, o in found.items() if m != number or n == number} for n, found in needs.items()}
        users = [n for n, found in needs.items() if found.get(number)]
        times = sum(len(needs[n][number]) for n in users)
        points = [needs[n][number] for n in users]
        saved = float((stage.operations + beyond(stage.body)) * (times - 1))
        if any(any(offset[2:]) for offset in group.needs[number]):  # see blocks.reached_outside
            price = _OUTSIDE * _bytes(group, stage)
        else:
            saved += _READ * _read_again(stage, points)
            price = _ROWS * _bytes(group, stage)
        if saved > price:
            kept[number] = price
            needs[number] = {number: {here}}
            users = [number]
        for user in users:
            evaluations.setdefault(user, {})[number] = len(needs[user][number])
            for read in stage.reads:
                producer = group.producer(read)
                if producer is not None:
                    known = needs[user].setdefault(producer.number, set())
                    known |= {shifted(read.offset, o) for o in needs[user][number]}
    return Keeping(tuple(s for s in group.stages if s.number in kept), evaluations, sum(kept.values()))


def _read_again(stage: Stage, points: Sequence[Collection[Offset]]) -> int:
    """The elements that nests read to compute a stage at their points, beyond those of one point."""
    read = {(r.version, r.offset) for r in stage.reads}
    each = ({(version, shifted(offset, at)) for version, offset in read for at in found} for found in points)
    return sum(map(len, each)) - len(read)


def _stored(group: Group, stage: Stage) -> bool:
    return any(v in group.stored for v in stage.writes)


def _bytes(group: Group, stage: Stage) -> int:
    """Bytes a point of what a stage computes."""
    return sum(group.program.patterns[v.array].bytes for v in stage.writes)
