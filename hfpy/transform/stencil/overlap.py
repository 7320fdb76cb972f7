"""How long kernels and copies take beside one another on a GPU with several queues (stencil-optimisation.md §11).

The runtime starts a kernel as soon as those are done that it shares data with, in one of its queues
(``hfpy_queues.cpp``). So kernels that have nothing to do with one another take as long as the longer of them, unless
both wait for one and the same resource: bytes of memory, operations, instructions, caches, launches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.model import Cost
from hfpy.values import dataclass


@dataclass(frozen=True)
class Work:
    """A kernel or a copy: ``seconds`` by itself, ``busy``: for how long it would keep each resource busy if it had all
    of it, ``behind``: the earlier works that have to be done before it, by their places. The host waits for a
    ``copy``, so that all that is started later comes after it.
    """

    seconds: float
    busy: Mapping[str, float] = field(default_factory=dict)
    behind: tuple[int, ...] = ()
    copy: bool = False


def kernel(cost: Cost, behind: tuple[int, ...]) -> Work:
    """The work of a group with such a cost."""
    return Work(cost.seconds, cost.busy, behind)


def in_order(works: Sequence[Work]) -> float:
    """The seconds of some works one after another."""
    return sum(work.seconds for work in works)


def beside(works: Sequence[Work], queues: int) -> float:
    """The seconds until all of some works are done, which the host starts in their order.

    A resource serves kernels in the order of their starts. A kernel goes to the queue whose last work it comes after,
    else to the one that is idle first, as in the runtime; a copy needs none.
    """
    host = 0.0
    ends: list[float] = []
    resources: dict[str, float] = {}
    last: list[tuple[int, float]] = [(-1, 0.0)] * max(queues, 1)
    for place, work in enumerate(works):
        begin = max([host, *(ends[n] for n in work.behind)])
        queue = 0
        if not work.copy:
            own = (n for n, (done, _) in enumerate(last) if done in work.behind)
            queue = next(own, min(range(len(last)), key=lambda n: last[n][1]))
            begin = max(begin, last[queue][1])
        for name, seconds in work.busy.items():
            resources[name] = max(resources.get(name, 0.0), begin) + seconds
        end = max([begin + work.seconds, *(resources[name] for name in work.busy)])
        if work.copy:
            host = end
        else:
            last[queue] = place, end
        ends.append(end)
    return max(ends, default=0.0)


def together(groups: Sequence[Group], costs: Sequence[Cost], queues: int) -> float:
    """The seconds of the groups of a program, beside one another where they share no data."""
    if queues < 2 or len(groups) < 2:
        return sum(cost.seconds for cost in costs)
    touched = [_arrays(group) for group in groups]
    works = []
    for place, cost in enumerate(costs):
        reads, writes = touched[place]
        before = enumerate(touched[:place])
        behind = tuple(n for n, (read, written) in before if written & (reads | writes) or read & writes)
        works.append(kernel(cost, behind))
    return beside(works, queues)


def _arrays(group: Group) -> tuple[frozenset[str], frozenset[str]]:
    """The arrays that a group reads, and those that it sets, in memory."""
    return frozenset(v.array for v in group.inputs), frozenset(v.array for v in group.stored)
