"""An exchange that overlaps with the region after it, as hfpy's own text (distributed.md §3.3).

All messages travel at once. The region stays one region, in a loop over boxes of its points: first the interior, which
reads no halo, then the strips of the frame, before which the messages are waited for and unpacked. Where the interior
is empty there is one box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.processes.overlaps import Reach, bounds
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.distributed.costs import BYTES, Costs
from hfpy.transform.distributed.exchanges import Exchange
from hfpy.transform.distributed.redundant import with_bounds
from hfpy.transform.distributed.together import Together
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines
from hfpy.values import dataclass


@dataclass
class Overlapping:
    """The text of one exchange and of what is around the ``region`` after it, which reads ``reaches`` of the halos.
    ``rows`` are statements that set variables in its bounds. With ``costs`` it is split only where that pays, as the
    region works with so many ``arrays``.
    """

    exchange: Exchange
    region: Region
    reaches: Sequence[Reach]
    rows: Sequence[str] = ()
    costs: Costs | None = None
    arrays: int = 0

    def __post_init__(self) -> None:
        self.scalar = self.exchange.scalar
        self.messages = Together(self.exchange, counted=self.costs is not None)

    def before(self) -> Iterator[str]:
        """Sizes, packing, sending, and the head of the loop, in the place of the directive."""
        yield from self.messages.begin()
        yield from self.exchange.clean()  # the region after reads it when all is unpacked
        yield from self._split()
        box = self.scalar("box")
        yield f"do {box} = 1, {self.scalar('boxes')}"
        yield f"  if ({box} == {self.scalar('frame')}) then"
        yield from (f"    {row}" for row in self.messages.end())
        yield "  end if"
        yield f"  call hf_next_box({box}, {self.scalar('boxes')}, {self._lists()}, {', '.join(self._box())})"

    def behind(self) -> Iterator[str]:
        """What comes after the region."""
        yield "end do"
        yield from self.messages.released()

    def edits(self, line: LogicalLine, construct: Construct, fixed: bool) -> Iterator[Edit]:
        """The directive becomes what is before the region; the region gets the bounds of a box."""
        assert construct.end is not None
        indent = " " * (6 if fixed else line.segments[0][2] - (1 if line.comment else 0))
        yield replace_lines(line.first, line.last, [indent + row for row in self.before()])
        yield from with_bounds(construct, self._boxed())
        last = construct.end.line.last
        yield insert_lines(last + 1, [indent + row for row in self.behind()], -8, last)

    def _boxed(self) -> Region:
        """The region with the bounds of a box."""
        split = {reach.iterator for reach in self.reaches}

        def bounds_with(what: str, own: Sequence[Fragment]) -> tuple[Fragment, ...]:
            pairs = zip(self.region.iterators, own, strict=True)
            return tuple(fragment(self._of(what, i)) if i in split else bound for i, bound in pairs)

        starts, ends = bounds_with("box_from", self.region.starts), bounds_with("box_to", self.region.ends)
        return replace(self.region, starts=starts, ends=ends)

    def _of(self, what: str, iterator: str) -> str:
        """A variable for an iterator of the region."""
        number = next(n for n, reach in enumerate(self.reaches, 1) if reach.iterator == iterator)
        return self.scalar(f"{what}{number}")

    def _split(self) -> Iterator[str]:
        """Statements that set the bounds of the region and of its interior, and how many boxes they make."""
        own = bounds(self.region)
        yield from self.rows
        for reach in self.reaches:
            points = self.exchange.points(reach.number)
            yield f"{self._of('all_from', reach.iterator)} = {own[reach.iterator][0]}"
            yield f"{self._of('all_to', reach.iterator)} = {own[reach.iterator][1]}"
            yield f"{self._of('inner_from', reach.iterator)} = 1 + {reach.low}"
            yield f"{self._of('inner_to', reach.iterator)} = {points} - {reach.high}"
        name = self.exchange.grid.what.name
        pays = f", {self._pays()}" if self.costs is not None else ""
        yield f"call hf_split('{name}', {self._lists()}, {self.scalar('boxes')}, {self.scalar('frame')}{pays})"

    def _pays(self) -> str:
        """Whether it pays to split the region, by the bytes that are sent and those that a point touches."""
        assert self.costs is not None
        first = next(iter(self.messages.types))
        group = self.messages.types[first][0]
        touched = f"{self.arrays * BYTES[first]}*{group.depth}/{len(group.fields)}"
        return f"hf_pays({self.scalar('bytes')}, {touched}, {self.costs.text()}, {self._lists()})"

    def _lists(self) -> str:
        """The bounds of the region and of its interior, as lists."""
        words = ("all_from", "all_to", "inner_from", "inner_to")
        return ", ".join(f"[{', '.join(self._of(word, r.iterator) for r in self.reaches)}]" for word in words)

    def _box(self) -> Iterator[str]:
        for reach in self.reaches:
            yield self._of("box_from", reach.iterator)
            yield self._of("box_to", reach.iterator)
