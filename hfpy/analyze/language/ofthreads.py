"""Which variables directives of OpenMP make ``threadprivate``: each thread has its own."""

from __future__ import annotations

from hfpy.model.application import Application
from hfpy.parse.text.sentinels import has_threadprivate, own_directives_in


def of_threads(application: Application) -> frozenset[tuple[str, str]]:
    """The variables that directives make ``threadprivate``, by home unit and name."""
    files = {f.path for f in application.files if has_threadprivate(f.source.text)}
    found: set[tuple[str, str]] = set()
    for key, routine in application.routines.items() if files else ():
        index = application.file(key)
        if index.path not in files:
            continue
        unit = index.units[routine.unit]
        behind = index.lines[unit.contains if unit.contains >= 0 else unit.last].first
        last = routine.body_first if routine.body_first >= 0 else behind
        for directive in own_directives_in(index.rows, routine.header.first, last, index.fixed):
            if directive.words == ("threadprivate",):
                names = set(directive.listed)
                blocks = {m for g in routine.spec.groups if g.kind == "common" and g.name in names for m in g.members}
                found |= {(key, name) for name in names | blocks if name in routine.spec.symbols}
    return frozenset(found)
