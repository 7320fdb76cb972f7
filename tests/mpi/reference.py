"""What fields have to be after the engine's cases, by NumPy and the global indices alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

import numpy as np

TYPES: dict[str, Any] = {
    "real32": np.float32,
    "real64": np.float64,
    "int32": np.int32,
    "int64": np.int64,
    "logical": np.int32,
    "complex32": np.complex64,
    "complex64": np.complex128,
}
Array = np.ndarray[Any, Any]


def as_type(name: str, codes: Array) -> Array:
    """Numbers as values of a type, as the engine's functions as_real32 and so on give them."""
    n = codes.astype(np.int64)
    if name == "logical":
        return ((np.trunc(n / 7) + np.trunc(n / 100) + n) % 2 == 0).astype(np.int32)
    if name == "int64":
        return n * 2**32 + 7
    if name == "int32":
        return n.astype(np.int32)
    real = np.float32(n) / np.float32(16) if name in ("real32", "complex32") else np.float64(n) * 0.1
    if name.startswith("complex"):
        return (real + 1j * (-real - 1)).astype(TYPES[name])
    return real.astype(TYPES[name])


def coded(at: list[Array]) -> Array:
    """The number of each place, as the engine's function code gives it; subscripts that an array lacks are 1."""
    return np.asarray(sum(a * 100**e for e, a in enumerate(at)) + sum(100**e for e in range(len(at), 4)))


@dataclass(frozen=True)
class Case:
    """A field on a decomposition; ``dims`` has the array's dimension, from 0, of each decomposed one, or -1."""

    points: tuple[int, ...]
    grid: tuple[int, ...]
    periodic: tuple[bool, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    dims: tuple[int, ...]
    extents: tuple[int, ...]  # of the array; those of decomposed dimensions do not matter
    type: str = "real64"
    kind: str = "exchange"
    stagger: tuple[int, ...] = (0, 0, 0)
    narrow: tuple[tuple[int, ...], tuple[int, ...]] | None = None  # the widths that are exchanged, if others
    pad: tuple[int, int] = (0, 0)
    corners: bool = True
    outer: bool = False
    turns: int = 1

    @property
    def nd(self) -> int:
        """The number of decomposed dimensions."""
        return len(self.points)

    @property
    def ranks(self) -> int:
        """The number of processes."""
        return int(np.prod(self.grid))

    @property
    def fits(self) -> bool:
        """Whether no process owns less than its neighbours' halos take of it."""
        needed = (max(lo, hi, 1) * parts for lo, hi, parts in zip(self.low, self.high, self.grid, strict=True))
        return all(n >= least for n, least in zip(self.points, needed, strict=True))

    @property
    def settings(self) -> dict[str, object]:
        """The case as the engine reads it."""
        narrow = self.narrow or (self.low, self.high)
        return {
            "kind": self.kind,
            "type": self.type,
            "nd": self.nd,
            "global": self.points,
            "grid": self.grid,
            "periodic": self.periodic,
            "low": self.low,
            "high": self.high,
            "stagger": self.stagger[: self.nd],
            "array_rank": len(self.extents),
            "extents": self.extents,
            "dims": tuple(e + 1 for e in self.dims),
            "pad": self.pad,
            "narrow": self.narrow is not None,
            "narrow_low": narrow[0],
            "narrow_high": narrow[1],
            "corners": self.corners,
            "outer": self.outer,
            "turns": self.turns,
        }

    @cached_property
    def parts(self) -> list[list[range]]:
        """The global indices, from 1, that each place along each dimension owns."""
        found = []
        for d, (n, parts, periodic) in enumerate(zip(self.points, self.grid, self.periodic, strict=True)):
            pieces = [range(int(a[0]), int(a[-1]) + 1) for a in np.array_split(np.arange(1, n + 1), parts)]
            if not periodic:
                pieces[-1] = range(pieces[-1].start, pieces[-1].stop + self.stagger[d])
            found.append(pieces)
        return found

    def places(self, rank: int) -> list[int]:
        """The coordinates of a process: those along the first dimension change fastest."""
        found = []
        for parts in self.grid:
            found.append(rank % parts)
            rank //= parts
        return found

    def rank(self, places: list[Array]) -> Array:
        """The processes at coordinates."""
        result, step = np.zeros_like(places[0]), 1
        for place, parts in zip(places, self.grid, strict=True):
            result = result + place * step
            step *= parts
        return result

    def owned(self, rank: int, d: int) -> range:
        """The global indices that a process owns in a dimension."""
        return self.parts[d][self.places(rank)[d]]

    def whole_shape(self) -> tuple[int, ...]:
        """The shape of the whole field."""
        shape = list(self.extents)
        for d, e in enumerate(self.dims):
            if e >= 0:
                shape[e] = self.parts[d][-1].stop - 1
        return tuple(shape)

    def indices(self, rank: int) -> list[Array]:
        """The global subscripts, from 1, of all elements of a process's array, one array for each dimension."""
        axes = [np.arange(1, n + 1) for n in self.extents]
        for d, e in enumerate(self.dims):
            if e >= 0:
                own = self.owned(rank, d)
                axes[e] = np.arange(own.start - self.low[d] - self.pad[0], own.stop + self.high[d] + self.pad[1])
        return [np.asarray(a) for a in np.meshgrid(*axes, indexing="ij")]

    def initial(self, rank: Array | int, at: list[Array], owned: Array) -> Array:
        """The codes that elements have at first, in the last turn."""
        code = coded(at)
        return np.where(owned, code + self.turns - 1, -(code + rank * 17 + 3))

    def classes(self, rank: int, at: list[Array]) -> list[tuple[Array, Array, Array]]:
        """Which elements are owned, in the halo, or outside at an edge: for each decomposed dimension of the field."""
        narrow = self.narrow or (self.low, self.high)
        found = []
        for d, e in enumerate(self.dims):
            if e < 0:
                continue
            own, place = self.owned(rank, d), self.places(rank)[d]
            below = (at[e] < own.start) & (at[e] >= own.start - narrow[0][d])
            above = (at[e] >= own.stop) & (at[e] < own.stop + narrow[1][d])
            first = not self.periodic[d] and place == 0
            last = not self.periodic[d] and place == self.grid[d] - 1
            halo = (below & (not first)) | (above & (not last))
            found.append(((at[e] >= own.start) & (at[e] < own.stop), halo, (below & first) | (above & last)))
        return found

    def refreshed(self, rank: int, at: list[Array]) -> Array:
        """Which elements the exchange sets."""
        classes = self.classes(rank, at)
        allowed = np.all([own | halo | (out & self.outer) for own, halo, out in classes], axis=0)
        halos = np.sum([halo for _, halo, _ in classes], axis=0)
        return np.asarray(allowed & (halos > 0) & (self.corners | (halos == 1)))

    def after(self, rank: int) -> Array:
        """The field of a process after the exchange."""
        at = self.indices(rank)
        classes = self.classes(rank, at)
        owned = np.all([own for own, _, _ in classes], axis=0)
        before = self.initial(rank, at, owned)
        # The same point as its owner sees it.
        there, places = list(at), [np.full(at[0].shape, p) for p in self.places(rank)]
        outside = np.zeros(at[0].shape, bool)
        for d, e in enumerate(self.dims):
            if e < 0:
                continue
            if self.periodic[d]:
                there[e] = (at[e] - 1) % self.points[d] + 1
            edge = (there[e] < 1) | (there[e] >= self.parts[d][-1].stop)
            places[d] = np.where(edge, places[d], sum((there[e] >= part.stop) for part in self.parts[d]))
            outside |= edge
        exchanged = self.initial(self.rank(places), there, ~outside)
        return as_type(self.type, np.where(self.refreshed(rank, at), exchanged, before))

    def poisoned(self, rank: int) -> tuple[Array, Array]:
        """The field of a process with its halo poisoned, and which elements are."""
        narrow = (tuple(w + self.pad[0] for w in self.low), tuple(w + self.pad[1] for w in self.high))
        at = self.indices(rank)
        owned = np.all([own for own, _, _ in self.classes(rank, at)], axis=0)
        dirty = replace(self, narrow=narrow, corners=True).refreshed(rank, at)
        return as_type(self.type, self.initial(rank, at, owned)), dirty

    def whole(self) -> Array:
        """The whole field."""
        at = np.meshgrid(*(np.arange(1, n + 1) for n in self.whole_shape()), indexing="ij")
        return as_type(self.type, coded(list(at)) + self.turns - 1)

    def scattered(self, rank: int) -> Array:
        """The field of a process after a whole one is scattered."""
        at = self.indices(rank)
        owned = np.all([own for own, _, _ in self.classes(rank, at)], axis=0)
        code = coded(at)
        return as_type(self.type, np.where(owned, code + self.turns - 1, -(code + rank * 17 + 3)))


def grids(ranks: int, nd: int) -> list[tuple[int, ...]]:
    """All grids with as many processes."""
    return [g for g in product(range(1, ranks + 1), repeat=nd) if int(np.prod(g)) == ranks]


def random_case(random: Random, ranks: int, kind: str = "exchange") -> Case:
    """Any case that the library has to accept."""
    nd = random.choice([1, 2, 2, 2, 3])
    grid = random.choice(grids(ranks, nd))
    low, high = (tuple(random.choice([0, 1, 1, 2, 3, 4]) for _ in range(nd)) for _ in range(2))
    least = [max(lo, hi, 1) * parts for lo, hi, parts in zip(low, high, grid, strict=True)]
    points = tuple(n + random.choice([0, 0, 1, 2, 3, 5]) for n in least)
    rank = random.randint(nd, 4)
    dims = tuple(random.sample(range(rank), nd))
    if nd > 1 and random.random() < 0.1:
        dims = tuple(-1 if d == random.randrange(nd) else e for d, e in enumerate(dims))
        dims = dims if max(dims) >= 0 else (0, *dims[1:])
    narrow = None
    if random.random() < 0.3:
        narrow = (tuple(random.randint(0, w) for w in low), tuple(random.randint(0, w) for w in high))
    return Case(
        points=points,
        grid=grid,
        periodic=tuple(random.random() < 0.5 for _ in range(nd)),
        low=low,
        high=high,
        dims=dims,
        extents=tuple(random.choice([1, 2, 3]) for _ in range(rank)),
        type=random.choice(list(TYPES)),
        kind=kind,
        stagger=tuple(random.choice([0, 0, 1]) for _ in range(3)),
        narrow=narrow,
        pad=random.choice([(0, 0), (0, 0), (1, 0), (2, 1)]),
        corners=random.random() < 0.8,
        outer=random.random() < 0.3,
        turns=random.choice([1, 1, 2]),
    )
