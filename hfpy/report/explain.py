"""``hfpy explain``: what the analyses found out about a routine, and why, as text."""

from __future__ import annotations

from hfpy.analyze.facts import Facts
from hfpy.analyze.states import States
from hfpy.insight.survey import RoutineView, routine_view


def explain(facts: Facts, states: States, name: str | None) -> str:
    """The explanation of one routine (by name or ``module::name``), or of all; empty if there is none of that name."""
    keys = [
        k
        for k, r in facts.application.routines.items()
        if k in facts.graph.statements and (name is None or name.lower() in (k, r.name))
    ]
    return "\n\n".join(explanation(routine_view(facts, states, key), facts.target) for key in keys)


def explanation(routine: RoutineView, target: str) -> str:
    """The explanation of one routine."""
    lines = [f"{routine.kind} {routine.name}  ({routine.file}:{routine.line})"]
    lines.append(f"  target {target}, backend {routine.backend}, position {routine.position}")
    for word, regions in (
        ("contains", routine.kernels),
        ("leads to", routine.below),
        ("lies inside", routine.above),
    ):
        lines += [f"  {word} the region over ({r.text}) at {r.file}:{r.line}" for r in regions]
    rows = [(d.name, d.dimensions, d.kind, d.state, d.order) for d in routine.data]
    if rows:
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines.append("  data (* parallel dimension, + inserted):")
        lines += ["    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    for loop in routine.serial:
        lines.append(f"  serial loop{f' over {loop.var}' if loop.var else ''} in line {loop.line}: {loop.reason}")
    if routine.statements:
        lines.append("  array statements of the host on arrays that are on the device:")
    for found in routine.statements:
        lines.append(f"    line {found.line}: " + (f"on the host: {found.reason}" if found.reason else "a kernel"))
    return "\n".join(lines)
