"""Arrays that a called routine sees in another shape: the elements of the argument and of the dummy correspond in the
order in which arrays are stored (sequence association: Fortran 2018, 15.5.2.11).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import IDENTITY
from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Section, Subscript
from hfpy.analyze.nests.subscripts import Subscripts
from hfpy.analyze.nests.views import Counted, Folded, Hole
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A dimension of what is passed: its place among the subscripts, its first index, its step, and how many indices
    there are; None where this is not known, or where there is no end but that of the array.
    """

    place: int
    lower: Form
    step: int
    count: Form | None

    @property
    def whole(self) -> Section:
        """From end to end."""
        if self.count is None:
            return Section(self.lower, None, self.step)
        return Section(self.lower, self.lower + (self.count - number(1)).times(self.step), self.step)


@dataclass(frozen=True, slots=True)
class Own:
    """A dimension of a dummy: its lower bound, and how many indices there are (None: as many as there are elements)."""

    first: Form
    count: Form | None


def in_another_shape(
    dummy: DataObject, data: DataObject, places: tuple[Subscript, ...], outer: Subscripts, inner: Subscripts
) -> tuple[Subscript | Hole | Folded, ...] | None:
    """The subscripts of an argument (a whole array, sections, or the first element of what is passed), with what the
    dimensions of its dummy mean in their places; None where it cannot be said.
    """
    if not dummy.shaped:
        return None  # it has the shape of the argument
    if any(one.removed or outer.facts.order(one) != IDENTITY for one in (dummy, data)):
        return None  # elements are not in the order that the declarations tell
    own = [Own(inner.lower(dummy, n), inner.extent(d, dummy)) for n, d in enumerate(dummy.used)]
    if any(isinstance(p, Section) for p in places):
        spans = [_section(n, p) for n, p in enumerate(places) if isinstance(p, Section)]
        known = [span for span in spans if span is not None]
        return reshaped(own, known, places, True) if len(known) == len(spans) else None
    if len(places) != data.rank:
        return None
    behind = list(_from_element(data, places, outer))
    made = reshaped(own, behind, places, len(behind) == data.rank)
    return made if made is not None else _in_midst(own, data, places, outer)


def _in_midst(
    own: Sequence[Own], data: DataObject, places: Sequence[Subscript], outer: Subscripts
) -> tuple[Folded, ...] | None:
    """The same for an element anywhere in an array, by the number of elements before it."""
    spans, ahead, before = [], number(0), 1
    for place, start in enumerate(places):
        lower, length = outer.lower(data, place), outer.extent(data.used[place], data)
        count = _product((length,))
        if not isinstance(start, Form) or (count is None and place < data.rank - 1):
            return None
        spans.append(Span(place, lower, 1, length))
        ahead += (start - lower).times(before)
        before *= count or 1
    folded = _folded(own, spans, (0, len(own)), (0, len(spans)))
    found = [replace(one, ahead=ahead, whole=None) for one in folded if one is not None]
    return tuple(found) if len(found) == len(spans) else None


def _section(place: int, section: Section) -> Span | None:
    """A section as a dimension of what is passed."""
    if section.lower is None:
        return None
    upper, step = section.upper, section.step
    length = (upper - section.lower).times(1 if step > 0 else -1) if upper is not None else None
    if length is None or abs(step) == 1:
        return Span(place, section.lower, step, length + number(1) if length is not None else None)
    known = length.constant
    return Span(place, section.lower, step, number(known // abs(step) + 1) if known is not None else None)


def _from_element(data: DataObject, places: Sequence[Subscript], outer: Subscripts) -> Iterator[Span]:
    """The dimensions in which the elements are that come with an element: as far as each begins at its lower bound, and
    the next one, from the element.
    """
    for place, start in enumerate(places):
        if not isinstance(start, Form):
            return
        lower, length = outer.lower(data, place), outer.extent(data.used[place], data)
        yield Span(place, start, 1, length - (start - lower) if length is not None else None)
        if start != lower:
            return


def reshaped(
    own: Sequence[Own], spans: Sequence[Span], places: Sequence[Subscript], to_end: bool
) -> tuple[Subscript | Hole | Folded, ...] | None:
    """The subscripts of an argument, with what the dimensions of its dummy mean in the places of the spans. ``to_end``
    says that the last span ends where the array does. None where it cannot be said.
    """
    needed = _needed(own, spans)
    if needed is None and not to_end:
        return None  # it may go on behind the part
    used = spans[:needed]
    made = list(_matched(own, used))
    if sum(one is not None for one in made) < len(used):
        return None
    found: list[Subscript | Hole | Folded] = list(places)
    for span, one in zip(used, made, strict=True):
        assert one is not None
        found[span.place] = one
    for span in spans[len(used) :]:
        found[span.place] = span.lower
    return tuple(found)


def _needed(own: Sequence[Own], spans: Sequence[Span]) -> int | None:
    """How many of the first dimensions of what is passed have all elements of a dummy; None where it is not known."""
    wanted = _product(o.count for o in own)
    for used in range(1, len(spans) + 1):
        there = _product(span.count for span in spans[:used])
        if wanted is None or there is None:
            return None
        if there >= wanted:
            return used
    return None


def _product(counts: Iterable[Form | None]) -> int | None:
    found = 1
    for count in counts:
        value = count.constant if count is not None else None
        if value is None or value < 1:
            return None
        found *= value
    return found


def _matched(own: Sequence[Own], spans: Sequence[Span]) -> Iterator[Hole | Folded | None]:
    """What each span is, by the groups of dimensions that have equally many elements on both sides."""
    mine, theirs = 0, 0
    while theirs < len(spans):
        if mine == len(own):
            yield None
            return
        last = mine == len(own) - 1, theirs == len(spans) - 1
        equal = own[mine].count is not None and own[mine].count == spans[theirs].count
        if all(last) or (equal and not any(last)):
            yield _one(mine, own[mine], spans[theirs])
            mine, theirs = mine + 1, theirs + 1
            continue
        after, behind = _group(own, spans, mine, theirs)
        yield from _folded(own, spans, (mine, after), (theirs, behind))
        mine, theirs = after, behind


def _one(which: int, own: Own, span: Span) -> Hole:
    """A dimension of the dummy that is one of what is passed."""
    whole = span.whole if own.count is None else Span(span.place, span.lower, span.step, own.count).whole
    return Hole(which, span.lower, own.first, span.step, whole)


def _group(own: Sequence[Own], spans: Sequence[Span], mine: int, theirs: int) -> tuple[int, int]:
    """Where the next group ends on both sides: where products of counts are equal, or at the end of both."""
    after, behind = mine + 1, theirs + 1
    while True:
        here = _product(o.count for o in own[mine:after])
        there = _product(s.count for s in spans[theirs:behind])
        ends = (here or 0) < (there or 0) and after == len(own), (here or 0) > (there or 0) and behind == len(spans)
        if here is None or there is None or any(ends):
            return len(own), len(spans)
        if here == there:
            rest = after < len(own), behind < len(spans)
            return (after, behind) if all(rest) or not any(rest) else (len(own), len(spans))
        after, behind = after + (here < there), behind + (here > there)


def _folded(
    own: Sequence[Own], spans: Sequence[Span], mine: tuple[int, int], theirs: tuple[int, int]
) -> Iterator[Folded | None]:
    """The spans of a group."""
    counted: list[Counted] = []
    stride = 1
    for which in range(*mine):
        counted.append(Counted(which, own[which].first, own[which].count, stride))
        factor = _product((own[which].count,))
        if factor is None and which < mine[1] - 1:
            yield from (None for _ in range(*theirs))
            return
        stride *= factor or 1
    filled = _product(o.count for o in own[slice(*mine)]) == _product(s.count for s in spans[slice(*theirs)])
    before = 1
    for which in range(*theirs):
        span, count = spans[which], _product((spans[which].count,))
        last = which == theirs[1] - 1
        if count is None and not last:
            yield None
            return
        whole = span.whole if filled and count is not None else None
        yield Folded(tuple(counted), before, None if last else count, span.lower, span.step, whole)
        before *= count or 1
