"""A profile as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.commands.tables import Table
from hfpy.report.profile.results import Kernel, Profile

_ARRAYS = 10  # rows of copies that are shown; all are in the JSON


def seconds(value: float) -> str:
    """A time with a unit that fits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def amount(value: float) -> str:
    """Bytes with a unit that fits."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f} B"


def per_cent(part: float | None) -> str:
    """A share of one as per cent; a dash where it is not known."""
    return "–" if part is None else f"{100 * part:.1f} %"


def rate(profile: Profile, kernel: Kernel) -> str:
    """Bytes a second; a dash where nothing is moved."""
    found = profile.rate(kernel)
    return f"{amount(found)}/s" if found else "–"


def show(profile: Profile) -> Iterator[str | Table]:
    """The profile as texts and tables."""
    total = profile.seconds
    where = f"{profile.program} ({profile.target}, {profile.backend})"
    processes = f" in {profile.processes} processes" if profile.processes > 1 else ""
    head = f"profile of {where}: {seconds(total)}{processes}"
    if total > 0 and profile.kernels:
        head += f", {per_cent(profile.in_kernels / total)} in kernels"
        head += f", {per_cent(profile.in_copies / total)} in copies" if profile.copies else ""
    yield head
    if profile.kernels:
        yield _kernels(profile)
        if profile.bandwidth:
            yield f"  bandwidth: {amount(profile.bandwidth)}/s, {profile.source}"
    else:
        yield "  no kernel ran"
    if profile.copies:
        yield _copies(profile)
        if (more := len(profile.copies) - _ARRAYS) > 0:
            yield f"  and {more} more"


def _kernels(profile: Profile) -> Table:
    head = ("kernel", "place", "calls", "time", "of run", "longest", "moved", "rate", "of bandwidth")
    rows = []
    for k in profile.kernels:
        mine = k.seconds / profile.processes
        rows.append(
            (
                k.name,
                k.place,
                f"{k.calls:,}",
                seconds(mine),
                per_cent(mine / profile.seconds if profile.seconds else None),
                seconds(k.longest),
                amount(k.bytes),
                rate(profile, k),
                per_cent(profile.share(k)),
            )
        )
    return Table(head, rows, frozenset(range(2, len(head))))


def _copies(profile: Profile) -> Table:
    head = ("copies of", "way", "copies", "bytes", "time")
    rows = [
        (c.name, c.way, f"{c.calls:,}", amount(c.bytes), seconds(c.seconds / profile.processes))
        for c in profile.copies[:_ARRAYS]
    ]
    return Table(head, rows, frozenset(range(2, len(head))))
