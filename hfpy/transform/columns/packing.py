"""Columns put side by side, and put back, in loops of which compilers make vector code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from hfpy.model.expressions import Literal, Name
from hfpy.model.extents import Dim
from hfpy.parse.fragments import ONE
from hfpy.transform.columns.statements import LANE, STEP
from hfpy.transform.stencil.locals import Locals

# Columns that are read together, and elements of a column that are written together: both measured (0.18 ns an element
# instead of 0.29, columns of 40 elements in a cache, AVX-512).
GROUP, RUN = 8, 4
# Elements of a column up to which one statement moves them all.
_FEW = 16


@dataclass(frozen=True)
class Packed:
    """An array of the region whose columns are put side by side: its dimensions but those of the region, what of it
    is read before and written back behind, and its indices for one column. ``inner`` are the dimensions left, the one
    whose elements lie closest together first; ``apart`` says that neighbouring columns lie even closer. ``extents`` are
    the numbers of elements, where they are known.
    """

    name: str
    block: str
    sizes: tuple[Dim, ...]
    before: bool
    behind: bool
    column: tuple[str, ...]
    inner: tuple[int, ...] = ()
    apart: bool = False
    extents: tuple[int | None, ...] = ()

    def move(self, indices: Sequence[str], back: bool) -> str:
        """The statement for the elements at some indices of the dimensions left."""
        rest = iter(indices)
        here = f"{self.block}({','.join([LANE, *indices])})"
        there = f"{self.name}({','.join(next(rest) if i == ':' else i for i in self.column)})"
        return f"{there} = {here}" if back else f"{here} = {there}"

    @property
    def few(self) -> bool:
        """Whether a column is known to have few elements."""
        return all(e is not None for e in self.extents) and prod(e or 0 for e in self.extents) <= _FEW


def moves(packed: Sequence[Packed], count: str, names: Locals, back: bool) -> Iterator[str]:
    """The loops that put ``count`` columns side by side, or back: scalars together, arrays one by one."""
    scalars = [p.move((), back) for p in packed if not p.sizes]
    if scalars:
        yield from _loop(LANE, "0", f"{count} - 1", scalars)
    for array in packed:
        if not array.sizes:
            continue
        if array.apart:
            rows = _loop(LANE, "0", f"{count} - 1", [array.move(_indices(array, names), back)])
            yield from _around(array, names, rows, array.inner)
        elif array.few:
            yield from _loop(LANE, "0", f"{count} - 1", [array.move([":"] * len(array.sizes), back)])
        else:
            yield from _back(array, count, names) if back else _side_by_side(array, count, names)


def _side_by_side(array: Packed, count: str, names: Locals) -> Iterator[str]:
    """Some columns at a time, so that each row of them is one store; what is left over one by one."""
    group = names.scalar("group", "", "integer")
    rows = _loop(LANE, group, f"{group} + {GROUP - 1}", [array.move(_indices(array, names), False)])
    yield f"do {group} = 0, {count} - {GROUP}, {GROUP}"
    yield from (STEP + row for row in _around(array, names, rows, array.inner))
    yield "end do"
    rest = array.move([":"] * len(array.sizes), False)
    yield from _loop(LANE, f"{count} / {GROUP} * {GROUP}", f"{count} - 1", [rest])


def _back(array: Packed, count: str, names: Locals) -> Iterator[str]:
    """Column by column, some elements at a time, so that they are one store; then those left over."""
    first = array.inner[0]
    indices, extent = _indices(array, names), array.extents[first]
    variable, (lower, upper) = indices[first], _bounds(array.sizes[first])
    one = array.move(indices, True)
    rows: list[str] = []
    begin = lower
    if extent is None or extent >= RUN:
        several = [one]
        for n in range(1, RUN):
            indices[first] = f"{variable}+{n}"
            several.append(array.move(indices, True))
        rows += [f"do {variable} = {lower}, {upper} - {RUN - 1}, {RUN}", *(STEP + row for row in several), "end do"]
        begin = f"{lower} + " + (upper if lower == "1" else f"({upper} - ({lower}) + 1)") + f" / {RUN} * {RUN}"
    if extent is None or extent % RUN:
        rows += _loop(variable, begin, upper, [one])
    yield from _loop(LANE, "0", f"{count} - 1", _around(array, names, rows, array.inner[1:]))


def _indices(array: Packed, names: Locals) -> list[str]:
    """The variables of loops over the dimensions of a column."""
    return [names.scalar(f"d{n + 1}", "", "integer") for n in range(len(array.sizes))]


def _around(array: Packed, names: Locals, rows: list[str], dimensions: Sequence[int]) -> list[str]:
    """Loops over some dimensions of a column around lines, the first dimension innermost."""
    indices = _indices(array, names)
    for dimension in dimensions:
        rows = _loop(indices[dimension], *_bounds(array.sizes[dimension]), rows)
    return rows


def _bounds(dim: Dim) -> tuple[str, str]:
    """The bounds of a dimension; an expression as upper bound in parentheses."""
    assert dim.upper is not None
    plain = isinstance(dim.upper.expr, Name | Literal)
    return (dim.lower or ONE).text, dim.upper.text if plain else f"({dim.upper})"


def _loop(variable: str, low: str, high: str, rows: Sequence[str]) -> list[str]:
    return [f"do {variable} = {low}, {high}", *(STEP + row for row in rows), "end do"]
