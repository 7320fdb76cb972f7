"""The results of a profiled run as values, and as plain data for JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hfpy.values import dataclass


@dataclass(frozen=True)
class Kernel:
    """A kernel over the whole run: how often it ran, its points, the bytes that the model says it moved, and its time:
    of all runs, and of the longest. Figures of several processes are added.
    """

    name: str
    place: str
    calls: int
    points: int
    bytes: int
    seconds: float
    longest: float


@dataclass(frozen=True)
class Copies:
    """Copies of one array in one direction (``to device``, ``to host``, ``values to …`` for scalars and the like)."""

    name: str
    way: str
    calls: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class Profile:
    """A run: what was built, how many processes it had, the time of the longest, its kernels and copies, those that
    took longest first; bytes a second that the memory gives, and where that is known from.
    """

    program: str
    target: str
    backend: str
    processes: int
    seconds: float
    kernels: tuple[Kernel, ...]
    copies: tuple[Copies, ...]
    bandwidth: float
    source: str

    @property
    def in_kernels(self) -> float:
        """Seconds in kernels, of one process on average."""
        return sum(k.seconds for k in self.kernels) / max(self.processes, 1)

    @property
    def in_copies(self) -> float:
        """Seconds in copies, of one process on average."""
        return sum(c.seconds for c in self.copies) / max(self.processes, 1)

    def rate(self, kernel: Kernel) -> float | None:
        """Bytes a second that a kernel moved, in all processes together; None if it took no time."""
        return kernel.bytes * self.processes / kernel.seconds if kernel.seconds > 0 else None

    def share(self, kernel: Kernel) -> float | None:
        """The rate as a part of the bandwidth; None if either is not known, or nothing is moved."""
        rate = self.rate(kernel)
        return rate / self.bandwidth if rate and self.bandwidth else None


@dataclass(frozen=True)
class Measured:
    """What the processes of a program wrote, added up."""

    processes: int
    seconds: float
    device_bandwidth: float
    kernels: tuple[Kernel, ...]
    copies: tuple[Copies, ...]


def read(folder: Path) -> Measured | None:
    """The results in a folder, one file a process; None if there is none that is whole."""
    parts = [part for path in sorted(folder.glob("*.json")) if (part := _part(path)) is not None]
    if not parts:
        return None
    kernels: dict[tuple[str, str], Kernel] = {}
    copies: dict[tuple[str, str], Copies] = {}
    for part in parts:
        for k in part["kernels"]:
            made = Kernel(k["name"], k["place"], k["calls"], k["points"], k["bytes"], k["seconds"], k["longest"])
            kernels[made.name, made.place] = _added(kernels.get((made.name, made.place)), made)
        for c in part["copies"]:
            copied = Copies(c["name"], c["place"], c["calls"], c["bytes"], c["seconds"])
            before = copies.get((copied.name, copied.way))
            copies[copied.name, copied.way] = _both(before, copied)
    return Measured(
        len(parts),
        max(part["seconds"] for part in parts),
        max(part["device_bandwidth"] for part in parts),
        tuple(sorted((k for k in kernels.values() if k.calls), key=lambda k: (-k.seconds, k.place, k.name))),
        tuple(sorted(copies.values(), key=lambda c: (-c.seconds, c.name, c.way))),
    )


def _part(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8", "replace"))
    except (OSError, ValueError):
        return None  # the process was killed while it wrote


def _added(before: Kernel | None, more: Kernel) -> Kernel:
    if before is None:
        return more
    return Kernel(
        more.name,
        more.place,
        before.calls + more.calls,
        before.points + more.points,
        before.bytes + more.bytes,
        before.seconds + more.seconds,
        max(before.longest, more.longest),
    )


def _both(before: Copies | None, more: Copies) -> Copies:
    if before is None:
        return more
    sums = (before.calls + more.calls, before.bytes + more.bytes, before.seconds + more.seconds)
    return Copies(more.name, more.way, *sums)


def as_data(profile: Profile) -> dict[str, Any]:
    """Everything as plain data (docs/profile.md has the keys)."""
    return {
        "program": profile.program,
        "target": profile.target,
        "backend": profile.backend,
        "processes": profile.processes,
        "seconds": profile.seconds,
        "seconds_in_kernels": profile.in_kernels,
        "seconds_in_copies": profile.in_copies,
        "bandwidth": profile.bandwidth or None,
        "bandwidth_from": profile.source,
        "kernels": [
            {**asdict(k), "bytes_per_second": profile.rate(k), "share_of_bandwidth": profile.share(k)}
            for k in profile.kernels
        ],
        "copies": [asdict(c) for c in profile.copies],
    }


def totals(copies: Iterable[Copies]) -> dict[str, Copies]:
    """All copies of each direction together."""
    found: dict[str, Copies] = {}
    for copy in copies:
        found[copy.way] = _both(found.get(copy.way), Copies("", copy.way, copy.calls, copy.bytes, copy.seconds))
    return found
