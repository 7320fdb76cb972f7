"""An exchange that overlaps with the region behind it, as hfpy's own text (distributed.md §3.3).

All messages travel at once, to diagonal neighbours too where corners are exchanged: none waits for another one. The
region stays one region, in a loop over boxes of its points: first the interior, which reads no halo, then the strips of
the frame, before which the messages are waited for and unpacked. Where the interior is empty there is one box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hfpy.analyze.overlaps import Reach, bounds
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct
from hfpy.parse.fragments import fragment
from hfpy.transform.distributed.costs import BYTES, Costs
from hfpy.transform.distributed.exchanges import Exchange, Field, Span, added, groups_of, place_in
from hfpy.transform.distributed.redundant import with_bounds
from hfpy.transform.edits import Edit, insert_lines, replace_lines

_MOST = 2  # domains of a decomposition


@dataclass(frozen=True)
class _Group:
    """Fields that are packed together: by number, with the variable for the elements of all of them that belong to one
    point of the domains.
    """

    number: int
    fields: tuple[Field, ...]
    depth: str

    @property
    def cut(self) -> tuple[int, ...]:
        """The numbers of the domains that the fields have."""
        return tuple(c.number for c in self.fields[0].cuts)


@dataclass
class Overlapping:
    """The text of one exchange and of what is around the ``region`` behind it, which reads ``reaches`` of the halos.
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
        types = dict.fromkeys(f.type for f in self.exchange.fields)
        self.types = {t: self._groups([f for f in self.exchange.fields if f.type == t]) for t in types}
        self.domains = range(len(self.exchange.grid.what.domains))

    def _groups(self, fields: Sequence[Field]) -> list[_Group]:
        listed = enumerate(groups_of(fields), 1)
        return [_Group(number, tuple(group), self.scalar(f"depth{number}")) for number, group in listed]

    # -- before the region

    def before(self) -> Iterator[str]:
        """Sizes, packing, sending, and the head of the loop, in the place of the directive."""
        yield from self.exchange.head()
        for number in self.domains:
            if not self.exchange.takes_part(self.exchange.grid.what.domains[number]):
                yield f"{self.exchange.low(number)} = 0"
                yield f"{self.exchange.high(number)} = 0"
        yield from self.exchange.clean()  # the region behind reads it when all is unpacked
        for slot, type_text in enumerate(self.types, 1):
            yield from self._started(slot, type_text)
        yield from self._split()
        box = self.scalar("box")
        yield f"do {box} = 1, {self.scalar('boxes')}"
        yield f"  if ({box} == {self.scalar('frame')}) then"
        for slot, type_text in enumerate(self.types, 1):
            yield from (f"    {row}" for row in self._finished(slot, type_text))
        yield "  end if"
        yield f"  call hf_next_box({box}, {self.scalar('boxes')}, {self._lists()}, {', '.join(self._box())})"

    def behind(self) -> Iterator[str]:
        """What comes after the region."""
        yield "end do"
        if not self.exchange.keeps:
            for type_text in self.types:
                yield f"deallocate({self._buffer('send', type_text)}, {self._buffer('received', type_text)})"

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
        first = next(iter(self.types))
        group = self.types[first][0]
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

    # -- messages

    def _started(self, slot: int, type_text: str) -> Iterator[str]:
        """Packing and sending of the fields of a type."""
        groups, elements = self.types[type_text], self.scalar("elements")
        for group in groups:
            spans = [span for position, span in enumerate(self._spans(group)) if not self._is_cut(group, position)]
            yield f"{group.depth} = {'*'.join([str(len(group.fields)), *(span.count for span in spans)])}"
        yield f"call hf_start_room({self._who(slot)}, {self._widths()}, {self._shapes(groups)}, {elements})"
        if self.costs is not None:
            before = "" if slot == 1 else f"{self.scalar('bytes')} + "
            yield f"{self.scalar('bytes')} = {before}{BYTES[type_text]}*{elements}"
        send, received = self._buffer("send", type_text), self._buffer("received", type_text)
        if self.exchange.keeps:
            yield f"call hf_room({send}, {received}, {elements})"
        else:
            yield f"allocate({send}({elements}))"
            yield f"allocate({received}({elements}))"
        yield from self._moved(slot, type_text, packs=True)
        yield f"call hf_start({self._who(slot)}, {send}, {received})"

    def _finished(self, slot: int, type_text: str) -> Iterator[str]:
        """Waiting for the messages of a type, and unpacking."""
        yield f"call hf_finish({self._who(slot)}, {self._buffer('received', type_text)})"
        yield from self._moved(slot, type_text, packs=False)

    def _moved(self, slot: int, type_text: str, packs: bool) -> Iterator[str]:
        """The loop over the neighbours with the regions that pack or unpack."""
        side, base, points = self.scalar("side"), self.scalar("base"), self.scalar("points")
        edges = ", ".join(self.scalar(f"{what}{n + 1}") for n in range(_MOST) for what in ("from", "to"))
        yield f"do {side} = 1, {3 ** len(self.domains) - 1}"
        for group in self.types[type_text]:
            what = "sent" if packs else "got"
            yield f"  call hf_{what}({self._who(slot)}, {side}, {group.number}, {edges}, {base}, {points})"
            yield f"  if ({points} > 0) then"
            yield from (f"    {row}" for row in self._region(group, type_text, packs))
            yield "  end if"
        yield "end do"

    def _region(self, group: _Group, type_text: str, packs: bool) -> Iterator[str]:
        """A region that packs or unpacks the points of one side."""
        spans = self._spans(group)
        iterators = [self.scalar(f"p{number}") for number in range(1, len(spans) + 1)]
        buffer = self._buffer("send" if packs else "received", type_text)
        head, loops = self.exchange.region_over(spans, iterators, f", independent({buffer})" if packs else "")
        at, count = self.scalar("at"), "*".join(span.count for span in spans)
        yield from head
        yield f"  {at} = {self.scalar('base')} + 1 + {place_in(iterators, spans)}"
        for number, field in enumerate(group.fields):
            element = f"{field.name}({', '.join(iterators)})"
            packed = f"{buffer}({added(at, f'{number}*{count}' if number else '')})"
            yield f"  {packed} = {element}" if packs else f"  {element} = {packed}"
        yield from ("end do" for _ in range(loops))
        yield f"{self.exchange.sign}end parallelRegion"

    def _spans(self, group: _Group) -> list[Span]:
        """The indices of the points of one side, in the order of the fields' dimensions."""
        cuts = {c.position: c.number for c in group.fields[0].cuts}
        spans = []
        for position, bound in enumerate(group.fields[0].bounds):
            number = cuts.get(position)
            first, last = self.scalar(f"from{(number or 0) + 1}"), self.scalar(f"to{(number or 0) + 1}")
            spans.append(Span.of(*bound) if number is None else Span.of(first, last))
        return spans

    def _is_cut(self, group: _Group, position: int) -> bool:
        return any(cut.position == position for cut in group.fields[0].cuts)

    def _buffer(self, what: str, type_text: str) -> str:
        return self.exchange.buffer(f"{what}_all", type_text)

    def _who(self, slot: int) -> str:
        return f"'{self.exchange.grid.what.name}', {slot}"

    def _widths(self) -> str:
        """The widths on the low and the high sides, and whether there are messages to diagonal neighbours."""
        low = ", ".join(self.exchange.low(n) for n in self.domains)
        high = ", ".join(self.exchange.high(n) for n in self.domains)
        return f"[{low}], [{high}], {'.true.' if self.exchange.what.corners else '.false.'}"

    def _shapes(self, groups: Sequence[_Group]) -> str:
        """For each group the domains that its fields have, as a sum of 1 and 2, and the elements for each point."""
        kinds = ", ".join(str(sum(1 << number for number in group.cut)) for group in groups)
        return f"[{kinds}], [{', '.join(group.depth for group in groups)}]"
