"""Arrays that a routine sees in another shape: which elements of the argument the indices of its dummy mean, compared
with counting through both in the order in which they are stored.
"""

from __future__ import annotations

import itertools
import random
from math import prod

import pytest

from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Section, Subscript
from hfpy.analyze.nests.shapes import Own, Span, reshaped
from hfpy.analyze.nests.views import View

Index = tuple[int, ...]


def in_order(counts: list[int]) -> list[Index]:
    """All indices from 0, in the order in which elements are stored."""
    return [tuple(reversed(i)) for i in itertools.product(*(range(c) for c in reversed(counts)))]


def constant(subscript: Subscript) -> int:
    assert isinstance(subscript, Form) and subscript.constant is not None
    return subscript.constant


def elements(subscript: Subscript) -> list[int]:
    """What a subscript takes."""
    if isinstance(subscript, Form):
        return [constant(subscript)]
    assert isinstance(subscript, Section) and subscript.lower is not None and subscript.upper is not None
    return list(range(constant(subscript.lower), constant(subscript.upper) + subscript.step, subscript.step))


def seen_as(counts: list[int], spans: list[Span], places: list[Subscript], open_end: bool = False) -> View | None:
    """A dummy of some shape, whose bounds begin at 3, 4 and so on."""
    sizes: list[int | None] = [*counts[:-1], None if open_end else counts[-1]]
    own = [Own(number(3 + n), number(c) if c is not None else None) for n, c in enumerate(sizes)]
    made = reshaped(own, spans, places, True)
    return View("a", ("", "a"), made) if made is not None else None


@pytest.mark.parametrize("seed", range(20))
def test_elements_correspond_in_storage_order(seed: int) -> None:
    random_ = random.Random(seed)
    followed = 0
    for _ in range(100):
        spans, places = [], list[Subscript]()
        for place in range(random_.randint(1, 4)):
            if random_.random() < 0.2:
                places.append(number(7))
                continue
            lower, step = random_.randint(-2, 5), random_.choice((1, 1, 2, -1))
            spans.append(Span(place, number(lower), step, number(random_.choice((1, 2, 3, 4, 6)))))
            places.append(spans[-1].whole)
        there = [constant(s.count) for s in spans if s.count is not None]
        counts = [random_.choice((1, 2, 3, 4, 6, 8, 12)) for _ in range(random_.randint(1, 3))]
        if not spans or prod(counts) > prod(there):
            continue
        view = seen_as(counts, spans, places, random_.random() < 0.3)
        if view is None:
            continue
        followed += 1
        for own, theirs in zip(in_order(counts), in_order(there), strict=False):
            found = view.placed(tuple(number(3 + n + i) for n, i in enumerate(own)))
            assert found is not None
            expected = [constant(p) if isinstance(p, Form) else 0 for p in places]
            for span, index in zip(spans, theirs, strict=True):
                expected[span.place] = constant(span.lower) + span.step * index
            assert [constant(p) for p in found] == expected, (counts, spans, own)
        whole = view.placed(tuple(Section(number(3 + n), number(2 + n + c)) for n, c in enumerate(counts)))
        if whole is not None:
            covered = list(itertools.product(*(elements(p) for p in whole)))
            assert len(covered) == prod(counts)
            first = [view.placed(tuple(number(3 + n + i) for n, i in enumerate(own))) for own in in_order(counts)]
            assert {tuple(constant(p) for p in f or ()) for f in first} == set(covered)
    assert followed > 10


def test_sizes_that_are_not_known() -> None:
    """A dimension of the same size on both sides is one of its own, whatever the size."""
    assert seen_as([6], [Span(0, number(1), 1, None)], [Section()]) is not None
    assert seen_as([6], [Span(0, number(1), 1, None), Span(1, number(1), 1, number(2))], [Section(), Section()]) is None
