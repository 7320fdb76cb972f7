"""Loops that take several points in one turn: unroll and jam, with the rest after (stencil-optimisation.md §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hfpy.model.building import Maker, name, plus
from hfpy.model.expressions import Expr
from hfpy.model.statements import Node
from hfpy.transform.stencil.program import Offset
from hfpy.values import dataclass


@dataclass(frozen=True)
class Loop:
    """A loop over one dimension of a program, which takes ``factor`` points a turn."""

    variable: str
    first: Expr
    last: Expr
    dimension: int
    factor: int = 1

    def plain(self) -> Loop:
        """The same loop, one point a turn."""
        return replace(self, factor=1)


def jammed(
    make: Maker, loops: Sequence[Loop], copies: list[Offset], body: Callable[[list[Offset]], list[Node]]
) -> Iterator[Node]:
    """Loops, the outermost first, around what ``body`` makes for the points at the offsets ``copies``."""
    if not loops:
        yield from body(copies)
        return
    loop, rest = loops[0], loops[1:]
    first = loop.first
    if loop.factor > 1:
        several = [_moved(at, loop.dimension, by) for at in copies for by in range(loop.factor)]
        last = plus(loop.last, 1 - loop.factor)
        yield make.loop(loop.variable, first, last, jammed(make, rest, several, body), loop.factor)
        first = name(loop.variable)  # the loop ends at the first point that it did not take
    yield make.loop(loop.variable, first, loop.last, jammed(make, rest, copies, body))


def _moved(offset: Offset, dimension: int, by: int) -> Offset:
    return tuple(o + by if d == dimension else o for d, o in enumerate(offset))
