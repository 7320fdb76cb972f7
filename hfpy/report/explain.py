"""``hfpy explain``: what the analyses found out about a routine, and why."""

from __future__ import annotations

from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.states import HOST, LOCAL, TRANSFER, States


def explain(facts: Facts, states: States, name: str | None) -> str:
    """The explanation of one routine (by name or ``module::name``), or of all; empty if there is none of that name."""
    keys = [
        k
        for k, r in facts.application.routines.items()
        if k in facts.graph.statements and (name is None or name.lower() in (k, r.name))
    ]
    return "\n\n".join(_routine(facts, states, key) for key in keys)


def _routine(facts: Facts, states: States, key: str) -> str:
    routine = facts.routine(key)
    position = facts.positions.get(key)
    place = routine.place()
    lines = [f"{routine.kind} {routine.name}  ({place.file}:{place.line})"]
    lines.append(f"  target {facts.target}, backend {facts.backend(key)}, position {position.label}")
    for word, identities in (("contains", position.own), ("leads to", position.below), ("lies inside", position.above)):
        for identity in sorted(identities, key=lambda r: (r.routine, r.number)):
            region = facts.positions.regions[identity]
            domains = ", ".join(f"{d.name}={d.size}" for d in region.domains)
            lines.append(f"  {word} the region over ({domains}) at {region.place.file}:{region.place.line}")
    rows = []
    for symbol in sorted({*routine.spec.symbols, *(r.name for r in facts.references.get(key, ()))}):
        data = facts.object(symbol, key)
        if data is None or not (data.full or data.rank):
            continue
        order = facts.order(data)
        dims = ", ".join(
            f"{d.size}{f' [{d.name}]' if d.name else ''}{'*' if d.parallel else ''}{'+' if d.declared is None else ''}"
            for d in data.used
        )
        kind = "dummy" if data.dummy else "local" if data.home == key else f"from {data.home}"
        state = _state(facts, states, data, symbol, key)
        shown = order.reason or ("declared order" if data.rank > 1 else "")
        rows.append((symbol, f"({dims})" if data.rank else "scalar here", kind, state, shown))
    if rows:
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines.append("  data (* parallel dimension, + inserted):")
        lines += ["    " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)


def _state(facts: Facts, states: States, data: DataObject, name: str, key: str) -> str:
    """Where an array lives while the routine runs, and what is copied; on CPUs what the directives say."""
    asked = next(iter(data.flags), "")
    if facts.target != "gpu" or not data.rank:
        return asked
    state = states.of(name, key)
    if state == TRANSFER:
        copied_in, copied_out = states.copies(name, key)
        ways = " and back" if copied_out else ""
        return f"brought to the device{ways}" if copied_in else "made on the device"
    if state == LOCAL:
        return "made on the device"
    return "on the host" if state == HOST else "on the device"
