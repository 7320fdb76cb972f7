"""Which stages go together: the cheapest grouping of a program by the cost model (stencil-optimisation.md §11)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise, product

from hfpy.options import Machine
from hfpy.transform.stencil.blocks import in_blocks
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.groups import Group, Illegal
from hfpy.transform.stencil.model import Cost, cost
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.sweeps import ColumnGroup, group_of

# Values that a thread of a GPU may have to hold at once before the model no longer believes in registers.
MOST_VALUES = 160
_EXHAUSTIVE = 10
# Stages of one group: the time to look at all groups grows with the square of this, and linearly with the stages.
MOST_STAGES = 24


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


def legal(program: Program, first: int, last: int, target: str, effort: Effort) -> Group:
    """The group of the stages ``first`` to ``last``. Raises Illegal."""
    group = group_of(program, program.stages[first : last + 1])
    group.check()
    if target == "cpu" and len(group.stages) > 1:
        _check_threads(group)
    if isinstance(group, ColumnGroup):
        group.suits(target, effort)
        return group
    if len(group.stages) > 1:
        here = {(0,) * len(program.iterators)}
        if not effort.again and any(group.needs[s.number] - here for s in group.stages):
            raise Illegal("a stage would be computed more than once")
        if target == "gpu" and sum(len(n) for n in group.needs.values()) > MOST_VALUES:
            raise Illegal("a thread would have to hold too many values")
    return group


def _check_threads(group: Group) -> None:
    """Raises Illegal where ``schedule`` and ``collapse`` cannot be granted to one region for all stages."""
    if len({s.wishes.threads for s in group.stages}) > 1:
        raise Illegal("its regions ask for different 'schedule' or 'collapse'")
    if group.wishes.collapse and (isinstance(group, ColumnGroup) or in_blocks(group, "cpu")):
        raise Illegal("'collapse' asks for the loops that they have")


class _Prices:
    """All legal groups of neighbouring stages with their costs, by first and last stage, and why others are none."""

    def __init__(self, program: Program, machine: Machine, target: str, effort: Effort) -> None:
        self.made: dict[tuple[int, int], tuple[Group, Cost]] = {}
        self.reasons: list[tuple[int, int, str]] = []
        for end in range(len(program.stages)):
            for begin in range(max(0, end + 1 - MOST_STAGES), end + 1):
                try:
                    group = legal(program, begin, end, target, effort)
                    self.made[begin, end] = group, cost(group, machine, target)
                except Illegal as illegal:
                    self.reasons.append((begin, end, str(illegal)))

    def choice(self, cuts: tuple[int, ...]) -> Choice:
        """The grouping between some cuts, the first and last of which are the ends of the program. Raises Illegal."""
        spans = tuple(pairwise(cuts))
        for begin, end in spans:
            if (begin, end - 1) not in self.made:
                raise Illegal(next((r for a, b, r in self.reasons if (a, b) == (begin, end - 1)), "no such stages"))
        chosen = [self.made[begin, end - 1] for begin, end in spans]
        prices = {span: price.seconds for span, (_, price) in self.made.items()}
        others = _alternatives(cuts[-1], prices, spans)
        return Choice(tuple(g for g, _ in chosen), tuple(c for _, c in chosen), tuple(self.reasons), others)


def choose(program: Program, machine: Machine, target: str, effort: Effort) -> Choice:
    """The cheapest grouping of neighbouring stages; exact, since a group's cost depends on the group alone (§11)."""
    return cheapest(program, machine, target, effort, 1)[0]


def cheapest(program: Program, machine: Machine, target: str, effort: Effort, most: int) -> tuple[Choice, ...]:
    """The ``most`` cheapest groupings (fewer if there are no more), the best first. Where stages that ``fuse`` wants
    together have to part, only those that part as few as can be.
    """
    prices = _Prices(program, machine, target, effort)
    count = len(program.stages)
    # For each number of stages the best ways to group so many: stages parted that `fuse` wants together, seconds, where
    # the last group begins, and which of the ways to group the stages before it.
    best: list[list[tuple[int, float, int, int]]] = [[(0, 0.0, 0, 0)]]
    for end in range(count):
        ways = [
            (parted + _parts(program, begin), seconds + prices.made[begin, end][1].seconds, begin, rank)
            for begin in range(end + 1)
            if (begin, end) in prices.made
            for rank, (parted, seconds, _, _) in enumerate(best[begin])
        ]
        best.append(sorted(ways)[:most])
    found = []
    for rank in range(sum(parted == best[count][0][0] for parted, *_ in best[count])):
        cuts = [count]
        while cuts[-1]:
            _, _, begin, rank = best[cuts[-1]][rank]
            cuts.append(begin)
        found.append(prices.choice(tuple(reversed(cuts))))
    return tuple(found)


def grouped(program: Program, machine: Machine, target: str, effort: Effort, sizes: tuple[int, ...]) -> Choice:
    """The grouping with so many stages in each group. Raises Illegal if it cannot be."""
    cuts = (0, *accumulate(sizes))
    if cuts[-1] != len(program.stages) or any(a >= b for a, b in pairwise(cuts)):
        raise Illegal(f"there are {len(program.stages)} regions")
    return _Prices(program, machine, target, effort).choice(cuts)


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
    groups = [group_of(program, (stage,)) for stage in program.stages]
    return Choice(tuple(groups), tuple(cost(g, machine, target) for g in groups))
