"""The intrinsic functions of kernels next to Fortran's: expressions in both languages, and values to try them on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]

FORTRAN = {
    "f4": "real(4)",
    "f8": "real(8)",
    "i1": "integer(1)",
    "i2": "integer(2)",
    "i4": "integer(4)",
    "i8": "integer(8)",
}
CPP = {"f4": "float", "f8": "double", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long long"}
REALS = ("f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8")


@dataclass(frozen=True)
class Case:
    """A function of ``a``, ``b``, ``c`` in Fortran and in C++. ``inputs`` are arrays of the types of ``types``.

    ``optimised`` says that only gfortran's optimised code is the measure (products of constant powers).
    """

    name: str
    fortran: str
    cpp: str
    types: tuple[str, ...]
    result: str
    inputs: tuple[Values, ...]
    optimised: bool = False


def cases() -> Iterator[Case]:
    """All functions with all kinds."""
    for kind in REALS:
        yield from _real(kind)
        yield from _rounded(kind)
        yield from _parts(kind)
        yield from _powers(kind)
    for kind in INTEGERS:
        yield from _integer(kind)
        yield from _bits(kind)
        yield from _integer_powers(kind)


def _real(kind: str) -> Iterator[Case]:
    a, b = _pairs(_reals(kind))
    for name in ("mod", "modulo"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, kind), kind, (a, np.where(b == 0, 3, b)))
    for name in ("sign", "dim", "min", "max"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, kind), kind, (a, b))
    for name in ("min", "max"):
        c = np.roll(b, 7)
        yield _case(f"{name}3", f"{name}(a, b, c)", f"hf_{name}(a, b, c)", (kind,) * 3, kind, (a, b, c))
    yield _case("merge", "merge(a, b, a > b)", "hf_merge(a, b, a > b)", (kind, kind), kind, (a, b))
    yield _case("abs", "abs(a)", "hf_abs(a)", (kind,), kind, (a,))
    for name in ("huge", "tiny", "epsilon"):
        yield _case(name, f"{name}(a)", f"hf_{name}<decltype(a)>()", (kind,), kind, (a,))


def _rounded(kind: str) -> Iterator[Case]:
    x = _reals(kind)
    for name in ("aint", "anint"):
        yield _case(name, f"{name}(a)", f"hf_{name}(a)", (kind,), kind, (x,))
    for result, bits in (("i4", 31), ("i8", 63)):
        near = x[np.isfinite(x)]
        near = near[np.abs(near) < 2.0**bits - 2.0 ** (bits - 20)]
        size = result[1]
        for name in ("int", "nint", "floor", "ceiling"):
            cpp = f"hf_{name}<{CPP[result]}>(a)"
            yield _case(f"{name}_{result}", f"{name}(a, {size})", cpp, (kind,), result, (near,))


def _parts(kind: str) -> Iterator[Case]:
    x = _reals(kind)
    for name, result in (("exponent", "i4"), ("fraction", kind), ("spacing", kind), ("rrspacing", kind)):
        yield _case(name, f"{name}(a)", f"hf_{name}(a)", (kind,), result, (x,))
    for name in ("is_finite", "is_normal", "is_negative"):
        yield _case(name, f"merge(1, 0, ieee_{name}(a))", f"hf_{name}(a)", (kind,), "i4", (x,))
    a, b = _pairs(x)
    directed = np.where((b == 0) | np.isnan(b), 1, b).astype(b.dtype)
    yield _case("nearest", "nearest(a, b)", "hf_nearest(a, b)", (kind, kind), kind, (a, directed))
    powers = np.resize(np.array([0, 1, -1, 5, -130, 140, -1030, 1100, -2200], "i4"), x.size)
    for name in ("scale", "set_exponent"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, "i4"), kind, (x, powers))


def _powers(kind: str) -> Iterator[Case]:
    x = _reals(kind)
    bases = np.concatenate([x, np.random.default_rng(5).uniform(0.5, 2, 400).astype(kind)])
    for n in range(-6, 41):
        yield Case(
            f"pow_{kind}_{n}".replace("-", "m"), f"a**({n})", f"hf_pow_const<{n}>(a)", (kind,), kind, (bases,), True
        )
    for exponent in ("i4", "i8"):
        a = np.tile(bases, 5)
        n = np.random.default_rng(6).integers(-50, 51, a.size).astype(exponent)
        yield _case(f"ipow_{exponent}", "a**b", "hf_ipow(a, b)", (kind, exponent), kind, (a, n))


def _integer(kind: str) -> Iterator[Case]:
    a, b = _pairs(_integers(kind))
    divisor = np.where((b == 0) | (b == -1), 7, b).astype(kind)
    for name in ("mod", "modulo"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, kind), kind, (a, divisor))
    for name in ("min", "max"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, kind), kind, (a, b))
    # What overflows is open in Fortran.
    half = (a // 2).astype(kind), (b // 2).astype(kind)
    for name in ("sign", "dim"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, kind), kind, half)
    yield _case("abs", "abs(a)", "hf_abs(a)", (kind,), kind, (half[0],))
    yield _case("huge", "huge(a)", "hf_huge<decltype(a)>()", (kind,), kind, (a,))


def _bits(kind: str) -> Iterator[Case]:
    size = 8 * int(kind[1])
    x = np.repeat(_integers(kind), size + 1)
    count = np.tile(np.arange(size + 1, dtype="i4"), x.size // (size + 1))
    place = np.minimum(count, size - 1)
    for name in ("shiftl", "shiftr", "shifta"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, "i4"), kind, (x, count))
    for name in ("ibset", "ibclr"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, "i4"), kind, (x, place))
    yield _case("btest", "merge(1, 0, btest(a, b))", "hf_btest(a, b)", (kind, "i4"), "i4", (x, place))
    signed = np.where(np.arange(x.size) % 2 == 0, count, -count).astype("i4")
    for name in ("ishft", "ishftc"):
        yield _case(name, f"{name}(a, b)", f"hf_{name}(a, b)", (kind, "i4"), kind, (x, signed))
    part = np.maximum(np.random.default_rng(8).integers(0, size + 1, x.size), 1).astype("i4")
    turned = (np.sign(signed) * np.minimum(np.abs(signed), part)).astype("i4")
    three = (kind, "i4", "i4")
    yield _case("ishftc3", "ishftc(a, b, c)", "hf_ishftc(a, b, c)", three, kind, (x, turned, part))
    # All bits are left out: gfortran gives zero for them, against the standard.
    length = np.minimum(np.minimum(size - place, part), size - 1).astype("i4")
    yield _case("ibits", "ibits(a, b, c)", "hf_ibits(a, b, c)", three, kind, (x, place, length))
    other = np.roll(x, 3)
    for name in ("dshiftl", "dshiftr"):
        yield _case(name, f"{name}(a, b, c)", f"hf_{name}(a, b, c)", (kind, kind, "i4"), kind, (x, other, count))
    merged = "merge_bits(a, b, c)"
    yield _case("merge_bits", merged, f"hf_{merged}", (kind, kind, kind), kind, (x, other, np.roll(x, 7)))
    for name in ("bge", "bgt", "ble", "blt"):
        yield _case(name, f"merge(1, 0, {name}(a, b))", f"hf_{name}(a, b)", (kind, kind), "i4", (x, other))
    for name in ("maskl", "maskr"):
        cpp = f"hf_{name}<{CPP[kind]}>(a)"
        yield _case(f"{name}{kind[1]}", f"{name}(a, {kind[1]})", cpp, ("i4",), kind, (np.arange(size + 1, dtype="i4"),))
    if size >= 32:  # there is a real number of as many bits
        real = f"f{kind[1]}"
        there, back = f"hf_transfer<{CPP[kind]}, {CPP[real]}>(a)", f"hf_transfer<{CPP[real]}, {CPP[kind]}>(a)"
        yield _case("transfer", f"transfer(a, 0_{kind[1]})", there, (real,), kind, (_reals(real),))
        yield _case("transfer", f"transfer(a, 0.0_{kind[1]})", back, (kind,), real, (_integers(kind),))
    for name in ("popcnt", "poppar", "leadz", "trailz"):
        yield _case(name, f"{name}(a)", f"hf_{name}(a)", (kind,), "i4", (_integers(kind),))


def _integer_powers(kind: str) -> Iterator[Case]:
    bases = _integers(kind)
    bases = np.tile(np.concatenate([bases, np.arange(-12, 13).astype(kind)]), 4)
    n = np.random.default_rng(9).integers(-5, 40, bases.size).astype("i4")
    nonzero = np.where((bases == 0) & (n < 0), 3, bases).astype(kind)
    yield _case("ipow", f"int(a**b, {kind[1]})", "hf_ipow(a, b)", (kind, "i4"), kind, (nonzero, n))
    for n_constant in (0, 1, 2, 3, 7, 15):
        cpp = f"hf_pow_const<{n_constant}>(a)"
        yield _case(f"pow_{n_constant}", f"a**{n_constant}_{kind[1]}", cpp, (kind,), kind, (bases,))


def _case(name: str, fortran: str, cpp: str, types: tuple[str, ...], result: str, inputs: tuple[Values, ...]) -> Case:
    """A case under a name that holds its kinds; inputs in their types."""
    typed = tuple(np.ascontiguousarray(v, dtype=t) for v, t in zip(inputs, types, strict=True))
    return Case(f"{name}_{types[0]}", fortran, cpp, types, result, typed)


def _reals(kind: str) -> Values:
    """Edge values and random ones of all sizes."""
    info = np.finfo(kind)
    whole = 2.0**info.nmant
    edges = [0, 0.5, 1, 1.5, 2, 2.5, 3, 7, 0.1, 1 / 3, np.pi, 1e6 + 0.5, whole, whole + 1, whole / 2 + 0.5, whole * 4]
    edges += [info.max, info.tiny, info.smallest_subnormal, info.eps, np.nextafter(np.asarray(0.5, kind), 0), np.inf]
    random = np.random.default_rng(4)
    sizes = random.standard_normal(150) * 10.0 ** random.integers(-12, 13, 150)
    halves = random.integers(-100, 100, 50) + 0.5
    positive = np.array([*edges, *halves, *sizes], kind)
    return np.concatenate([positive, -positive, np.array([np.nan], kind)])


def _integers(kind: str) -> Values:
    info = np.iinfo(kind)
    edges = [0, 1, -1, 2, -2, 3, 7, -7, 10, 100, -100, info.max, info.max - 1, info.min, info.min + 1]
    random = np.random.default_rng(3).integers(info.min, info.max, 60, dtype=kind, endpoint=True)
    return np.concatenate([np.array(edges, kind), random])


def _pairs(values: Values) -> tuple[Values, Values]:
    """Each value with many others, among them itself and its negative."""
    turns = (0, 1, 2, 5, 11, 23, 47, 95, values.size // 2)
    return np.tile(values, len(turns)), np.concatenate([np.roll(values, t) for t in turns])
