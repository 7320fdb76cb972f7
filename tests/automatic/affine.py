"""Random affine nests, and what their points do to each other by trying all of them.

A nest has one to three loops with known bounds, and statements in the innermost loop or beside it. Dummies ``a`` and
``b`` are read after the nest, the local array ``w`` and the scalar ``t`` are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

Element = tuple[str, tuple[int, ...]]
VARIABLES = ("i", "j", "k")
RANKS = {"a": 1, "b": 2, "w": 1, "t": 0}
LOW, HIGH = -40, 60  # the bounds of all dimensions: no subscript leaves them


@dataclass(frozen=True)
class Affine:
    """``factors`` for the loops around, outermost first, and a constant."""

    factors: tuple[int, ...]
    constant: int

    def at(self, point: Sequence[int]) -> int:
        """Its value at a point."""
        return sum(f * x for f, x in zip(self.factors, point, strict=False)) + self.constant

    @property
    def text(self) -> str:
        """As Fortran."""
        terms = [f"{f}*{v}" for f, v in zip(self.factors, VARIABLES, strict=False) if f]
        return " + ".join([*terms, str(self.constant)]).replace("+ -", "- ")


@dataclass(frozen=True)
class Place:
    """An element of an array, or a scalar."""

    array: str
    subscripts: tuple[Affine, ...]

    def element(self, point: Sequence[int]) -> Element:
        """The element at a point."""
        return self.array, tuple(s.at(point) for s in self.subscripts)

    @property
    def text(self) -> str:
        """As Fortran."""
        listed = ", ".join(s.text for s in self.subscripts)
        return f"{self.array}({listed})" if listed else self.array


@dataclass(frozen=True)
class Assigned:
    """A statement in the first ``depth`` loops, before what is deeper or after it."""

    depth: int
    before: bool
    target: Place
    reads: tuple[Place, ...]

    @property
    def text(self) -> str:
        """As Fortran."""
        return f"{self.target.text} = {' + '.join([r.text for r in self.reads] + [VARIABLES[self.depth - 1]])}"


@dataclass(frozen=True)
class Turns:
    """A loop; ``upper`` may depend on the loops around."""

    lower: int
    upper: Affine
    step: int

    def values(self, around: Sequence[int]) -> range:
        """The values of its variable."""
        last = self.upper.at(around)
        return range(self.lower, last + (1 if self.step > 0 else -1), self.step)


@dataclass(frozen=True)
class Access:
    """What happens at a point: its element is read or written."""

    point: tuple[int, ...]
    element: Element
    write: bool
    value: int = 0  # what is written; other values, other numbers


@dataclass(frozen=True)
class Nest:
    """Loops, outermost first, and statements in the order of the text for each depth."""

    loops: tuple[Turns, ...]
    statements: tuple[Assigned, ...]

    def lines(self) -> list[str]:
        """As Fortran."""
        return list(self._lines(0))

    def _lines(self, depth: int) -> Iterator[str]:
        yield from (s.text for s in self.statements if s.depth == depth and s.before)
        if depth < len(self.loops):
            loop = self.loops[depth]
            step = f", {loop.step}" if loop.step != 1 else ""
            yield f"do {VARIABLES[depth]} = {loop.lower}, {loop.upper.text}{step}"
            yield from (f"  {line}" for line in self._lines(depth + 1))
            yield "end do"
        yield from (s.text for s in self.statements if s.depth == depth and not s.before)

    def accesses(self) -> list[Access]:
        """All accesses in the order of the serial program."""
        return list(self._accesses((), {}))

    def _accesses(self, point: tuple[int, ...], held: dict[Element, int]) -> Iterator[Access]:
        depth = len(point)
        for before in (True, False):
            if not before and depth < len(self.loops):
                for value in self.loops[depth].values(point):
                    yield from self._accesses((*point, value), held)
            for s in self.statements:
                if s.depth == depth and s.before == before:
                    reads = [r.element(point) for r in s.reads]
                    yield from (Access(point, r, False) for r in reads)
                    element = s.target.element(point)
                    held[element] = hash((point[-1], *(held.get(r, hash(r)) for r in reads)))
                    yield Access(point, element, True, held[element])


def parallel(listed: Sequence[Access], first: int, count: int, reduced: frozenset[str] | None = None) -> bool:
    """Whether ``count`` loops from the loop ``first`` on (from 0) are parallel in all turns of the loops around them:
    no two of their points meet, but in what each may have for itself.

    With ``reduced``, points may also write one and the same value to an element that none reads, and these variables
    are not looked at.
    """
    start = 0
    for outer, found in groupby(listed, lambda a: a.point[:first] if len(a.point) > first else None):
        instance = list(found)
        start += len(instance)
        if outer is not None and not _independent(instance, listed[start:], first, count, reduced):
            return False
    return True


def _independent(
    instance: Sequence[Access], behind: Sequence[Access], first: int, count: int, reduced: frozenset[str] | None
) -> bool:
    points: dict[Element, set[tuple[int, ...]]] = {}
    values: dict[Element, set[int]] = {}
    exposed: set[Element] = set()  # read by a point that has not set it
    own: dict[tuple[int, ...], set[Element]] = {}
    for a in instance:
        point = a.point[first : first + count]
        points.setdefault(a.element, set()).add(point)
        mine = own.setdefault(point, set())
        if a.write:
            values.setdefault(a.element, set()).add(a.value)
            mine.add(a.element)
        elif a.element not in mine:
            exposed.add(a.element)
    met = {e for e in values if len(points[e]) > 1}
    if reduced is not None:
        met = {e for e in met if e[0] not in reduced and (len(values[e]) > 1 or e in exposed)}
    exposed &= values.keys()  # what no point changes comes in with the point's own array
    return all(_private(name, exposed, own, behind) for name in {e[0] for e in met})


def _private(
    name: str, exposed: set[Element], own: dict[tuple[int, ...], set[Element]], behind: Sequence[Access]
) -> bool:
    """Whether each point may have its own: it sets what it reads, and nothing is read after, or all points set it."""
    if name in ("a", "b") or any(e[0] == name for e in exposed):
        return False
    left = {e for mine in own.values() for e in mine if e[0] == name}
    for a in behind:
        if a.element in left and not a.write:
            return name == "t" and all(a.element in mine for mine in own.values())
        left.discard(a.element)
    return True


def nest_of(number: int) -> Nest:
    """A random nest."""
    rng = Random(number)
    depth = rng.choice((1, 2, 2, 3))
    loops = tuple(_loop(rng, d) for d in range(depth))
    statements: list[Assigned] = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        at = depth if rng.random() < 0.75 else rng.randint(1, depth)
        reads = tuple(_place(rng, at, statements) for _ in range(rng.choice((0, 1, 1, 2))))
        statements.append(Assigned(at, rng.random() < 0.5 if at < depth else True, _place(rng, at, ()), reads))
    return Nest(loops, tuple(statements))


def _loop(rng: Random, depth: int) -> Turns:
    if depth and rng.random() < 0.15:  # a triangle
        around = rng.randrange(depth)
        factors = tuple(int(d == around) for d in range(depth))
        return Turns(1, Affine(factors, 0), 1)
    low, step = rng.randint(1, 2), rng.choice((1, 1, 1, 2, -1))
    high = low + rng.randint(3, 6)
    return Turns(high, Affine((), low), step) if step < 0 else Turns(low, Affine((), high), step)


def _place(rng: Random, depth: int, before: Sequence[Assigned]) -> Place:
    """A place, often one that was set before, or a simple one."""
    if before and rng.random() < 0.4:
        target = rng.choice(before).target
        if all(not any(s.factors[depth:]) for s in target.subscripts):
            return target
    array = rng.choice(("a", "a", "b", "b", "b", "w", "t"))
    return Place(array, tuple(_affine(rng, depth) for _ in range(RANKS[array])))


def _affine(rng: Random, depth: int) -> Affine:
    factors = [0] * depth
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
        factors[rng.randrange(depth)] = rng.choice((1, 1, 1, 1, 2, -1))
    return Affine(tuple(factors), rng.choice((0, 0, 0, 1, -1, 2, 5)))
