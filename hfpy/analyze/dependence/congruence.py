"""Points of a question in which equal arguments give equal values.

Each value of an unknown function is a dimension by itself in an encoding. A point found is checked against the rule,
and only what it violates is added, until a point keeps to the rule or none is left: adding all pairs at once takes
isl too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from hfpy.analyze.dependence.encoding import Applied, Encoding
from hfpy.analyze.dependence.sets import TooHardError

Point = dict[str, int]
_ROUNDS = 40


def find(encoding: Encoding, distinct: frozenset[str], ask: Callable[[tuple[str, ...]], Point | None]) -> Point | None:
    """A point that keeps to the rule, or None if there is none.

    ``ask`` takes constraints to add and gives a point; ``distinct`` are functions that take no value twice. Raises
    TooHardError.
    """
    return find_with(encoding, distinct, ask)[0]


def find_with(
    encoding: Encoding, distinct: frozenset[str], ask: Callable[[tuple[str, ...]], Point | None]
) -> tuple[Point | None, tuple[str, ...]]:
    """The point, and the constraints that were added on the way."""
    pairs = list(_pairs(encoding.applied))
    added = [_injective(a, b) for a, b in pairs if a.function.name in distinct]
    for _ in range(_ROUNDS):
        point = ask(tuple(added))
        if point is None:
            return None, tuple(added)
        broken = next((p for p in pairs if _broken(*p, point)), None)
        if broken is None:
            return point, tuple(added)
        added.append(_equal(*broken))
    raise TooHardError


def _pairs(applied: list[Applied]) -> Iterator[tuple[Applied, Applied]]:
    for one, other in combinations(applied, 2):
        if one.function.name == other.function.name and len(one.args) == len(other.args):
            yield one, other


def _broken(one: Applied, other: Applied, point: Point) -> bool:
    if point[one.name] == point[other.name]:
        return False
    return all(a.value(point) == b.value(point) for a, b in zip(one.args, other.args, strict=True))


def _equal(one: Applied, other: Applied) -> str:
    different = [f"{a.text()} != {b.text()}" for a, b in zip(one.args, other.args, strict=True)]
    return "(" + " or ".join([f"{one.name} = {other.name}", *different]) + ")"


def _injective(one: Applied, other: Applied) -> str:
    same = [f"{a.text()} = {b.text()}" for a, b in zip(one.args, other.args, strict=True)] or ["1 = 1"]
    return f"({one.name} != {other.name} or ({' and '.join(same)}))"
