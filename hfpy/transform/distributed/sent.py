"""What exchanges send, as values for the report (distributed.md §4)."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.vectors import contiguous
from hfpy.model.distributed import Sent
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.transform.distributed.costs import BYTES
from hfpy.transform.distributed.exchanges import Exchange, Field, width_of


def sent_by(facts: Facts, routine: Routine, setter: str, exchange: Exchange, line: LogicalLine, placed: bool) -> Sent:
    """What one exchange of a routine sends; ``setter`` has the directive of the decomposition."""
    what, grid = exchange.what, exchange.grid.what
    halos = {halo.domain: halo for halo in grid.halos}
    widths: list[tuple[int | None, int | None]] = []
    for domain in grid.domains:
        own = width_of(what, domain)
        width, home = (own, routine.key) if own is not None else (halos.get(domain), setter)
        if not exchange.takes_part(domain) or width is None:
            widths.append((0, 0))
        else:
            widths.append((facts.domains.value(width.low, home), facts.domains.value(width.high, home)))
    names = tuple(field.name for field in exchange.fields)
    sizes = tuple(_size(facts, routine, field) for field in exchange.fields)
    row = facts.application.user_line(routine.key, line.first)
    every = facts.domains.value(what.every, routine.key) if what.every is not None else 1
    beside = _contiguous(facts, routine, exchange.fields[0])
    key, domains, sides = routine.key, grid.domains, tuple(widths)
    once = exchange.together
    return Sent(
        key, routine.file, row, names, sizes, domains, sides, what.corners, what.mode, every or 1, placed, beside, once
    )


def _contiguous(facts: Facts, routine: Routine, field: Field) -> int | None:
    """The number of the domain whose points are beside each other in memory; None if it is not cut, or not known."""
    data = facts.object(field.name, routine.key)
    beside = contiguous(facts, data) if data is not None else None
    return next((c.number for c in field.cuts if c.position == beside), None)


def _size(facts: Facts, routine: Routine, field: Field) -> tuple[int, int | None, frozenset[int]]:
    """Bytes of an element, how many there are for each point of the domains that are cut (None: not known), and the
    numbers of those domains.
    """
    data = facts.object(field.name, routine.key)
    cut = {c.position for c in field.cuts}
    levels: int | None = 1
    for position, dimension in enumerate(data.full if data is not None else ()):
        if position in cut:
            continue
        extent = dimension.extent
        upper = facts.domains.value(extent.upper, routine.key) if extent.upper is not None else None
        lower = facts.domains.value(extent.lower, routine.key) if extent.lower is not None else 1
        levels = levels * (upper - lower + 1) if None not in (levels, upper, lower) else None  # type: ignore[operator]
    return BYTES.get(field.type, 8), levels, frozenset(c.number for c in field.cuts)
