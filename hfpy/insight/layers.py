"""Boxes in layers from left to right, so that arrows between them cross no box: the layout of one level.

The steps are those of Sugiyama, Tagawa and Toda: reverse what closes a cycle, give every box a layer, put small
stand-ins where an arrow passes a layer, order each layer by the middle of what its boxes are joined to, and then
move the boxes as near to there as the others allow.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Generic, TypeVar

from hfpy.values import dataclass

K = TypeVar("K", bound=Hashable)
Edge = tuple[K, K]
Point = tuple[float, float]
Stretch = tuple[Point, Point]

_SWEEPS = 12
_MOVES = 16


@dataclass(frozen=True)
class Rectangle:
    """A box that has its place."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Half way down."""
        return self.y + self.height / 2

    def moved(self, x: float, y: float) -> Rectangle:
        """The same box elsewhere."""
        return Rectangle(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True)
class Spacing:
    """Room between layers, between the boxes of a layer, what a stand-in takes, and how high a layer should be."""

    across: float
    down: float
    thread: float
    height: float = float("inf")


@dataclass(frozen=True)
class Arrangement(Generic[K]):
    """Boxes with places. ``ways`` has for each edge the stretches on which it passes layers, from left to right, as the
    left and the right end of a level line; ``ends`` has for each box where its layer ends on the right.
    """

    boxes: Mapping[K, Rectangle]
    ends: Mapping[K, float]
    ways: Mapping[Edge[K], tuple[Stretch, ...]]
    width: float
    height: float


@dataclass
class _Cell(Generic[K]):
    """A box or a stand-in within a layer."""

    key: K | None
    width: float
    height: float
    layer: int
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    y: float = 0.0


def acyclic(keys: Sequence[K], edges: Iterable[Edge[K]]) -> set[Edge[K]]:
    """The edges to be turned round so that there is no cycle: those that lead back in a search in depth."""
    following: dict[K, list[K]] = {key: [] for key in keys}
    entered: set[K] = set()
    for source, target in dict.fromkeys(edges):
        following[source].append(target)
        entered.add(target)
    turned: set[Edge[K]] = set()
    state: dict[K, int] = {}
    for start in sorted(keys, key=lambda k: k in entered):  # those that nothing leads to come first
        stack = [(start, iter(following[start]))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            key, rest = stack[-1]
            other = next(rest, None)
            if other is None:
                state[key] = 2
                stack.pop()
            elif other not in state:
                state[other] = 1
                stack.append((other, iter(following[other])))
            elif state[other] == 1:
                turned.add((key, other))
    return turned


def arrange(
    sizes: Mapping[K, tuple[float, float]],
    edges: Iterable[Edge[K]],
    spacing: Spacing,
    first: frozenset[K] = frozenset(),
    last: frozenset[K] = frozenset(),
    threads: Mapping[Edge[K], float] | None = None,
) -> Arrangement[K]:
    """Places for boxes of these sizes (width, height) joined by edges without cycles.

    The boxes of ``first`` and ``last`` get a layer for themselves at either end; ``threads`` says how much an edge
    takes of the layers that it passes, if it is not what ``spacing`` says.
    """
    joined = [edge for edge in dict.fromkeys(edges) if edge[0] != edge[1]]
    layer = _layers(sizes, joined, spacing, first, last)
    cells, chains = _cells(sizes, joined, layer, spacing, threads or {})
    rows = _ordered(cells)
    _settle(cells, rows, spacing.down)
    return _placed(cells, rows, chains, spacing)


def _layers(
    sizes: Mapping[K, tuple[float, float]],
    edges: Sequence[Edge[K]],
    spacing: Spacing,
    first: frozenset[K],
    last: frozenset[K],
) -> dict[K, int]:
    """The number of each box's layer, from 0."""
    inner = [k for k in sizes if k not in first and k not in last]
    before: dict[K, list[K]] = {k: [] for k in inner}
    after: dict[K, list[K]] = {k: [] for k in inner}
    for source, target in edges:
        if source in before and target in before:
            before[target].append(source)
            after[source].append(target)
    layer = dict.fromkeys(inner, 0)
    order = _topological(inner, before, after)
    for key in order:
        layer[key] = max((layer[b] + 1 for b in before[key]), default=0)
    for key in order:  # what nothing leads to is just before what it leads to
        if not before[key] and after[key]:
            layer[key] = min(layer[a] for a in after[key]) - 1
    _lower(order, layer, before, after, {k: sizes[k][1] + spacing.down for k in inner}, spacing.height)
    number = {n: i for i, n in enumerate(sorted(set(layer.values())))}
    offset = 1 if first else 0
    made = {k: number[n] + offset for k, n in layer.items()}
    final = max(made.values(), default=offset - 1) + 1
    return {k: 0 if k in first else final if k in last else made[k] for k in sizes}


def _topological(keys: Sequence[K], before: Mapping[K, list[K]], after: Mapping[K, list[K]]) -> list[K]:
    waiting = {k: len(before[k]) for k in keys}
    order = [k for k in keys if not waiting[k]]
    for key in order:
        for other in after[key]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    assert len(order) == len(keys), "a cycle"
    return order


def _lower(
    order: Sequence[K],
    layer: dict[K, int],
    before: Mapping[K, list[K]],
    after: Mapping[K, list[K]],
    heights: Mapping[K, float],
    most: float,
) -> None:
    """Move boxes on to later layers where a layer would get higher than ``most``, those first that lead nowhere."""
    number = min(layer.values(), default=0)
    while number <= max(layer.values(), default=-1):
        there = sorted((k for k in order if layer[k] == number), key=lambda k: -len(after[k]))
        room = most
        for place, key in enumerate(there):
            room -= heights[key]
            if room < 0 and place:
                layer[key] = number + 1
        for key in order:
            layer[key] = max([layer[key], *(layer[b] + 1 for b in before[key])])
        number += 1


def _cells(
    sizes: Mapping[K, tuple[float, float]],
    edges: Sequence[Edge[K]],
    layer: Mapping[K, int],
    spacing: Spacing,
    threads: Mapping[Edge[K], float],
) -> tuple[list[_Cell[K]], dict[Edge[K], list[int]]]:
    """Boxes and stand-ins, and for each edge the numbers of its stand-ins from left to right."""
    cells = [_Cell[K](key, *sizes[key], layer[key]) for key in sizes]
    numbers = {key: number for number, key in enumerate(sizes)}
    chains: dict[Edge[K], list[int]] = {}
    for source, target in edges:
        chain = []
        previous = numbers[source]
        for passed in range(layer[source] + 1, layer[target]):
            cells.append(_Cell(None, 0.0, threads.get((source, target), spacing.thread), passed))
            chain.append(len(cells) - 1)
            cells[previous].right.append(chain[-1])
            cells[chain[-1]].left.append(previous)
            previous = chain[-1]
        cells[previous].right.append(numbers[target])
        cells[numbers[target]].left.append(previous)
        chains[(source, target)] = chain
    return cells, chains


def _ordered(cells: Sequence[_Cell[K]]) -> list[list[int]]:
    """The numbers of the cells of each layer from above, with few crossings."""
    rows: list[list[int]] = [[] for _ in range(max((c.layer for c in cells), default=-1) + 1)]
    seen: set[int] = set()
    for start in sorted(range(len(cells)), key=lambda n: cells[n].layer):
        stack = [start]
        while stack:  # in depth, so that what belongs together begins together
            number = stack.pop()
            if number not in seen:
                seen.add(number)
                rows[cells[number].layer].append(number)
                stack += reversed(cells[number].right)
    best, fewest = [list(row) for row in rows], _crossings(cells, rows)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        forward = sweep % 2 == 0
        for row in rows if forward else reversed(rows):
            _sort_by_middle(cells, rows, row, forward)
        crossed = _crossings(cells, rows)
        if crossed < fewest:
            best, fewest = [list(row) for row in rows], crossed
    return best


def _sort_by_middle(cells: Sequence[_Cell[K]], rows: Sequence[Sequence[int]], row: list[int], forward: bool) -> None:
    """Sort a layer by the mean place of what its cells are joined to; what is joined to nothing stays where it is."""
    if not row:
        return
    other = cells[row[0]].layer + (-1 if forward else 1)
    if not 0 <= other < len(rows):
        return
    place = {number: index for index, number in enumerate(rows[other])}
    scale = max(len(rows[other]), 1) / len(row)
    wanted = {}
    for index, number in enumerate(row):
        joined = cells[number].left if forward else cells[number].right
        wanted[number] = sum(place[j] for j in joined) / len(joined) if joined else index * scale
    row.sort(key=lambda n: wanted[n])


def _crossings(cells: Sequence[_Cell[K]], rows: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges cross between neighbouring layers."""
    total = 0
    for row, following in pairwise(rows):
        place = {number: index for index, number in enumerate(following)}
        ends: list[int] = []
        for number in row:
            targets = [place[r] for r in cells[number].right]
            total += sum(len(ends) - bisect_right(ends, t) for t in targets)
            for target in targets:
                insort(ends, target)
    return total


def _settle(cells: Sequence[_Cell[K]], rows: Sequence[Sequence[int]], gap: float) -> None:
    """Heights (of the middles) near to what each cell is joined to, in the order given and without overlap."""
    for row in rows:
        _spread(cells, row, [0.0] * len(row), gap)
    for move in range(_MOVES):
        forward = move % 2 == 0
        both = move >= _MOVES - 4
        for row in rows if forward else reversed(rows):
            wanted = []
            for number in row:
                cell = cells[number]
                joined = [*cell.left, *cell.right] if both else cell.left if forward else cell.right
                wanted.append(sum(cells[j].y for j in joined) / len(joined) if joined else cell.y)
            _spread(cells, row, wanted, gap)


def _spread(cells: Sequence[_Cell[K]], row: Sequence[int], wanted: Sequence[float], gap: float) -> None:
    """Give the cells of a layer the heights nearest to those wanted (least squares) that keep order and distance.

    With the distances taken off, this is a regression by a rising sequence, done by pooling neighbours.
    """
    offsets: list[float] = []
    for index, number in enumerate(row):
        if index:
            above = cells[row[index - 1]]
            offsets.append(offsets[-1] + above.height / 2 + gap + cells[number].height / 2)
        else:
            offsets.append(0.0)
    pools: list[tuple[float, int]] = []
    for value, offset in zip(wanted, offsets, strict=True):
        mean, count = value - offset, 1
        while pools and pools[-1][0] >= mean:
            previous, size = pools.pop()
            mean, count = (previous * size + mean * count) / (size + count), size + count
        pools.append((mean, count))
    index = 0
    for mean, count in pools:
        for _ in range(count):
            cells[row[index]].y = mean + offsets[index]
            index += 1


def _placed(
    cells: Sequence[_Cell[K]], rows: Sequence[Sequence[int]], chains: Mapping[Edge[K], Sequence[int]], spacing: Spacing
) -> Arrangement[K]:
    top = min((c.y - c.height / 2 for c in cells), default=0.0)
    lefts: list[float] = []
    widths: list[float] = []
    x = 0.0
    for row in rows:
        lefts.append(x)
        widths.append(max((cells[n].width for n in row), default=0.0))
        x += widths[-1] + spacing.across
    boxes: dict[K, Rectangle] = {}
    ends: dict[K, float] = {}
    for cell in cells:
        if cell.key is not None:
            y = cell.y - cell.height / 2 - top
            boxes[cell.key] = Rectangle(lefts[cell.layer], y, cell.width, cell.height)
            ends[cell.key] = lefts[cell.layer] + widths[cell.layer]
    ways: dict[Edge[K], tuple[Stretch, ...]] = {}
    for edge, chain in chains.items():
        stretches = []
        for number in chain:
            cell = cells[number]
            left, y = lefts[cell.layer], cell.y - top
            stretches.append(((left, y), (left + widths[cell.layer], y)))
        ways[edge] = tuple(stretches)
    bottom = max((c.y + c.height / 2 for c in cells), default=0.0)
    return Arrangement(boxes, ends, ways, max(0.0, x - spacing.across), bottom - top)
