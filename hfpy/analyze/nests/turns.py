"""Whether the loops in a region's body may be exchanged, cut, shared or joined: what transformations ask for."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.analyze.dependence.answers import Pair
from hfpy.analyze.dependence.conflicts import Question, apart
from hfpy.analyze.dependence.forms import Index
from hfpy.analyze.dependence.model import Access, Nest
from hfpy.analyze.dependence.sets import Sets, TooHardError
from hfpy.analyze.nests.calls import Source
from hfpy.model.statements import Construct

_MOST = 3_000  # pairs of one array


def index_of(access: Access, loop: Construct) -> Index | None:
    """The index that a ``do`` around an access has in the nest, where there are no loops of another kind; None for an
    access elsewhere.
    """
    source = access.source
    if not isinstance(source, Source):
        return None
    around = [c for c in source.reference.at.constructs if c.kind == "do"]
    place = next((n - len(around) for n, c in enumerate(around) if c is loop), 0)
    return access.at.loops[place].index if place and -place <= len(access.at.loops) else None


def exchanged(sets: Sets, nest: Nest, array: str, outer: Index, inner: Index) -> Pair | None:
    """Two accesses of an array that come in another order where two loops, one right in the other, are exchanged; None
    if there are none, for all sizes. The first access is earlier in the outer loop and later in the inner one.
    """
    accesses = [a for a in nest.of(array) if {outer, inner} <= {x.index for x in a.at.loops}]
    count = 0
    for place, one in enumerate(accesses):
        for other in accesses[place:]:
            if not (one.write or other.write) or apart(one, other, frozenset((outer, inner))):
                continue
            count += 1
            if count > _MOST or _meet(sets, nest, (one, other), outer, inner):
                return one, other
    return None


def shared(sets: Sets, nest: Nest, array: str, loops: tuple[Index, ...]) -> Pair | None:
    """Two accesses of an array that meet in an element, one of which writes it, where threads share the turns of some
    loops, of which the first is around the others; None if there are none, for all sizes. What is around the first is
    in one turn.
    """
    accesses = [a for a in nest.of(array) if set(loops) <= {x.index for x in a.at.loops}]
    count = 0
    for place, one in enumerate(accesses):
        for other in accesses[place:]:
            if not (one.write or other.write) or apart(one, other, frozenset(loops)):
                continue
            count += 1
            order = [loop.index for loop in one.at.loops]
            around = frozenset(order[: order.index(loops[0])])
            if count > _MOST or _by_two_threads(sets, nest, (one, other), loops, around):
                return one, other
    return None


def against_order(
    sets: Sets, nest: Nest, array: str, loop: Index, first: Sequence[Access], second: Sequence[Access]
) -> Pair | None:
    """An access of the ``second`` part of a loop's turns, and one of the ``first`` part in a later turn, that meet in
    an element of an array that one of them writes; None if there are none, for all sizes. What is around the loop is in
    one turn.
    """
    count = 0
    for one in (a for a in second if a.array == array):
        order = [x.index for x in one.at.loops]
        around = frozenset(order[: order.index(loop)])
        for other in (a for a in first if a.array == array):
            if not (one.write or other.write) or apart(one, other, frozenset((loop,))):
                continue
            count += 1
            if count > _MOST or _ahead(sets, nest, (one, other), loop, around):
                return one, other
    return None


def across(sets: Sets, nest: Nest, first: Sequence[Access], second: Sequence[Access]) -> Pair | None:
    """An access of the ``first`` part of a region's points, and one of the ``second`` part at another point, that meet
    in an element of an array that one of them writes; None if there are none, for all sizes.
    """
    count = 0
    points = frozenset(nest.points)
    for one in first:
        for other in second:
            if one.array != other.array or not (one.write or other.write) or apart(one, other, points):
                continue
            count += 1
            if count > _MOST or _by_two_threads(sets, nest, (one, other), nest.points, frozenset()):
                return one, other
    return None


def _ahead(sets: Sets, nest: Nest, pair: Pair, loop: Index, around: frozenset[Index]) -> bool:
    try:
        return Question(sets, (loop,), *pair, nest.facts, same=around, ahead=True).meeting() is not None
    except TooHardError:
        return True


def _by_two_threads(sets: Sets, nest: Nest, pair: Pair, loops: tuple[Index, ...], around: frozenset[Index]) -> bool:
    try:
        return Question(sets, loops, *pair, nest.facts, same=around).meeting() is not None
    except TooHardError:
        return True


def _meet(sets: Sets, nest: Nest, pair: Pair, outer: Index, inner: Index) -> bool:
    """Whether two accesses may meet in turns that are exchanged, all loops around being in one turn."""
    order = [loop.index for loop in pair[0].at.loops]
    around = frozenset(order[: order.index(outer)])
    try:
        question = Question(sets, (outer, inner), *pair, nest.facts, same=around, crossed=True)
        return question.meeting() is not None
    except TooHardError:
        return True
