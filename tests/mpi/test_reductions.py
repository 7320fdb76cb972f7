"""Reductions over all processes in the order of their ranks, and sums without rounding."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.mpi.launch import results
from tests.mpi.reference import Array, as_type
from tests.mpi.test_fields import EVERYWHERE, Reader

LINE = {"nd": 1, "global": 12, "grid": 0, "low": 0, "high": 0}


def values(kind: str, codes: Sequence[int] | Array) -> Array:
    """Values as the engine makes them of numbers."""
    return as_type(kind, np.asarray(codes))


def added(each: Array) -> Array:
    """The sum over the first axis, in order and in the type of the values."""
    total = each[0]
    for value in each[1:]:
        total = total + value
    return np.asarray(total)


def multiplied(each: Array) -> Array:
    """The product likewise; of complex numbers as Fortran has it."""
    total = each[0]
    for value in each[1:]:
        if np.iscomplexobj(value):
            a, b, c, d = total.real, total.imag, value.real, value.imag
            total = np.asarray((a * c - b * d) + 1j * (a * d + b * c)).astype(value.dtype)
        else:
            total = total * value
    return np.asarray(total)


def expected_sums(ranks: int) -> list[tuple[str, Array]]:
    """What the engine's case ``sums`` writes, in order."""
    p = np.arange(ranks)
    nan = float("nan")
    sums = [
        ("real32", added(np.float32(1) / np.float32(p + 3))),
        ("real32", added(np.array([values("real32", [r * r + i for i in (1, 2, 3)]) for r in p]))),
        ("real64", added(1 / np.float64(p + 3))),
        ("real64", added(np.array([values("real64", [10 * i - r for i in (1, 2, 3, 4)]) for r in p]))),
        ("int32", added(5 - 3 * p)),
        ("int64", added(2**40 * (p + 1))),
        ("int64", added(np.array([values("int64", [i * (r - 1) for i in (1, 2, 3, 4)]) for r in p]))),
        ("complex32", added(values("complex32", p + 1))),
        ("complex64", added(values("complex64", p + 1))),
        ("real64", multiplied(values("real64", p + 1))),
        ("int32", multiplied(p - 2)),
        ("complex64", multiplied(values("complex64", p + 1))),
    ]
    mixed = (5 * p + 2) % 7
    plane = np.tile(values("real64", p)[:, None], (1, 4))
    plane[:, 1] = nan
    plane[0, 2] = nan
    plane[1:2, 3] = nan
    with np.errstate(all="ignore"):
        largest = np.array([np.nan if np.isnan(c).all() else np.nanmax(c) for c in plane.T])
        smallest = np.array([np.nan if np.isnan(c).all() else np.nanmin(c) for c in plane.T])
    extremes = [
        ("real32", values("real32", mixed).max()),
        ("real64", values("real64", mixed - 3).max()),
        ("real64", values("real64", mixed - 3).min()),
        ("real64", largest),
        ("real64", smallest[2:]),
        ("int32", (mixed - 3).min()),
        ("int64", values("int64", mixed - 3).max()),
        ("int32", np.array([ranks == 1, ranks > 1, True, False])),
    ]
    return [*sums, *extremes]


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_sums_products_and_extremes(name: str, ranks: int, tmp_path: Path) -> None:
    written, _ = results(name, ranks, tmp_path, [{"kind": "sums", **LINE}])
    for rank, reader in enumerate(map(Reader, written)):
        for place, (kind, value) in enumerate(expected_sums(ranks)):
            found = reader.take(kind, (int(np.size(value)),))
            np.testing.assert_array_equal(found, np.ravel(value), err_msg=f"{place} {rank}")
        assert not reader.data


def hard_cases(random: Random) -> list[list[float]]:
    """Numbers whose sums go wrong where they are rounded on the way."""
    big, tiny = 2.0**1023, 5e-324
    cases = [
        [],
        [0.0],
        [-0.0, -0.0],
        [1.0, 1e100, 1.0, -1e100],
        [1e16, 1.0, 1e-16],
        [1.0, 2.0**-53],  # a tie, to even
        [1.0 + 2.0**-52, 2.0**-53],  # a tie, to even, upwards
        [1.0, 2.0**-53, tiny],  # not a tie
        [1.0, 2.0**-53, -tiny],
        [-1.0, -(2.0**-53), -tiny],
        [tiny] * 3,
        [2.2250738585072014e-308, -tiny],
        [tiny, -tiny],
        [big, big, -big],  # more than there is, on the way
        [big, 2.0**969, 2.0**969, -(2.0**969)],
        [1.7976931348623157e308, 2.0**969],  # the largest, rounded down
        [-1.7976931348623157e308, -(2.0**969), -tiny],
        [2.0**53, 1.0],
        [2.0**53 + 2, 1.0],
        [2.0**32, -1.0, 2.0**64, -(2.0**64)],
        [float(2**53 - 1), 0.5],  # a carry into the exponent
    ]
    for _ in range(60):
        spread = random.choice([1, 10, 60, 300])
        n = random.choice([1, 2, 3, 10, 100])
        numbers = [random.uniform(-1, 1) * 2.0 ** random.randint(-spread, spread) for _ in range(n)]
        if random.random() < 0.7:
            numbers += [-x for x in numbers[1:]]
        if random.random() < 0.3:
            numbers += [tiny * random.randint(-100, 100) for _ in range(4)]
        random.shuffle(numbers)
        cases.append(numbers)
    return cases


def bits_of(value: float) -> int:
    """The bits of a double as a signed integer."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def nearest32(total: Fraction) -> float:
    """The nearest number of 32 bits, ties to even, by comparison with its neighbours."""
    with np.errstate(over="ignore"):
        guess = np.float32(float(total)) if abs(total) < 2**200 else np.float32(math.copysign(math.inf, total))
    if np.isinf(guess):
        limit = Fraction(2) ** 128 - Fraction(2) ** 103
        return float(guess) if abs(total) >= limit else math.copysign(float(np.finfo(np.float32).max), total)
    with np.errstate(over="ignore"):
        near = [guess, np.nextafter(guess, np.float32(-np.inf)), np.nextafter(guess, np.float32(np.inf))]
    finite = [x for x in near if np.isfinite(x)]
    if abs(total) >= Fraction(2) ** 128 - Fraction(2) ** 103:
        return math.copysign(math.inf, total)
    return float(min(finite, key=lambda x: (abs(Fraction(float(x)) - total), int(x.view(np.int32)) & 1)))


def write_sets(folder: Path, sets: list[list[float]], short: bool) -> None:
    """Write the sets of numbers for the engine."""
    data = [struct.pack("<i", len(sets))]
    for numbers in sets:
        data.append(struct.pack("<i", len(numbers)))
        for x in numbers:
            pattern = int(np.float32(x).view(np.uint32)) if short else bits_of(x)
            data.append(struct.pack("<q", pattern))
    (folder / "numbers.bin").write_bytes(b"".join(data))


def totals(name: str, ranks: int, folder: Path, sets: list[list[float]], short: bool) -> list[int]:
    """The bits of the exact sums; the same on all processes and both ways of asking."""
    write_sets(folder, sets, short)
    written, _ = results(name, ranks, folder, [{"kind": "exact", "type": "real32" if short else "real64", **LINE}])
    found = {tuple(np.frombuffer(data, np.int64).reshape(-1, 2).T.ravel()) for data in written}
    assert len(found) == 1
    both = found.pop()
    assert both[: len(sets)] == both[len(sets) :]
    return [int(bits) for bits in both[: len(sets)]]


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_exact_sums(name: str, ranks: int, tmp_path: Path) -> None:
    """As Python's ``math.fsum``, whose sums are exact too; the bits do not depend on the number of processes."""
    sets = hard_cases(Random(5))
    found = totals(name, ranks, tmp_path, sets, short=False)
    for numbers, bits in zip(sets, found, strict=True):
        exact = sum(map(Fraction, numbers), Fraction(0))
        expected = float(exact)
        assert bits == bits_of(expected + 0.0), numbers
        try:
            assert math.fsum(numbers) == expected
        except OverflowError:  # fsum's partial sums have no room
            assert max(map(abs, numbers)) > 1e300


@pytest.mark.parametrize(("name", "ranks"), EVERYWHERE)
def test_exact_sums_of_short_numbers(name: str, ranks: int, tmp_path: Path) -> None:
    """Rounded once: 1 + 2**-24 + 2**-60 is not a tie."""
    random = Random(6)
    small, large = 2.0**-149, float(np.finfo(np.float32).max)
    sets = [
        [1.0, 2.0**-24, 2.0**-60],
        [1.0, 2.0**-24, -(2.0**-60)],
        [1.0, 2.0**-24],
        [1.0 + 2.0**-23, 2.0**-24],
        [small] * 3,
        [2.0**-126, -small],
        [large, 2.0**103],
        [large, 2.0**102],
        [large, large, -large],
        [-large, -large],
        [],
    ]
    for _ in range(60):
        spread = random.choice([1, 10, 60, 120])
        numbers = [float(np.float32(random.uniform(-1, 1) * 2.0 ** random.randint(-spread, spread))) for _ in range(50)]
        sets.append([*numbers, *(-x for x in numbers[1:])])
    found = totals(name, ranks, tmp_path, sets, short=True)
    for numbers, bits in zip(sets, found, strict=True):
        expected = np.float32(nearest32(sum(map(Fraction, numbers), Fraction(0))))
        assert bits == int(expected.view(np.int32)), numbers


@pytest.mark.parametrize(("name", "ranks"), [("serial", 1), ("openmpi", 2)])
@pytest.mark.parametrize("short", [False, True])
def test_exact_sums_that_are_no_numbers(name: str, ranks: int, short: bool, tmp_path: Path) -> None:
    inf, nan = math.inf, math.nan
    largest = float(np.finfo(np.float32 if short else np.float64).max)
    sets = [[1.0, inf], [-inf, 2.0], [inf, -inf], [nan, 1.0], [-inf, inf, nan], [inf] * 5]
    sets += [[largest] * 2, [-largest] * 3, [*[largest] * 4, -1.0]]
    found = np.array(totals(name, ranks, tmp_path, sets, short), np.int64)
    sums = found.astype(np.int32).view(np.float32) if short else found.view(np.float64)
    np.testing.assert_array_equal(sums, [inf, -inf, nan, nan, nan, inf, inf, -inf, inf])
