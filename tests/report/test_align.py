"""The alignment against a longest common subsequence that is found in another way."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from hfpy.report.productivity.align import align


def lcs(a: Sequence[int], b: Sequence[int]) -> int:
    """The length of a longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@pytest.mark.parametrize("seed", range(40))
def test_pairs_are_equal_and_in_order(seed: int) -> None:
    chance = random.Random(seed)
    letters = chance.choice((2, 5, 30, 1000))
    a = [chance.randrange(letters) for _ in range(chance.randrange(120))]
    b = [x for x in a if chance.random() < 0.8]
    for _ in range(chance.randrange(30)):
        b.insert(chance.randrange(len(b) + 1), chance.randrange(letters))
    for room, share in ((10**6, 1.0), (50, 0.4), (0, 0.2)):
        pairs = align(a, b, room)
        assert all(a[i] == b[j] for i, j in pairs)
        assert all(p[0] < q[0] and p[1] < q[1] for p, q in pairwise(pairs))
        assert share * lcs(a, b) <= len(pairs) <= lcs(a, b)


def test_what_was_only_added_is_found_in_full() -> None:
    a = [n % 17 for n in range(2000)]
    b = [x for n, x in enumerate(a) for x in ([x, 99] if n % 5 == 0 else [x])]
    assert len(align(a, b)) == len(a)


def test_huge_pieces() -> None:
    """More than the table for a longest common subsequence may have; what is cut away costs little."""
    chance = random.Random(3)
    a = [chance.randrange(40) for _ in range(20_000)]
    b = [x for x in a if chance.random() < 0.95]
    assert len(align([41, *a, 42], [43, *b, 44])) > 0.9 * len(b)
