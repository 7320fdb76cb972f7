"""Declarations beside each other: named constants that depend on themselves, declarations that repeat others."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Name, children, without_places
from hfpy.model.units import FType, Symbol
from hfpy.parse.text.tokens import tokenise

# Functions that ask for what is declared of a constant.
_DECLARED = frozenset(
    "bit_size digits epsilon huge kind lbound len maxexponent minexponent precision radix range rank shape size "
    "storage_size tiny ubound".split()
)


def circular_constants(symbols: Mapping[str, Symbol], file: str, macros: Collection[str] = ()) -> list[Diagnostic]:
    """Named constants of one unit whose values lead back to themselves: an error for each circle. What ``macros`` are
    in a value is as they define it: ``n = N`` may be no circle.
    """
    constants = [s for s in symbols.values() if s.constant and s.initial is not None]
    if macros:
        constants = [s for s in constants if s.initial and not {t.text for t in tokenise(s.initial.text)} & {*macros}]
    needs = {s.name: s.initial.names & symbols.keys() for s in constants if s.initial is not None}
    for symbol in constants:
        if symbol.name in needs[symbol.name] and not _by_value(symbol):
            needs[symbol.name] -= {symbol.name}
    found: list[Diagnostic] = []
    reported: set[str] = set()
    for start in needs:
        way, pending = [start], [iter(needs[start])]
        seen = {start}
        while pending:
            name = next(pending[-1], None)
            if name is None:
                pending.pop()
                way.pop()
            elif name == start:
                if not reported & set(way):
                    found.append(_circular(way, symbols, file))
                reported |= set(way)
                break
            elif name not in seen:
                seen.add(name)
                way.append(name)
                pending.append(iter(needs.get(name, ())))
    return found


def _by_value(symbol: Symbol) -> bool:
    """Whether the value of a constant mentions its own value, and not only what is declared of it, as in
    ``shape(table)`` (Fortran 2018, 10.1.11).
    """
    pending = [symbol.initial.expr] if symbol.initial is not None else []
    while pending:
        expr = pending.pop()
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in _DECLARED:
            pending += [a for a in expr.args if not isinstance(a, Name)]
        elif isinstance(expr, Name) and expr.name == symbol.name:
            return True
        else:
            pending += children(expr)
    return False


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
