"""Loops that take several points in one turn: unroll and jam, with the rest behind (stencil-optimisation.md §5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from hfpy.transform.stencil.program import Offset
from hfpy.transform.stencil.text import plus


@dataclass(frozen=True)
class Loop:
    """A loop over one dimension of a program, which takes ``factor`` points a turn."""

    variable: str
    first: str
    last: str
    dimension: int
    factor: int = 1

    def plain(self) -> Loop:
        """The same loop, one point a turn."""
        return replace(self, factor=1)


def jammed(loops: Sequence[Loop], copies: list[Offset], body: Callable[[list[Offset]], list[str]]) -> Iterator[str]:
    """Loops, the outermost first, around what ``body`` writes for the points at the offsets ``copies``."""
    if not loops:
        yield from body(copies)
        return
    loop, rest = loops[0], loops[1:]
    first, last = loop.first, loop.last
    if loop.factor > 1:
        several = [_moved(at, loop.dimension, by) for at in copies for by in range(loop.factor)]
        yield f"do {loop.variable} = {first}, {plus(last, 1 - loop.factor)}, {loop.factor}"
        yield from ("  " + line for line in jammed(rest, several, body))
        yield "end do"
        first = loop.variable  # the loop ends at the first point that it did not take
    yield f"do {loop.variable} = {first}, {last}"
    yield from ("  " + line for line in jammed(rest, copies, body))
    yield "end do"


def _moved(offset: Offset, dimension: int, by: int) -> Offset:
    return tuple(o + by if d == dimension else o for d, o in enumerate(offset))
