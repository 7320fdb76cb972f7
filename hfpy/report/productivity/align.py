"""The alignment of two sequences of lines: which line of one is which of the other, both in order.

As many lines as can be: a longest common subsequence. Only sequences for whose table there is no room are cut first, at
lines that occur once on either side, as in patience diff, or else at the longest run through a rare line, as in
histogram diff.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

Pair = tuple[int, int]
_Range = tuple[int, int, int, int]

_CELLS = 100_000_000  # of the table for a longest common subsequence, in bits
_OFTEN = 64  # a line that occurs more often than this is no place to cut


def align(a: Sequence[int], b: Sequence[int], room: int = _CELLS) -> list[Pair]:
    """Indices of equal elements, increasing on both sides. ``room`` is the size that a table may have."""
    pairs: list[Pair] = []
    todo: list[_Range] = [(0, len(a), 0, len(b))]
    while todo:
        alo, ahi, blo, bhi = todo.pop()
        while alo < ahi and blo < bhi and a[alo] == b[blo]:
            pairs.append((alo, blo))
            alo, blo = alo + 1, blo + 1
        while alo < ahi and blo < bhi and a[ahi - 1] == b[bhi - 1]:
            ahi, bhi = ahi - 1, bhi - 1
            pairs.append((ahi, bhi))
        if alo == ahi or blo == bhi:
            continue
        piece = (alo, ahi, blo, bhi)
        if (ahi - alo) * (bhi - blo) <= room or min(ahi - alo, bhi - blo) == 1:
            pairs += _common(a, b, piece)
            continue
        cuts = _anchors(a, b, piece) or _run(a, b, piece)
        if cuts:
            pairs += cuts
            todo += _between(piece, cuts)
        else:
            todo += _halves(piece)
    return sorted(pairs)


def _halves(piece: _Range) -> list[_Range]:
    """What is long and has frequent lines only is cut in the middle."""
    alo, ahi, blo, bhi = piece
    i, j = (alo + ahi) // 2, (blo + bhi) // 2
    return [(alo, i, blo, j), (i, ahi, j, bhi)]


def _between(piece: _Range, cuts: Sequence[Pair]) -> list[_Range]:
    alo, ahi, blo, bhi = piece
    found = []
    for i, j in (*cuts, (ahi, bhi)):
        if i > alo and j > blo:
            found.append((alo, i, blo, j))
        alo, blo = i + 1, j + 1
    return found


def _anchors(a: Sequence[int], b: Sequence[int], piece: _Range) -> list[Pair]:
    """The longest chain of lines that occur once on either side."""
    alo, ahi, blo, bhi = piece
    often_a, often_b = Counter(a[alo:ahi]), Counter(b[blo:bhi])
    once = {x for x, n in often_a.items() if n == 1 and often_b.get(x) == 1}
    if not once:
        return []
    at = {b[j]: j for j in range(blo, bhi) if b[j] in once}
    return increasing([(i, at[a[i]]) for i in range(alo, ahi) if a[i] in once])


def increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest part of pairs, sorted by their first, in which the second increases as well."""
    ends: list[int] = []  # the smallest last value of a chain of each length
    where: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        if length == len(ends):
            ends.append(j)
            where.append(number)
        else:
            ends[length], where[length] = j, number
        before.append(where[length - 1] if length else -1)
    chain = []
    at = where[-1] if where else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _common(a: Sequence[int], b: Sequence[int], piece: _Range) -> list[Pair]:
    """A longest common subsequence, a whole row of the table at a time.

    A row is a number with a bit for each line of ``a``, 0 where the length grows there (Crochemore and others, "A fast
    and practical bit-vector algorithm for the longest common subsequence problem").
    """
    alo, ahi, blo, bhi = piece
    width = ahi - alo
    full = (1 << width) - 1
    places: dict[int, int] = {}
    for i in range(width):
        places[a[alo + i]] = places.get(a[alo + i], 0) | 1 << i
    rows = [full]
    for j in range(blo, bhi):
        row = rows[-1]
        there = row & places.get(b[j], 0)
        rows.append(((row + there) | (row - there)) & full)
    found = []
    i, j = width, bhi - blo
    while i and j:
        if rows[j] >> (i - 1) & 1:
            i -= 1
        elif not rows[j - 1] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found.append((alo + i, blo + j))
    return found[::-1]


def _run(a: Sequence[int], b: Sequence[int], piece: _Range) -> list[Pair]:
    """The longest common run through one of the rarest lines; nothing if all common lines are frequent."""
    alo, ahi, blo, bhi = piece
    places: dict[int, list[int]] = {}
    for i in range(alo, ahi):
        places.setdefault(a[i], []).append(i)
    common = {x for x in b[blo:bhi] if x in places}
    fewest = min((len(places[x]) for x in common), default=_OFTEN + 1)
    if fewest > _OFTEN:
        return []
    best: list[Pair] = []
    for j in range(blo, bhi):
        if best and best[0][1] <= j <= best[-1][1]:
            continue
        candidates = places.get(b[j], ())
        for i in candidates if len(candidates) == fewest else ():
            first = 0
            while i - first > alo and j - first > blo and a[i - first - 1] == b[j - first - 1]:
                first += 1
            last = 0
            while i + last + 1 < ahi and j + last + 1 < bhi and a[i + last + 1] == b[j + last + 1]:
                last += 1
            if first + last + 1 > len(best):
                best = [(i + n, j + n) for n in range(-first, last + 1)]
    return best
