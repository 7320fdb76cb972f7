"""Regions that the user puts to queues (``async(1)``), for backends with directives: which of them the host waits for,
and where.

The host goes on after such a region to the next one, as long as nothing but comments lies between them. Regions of
one queue of OpenACC are in the order of the text. One that touches what a region of another queue writes, or writes
what that touches, comes after a wait; so does whatever follows the last of the neighbours. OpenMP has tasks instead of
queues, and waits for all of them: gfortran 12 loses ``depend`` of ``target teams distribute parallel do``, so nothing
relies on that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, warning
from hfpy.model.directives import Region
from hfpy.values import dataclass

_SAME = "results are the same with and without it"


@dataclass(frozen=True)
class Queued:
    """The queue of a region (0: the host waits for its end), and the queues that the host waits for after it."""

    queue: int = 0
    waits: tuple[int, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A region among its neighbours: its number, the queue that it may go to, and whether it comes after all others
    whatever it touches.
    """

    number: int
    queue: int
    alone: bool = False


def queued(run: Sequence[Asked], apart: Callable[[int, int], bool], ordered: bool) -> Mapping[int, Queued]:
    """The queues of neighbours, by number; ``apart`` tells of two regions whether they may run at the same time,
    ``ordered`` whether those of one queue never do. A region that nothing would run beside is waited for at once.
    """

    def needed(queue: int, following: Asked | None) -> bool:
        if following is None or following.alone:
            return True
        if ordered and queue == following.queue:
            return False
        return not all(apart(number, following.number) for number in pending[queue])

    waits: dict[int, tuple[int, ...]] = {}
    pending: dict[int, list[int]] = {}
    queues: dict[int, int] = {}
    for place, one in enumerate(run):
        if one.queue:
            pending.setdefault(one.queue, []).append(one.number)
        queues[one.number] = one.queue
        following = run[place + 1] if place + 1 < len(run) else None
        behind = tuple(q for q in sorted(pending) if needed(q, following))
        if behind == (one.queue,) and pending[one.queue] == [one.number] and len(pending) == 1:
            queues[one.number], waits[one.number] = 0, ()
        else:
            waits[one.number] = behind
        for queue in behind:
            del pending[queue]
    return {number: Queued(queues[number], waits[number]) for number in queues}


def may_be_queued(facts: Facts) -> bool:
    """Whether regions may be in queues: nothing may look at their results after each of them."""
    options = facts.application.options
    return not (options.profile or options.races or options.trace or options.debug_print.on)


def no_effect(region: Region, because: str) -> Diagnostic:
    """The warning about a region that is waited for all the same."""
    return warning("HF701", f"'async' has no effect: {because}", region.place, _SAME)
