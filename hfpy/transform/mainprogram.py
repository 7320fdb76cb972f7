"""Large variables of main programs get ``save``, which they have by the language anyway (Fortran 2018, 8.5.16).

Compilers for OpenMP and OpenACC put them on the stack nevertheless (GNU Fortran, 9: ``-fopenmp`` implies
``-frecursive``), and a program that is started where stacks are small, as in a batch script, ends at its first
statement with a segmentation fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine, Symbol
from hfpy.transform.declarations import known_small
from hfpy.transform.text.edits import Edit, insert_lines

_ON_STACK = frozenset({"openmp", "openacc", "openmp-target"})


def saved_in_main(facts: Facts, routine: Routine) -> Iterator[Edit]:
    """A ``save`` after each declaration of large variables in a main program, where a backend needs it."""
    rows: dict[int, tuple[LogicalLine, list[str]]] = {}
    for symbol in large_in_main(facts, routine):
        assert symbol.line is not None
        spelled = symbol.line.text[slice(*symbol.name_span)]
        rows.setdefault(symbol.line.last, (symbol.line, []))[1].append(spelled)
    for line, names in rows.values():
        margin = " " * line.segments[0][2]
        yield insert_lines(line.last + 1, [f"{margin}save :: {', '.join(names)}"], 7, line.first)


def large_in_main(facts: Facts, routine: Routine) -> list[Symbol]:
    """The variables of a main program that get a ``save``."""
    if routine.kind != "program" or not _ON_STACK & facts.application.options.backends:
        return []
    found = []
    for name, symbol in routine.spec.symbols.items():
        data = facts.object(name, routine.key)
        if data is not None and symbol.line is not None and not symbol.line.file and _is_large(facts, routine, data):
            found.append(symbol)
    return found


def has_large_main(facts: Facts, index: FileIndex) -> bool:
    """Whether a file has a main program that gets a ``save``."""
    if not any(unit.kind == "program" for unit in index.units):
        return False
    here = (r for r in facts.application.routines_in(index.path) if r.kind == "program")
    return any(large_in_main(facts, routine) for routine in here)


def _is_large(facts: Facts, routine: Routine, data: DataObject) -> bool:
    """Whether a variable may be larger than 64 KiB, and has no memory of another kind."""
    symbol = data.symbol
    if data.home != routine.key or symbol.dynamic or symbol.constant or keeps_value(routine, data.name):
        return False
    if symbol.attributes & {"codimension", "external", "intrinsic"} or data.name in routine.spec.storage:
        return False
    if symbol.type.base in ("class", "procedure"):
        return False
    if symbol.type.derived and _holds_arrays(facts, symbol.type.derived, routine.key, frozenset()):
        return True
    return data.rank > 0 and not known_small(facts, routine, data)


def _holds_arrays(facts: Facts, name: str, home: str, seen: frozenset[tuple[str, str]]) -> bool:
    """Whether objects of a type that is visible in a unit have arrays in their own memory, at any depth."""
    for unit, derived in facts.scopes.lineage(name, home):
        slot, own = (unit, derived.name), [p for p in derived.components if not p.dynamic]
        inside = [p.type.derived for p in own if p.type.derived and slot not in seen]
        if any(p.rank for p in own) or any(_holds_arrays(facts, t, unit, seen | {slot}) for t in inside):
            return True
    return False
