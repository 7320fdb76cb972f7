"""Stale halos that are made NaN, so that a read of them shows (distributed.md §6, "fill halos with NaN").

After a region that certainly sets all points of a field, the halo is not what the owners have until it is exchanged.
Points beyond the boundary of the grid stay as they are: they have no owner.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.processes.decomposed import element_type, without_place
from hfpy.analyze.processes.halomarks import certain_settings
from hfpy.analyze.processes.halos import Walk
from hfpy.model.distributed import HaloExchange
from hfpy.model.units import Routine
from hfpy.transform.distributed.exchanges import Exchange, Field, Span
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.values import dataclass

_NANS = {"real(4)": "hf_nan4()", "real(8)": "hf_nan8()"}


def poisoned(walk: Walk, routine: Routine, names: Locals, fixed: bool) -> Iterator[Edit]:
    """The statements after the regions of a routine that make the halos of what they set NaN."""
    for construct, settings in certain_settings(walk, routine.key):
        assert construct.end is not None
        header, last = construct.header.line, construct.end.line.last
        poison = _Poison(walk, routine, names, "!@" if header.comment else "@")
        indent = " " * (6 if fixed else header.segments[0][2] - (1 if header.comment else 0))
        rows = [indent + row for setting in settings for row in poison.rows(setting.name)]
        if rows:
            yield insert_lines(last + 1, rows, -6, last)


@dataclass
class _Poison:
    """What makes the halo of one field NaN."""

    walk: Walk
    routine: Routine
    names: Locals
    sign: str

    def rows(self, name: str) -> Iterator[str]:
        """The statements for a field; none for one of another type, or whose halo has no place that is known here."""
        facts, grid = self.walk.facts, self.walk.grid
        data = facts.object(name, self.routine.key)
        element = element_type(facts, data) if data is not None else ""
        if data is None or element not in _NANS or any(without_place(cut) for cut in grid.cuts(data)):
            return
        field = Field.of(data, element, grid)
        what = HaloExchange((), (), True, grid.what.name)
        text = Exchange(grid, what, [field], self.names, self.sign)
        yield f"! the halo of {name} is stale now"
        nan = self.names.scalar("nan", "_" + "".join(c for c in element if c.isalnum()), element)
        yield f"{nan} = {_NANS[element]}"
        for cut in field.cuts:
            at = f"'{grid.what.name}', {cut.number + 1}"
            low, high = field.bounds[cut.position]
            points = text.points(cut.number)
            yield f"{points} = hf_local({at})"
            for width, side, there in ((text.low, -1, f"1 - ({low})"), (text.high, 1, f"{high} - {points}")):
                yield f"{width(cut.number)} = 0"
                asked = f"hf_has_neighbour({at}, {side})"
                yield f"if ({asked}) {width(cut.number)} = max(0, min(hf_halo({at}, {side}), {there}))"
        for number, cut in enumerate(field.cuts):
            done = [c.position for c in field.cuts[:number]]
            points = text.points(cut.number)
            sides = [(f"{points} + 1", f"{points} + {text.high(cut.number)}")]
            if field.bounds[cut.position][0] != "1":
                sides.append((f"1 - {text.low(cut.number)}", "0"))
            for bounds in sides:
                yield from self._strip(field, text, cut.position, bounds, done, nan)

    def _strip(
        self, field: Field, text: Exchange, position: int, bounds: tuple[str, str], done: list[int], nan: str
    ) -> Iterator[str]:
        """The halo on one side of a domain: of the others all points of the part, and those of their halos that are not
        done.
        """
        cuts = {c.position: c.number for c in field.cuts}
        spans = []
        for place, own in enumerate(field.bounds):
            if place == position:
                spans.append(Span.of(*bounds))
            elif place in cuts and place in done:
                spans.append(Span.of("1", text.points(cuts[place])))
            elif place in cuts:
                number = cuts[place]
                spans.append(Span.of(f"1 - {text.low(number)}", f"{text.points(number)} + {text.high(number)}"))
            else:
                spans.append(Span.of(*own))
        iterators = [text.scalar(f"p{n}") for n in range(1, len(spans) + 1)]
        head, loops = text.region_over(spans, iterators, "")
        yield from head
        yield f"  {field.name}({', '.join(iterators)}) = {nan}"
        yield from ("end do" for _ in range(loops))
        yield f"{self.sign}end parallelRegion"
