"""Which stages go together: the cheapest grouping of a program by the cost model (stencil-optimisation.md §11)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

from hfpy.options import Machine
from hfpy.transform.stencil.groups import Group, Illegal
from hfpy.transform.stencil.model import Cost, cost
from hfpy.transform.stencil.program import Program

# Values that a thread of a GPU may have to hold at once before the model no longer believes in registers.
MOST_VALUES = 160
_EXHAUSTIVE = 10


@dataclass(frozen=True)
class Choice:
    """A grouping with its costs; why other groups are not possible: (first stage, last stage, reason); the cheapest
    other groupings with their seconds.
    """

    groups: tuple[Group, ...]
    costs: tuple[Cost, ...]
    reasons: tuple[tuple[int, int, str], ...] = ()
    alternatives: tuple[tuple[tuple[str, ...], float], ...] = ()

    @property
    def seconds(self) -> float:
        """Predicted time of all groups."""
        return sum(c.seconds for c in self.costs)


def legal(program: Program, first: int, last: int, target: str, level: int) -> Group:
    """The group of the stages ``first`` to ``last``. Raises Illegal."""
    group = Group(program, program.stages[first : last + 1])
    group.check()
    if len(group.stages) > 1:
        here = {(0,) * len(program.iterators)}
        if level < 2 and any(group.needs[s.number] - here for s in group.stages):
            raise Illegal("a stage would be computed more than once")
        if target == "gpu" and sum(len(n) for n in group.needs.values()) > MOST_VALUES:
            raise Illegal("a thread would have to hold too many values")
    return group


def choose(program: Program, machine: Machine, target: str, level: int) -> Choice:
    """The cheapest grouping of neighbouring stages; exact, since a group's cost depends on the group alone (§11)."""
    count = len(program.stages)
    best: list[tuple[int, float, int]] = [(0, 0.0, 0)]
    made: dict[tuple[int, int], tuple[Group, Cost]] = {}
    reasons: list[tuple[int, int, str]] = []
    for end in range(count):
        candidates = []
        for begin in range(end + 1):
            try:
                group = legal(program, begin, end, target, level)
            except Illegal as illegal:
                reasons.append((begin, end, str(illegal)))
                continue
            price = cost(group, machine, target)
            made[begin, end] = group, price
            parted, before, _ = best[begin]
            candidates.append((parted + _parts(program, begin), before + price.seconds, begin))
        best.append(min(candidates))
    cuts = [count]
    while cuts[-1]:
        cuts.append(best[cuts[-1]][2])
    chosen = [made[begin, end - 1] for begin, end in pairwise(reversed(cuts))]
    prices = {span: price.seconds for span, (_, price) in made.items()}
    others = _alternatives(count, prices, tuple(pairwise(reversed(cuts))))
    return Choice(tuple(g for g, _ in chosen), tuple(c for _, c in chosen), tuple(reasons), others)


def _parts(program: Program, begin: int) -> int:
    """Whether a group that begins there parts stages that ``fuse`` wants together."""
    if not begin:
        return 0
    before, behind = (s.wishes.fuse for s in program.stages[begin - 1 : begin + 1])
    return int(bool(before) and before == behind)


def _alternatives(
    count: int, prices: dict[tuple[int, int], float], chosen: tuple[tuple[int, int], ...]
) -> tuple[tuple[tuple[str, ...], float], ...]:
    """All other groupings of up to ten stages with their times, the cheapest first."""
    if not 1 < count <= _EXHAUSTIVE:
        return ()
    found: list[tuple[tuple[str, ...], float]] = []
    for inner in product((False, True), repeat=count - 1):
        cuts = [0, *(n + 1 for n, cut in enumerate(inner) if cut), count]
        spans = tuple(pairwise(cuts))
        if spans == chosen or any((a, b - 1) not in prices for a, b in spans):
            continue
        names = tuple(f"[{a}-{b - 1}]" if b - 1 > a else f"[{a}]" for a, b in spans)
        found.append((names, sum(prices[a, b - 1] for a, b in spans)))
    return tuple(sorted(found, key=lambda f: f[1]))


def plain(program: Program, machine: Machine, target: str) -> Choice:
    """Every stage by itself, as the user wrote it."""
    groups = [Group(program, (stage,)) for stage in program.stages]
    return Choice(tuple(groups), tuple(cost(g, machine, target) for g in groups))
