"""Two spellings of one program: pieces of text, arrays, sizes, and how an array is written at a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

SIZES = ("nx", "ny", "nz", "nl")


class Two(NamedTuple):
    """A piece of text in the hybrid and in the plain spelling."""

    h: str
    p: str


def same(text: str) -> Two:
    return Two(text, text)


def fmt(pattern: str, *parts: Two) -> Two:
    """``pattern`` filled with the parts, in both spellings."""
    return Two(pattern.format(*(x.h for x in parts)), pattern.format(*(x.p for x in parts)))


@dataclass(frozen=True)
class Array:
    """An array: its dimensions as letters in declared order (``xyz``, ``zxy``, ``xy``, ``z``)."""

    name: str
    dims: str

    @property
    def column(self) -> str:
        """The dimensions that a column routine sees."""
        return self.dims.replace("x", "").replace("y", "")


@dataclass
class Routine:
    """A column routine or function that later code may call."""

    name: str
    dummies: tuple[Array, ...]
    written: int  # how many of the first dummies it writes
    function: bool = False
    kernel: bool = False  # its whole body is a region on the GPU


@dataclass
class Program:
    """The two texts, and the names of what has been drawn."""

    name: str
    hybrid: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    layout: dict[str, object] = field(default_factory=dict)  # options for an order with z first, or y first


def folded(line: str) -> list[str]:
    """A statement over several lines if it is long."""
    lines = []
    while len(line) > 118:
        start = len(line) - len(line.lstrip(" &")) + 6
        cut = max(line.rfind(" ", start, 110), line.rfind(",", start, 110) + 1)
        lines.append(line[:cut].rstrip() + " &")
        line = "        & " + line[cut:].lstrip()
    return [*lines, line]


class Lines:
    """Two texts that grow together."""

    def __init__(self) -> None:
        self.h: list[str] = []
        self.p: list[str] = []

    def both(self, level: int, *texts: str | Two) -> None:
        for text in texts:
            two = same(text) if isinstance(text, str) else text
            self.hybrid(level, two.h)
            self.plain(level, two.p)

    def hybrid(self, level: int, *texts: str) -> None:
        for text in texts:
            self.h.extend(folded("  " * level + text))

    def comment(self, level: int, text: str) -> None:
        """A directive in a comment of the plain text."""
        self.p.append("  " * level + "!" + text)

    def plain(self, level: int, *texts: str) -> None:
        for text in texts:
            self.p.extend(folded("  " * level + text))


class Grid:
    """Sizes and bounds of the program."""

    def __init__(self, rng: Random) -> None:
        self.halo = rng.choice((0, 0, 0, 1))
        self.values = {"x": rng.randint(2, 5), "y": rng.randint(2, 4), "z": rng.randint(3, 5), "l": 2}
        self.iterators = rng.choice(({"x": "x", "y": "y", "z": "z"}, {"x": "i", "y": "j", "z": "kk"}))
        zero = rng.random() < 0.2
        self.low = {"x": "0" if self.halo else "1", "y": "0" if self.halo else "1", "z": "0" if zero else "1", "l": "1"}
        extent = {d: f"n{d}" for d in "xyzl"}
        self.high = {d: f"n{d}+1" if self.halo and d in "xy" else extent[d] for d in "xyzl"}

    def size(self, d: str) -> str:
        return self.high[d] if self.low[d] == "1" else f"{self.low[d]}:{self.high[d]}"

    def shape(self, dims: str) -> str:
        return f"({','.join(self.size(d) for d in dims)})" if dims else ""


class Context:
    """How arrays are written at the current point, and which may be read and written there."""

    def __init__(self, rng: Random, grid: Grid, region: str, arrays: Sequence[Array], written: Sequence[Array]) -> None:
        self.rng = rng
        self.grid = grid
        self.region = region  # the letters of the region's domains; "" in a column routine
        self.written = list(written)
        self.read = [a for a in arrays if a not in written]
        self.locals: list[Array] = []  # privatised column locals that are set
        self.scalars = ["s1", "s2"]
        self.coarse = False  # a CPU region that does nothing but call kernels

    def spelled(self, name: str) -> str:
        """The name in some case."""
        return self.rng.choice((name, name, name.upper(), name.capitalize()))

    def at(self, a: Array, index: dict[str, str], private: bool = False) -> Two:
        """Element or section of ``a``; ``index`` holds what dimensions outside the region get."""
        iterators = self.grid.iterators
        if private or not self.region:
            inner = ",".join(index[d] for d in a.column)
            return same(f"{self.spelled(a.name)}({inner})" if inner else self.spelled(a.name))
        full = ",".join(iterators[d] if d in self.region else index[d] for d in a.dims)
        short = ",".join(index[d] for d in a.dims if d not in self.region)
        plain = f"{a.name}({full})"
        choice = self.rng.random()
        if choice < 0.3:
            return Two(f"{self.spelled(a.name)}({full})", plain)
        return Two(f"{self.spelled(a.name)}({short})" if short else self.spelled(a.name), plain)

    def whole(self, a: Array, private: bool = False) -> Two:
        """The view of ``a`` at the point, by its bare name where that is allowed."""
        index = {"z": ":", "x": ":", "y": ":", "l": "1"}
        if self.rng.random() < 0.5 and "l" not in a.dims:
            return Two(self.spelled(a.name), self.at(a, index, private).p)
        return self.at(a, index, private)

    def near(self, a: Array, index: dict[str, str]) -> Two:
        """A neighbour of the point, cut at the borders."""
        parts = []
        for d in a.dims:
            if d in self.region:
                offset = self.rng.choice(("-1", "+1", "", "+2"))
                it = self.grid.iterators[d]
                low, high = self.grid.low[d], self.grid.high[d]
                parts.append({"": it, "-1": f"max({it}-1,{low})"}.get(offset, f"min({it}{offset},{high})"))
            else:
                parts.append(index[d])
        return same(f"{a.name}({','.join(parts)})")
