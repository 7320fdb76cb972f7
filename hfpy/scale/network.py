"""Times of messages and halo exchanges after LogGP (distributed.md §4)."""

from __future__ import annotations

from dataclasses import fields

from hfpy.values import dataclass

# Seconds for each direction in which buffers go between a device and its host (distributed.md §4).
STAGING_START = 10e-6
# Bytes that memory moves at least: a cache line of today's processors.
LINE = 64


@dataclass(frozen=True)
class Network:
    """What messages between processes cost: ``latency`` L and ``overhead`` o of a message on each side, ``gap`` g
    between messages, all in seconds, and ``bandwidth`` 1/G in bytes a second. ``sharing`` is s: 1 if a process sends
    and receives at the same time, up to 2 if one waits for the other.
    """

    latency: float
    overhead: float
    gap: float
    bandwidth: float
    sharing: float = 1.0

    def message(self, size: int) -> float:
        """Seconds until a message of some bytes has arrived: ``o + (b-1)G + L + o``."""
        return 2 * self.overhead + max(0, size - 1) / self.bandwidth + self.latency

    def several(self, messages: int) -> float:
        """Seconds of some messages of no size at once, sent and received: ``2n·o + L``, and what the gap is longer than
        the overhead of the one before.
        """
        return 2 * messages * self.overhead + self.latency + (messages - 1) * max(0.0, self.gap - self.overhead)


#: Where nothing was measured: two processes of one machine through shared memory (distributed.md §4, measured).
SHARED_MEMORY = Network(2e-6, 0.5e-6, 0.5e-6, 2e9)


@dataclass(frozen=True)
class Times:
    """Seconds of exchanges by what they are spent on."""

    latency: float = 0.0
    network: float = 0.0
    packing: float = 0.0
    staging: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.latency + self.network + self.packing + self.staging

    def times(self, factor: float) -> Times:
        """So many of them."""
        return Times(*(factor * getattr(self, f.name) for f in fields(self)))

    def plus(self, other: Times) -> Times:
        """One after the other."""
        return Times(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True)
class Part:
    """What one process owns of the grid: points along each domain that is cut, ``levels`` points beside each of them,
    and ``neighbours`` along each of these domains: 0 to 2. ``wraps``: it is its own neighbour there, on both sides.
    ``contiguous`` is the number of the domain whose points are beside each other in memory; None if those of no domain
    that is cut are. ``element`` are the bytes of a number.
    """

    points: tuple[int, ...]
    levels: int
    neighbours: tuple[int, ...]
    wraps: tuple[bool, ...] = (False, False)
    contiguous: int | None = None
    element: int = 8


@dataclass(frozen=True)
class Node:
    """What moves messages at a process: ``memory`` in bytes a second, ``staging`` the same between a device and its
    host (0: messages come from where the data are).
    """

    memory: float
    staging: float = 0.0


def face(part: Part, number: int, width: int, size: int, widths: tuple[int, ...] = ()) -> int:
    """The bytes of one message to a neighbour along a domain: ``size`` bytes for each point. ``widths``: so much of the
    halo of the other domains comes along, on both sides.
    """
    others = 1
    for other, points in enumerate(part.points):
        if other != number:
            others *= points + 2 * (widths[other] if widths else 0)
    return size * width * others * part.levels


def two_phases(network: Network, node: Node, part: Part, widths: tuple[int, ...], size: int, corners: bool) -> Times:
    """An exchange along one domain after the other, of ``size`` bytes a point, which brings the corners along
    (distributed.md §4, "two-phase"): for each ``2n·o + L + n·b·G·s + 4n·b/B`` with n neighbours. Along the first of the
    domains the messages have the part's own points alone. A process that is its own neighbour copies both sides.
    """
    total, done = Times(), [0] * len(widths)
    for number, width in enumerate(widths):
        messages = part.neighbours[number]
        size_of_one = face(part, number, width, size, tuple(done) if corners else ())
        fields = touched(part, number, width, size_of_one)
        copied = Times(packing=2 * fields / node.memory) if part.wraps[number] else Times()
        packed = messages * (2 * size_of_one + fields)
        total = total.plus(_phase(network, node, messages, messages * size_of_one, packed)).plus(copied)
        done[number] = width
    return total


def touched(part: Part, number: int, width: int, size: int) -> float:
    """The bytes that memory moves for the points of fields that are packed and unpacked on one side, as many as a
    message of ``size`` bytes has: each is read or written once. Where they lie in pieces of the halo's width, whole
    cache lines are moved; those of the owned points and of the halo beside them are the same.
    """
    if part.contiguous != number or not width:
        return 2 * size
    piece = width * part.element
    return size / piece * (LINE + 2 * piece)


def one_phase(network: Network, node: Node, part: Part, widths: tuple[int, ...], size: int, corners: bool) -> Times:
    """An exchange with all neighbours at once, of ``size`` bytes a point (distributed.md §4, "one-phase")."""
    messages = sum(part.neighbours)
    faces = [face(part, number, width, size) for number, width in enumerate(widths)]
    moved = sum(n * one for n, one in zip(part.neighbours, faces, strict=True))
    packed = sum(
        n * (2 * one + touched(part, number, widths[number], one))
        for number, (n, one) in enumerate(zip(part.neighbours, faces, strict=True))
    )
    if corners and len(widths) == 2:
        diagonal = part.neighbours[0] * part.neighbours[1]
        messages += diagonal
        corner = size * widths[0] * widths[1] * part.levels
        moved += diagonal * corner
        packed += diagonal * 4 * corner
    return _phase(network, node, messages, moved, packed)


def together_pays(
    network: Network, staging: float, domains: int, corners: bool, launch: float, kinds: int = 1, groups: int = 1
) -> bool:
    """Whether an exchange with all neighbours at once takes less time than one along one domain after the other. Both
    send the same bytes, so latencies count, overheads of messages, and regions that pack and unpack, of ``launch``
    seconds each: two for a neighbour against three for a domain, for each of ``groups`` of fields. Messages hold fields
    of one type, and there are ``kinds`` of them; those of one phase are awaited before the next type's begin.
    ``staging`` are the seconds in which buffers of no size go to the host and come back.
    """
    sides = 3**domains - 1 if corners else 2 * domains
    phases = kinds * domains * (network.several(2) + staging) + 3 * domains * groups * launch
    once = network.several(kinds * sides) + kinds * staging + 2 * sides * groups * launch
    return once < phases


def _phase(network: Network, node: Node, messages: int, moved: int, packed: float) -> Times:
    """Some messages at once, with ``moved`` bytes sent and as many received, and ``packed`` bytes that memory moves."""
    if not messages:
        return Times()
    staging = 2 * (moved / node.staging + STAGING_START) if node.staging else 0.0
    return Times(network.several(messages), moved / network.bandwidth * network.sharing, packed / node.memory, staging)
