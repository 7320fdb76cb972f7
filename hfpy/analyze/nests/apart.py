"""Whether a loop around several regions may become several loops, each around some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hfpy.analyze.dependence.again import TURN, beside, in_turns
from hfpy.analyze.dependence.model import Facts, Nest
from hfpy.analyze.dependence.sets import Sets
from hfpy.analyze.nests.turns import against_order


def may_come_first(
    sets: Sets, nests: Sequence[Nest], first: int, lasting: frozenset[str], counters: frozenset[str]
) -> bool:
    """Whether all turns of the ``first`` nests of a loop may come before those of the others: in no turn one of the
    others touches what one of the first touches later, but for elements that both only read.

    ``lasting`` are parameters that have the same values in all turns, ``counters`` those that have others in each.
    """
    whole = in_turns(beside(nests), lasting)
    asked = replace(whole, facts=Facts(whole.facts.assumed, counters))
    count = sum(len(nest.accesses) for nest in nests[:first])
    before, behind = asked.accesses[:count], asked.accesses[count:]
    written = dict.fromkeys(a.array for a in asked.accesses if a.write)
    return all(against_order(sets, asked, array, TURN, before, behind) is None for array in written)
