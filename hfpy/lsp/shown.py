"""What an editor shows of a file whose text has changed since its project was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.diagnostics import Diagnostic
from hfpy.lsp.texts import Text, moved
from hfpy.model.source import changed_rows


def shown(text: Text, looked: Iterable[Diagnostic], lines: Sequence[str] | None) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text: its own, and of those ``looked`` for in the whole project, when the file had these
    ``lines``, the ones in units that are as they were.
    """
    if lines is None or tuple(lines) == text.lines:
        return tuple(looked) if lines is not None else text.found
    first, old_end, new_end = changed_rows(lines, text.lines)
    touched = {id(p) for row in range(first, max(new_end, first + 1)) if (p := text.part_at(row)) is not None}
    kept = []
    for one in looked:
        row = one.place.line - 1
        if first <= row < old_end:
            continue
        here = moved(one, new_end - old_end, one.place.file, old_end) if row >= old_end else one
        part = text.part_at(here.place.line - 1)
        if part is None or id(part) not in touched:
            kept.append(here)
    own = {(d.code, d.message, d.place.line) for d in text.found}
    return (*text.found, *(d for d in kept if (d.code, d.message, d.place.line) not in own))
