"""The messages of an exchange to all neighbours at once, as hfpy's own text (distributed.md §3.4, "one-phase"): none
waits for another one. Where corners are exchanged, diagonal neighbours get messages, too.

Points beyond the boundary of the grid come along with those beside them, as in an exchange along one domain after the
other, so that both give the same halos.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from hfpy.options import CPU, GPU, Options
from hfpy.scale.network import SHARED_MEMORY, STAGING_START, together_pays
from hfpy.transform.distributed.costs import BYTES
from hfpy.transform.distributed.exchanges import Exchange, Field, Span, added, groups_of, place_in
from hfpy.values import dataclass

_MOST = 2  # domains of a decomposition


@dataclass(frozen=True)
class Group:
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
class Together:
    """The text of one exchange, in two parts: all messages begin in the first, and end in the second. ``counted``: a
    variable gets the bytes that are sent.
    """

    exchange: Exchange
    counted: bool = False
    types: dict[str, list[Group]] = field(init=False)

    def __post_init__(self) -> None:
        self.scalar = self.exchange.scalar
        types = dict.fromkeys(f.type for f in self.exchange.fields)
        self.types = {t: self._groups([f for f in self.exchange.fields if f.type == t]) for t in types}
        self.domains = range(len(self.exchange.grid.what.domains))

    def _groups(self, fields: Sequence[Field]) -> list[Group]:
        listed = enumerate(groups_of(fields), 1)
        return [Group(number, tuple(group), self.scalar(f"depth{number}")) for number, group in listed]

    def rows(self) -> Iterator[str]:
        """The lines in the place of a directive whose exchange ends before the next statement."""
        yield from self.begin()
        yield from self.end()
        yield from self.released()
        yield from self.exchange.clean()

    def begin(self) -> Iterator[str]:
        """Sizes, packing and sending."""
        yield from self.exchange.head()
        for number in self.domains:
            if not self.exchange.takes_part(self.exchange.grid.what.domains[number]):
                yield f"{self.exchange.low(number)} = 0"
                yield f"{self.exchange.high(number)} = 0"
        for slot, type_text in enumerate(self.types, 1):
            yield from self._started(slot, type_text)

    def end(self) -> Iterator[str]:
        """Waiting for the messages, and unpacking."""
        for slot, type_text in enumerate(self.types, 1):
            yield f"call hf_finish({self._who(slot)}, {self._buffer('received', type_text)})"
            yield from self._moved(slot, type_text, packs=False)

    def released(self) -> Iterator[str]:
        """The buffers are given back, where the routine does not keep them."""
        if not self.exchange.keeps:
            for type_text in self.types:
                yield f"deallocate({self._buffer('send', type_text)}, {self._buffer('received', type_text)})"

    def _started(self, slot: int, type_text: str) -> Iterator[str]:
        """Packing and sending of the fields of a type."""
        groups, elements = self.types[type_text], self.scalar("elements")
        for group in groups:
            spans = [span for position, span in enumerate(self._spans(group)) if not self._is_cut(group, position)]
            yield f"{group.depth} = {'*'.join([str(len(group.fields)), *(span.count for span in spans)])}"
        yield f"call hf_start_room({self._who(slot)}, {self._widths()}, {self._shapes(groups)}, {elements})"
        if self.counted:
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

    def _region(self, group: Group, type_text: str, packs: bool) -> Iterator[str]:
        """A region that packs or unpacks the points of one side."""
        spans = self._spans(group)
        iterators = [self.scalar(f"p{number}") for number in range(1, len(spans) + 1)]
        buffer = self._buffer("send" if packs else "received", type_text)
        head, loops = self.exchange.region_over(spans, iterators, f", independent({buffer})" if packs else "")
        at, count = self.scalar("at"), "*".join(span.count for span in spans)
        yield from head
        yield f"  {at} = {self.scalar('base')} + 1 + {place_in(iterators, spans)}"
        for number, one in enumerate(group.fields):
            element = f"{one.name}({', '.join(iterators)})"
            packed = f"{buffer}({added(at, f'{number}*{count}' if number else '')})"
            yield f"  {packed} = {element}" if packs else f"  {element} = {packed}"
        yield from ("end do" for _ in range(loops))
        yield f"{self.exchange.sign}end parallelRegion"

    def _spans(self, group: Group) -> list[Span]:
        """The indices of the points of one side, in the order of the fields' dimensions."""
        cuts = {c.position: c.number for c in group.fields[0].cuts}
        spans = []
        for position, bound in enumerate(group.fields[0].bounds):
            number = cuts.get(position)
            first, last = self.scalar(f"from{(number or 0) + 1}"), self.scalar(f"to{(number or 0) + 1}")
            spans.append(Span.of(*bound) if number is None else Span.of(first, last))
        return spans

    def _is_cut(self, group: Group, position: int) -> bool:
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

    def _shapes(self, groups: Sequence[Group]) -> str:
        """For each group the domains that its fields have, as a sum of 1 and 2, and the elements for each point."""
        kinds = ", ".join(str(sum(1 << number for number in group.cut)) for group in groups)
        return f"[{kinds}], [{', '.join(group.depth for group in groups)}]"


def rows(exchange: Exchange) -> Iterator[str]:
    """The lines in the place of a directive whose exchange ends before the next statement."""
    return Together(exchange).rows() if exchange.together else exchange.in_phases()


def pays(exchange: Exchange, options: Options) -> bool:
    """Whether the messages of an exchange are to go to all neighbours at once: as its mode says, or else where the
    model promises less time. Along one domain both ways are one.
    """
    if exchange.what.mode in ("phases", "together"):
        return exchange.what.mode == "together"
    domains = sum(map(exchange.takes_part, exchange.grid.what.domains))
    if domains < 2:
        return False
    gpu = options.target == "gpu"
    machine, network = options.machine or (GPU if gpu else CPU), options.network or SHARED_MEMORY
    kinds = len({field.type for field in exchange.fields})
    groups = len({field.like for field in exchange.fields})
    staging = 2 * STAGING_START if gpu else 0.0
    return together_pays(network, staging, domains, exchange.what.corners, machine.launch, kinds, groups)
