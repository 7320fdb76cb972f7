"""A halo exchange as hfpy's own text: regions that pack and unpack, and calls of the runtime library between them.

Here the halo is exchanged along one domain after the other, with the halo of those before, so that corners need no
messages of their own (distributed.md §3.4, "two-phase"). Points beyond the boundary of the grid belong to the process
beside them, so they come along, too: halos are as in a run of one process. The messages of one phase hold all fields of
one type. What packs and unpacks are regions like any other: every backend, storage order and device gets its own form
of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.processes.decomposed import Cut, Grid
from hfpy.model.directives import Width
from hfpy.model.distributed import HaloExchange
from hfpy.transform.stencil.locals import Locals
from hfpy.values import dataclass

_INTEGER = "integer"


@dataclass(frozen=True)
class Field:
    """An array of an exchange: its type, the dimensions that are cut, and the bounds of all, as texts."""

    name: str
    type: str
    cuts: tuple[Cut, ...]
    bounds: tuple[tuple[str, str], ...]

    @staticmethod
    def of(data: DataObject, element: str, grid: Grid) -> Field:
        """A field as one routine sees it."""
        return Field(data.name, element, grid.cuts(data), bounds_of(data))

    @property
    def like(self) -> tuple[object, ...]:
        """What fields have in common that one region packs together."""
        cut = {c.position: c.number for c in self.cuts}
        return self.type, tuple(cut.items()), tuple(b for p, b in enumerate(self.bounds) if p not in cut)

    def cut(self, number: int) -> Cut | None:
        """The dimension of a domain of the decomposition, by its number."""
        return next((c for c in self.cuts if c.number == number), None)


def bounds_of(data: DataObject) -> tuple[tuple[str, str], ...]:
    """The bounds of all dimensions of an array, as texts."""
    bounds = []
    for dimension in data.full:
        extent, number = dimension.extent, (dimension.declared or 0) + 1
        lower = extent.lower.text if extent.lower is not None else "1"
        upper = extent.upper.text if extent.upper is not None else f"ubound({data.name}, {number})"
        bounds.append((f"lbound({data.name}, {number})" if extent.form == "deferred" else lower, upper))
    return tuple(bounds)


def width_of(what: HaloExchange, domain: str) -> Width | None:
    """The width that an exchange names for a domain; None for that of the decomposition."""
    return next((w for w in what.widths if w.domain == domain), None)


@dataclass
class Exchange:
    """The text of one exchange. ``sign`` begins its directives: ``@``, or ``!@`` in plain Fortran files, where regions
    have loops of their own. ``keeps`` lets the routine keep its buffers from one call to the next (distributed.md §3.4,
    "buffers allocated once"): they grow, and no exchange allocates what an earlier one has. Not for a device, whose
    copy of a saved variable comes and goes with each call of the routine, with all that is in it. ``all_saved``: a
    statement of the routine saves all of its variables, beside which none may be saved by itself. ``marked`` are the
    fields of which is noted that their halo is clean, for the tests of reads. ``together``: messages go to all
    neighbours at once, not along one domain after the other.
    """

    grid: Grid
    what: HaloExchange
    fields: Sequence[Field]
    names: Locals
    sign: str
    keeps: bool = False
    all_saved: bool = False
    marked: Sequence[str] = ()
    together: bool = False

    def in_phases(self) -> Iterator[str]:
        """The lines in the place of the directive, along one domain after the other."""
        numbers = [n for n, d in enumerate(self.grid.what.domains) if self.takes_part(d)]
        yield from self.head()
        for type_text in dict.fromkeys(f.type for f in self.fields):
            for order, number in enumerate(numbers):
                fields = [f for f in self.fields if f.type == type_text and f.cut(number) is not None]
                if fields:
                    done = numbers[:order] if self.what.corners else []
                    yield from _Phase(self, number, done, groups_of(fields), type_text).rows()
        yield from self.clean()

    def clean(self) -> Iterator[str]:
        """Statements that note which halos are clean."""
        domains = list(enumerate(self.grid.what.domains))
        low = ", ".join(self.low(n) if self.takes_part(d) else "0" for n, d in domains)
        high = ", ".join(self.high(n) if self.takes_part(d) else "0" for n, d in domains)
        corners = ".true." if self.what.corners else ".false."
        yield from (f"call hf_mark_clean(loc({name}), [{low}], [{high}], {corners})" for name in self.marked)

    def head(self) -> Iterator[str]:
        """Statements that set sizes and widths, and check the arrays."""
        yield f"! halos of {', '.join(f.name for f in self.fields)}"
        for number in range(len(self.grid.what.domains)):
            yield from self._sizes(number)
        for field in self.fields:
            yield from self._checked(field)

    def takes_part(self, domain: str) -> bool:
        """Whether halos are exchanged along a domain."""
        return not self.what.widths or width_of(self.what, domain) is not None

    def _sizes(self, number: int) -> Iterator[str]:
        """Statements that set the sizes and widths of a domain."""
        domain = self.grid.what.domains[number]
        at = f"'{self.grid.what.name}', {number + 1}"
        width = width_of(self.what, domain)
        yield f"{self.points(number)} = hf_local({at})"
        if self.takes_part(domain):
            yield f"{self.low(number)} = " + (width.low.text if width is not None else f"hf_halo({at}, -1)")
            yield f"{self.high(number)} = " + (width.high.text if width is not None else f"hf_halo({at}, 1)")
        if self.takes_beyond(number):
            yield f"{self.beyond_low(number)} = merge({self.low(number)}, 0, hf_at_edge({at}, -1))"
            yield f"{self.beyond_high(number)} = merge({self.high(number)}, 0, hf_at_edge({at}, 1))"

    def _checked(self, field: Field) -> Iterator[str]:
        """Calls that end the program where the array has fewer points than are exchanged."""
        for cut in field.cuts:
            if self.takes_part(cut.domain):
                at = f"'{self.grid.what.name}', {cut.number + 1}, '{field.name}'"
                there = ", ".join(field.bounds[cut.position])
                yield f"call hf_check_array({at}, {there}, {self.low(cut.number)}, {self.high(cut.number)})"

    def takes_beyond(self, number: int) -> bool:
        """Whether points beyond the boundary of the grid in a domain are exchanged along one before it."""
        every = self.what.corners and all(map(self.takes_part, self.grid.what.domains))
        return number > 0 and every and not self.what.overlap and not self.together

    def region_over(self, spans: Sequence[Span], iterators: Sequence[str], reported: str) -> tuple[list[str], int]:
        """The lines that open a region over some indices, and how many loops are among them."""
        sizes = ", ".join(span.size for span in spans)
        rows = [f"{self.sign}parallelRegion{{domName({', '.join(iterators)}), domSize({sizes}){reported}, explicit}}"]
        loops = list(zip(iterators, spans, strict=True)) if self.sign != "@" else []
        rows += [f"do {iterator} = {span.first}, {span.last}" for iterator, span in reversed(loops)]
        return rows, len(loops)

    def buffer(self, what: str, type_text: str) -> str:
        """A buffer for elements of a type."""
        suffix = "_" + "".join(c for c in type_text if c.isalnum())
        saved = self.keeps and not self.all_saved
        attributes = "allocatable, save" if saved else "allocatable"
        return self.names.array(what, suffix, f"{type_text}, {attributes}", ":")

    def scalar(self, what: str) -> str:
        """A new integer variable of the routine."""
        return self.names.scalar(what, "", _INTEGER)

    def points(self, number: int) -> str:
        """The variable with the number of points of a domain that the process owns."""
        return self.scalar(f"points{number + 1}")

    def low(self, number: int) -> str:
        """The variable with the width on the low side of a domain."""
        return self.scalar(f"low{number + 1}")

    def high(self, number: int) -> str:
        """The variable with the width on the high side of a domain."""
        return self.scalar(f"high{number + 1}")

    def beyond_low(self, number: int) -> str:
        """The variable with the points beyond the boundary of the grid on the low side of a domain."""
        return self.scalar(f"beyond_low{number + 1}")

    def beyond_high(self, number: int) -> str:
        """The variable with the points beyond the boundary of the grid on the high side of a domain."""
        return self.scalar(f"beyond_high{number + 1}")


def groups_of(fields: Sequence[Field]) -> list[list[Field]]:
    """The fields that are packed by one region."""
    groups: dict[tuple[object, ...], list[Field]] = {}
    for field in fields:
        groups.setdefault(field.like, []).append(field)
    return list(groups.values())


@dataclass(frozen=True)
class Span:
    """Indices of a dimension: the first, the last, and how many there are, as texts."""

    first: str
    last: str
    count: str

    @staticmethod
    def of(first: str, last: str) -> Span:
        """All indices between two."""
        if first == "1":
            return Span(first, last, last if last.isidentifier() else f"({last})")
        return Span(first, last, f"({last} + 1)" if first == "0" else f"({last} - ({first}) + 1)")

    @property
    def size(self) -> str:
        """As the size of a domain."""
        return self.last if self.first == "1" else f"{self.first}:{self.last}"

    def before(self, index: str) -> str:
        """How many indices there are before one."""
        if self.first == "0":
            return index
        return f"{index} - {self.first}" if self.first.isalnum() else f"{index} - ({self.first})"


@dataclass(frozen=True)
class _Planes:
    """Planes across a domain: the index before the first (a term such as ``+ n``, or empty), how many there are, and
    where their elements begin in the buffer (empty: at its beginning).
    """

    before: str
    count: str
    base: str


@dataclass
class _Phase:
    """The exchange along one domain, of fields of one type. ``done`` are the domains whose halos come along."""

    exchange: Exchange
    number: int
    done: Sequence[int]
    groups: list[list[Field]]
    type_text: str

    def rows(self) -> Iterator[str]:
        """All of it. A process that is its own neighbour needs no messages, and one without neighbours nothing."""
        yield f"if (hf_wraps({self._at})) then"
        for fields in self.groups:
            yield from ("  " + row for row in self._wrapped(fields))
        yield f"else if (hf_has_neighbour({self._at}, -1) .or. hf_has_neighbour({self._at}, 1)) then"
        yield from ("  " + row for row in self._sent())
        yield "end if"

    @property
    def _at(self) -> str:
        return f"'{self.exchange.grid.what.name}', {self.number + 1}"

    def _wrapped(self, fields: list[Field]) -> Iterator[str]:
        """A region that copies the points at one end of a periodic domain to the halo at the other."""
        low, high, points = self._low, self._high, self.exchange.points(self.number)
        others, plane = self._others(fields[0]), self.exchange.scalar("n")
        iterators = self._iterators(others)
        head, loops = self._head(others, "")
        yield from head
        for count, to, source in ((low, f"-{low} + ", f"{points} - {low} + "), (high, f"{points} + ", "")):
            yield f"  do {plane} = 1, {count}"
            for field in fields:
                halo, owner = (self._element(field, iterators, before + plane) for before in (to, source))
                yield f"    {halo} = {owner}"
            yield "  end do"
        yield from ("end do" for _ in range(loops))
        yield f"{self.exchange.sign}end parallelRegion"

    def _sent(self) -> Iterator[str]:
        """Sizes and buffers, packing, messages, unpacking."""
        at = self._at
        low, high, points = self._low, self._high, self.exchange.points(self.number)
        for group, fields in enumerate(self.groups):
            yield f"{self._section(group)} = {self._section_size(fields[0])}"
        yield f"{self._total} = {' + '.join(self._share(g) for g in range(len(self.groups)))}"
        yield f"{self._elements} = ({low} + {high}) * {self._total}"
        yield from self._allocated(self._elements)
        for group, fields in enumerate(self.groups):
            first = _Planes("", high, self._base(group, high))
            last = _Planes(f"{points} - {low} + ", low, added(f"{self._total}*{high}", self._base(group, low)))
            yield from self._region(group, fields, (first, last), packs=True)
        yield f"call hf_shift({at}, {self._send}, {self._received}, {low}, {high}, {self._total})"
        yield f"if (hf_has_neighbour({at}, -1)) then"
        for group, fields in enumerate(self.groups):
            planes = _Planes(f"-{low} + ", low, self._base(group, low))
            yield from ("  " + row for row in self._region(group, fields, (planes,), packs=False))
        yield "end if"
        yield f"if (hf_has_neighbour({at}, 1)) then"
        for group, fields in enumerate(self.groups):
            planes = _Planes(f"{points} + ", high, added(f"{self._total}*{low}", self._base(group, high)))
            yield from ("  " + row for row in self._region(group, fields, (planes,), packs=False))
        yield "end if"
        if not self.exchange.keeps:
            yield f"deallocate({self._send}, {self._received})"

    def _allocated(self, size: str) -> Iterator[str]:
        """Statements after which both buffers have at least so many elements."""
        send, received = self._send, self._received
        if self.exchange.keeps:
            yield f"call hf_room({send}, {received}, {size})"
        else:
            yield f"allocate({send}({size}))"
            yield f"allocate({received}({size}))"

    @property
    def _low(self) -> str:
        return self.exchange.low(self.number)

    @property
    def _high(self) -> str:
        return self.exchange.high(self.number)

    @property
    def _total(self) -> str:
        return self.exchange.scalar("planes")

    @property
    def _elements(self) -> str:
        return self.exchange.scalar("elements")

    @property
    def _send(self) -> str:
        return self._buffer("send")

    @property
    def _received(self) -> str:
        return self._buffer("received")

    def _buffer(self, what: str) -> str:
        return self.exchange.buffer(what, self.type_text)

    def _section(self, group: int) -> str:
        """The variable with the number of points in a plane across the domain, of one field of a group."""
        return self.exchange.scalar(f"plane{group + 1}")

    def _share(self, group: int) -> str:
        """The points of all fields of a group in a plane across the domain."""
        count = len(self.groups[group])
        return self._section(group) if count == 1 else f"{count}*{self._section(group)}"

    def _base(self, group: int, width: str) -> str:
        """Where the elements of a group begin in a message of some planes; empty for its beginning."""
        before = " + ".join(self._share(g) for g in range(group))
        return f"{width}*{before}" if before.isidentifier() else f"{width}*({before})" if before else ""

    def _others(self, field: Field) -> list[Span]:
        """The indices in the dimensions other than the one of this phase."""
        cuts = {c.position: c.number for c in field.cuts}
        found = []
        for position, (lower, upper) in enumerate(field.bounds):
            number = cuts.get(position)
            if number is None:
                found.append(Span.of(lower, upper))
            elif number != self.number:
                found.append(self._across(number))
        return found

    def _across(self, number: int) -> Span:
        """The indices in another domain that come along."""
        exchange = self.exchange
        points = exchange.points(number)
        if number in self.done:
            low, high = exchange.low(number), exchange.high(number)
        elif exchange.takes_beyond(number):
            low, high = exchange.beyond_low(number), exchange.beyond_high(number)
        else:
            return Span.of("1", points)
        return Span(f"1 - {low}", f"{points} + {high}", f"({low} + {points} + {high})")

    def _section_size(self, field: Field) -> str:
        return "*".join(span.count for span in self._others(field)) or "1"

    def _iterators(self, others: Sequence[Span]) -> list[str]:
        return [self.exchange.scalar(f"p{number}") for number in range(1, len(others) + 1)]

    def _head(self, others: Sequence[Span], reported: str) -> tuple[list[str], int]:
        """The lines that open a region over planes, and how many loops among them."""
        spans = others or [Span("1", "1", "1")]
        return self.exchange.region_over(spans, self._iterators(others) or [self.exchange.scalar("p1")], reported)

    def _region(self, group: int, fields: list[Field], parts: Sequence[_Planes], packs: bool) -> Iterator[str]:
        """A region that packs or unpacks planes of the fields of a group."""
        others = self._others(fields[0])
        head, loops = self._head(others, f", independent({self._send})" if packs else "")
        yield from head
        for planes in parts:
            yield from self._planes(group, fields, planes, packs, others)
        yield from ("end do" for _ in range(loops))
        yield f"{self.exchange.sign}end parallelRegion"

    def _planes(
        self, group: int, fields: list[Field], planes: _Planes, packs: bool, others: Sequence[Span]
    ) -> Iterator[str]:
        """The loop over planes in the body of a region."""
        plane, at, iterators = self.exchange.scalar("n"), self.exchange.scalar("at"), self._iterators(others)
        point = place_in(iterators, others)
        yield f"  do {plane} = 1, {planes.count}"
        yield f"    {at} = {added(planes.base, plane, f'{planes.count}*{point}' if point else '')}"
        for number, field in enumerate(fields):
            further = f"{number}*{planes.count}*{self._section(group)}" if number else ""
            element = self._element(field, iterators, planes.before + plane)
            packed = f"{self._send if packs else self._received}({added(at, further)})"
            yield f"    {packed} = {element}" if packs else f"    {element} = {packed}"
        yield "  end do"

    def _element(self, field: Field, iterators: Sequence[str], across: str) -> str:
        """An element of a field, with the index across the planes."""
        own = field.cut(self.number)
        assert own is not None
        rest = iter(iterators)
        indices = [across if p == own.position else next(rest) for p in range(len(field.bounds))]
        return f"{field.name}({', '.join(indices)})"


def place_in(iterators: Sequence[str], spans: Sequence[Span]) -> str:
    """The number of points before one in a plane."""
    text = ""
    for iterator, span in reversed(list(zip(iterators, spans, strict=True))):
        own = span.before(iterator)
        text = f"({own} + {span.count}*{text})" if text else f"({own})"
    return text


def added(*terms: str) -> str:
    return " + ".join(term for term in terms if term)
