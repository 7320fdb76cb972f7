"""The alignment of two sequences of lines: which line of one is which of the other, both in order.

Lines that occur once on either side are anchors, as in patience diff; the longest chain of them that keeps the order
cuts the sequences into pieces, which are treated alike. Where there are no such lines, small pieces get a longest
common subsequence, large ones are cut at the longest run that goes through a rare line, as in histogram diff. So time
stays near to linear in the number of lines, whatever is in them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

Pair = tuple[int, int]
_Range = tuple[int, int, int, int]

_SMALL = 40_000  # cells of the table for a longest common subsequence
_OFTEN = 64  # a line that occurs more often than this is no place to cut


def align(a: Sequence[int], b: Sequence[int]) -> list[Pair]:
    """Indices of equal elements, increasing on both sides."""
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
        cuts = _anchors(a, b, piece)
        if not cuts and (ahi - alo) * (bhi - blo) <= _SMALL:
            pairs += _common(a, b, piece)
            continue
        cuts = cuts or _run(a, b, piece)
        if cuts:
            pairs += cuts
            todo += _between(piece, cuts)
    return sorted(pairs)


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
    """A longest common subsequence by its table."""
    alo, ahi, blo, bhi = piece
    width = bhi - blo
    table = [[0] * (width + 1)]
    for i in range(ahi - 1, alo - 1, -1):
        below, row = table[-1], [0] * (width + 1)
        x = a[i]
        for j in range(width - 1, -1, -1):
            row[j] = below[j + 1] + 1 if x == b[blo + j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    found = []
    i, j = alo, 0
    while i < ahi and j < width:
        if a[i] == b[blo + j]:
            found.append((i, blo + j))
            i, j = i + 1, j + 1
        elif table[i - alo + 1][j] >= table[i - alo][j + 1]:
            i += 1
        else:
            j += 1
    return found


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
