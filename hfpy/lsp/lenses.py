"""Above each region what the optimiser makes of it, and how long that takes by its model."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from hfpy.lsp.looking import Looked
from hfpy.lsp.texts import Text
from hfpy.model.statements import constructs

_UNKNOWN = "save the file to see the schedule"
_REGIONS = ("region", "nest", "columns")


def lenses_of(text: Text, uri: str) -> Iterator[lsp.CodeLens]:
    """A lens for each region of a text, which says later what it has to say."""
    for part in text.parts:
        regions = [c for c in constructs(part.routine.body) if c.kind in _REGIONS]
        for number, region in enumerate(regions):
            line = region.header.line
            if line.file:
                continue
            place = part.place(line.place(part.routine.file))
            start = lsp.Position(place.line - 1, place.column - 1)
            data = {"uri": uri, "routine": part.routine.key, "number": number, "of": len(regions)}
            yield lsp.CodeLens(lsp.Range(start, lsp.Position(start.line, start.character + 1)), data=data)


def resolved(lens: lsp.CodeLens, looked: Looked | None) -> lsp.CodeLens:
    """A lens with what is known of its region."""
    data = lens.data if isinstance(lens.data, dict) else {}
    routine = looked.routines.get(str(data.get("routine"))) if looked is not None else None
    number = data.get("number")
    title = _UNKNOWN
    if routine is not None and isinstance(number, int) and data.get("of") == len(routine.regions):
        title = routine.regions[number].schedule or _UNKNOWN
    return lsp.CodeLens(lens.range, lsp.Command(title, ""), lens.data)
