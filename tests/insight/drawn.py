"""What a drawing shows, read back from its layout: places of boxes, and points along the arrows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hfpy.insight.layers import Point, Rectangle, Stretch
from hfpy.insight.layout import Layout, ends_of

_STEPS = 24


def overlaps(first: Rectangle, second: Rectangle) -> bool:
    """Whether two boxes share more than an edge."""
    return first.x < second.right and second.x < first.right and first.y < second.bottom and second.y < first.bottom


def within(inner: Rectangle, outer: Rectangle) -> bool:
    """Whether a box lies in another."""
    return outer.x <= inner.x and inner.right <= outer.right and outer.y <= inner.y and inner.bottom <= outer.bottom


def holds(box: Rectangle, point: Point) -> bool:
    """Whether a point is strictly inside a box."""
    return box.x < point[0] < box.right and box.y < point[1] < box.bottom


def track(edge: tuple[str, str], layout: Layout) -> Iterator[Point]:
    """Points along an arrow as it is drawn: level stretches, and curves (level at both ends) between them."""
    start, end = ends_of(edge, layout.boxes, edge in layout.turned)
    stops: list[Point] = [start, *(p for stretch in layout.routes[edge] for p in stretch), end]
    for number, (left, right) in enumerate(pairwise(stops)):
        for step in range(_STEPS + 1):
            t = step / _STEPS
            if number % 2:
                yield left[0] + t * (right[0] - left[0]), left[1]
            else:
                yield _bezier(left, right, t)


def _bezier(start: Point, end: Point, t: float) -> Point:
    middle = (start[0] + end[0]) / 2
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(w * v for w, v in zip(weights, (start[0], middle, middle, end[0]), strict=True))
    y = sum(w * v for w, v in zip(weights, (start[1], start[1], end[1], end[1]), strict=True))
    return x, y


def is_level(stretches: Sequence[Stretch]) -> bool:
    """Whether all stretches are level."""
    return all(left[1] == right[1] for left, right in stretches)
