"""Declarations beside each other: named constants that depend on themselves, declarations that repeat others."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import without_places
from hfpy.model.units import FType, Symbol


def circular_constants(symbols: Mapping[str, Symbol], file: str) -> list[Diagnostic]:
    """Named constants of one unit whose values lead back to themselves: an error for each circle."""
    needs = {s.name: s.initial.names & symbols.keys() for s in symbols.values() if s.constant and s.initial is not None}
    found: list[Diagnostic] = []
    told: set[str] = set()
    for start in needs:
        way, pending = [start], [iter(needs[start])]
        seen = {start}
        while pending:
            name = next(pending[-1], None)
            if name is None:
                pending.pop()
                way.pop()
            elif name == start:
                if not told & set(way):
                    found.append(_circular(way, symbols, file))
                told |= set(way)
                break
            elif name not in seen:
                seen.add(name)
                way.append(name)
                pending.append(iter(needs.get(name, ())))
    return found


def _circular(way: list[str], symbols: Mapping[str, Symbol], file: str) -> Diagnostic:
    symbol = symbols[way[0]]
    assert symbol.line is not None
    shown = " → ".join([*way, way[0]])
    place = symbol.line.place(file, *symbol.name_span)
    return error("HF317", f"the value of the named constant '{way[0]}' depends on itself: {shown}", place)


def says_nothing_new(symbol: Symbol, known: Symbol) -> bool:
    """Whether a declaration only repeats the type of a name that has been declared completely."""
    if known.line is None or not known.type.base or symbol.shape or symbol.attributes or symbol.intent:
        return False
    return _meaning(symbol.type) == _meaning(known.type)


def _meaning(ftype: FType) -> tuple[object, ...]:
    """A type without regard to its spelling."""
    parts = (None if p is None else without_places(p.expr) for p in (ftype.kind, ftype.length))
    return (ftype.base, ftype.double, ftype.derived, *parts)
