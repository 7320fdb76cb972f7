"""Which stages go together: the cheapest grouping of a program by the cost model (stencil-optimisation.md §11)."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise, product

from hfpy.options import Machine
from hfpy.transform.stencil.blocks import in_blocks
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.groups import Group, Illegal
from hfpy.transform.stencil.model import Cost, cost
from hfpy.transform.stencil.overlap import together
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.sweeps import ColumnGroup, group_of
from hfpy.values import dataclass

# Values that a thread of a GPU may have to hold at once before the model no longer believes in registers.
MOST_VALUES = 160
_EXHAUSTIVE = 10
# Stages of one group: the time to look at all groups grows with the square of this, and linearly with the stages.
MOST_STAGES = 24


# Groupings that are compared by the time that they take in several queues: the cheapest one after another.
_CANDIDATES = 12
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Choice:
    """A grouping with its costs; its seconds in a device's ``queues``; why other groups are not possible: (first
    stage, last stage, reason); the cheapest other groupings with their seconds.
    """

    groups: tuple[Group, ...]
    costs: tuple[Cost, ...]
    reasons: tuple[tuple[int, int, str], ...] = ()
    alternatives: tuple[tuple[tuple[str, ...], float], ...] = ()
    queues: int = 1

    @property
    def in_order(self) -> float:
        """Predicted time of all groups one after another."""
        return sum(c.seconds for c in self.costs)

    @cached_property
    def seconds(self) -> float:
        """Predicted time until all groups are done: those that share no data may run at the same time."""
        return together(self.groups, self.costs, self.queues)


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
        self.device = machine.device if target == "gpu" else None
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
        return self._choice(spans, self._alternatives(cuts[-1], spans))

    def _choice(self, spans: Spans, alternatives: tuple[tuple[tuple[str, ...], float], ...] = ()) -> Choice:
        chosen = [self.made[begin, end - 1] for begin, end in spans]
        reasons = tuple(self.reasons)
        return Choice(tuple(g for g, _ in chosen), tuple(c for _, c in chosen), reasons, alternatives, self.queues)

    def _alternatives(self, count: int, chosen: Spans) -> tuple[tuple[tuple[str, ...], float], ...]:
        """The cheapest other groupings of up to ten stages with their times, the best first."""
        if not 1 < count <= _EXHAUSTIVE:
            return ()
        found: list[tuple[float, Spans]] = []
        for inner in product((False, True), repeat=count - 1):
            spans = tuple(pairwise([0, *(n + 1 for n, cut in enumerate(inner) if cut), count]))
            if spans != chosen and all((a, b - 1) in self.made for a, b in spans):
                found.append((sum(self.made[a, b - 1][1].seconds for a, b in spans), spans))
        cheap = (spans for _, spans in sorted(found)[:_CANDIDATES])
        named = [
            (tuple(f"[{a}-{b - 1}]" if b - 1 > a else f"[{a}]" for a, b in s), self._choice(s).seconds) for s in cheap
        ]
        return tuple(sorted(named, key=lambda one: one[1]))

    @property
    def queues(self) -> int:
        """In how many queues kernels are."""
        return self.device.queues if self.device is not None else 1


def _names(spans: Spans) -> tuple[str, ...]:
    """Groups by their first and last stages."""
    return tuple(f"[{a}-{b - 1}]" if b - 1 > a else f"[{a}]" for a, b in spans)


def choose(program: Program, machine: Machine, target: str, effort: Effort) -> Choice:
    """The cheapest grouping of neighbouring stages (§11): exact where groups run one after another, as a group's cost
    depends on the group alone. In several queues it is the best of those that are cheap so.
    """
    return cheapest(program, machine, target, effort, 1)[0]


def cheapest(program: Program, machine: Machine, target: str, effort: Effort, most: int) -> tuple[Choice, ...]:
    """The ``most`` cheapest groupings (fewer if there are no more), the best first. Where stages that ``fuse`` wants
    together have to part, only those that part as few as can be.
    """
    prices = _Prices(program, machine, target, effort)
    if prices.queues < 2:
        return _in_order(program, prices, most)
    found = _in_order(program, prices, max(most, _CANDIDATES))
    best, *others = sorted(found, key=lambda choice: choice.seconds)
    gain = prices.device.gain if prices.device is not None else 1.0
    if best.seconds >= gain * found[0].seconds:  # a model is a model: less memory is moved so
        best, others = found[0], [choice for choice in (best, *others) if choice is not found[0]]
    return (best, *others)[:most]


def _in_order(program: Program, prices: _Prices, most: int) -> tuple[Choice, ...]:
    """The cheapest groupings where groups run one after another."""
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


def plain(program: Program, machine: Machine, target: str) -> Choice:
    """Every stage by itself, as the user wrote it."""
    groups = [group_of(program, (stage,)) for stage in program.stages]
    queues = machine.device.queues if target == "gpu" and machine.device is not None else 1
    return Choice(tuple(groups), tuple(cost(g, machine, target) for g in groups), queues=queues)
