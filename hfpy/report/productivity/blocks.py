"""Blocks of lines that moved: what is elsewhere after files and units have been compared with their counterparts.

A block counts if it has three lines that say something, one of them rare, so that ``end do`` and the like
are not found again in places that they do not come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from hfpy.report.productivity.align import Pair

_WINDOW = 3
_OFTEN = 4  # places on one side that a window may have
_ROUNDS = 4

Telling = Callable[[int], bool]


def moved_blocks(a: Sequence[int], b: Sequence[int], telling: Telling) -> list[Pair]:
    """Pairs of equal lines in blocks, whatever their order.

    ``a`` and ``b`` are the lines that are left, with a negative number, another one each time, between those that
    are no neighbours. ``telling`` says whether a line is more than an end or the like.
    """
    found: list[Pair] = []
    free_a, free_b = [x >= 0 for x in a], [x >= 0 for x in b]
    for _ in range(_ROUNDS):
        taken = _round(a, b, free_a, free_b, telling)
        if not taken:
            break
        found += taken
    return found


def _round(a: Sequence[int], b: Sequence[int], free_a: list[bool], free_b: list[bool], telling: Telling) -> list[Pair]:
    left, right = _windows(a, free_a), _windows(b, free_b)
    runs: dict[tuple[int, int], int] = {}
    for window, first in left.items():
        second = right.get(window, ())
        if second and len(first) <= _OFTEN and len(second) <= _OFTEN:
            for i in first:
                for j in second:
                    start = _start(a, b, i, j, free_a, free_b)
                    if start not in runs:
                        runs[start] = _length(a, b, *start, free_a, free_b)
    pairs: list[Pair] = []
    for (i, j), length in sorted(runs.items(), key=lambda r: (-r[1], r[0])):
        block = [(i + n, j + n) for n in range(length) if free_a[i + n] and free_b[j + n]]
        if len(block) < length or sum(telling(a[x]) for x, _ in block) < _WINDOW:
            continue  # part of it went to a longer block; what is left is found in the next round
        for x, y in block:
            free_a[x] = free_b[y] = False
        pairs += block
    return pairs


def _windows(lines: Sequence[int], free: Sequence[bool]) -> dict[tuple[int, ...], list[int]]:
    """Where each sequence of three free lines begins."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for n in range(len(lines) - _WINDOW + 1):
        if free[n] and free[n + 1] and free[n + 2]:
            found[tuple(lines[n : n + _WINDOW])].append(n)
    return found


def _start(
    a: Sequence[int], b: Sequence[int], i: int, j: int, free_a: Sequence[bool], free_b: Sequence[bool]
) -> tuple[int, int]:
    while i and j and a[i - 1] == b[j - 1] and free_a[i - 1] and free_b[j - 1]:
        i, j = i - 1, j - 1
    return i, j


def _length(a: Sequence[int], b: Sequence[int], i: int, j: int, free_a: Sequence[bool], free_b: Sequence[bool]) -> int:
    n = 0
    while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n] and free_a[i + n] and free_b[j + n]:
        n += 1
    return n
