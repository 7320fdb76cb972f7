"""What an editor shows of a name."""

from __future__ import annotations

from hfpy.insight.survey import Survey
from hfpy.lsp.texts import Text


def hover_of(word: str, text: Text, row: int, survey: Survey) -> str:
    """What is known of a name in a line (from 0), as Markdown; empty if there is nothing."""
    name, routines = word.lower(), {r.key: r for r in survey.routines}
    for part in text.around(row):
        routine = routines.get(part.routine.key)
        if routine is None:
            continue
        data = next((d for d in routine.data if d.name == name), None)
        if data is not None:
            rows = [f"**{data.name}**{data.dimensions}", data.kind, data.state, data.order]
            return "\n\n".join(r for r in rows if r)
        if routine.name == name:
            return f"**{routine.name}**: backend {routine.backend}, position {routine.position}"
        return ""
    return ""
