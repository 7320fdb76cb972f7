"""Extents of arrays that are no integers (Fortran 2018, 8.5.8.2), which compilers refuse."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.typed import Types
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Fragment
from hfpy.model.units import Routine, Symbol

_NO_INTEGERS = frozenset({"real", "complex", "logical", "character"})


def size_types(facts: Facts) -> Iterator[Diagnostic]:
    """One error for each array with such an extent, where the type is certain."""
    types = Types(facts.application, facts.scopes)
    for key in facts.graph.with_statements():
        routine = facts.routine(key)
        macros = {m.lower() for m in (*facts.application.macros_of(key), *facts.application.file(key).macros)}
        for symbol in routine.spec.symbols.values():
            yield from _of_symbol(facts, types, routine, symbol, macros)


def _of_symbol(facts: Facts, types: Types, routine: Routine, symbol: Symbol, macros: set[str]) -> Iterator[Diagnostic]:
    if symbol.line is None or symbol.line.file:
        return
    for bound in (b for dim in symbol.shape for b in dim.bounds):
        found = _wrong(facts, types, routine, bound) if not macros & {n.lower() for n in bound.names} else ""
        if found:
            place = symbol.line.place(routine.file, *symbol.name_span)
            message = f"the bound '{bound.text}' of '{symbol.name}' has the type {found}, where integer is wanted"
            yield error("HF256", message, place)
            return


def _wrong(facts: Facts, types: Types, routine: Routine, bound: Fragment) -> str:
    """The type of a bound where that certainly is no integer, and all its names are declared."""
    described = {name for interface in routine.spec.interfaces for name in interface.bodies}  # functions, by now
    if described & bound.names or any(facts.scopes.variable(name, routine.key) is None for name in bound.names):
        return ""
    typed = types.expression(bound.expr, routine.key)
    return typed.base if typed is not None and typed.base in _NO_INTEGERS else ""
