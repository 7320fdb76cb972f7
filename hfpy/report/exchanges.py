"""Messages in ``hfpy explain --schedule``: what exchanges send, and how long by the model (distributed.md §4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from hfpy.model.distributed import Sent
from hfpy.options import CPU, GPU, Options
from hfpy.scale.network import SHARED_MEMORY, Node, Part, Times, face, one_phase, two_phases
from hfpy.scale.report import time

# Bytes a second between a GPU and its host where nobody has measured them (PCIe of the third generation).
STAGING = 10e9


def show_exchanges(exchanges: Sequence[Sent], options: Options, name: str | None) -> str:
    """The exchanges of one routine (by name or ``module::name``), or of all; empty if there is none."""
    wanted = name.lower() if name is not None else None
    listed = [e for e in exchanges if wanted is None or wanted in (e.routine, e.routine.rpartition("::")[2])]
    return "\n".join(
        row for exchange in sorted(listed, key=lambda e: (e.file, e.row)) for row in _rows(exchange, options)
    )


def _rows(sent: Sent, options: Options) -> Iterator[str]:
    place = f"{PurePath(sent.file).name}:{sent.row}"
    widths = ", ".join(
        f"{domain} {'?' if low is None else low}:{'?' if high is None else high}"
        for domain, (low, high) in zip(sent.domains, sent.widths, strict=True)
        if (low, high) != (0, 0)
    )
    how = ["placed by hfpy"] * sent.placed + [f"every {sent.every} turns"] * (sent.every > 1)
    yield f"exchange of {', '.join(sent.fields)} along {widths}  ({'; '.join([place, *how])})"
    if any(None in side for side in sent.widths):
        yield "  how much it sends is not known: a width is no number"
        return
    part, assumed = _part(sent, options)
    low_and_high = [(low or 0, high or 0) for low, high in sent.widths]
    deep = tuple(sent.every * max(side) for side in low_and_high)
    gpu = options.target == "gpu"
    machine, network = options.machine or (GPU if gpu else CPU), options.network or SHARED_MEMORY
    node = Node(machine.bandwidth, STAGING if gpu else 0.0)
    size = sum(size * (levels or part.levels) for size, levels, _ in sent.sizes)
    flat = Part(part.points, 1, part.neighbours, contiguous=sent.contiguous)
    phases = two_phases(network, node, flat, deep, size, sent.corners)
    at_once = one_phase(network, node, flat, deep, size, sent.corners)
    points = " x ".join(str(n) for n in part.points)
    faces = sum(face(flat, n, sent.every * side, size) for n, sides in enumerate(low_and_high) for side in sides)
    corner = " and corners" if sent.corners and len(deep) > 1 else ""
    yield f"  a part of {points} points{assumed} sends {_bytes(faces)}{corner}"
    messages = sum(flat.neighbours)
    yield f"  one domain after the other: {messages} messages, {_times(phases)}"
    messages += math.prod(flat.neighbours) if corner else 0
    hidden = at_once.latency + at_once.network + at_once.staging
    behind = f"; up to {time(hidden)} hidden by mode(overlap)"
    yield f"  all at once: {messages} messages, {_times(at_once)}{behind}"
    how_sent = "all at once" if sent.together else "one domain after the other"
    chosen = f" ({how_sent})" if sum(map(bool, deep)) > 1 and sent.mode not in ("overlap", "phases", "together") else ""
    measured = "" if options.network is not None else " (hfpy probe --mpi measures those of this machine)"
    speed = f"latency {time(network.latency)}, {network.bandwidth / 1e9:.3g} GB/s{measured}"
    yield f"  figures: {speed}; mode({sent.mode}){chosen}"


def _part(sent: Sent, options: Options) -> tuple[Part, str]:
    """A part in the middle of the grid: as the optimiser assumes it where the program does not tell."""
    machine = options.machine or (GPU if options.target == "gpu" else CPU)
    rows = max(1, machine.points // machine.row // 60)
    points = (machine.row, rows)[: len(sent.domains)] if len(sent.domains) > 1 else (machine.row,)
    levels = max(1, machine.points // math.prod(points))
    unknown = [name for name, (_, known, _) in zip(sent.fields, sent.sizes, strict=True) if known is None]
    assumed = f" with {levels} levels" if unknown else ""
    neighbours = tuple(sum(1 for side in sides if side) for sides in sent.widths)
    return Part(points, levels, neighbours), assumed


def _times(times: Times) -> str:
    shares = (("latency", times.latency), ("network", times.network), ("packing", times.packing))
    listed = [*shares, *([("staging", times.staging)] if times.staging else [])]
    return f"{time(times.total)} ({', '.join(f'{name} {time(value)}' for name, value in listed)})"


def _bytes(number: float) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= factor:
            return f"{number / factor:.3g} {unit}"
    return f"{number:.0f} bytes"
