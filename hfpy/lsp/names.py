"""What a name in a text means."""

from __future__ import annotations

from hfpy.diagnostics import Place
from hfpy.lsp.texts import Text


def declaration_of(name: str, row: int, text: Text) -> Place | None:
    """Where a name is declared that a line (from 0) uses: in the innermost unit around it, or one around that."""
    for part in text.around(row):
        symbol = part.routine.spec.symbols.get(name.lower())
        if symbol is not None and symbol.line is not None:
            return part.place(symbol.line.place(part.routine.file, *symbol.name_span))
    return None


def unit_named(name: str, text: Text) -> Place | None:
    """Where a routine or module of that name begins."""
    return next((p.place(p.routine.place()) for p in text.parts if p.routine.name == name.lower()), None)
