"""An over-approximation of the call graph from the index alone: by name, nothing resolved."""

from __future__ import annotations

from hfpy.model.application import Application
from hfpy.model.units import UnitIndex


def index_edges(application: Application) -> dict[str, set[str]]:
    """Unit key → keys of the routines that it may call, told by name."""
    by_name: dict[str, set[str]] = {}
    for key in application.units:
        unit = application.unit(key)
        if unit.kind in ("subroutine", "function", "procedure"):
            by_name.setdefault(unit.name, set()).add(key)
    edges: dict[str, set[str]] = {}
    for key in application.units:
        edges[key] = set()
        for name in _mentioned(application.unit(key)) & by_name.keys():
            edges[key] |= by_name[name]
    return edges


def _mentioned(unit: UnitIndex) -> set[str]:
    called = {c.rsplit("%", 1)[-1] for c in unit.calls}
    return called | (set(unit.references) - {unit.name})
