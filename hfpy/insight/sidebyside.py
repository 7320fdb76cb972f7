"""Source and generated text side by side: which lines are in one row, by the line map."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hfpy.values import dataclass

SAME, CHANGED, ADDED, REMOVED, MOVED = "same", "changed", "added", "removed", "moved"


@dataclass(frozen=True)
class Row:
    """One row: line numbers on both sides (0: nothing there), what happened, and for a line of the generated text the
    number of the source line that it stems from (0: none).
    """

    source: int
    generated: int
    kind: str
    origin: int = 0


def rows(source: Sequence[str], generated: Sequence[str], line_map: Sequence[int]) -> list[Row]:
    """The rows of two texts, in the order of both; ``line_map`` has the source line of each generated line (0: none).

    Lines that were moved against the order of the others are alone. Of several lines that one became the one that is
    still the same is beside it, else the first.
    """
    kept = in_order(line_map)
    partners = _partners(source, generated, line_map, kept)
    made: list[Row] = []
    done = 0
    for index, origin in enumerate(line_map):
        if index not in kept:
            made.append(Row(0, index + 1, MOVED if 0 < origin <= len(source) else ADDED, max(origin, 0)))
            continue
        made += [Row(n, 0, REMOVED) for n in range(done + 1, origin)]
        if partners[origin] == index:
            same = source[origin - 1].rstrip() == generated[index].rstrip()
            made.append(Row(origin, index + 1, SAME if same else CHANGED, origin))
            done = origin
        else:  # a further line that one line became
            made.append(Row(0, index + 1, ADDED, origin))
            done = max(done, origin - 1)
    return made + [Row(n, 0, REMOVED) for n in range(done + 1, len(source) + 1)]


def rows_of_part(line_map: Sequence[int]) -> list[Row]:
    """The rows of a text that has only a part of the source, in its own order: beside each line is the one that it
    stems from, unless that is what the line before stems from, too.
    """
    made: list[Row] = []
    before = 0
    for index, origin in enumerate(line_map):
        made.append(Row(origin if origin != before else 0, index + 1, SAME, origin))
        before = origin
    return made


def _partners(
    source: Sequence[str], generated: Sequence[str], line_map: Sequence[int], kept: set[int]
) -> dict[int, int]:
    """The generated line that is beside each source line, by its place."""
    partners: dict[int, int] = {}
    for index in sorted(kept):
        line = source[line_map[index] - 1]
        chosen = partners.setdefault(line_map[index], index)
        if generated[index] == line != generated[chosen]:
            partners[line_map[index]] = index
    return partners


def in_order(line_map: Sequence[int]) -> set[int]:
    """The places of a longest part of the positive numbers that never falls."""
    ends: list[int] = []  # the least last number of a part of each length
    places: list[int] = []
    before: list[int] = [-1] * len(line_map)
    for index, origin in enumerate(line_map):
        if origin <= 0:
            continue
        length = bisect_right(ends, origin)
        before[index] = places[length - 1] if length else -1
        if length == len(ends):
            ends.append(origin)
            places.append(index)
        else:
            ends[length] = origin
            places[length] = index
    kept: set[int] = set()
    index = places[-1] if places else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept
