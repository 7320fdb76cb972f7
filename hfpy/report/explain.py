"""``hfpy explain``: what the analyses found out about a routine, and why, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.device.states import States
from hfpy.analyze.facts import Facts
from hfpy.commands.tables import Row, Table
from hfpy.insight.survey import RoutineView, routine_view


def explain(facts: Facts, states: States, name: str | None) -> tuple[str | Table, ...]:
    """The explanation of one routine (by name or ``module::name``), or of all, in lines and tables; nothing if there is
    none of that name.
    """
    keys = [
        k
        for k, r in facts.application.routines.items()
        if k in facts.graph.statements and (name is None or name.lower() in (k, r.name))
    ]
    parts: list[str | Table] = []
    for number, key in enumerate(keys):
        parts += [""] if number else []
        parts += explanation(routine_view(facts, states, key), facts.target)
    return tuple(parts)


def explanation(routine: RoutineView, target: str) -> Iterator[str | Table]:
    """The explanation of one routine."""
    yield f"{routine.kind} {routine.name}  ({routine.file}:{routine.line})"
    yield f"  target {target}, backend {routine.backend}, position {routine.position}"
    for word, regions in (
        ("contains", routine.kernels),
        ("leads to", routine.below),
        ("lies inside", routine.above),
    ):
        yield from (f"  {word} the region over ({r.text}) at {r.file}:{r.line}" for r in regions)
    rows = [(d.name, d.dimensions, d.kind, d.state, d.order) for d in routine.data]
    if rows:
        yield "  data (* parallel dimension, + inserted):"
        yield Table(("name", "dimensions", "kind", "where", "order"), rows, plain=_in_columns(rows))
    for loop in routine.serial:
        yield f"  serial loop{f' over {loop.var}' if loop.var else ''} in line {loop.line}: {loop.reason}"
    if routine.statements:
        yield "  array statements of the host on arrays that are on the device:"
    for found in routine.statements:
        yield f"    line {found.line}: " + (f"on the host: {found.reason}" if found.reason else "a kernel")


def _in_columns(rows: Sequence[Row]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows)
