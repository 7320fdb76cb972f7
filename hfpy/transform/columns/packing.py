"""Columns put side by side, and put back, in loops of which compilers make vector code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from hfpy.model.building import COLON, Maker, apply, as_written, binary, name, number, plus, quoted
from hfpy.model.expressions import Expr, Name
from hfpy.model.extents import Dim
from hfpy.model.statements import Node
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.columns.common import LANE, in_lane
from hfpy.transform.stencil.locals import Locals
from hfpy.values import dataclass

# Columns that are read together, and elements of a column that are written together: both measured (0.18 ns an element
# instead of 0.29, columns of 40 elements in a cache, AVX-512).
GROUP, RUN = 8, 4
# Elements of a column up to which one statement moves them all.
_FEW = 16


@dataclass(frozen=True)
class Packed:
    """An array of the region whose columns are put side by side: its dimensions but those of the region, what of it
    is read before and written back after, and its indices for one column. ``inner`` are the dimensions left, the one
    whose elements lie closest together first; ``apart`` says that neighbouring columns lie even closer. ``extents`` are
    the numbers of elements, where they are known.
    """

    name: str
    block: str
    sizes: tuple[Dim, ...]
    before: bool
    behind: bool
    column: tuple[Expr, ...]
    inner: tuple[int, ...] = ()
    apart: bool = False
    extents: tuple[int | None, ...] = ()

    def move(self, indices: Sequence[Expr], back: bool, make: Maker) -> Node:
        """The statement for the elements at some indices of the dimensions left."""
        rest = iter(indices)
        here = in_lane(self.block, *indices)
        there = apply(self.name, [next(rest) if i == COLON else i for i in self.column])
        return make.assign(there, here) if back else make.assign(here, there)

    @property
    def few(self) -> bool:
        """Whether a column is known to have few elements."""
        return all(e is not None for e in self.extents) and prod(e or 0 for e in self.extents) <= _FEW


@dataclass(frozen=True)
class Mover:
    """Makes the loops that put ``count`` columns side by side, or back. ``macros`` are names that the compiler's
    preprocessor may replace by more than a name.
    """

    make: Maker
    names: Locals
    count: str
    macros: frozenset[str]

    def moves(self, packed: Sequence[Packed], back: bool) -> Iterator[Node]:
        """The loops for some arrays: scalars together, arrays one by one."""
        scalars = [p.move((), back, self.make) for p in packed if not p.sizes]
        if scalars:
            yield self._lanes(scalars)
        for array in packed:
            whole = [COLON] * len(array.sizes)
            if not array.sizes:
                continue
            if array.apart:
                rows = self._lanes([array.move(self._indices(array), back, self.make)])
                yield self._around(array, rows, array.inner)
            elif array.few:
                yield self._lanes([array.move(whole, back, self.make)])
            elif back:
                yield self._back(array)
            else:
                yield from self._side_by_side(array)

    def _lanes(self, nodes: Sequence[Node], first: Expr | None = None) -> Node:
        """A loop over the columns from some one on."""
        return self.make.loop(LANE, first or number(0), plus(name(self.count), -1), nodes)

    def _side_by_side(self, array: Packed) -> Iterator[Node]:
        """Some columns at a time, so that each row of them is one store; what is left over one by one."""
        group = self.names.scalar("group", "", "integer")
        move = array.move(self._indices(array), False, self.make)
        rows = self.make.loop(LANE, name(group), plus(name(group), GROUP - 1), [move])
        inner = self._around(array, rows, array.inner)
        yield self.make.loop(group, number(0), plus(name(self.count), -GROUP), [inner], GROUP)
        rest = array.move([COLON] * len(array.sizes), False, self.make)
        yield self._lanes([rest], _multiple(name(self.count), GROUP))

    def _back(self, array: Packed) -> Node:
        """Column by column, some elements at a time, so that they are one store; then those left over."""
        first = array.inner[0]
        indices, extent = self._indices(array), array.extents[first]
        variable, (lower, upper) = indices[first], self._bounds(array.sizes[first])
        one = array.move(indices, True, self.make)
        nodes: list[Node] = []
        begin = lower
        if extent is None or extent >= RUN:
            several = [one]
            for n in range(1, RUN):
                moved = [plus(i, n) if i is variable else i for i in indices]
                several.append(array.move(moved, True, self.make))
            nodes.append(self.make.loop(variable.name, lower, plus(upper, 1 - RUN), several, RUN))
            number_of = upper if _is_one(lower) else plus(binary(upper, "-", lower), 1)
            begin = binary(lower, "+", _multiple(number_of, RUN))
        if extent is None or extent % RUN:
            nodes.append(self.make.loop(variable.name, begin, upper, [one]))
        rest = array.inner[1:]
        inner = nodes if not rest else [self._around(array, nodes, rest)]
        return self._lanes(inner)

    def _indices(self, array: Packed) -> list[Name]:
        """The variables of loops over the dimensions of a column."""
        return [name(self.names.scalar(f"d{n + 1}", "", "integer")) for n in range(len(array.sizes))]

    def _around(self, array: Packed, nodes: Node | Sequence[Node], dimensions: Sequence[int]) -> Node:
        """Loops over some dimensions of a column around statements, the first dimension innermost."""
        indices = self._indices(array)
        inner = nodes if isinstance(nodes, Sequence) else [nodes]
        for dimension in dimensions:
            inner = [self.make.loop(indices[dimension].name, *self._bounds(array.sizes[dimension]), inner)]
        (outermost,) = inner
        return outermost

    def _bounds(self, dim: Dim) -> tuple[Expr, Expr]:
        """The bounds of a dimension, as they are written."""
        assert dim.upper is not None
        return as_written(dim.lower or ONE, self.macros), as_written(dim.upper, self.macros)


def _multiple(expr: Expr, of: int) -> Expr:
    """The largest multiple of a number that is not above an expression."""
    return binary(binary(expr, "/", number(of)), "*", number(of))


def _is_one(bound: Expr) -> bool:
    return bound == quoted(ONE)
