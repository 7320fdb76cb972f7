"""Procedures whose arguments are in an interface alone: ``module procedure`` (Fortran 2018, 15.6.2.5, R1539).

The interface body has the names of dummies and result, their types and intents. It is in the module or submodule that
holds the procedure, or in an ancestor of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, UnitIndex
from hfpy.parse.declarations.bindings import END_INTERFACE, INTERFACE, interface_lines
from hfpy.parse.index import interface_body
from hfpy.parse.text.tokens import words_of

_END = re.compile(r"end\s*(subroutine|function|procedure)?\b\s*\w*\s*$", re.IGNORECASE)
_LEFT_OUT = re.compile(r"(import|implicit\s+none)\b", re.IGNORECASE)
_NOT_TAKEN = re.compile(r"(use|include|implicit)\b", re.IGNORECASE)

# What may be before the keyword of a function, its type apart.
_WORDS = frozenset({"module", "recursive", "pure", "elemental", "impure", "non_recursive"})

_Homes = Mapping[str, tuple[FileIndex, UnitIndex]]


def with_interfaces(files: Sequence[FileIndex]) -> list[FileIndex]:
    """Files whose ``module procedure`` bodies are subroutines and functions, with what their interfaces declare. Those
    whose interface is not here, or has more than declarations, stay what they are.
    """
    homes = {u.name: (f, u) for f in files for u in f.units if u.kind in ("module", "submodule")}
    return [_completed(index, homes) if _has_separate(index) else index for index in files]


def as_before(index: FileIndex, before: FileIndex) -> FileIndex:
    """A file with other texts of its bodies, in which ``module procedure`` bodies are what they were."""
    known = {(u.name, u.parent): u for u in before.units if u.declared}
    if not known or not _has_separate(index):
        return index
    pairs = ((unit, known.get((unit.name, unit.parent))) for unit in index.units)
    return replace(
        index,
        units=tuple(
            _like(unit, same) if same is not None and unit.kind == "procedure" else unit for unit, same in pairs
        ),
    )


def _like(unit: UnitIndex, other: UnitIndex) -> UnitIndex:
    """A unit with what the interface says of another one."""
    return replace(
        unit,
        kind=other.kind,
        dummies=other.dummies,
        result=other.result,
        prefix=other.prefix,
        declared=other.declared,
    )


def _has_separate(index: FileIndex) -> bool:
    return any(unit.kind == "procedure" for unit in index.units)


def _completed(index: FileIndex, homes: _Homes) -> FileIndex:
    units = []
    for unit in index.units:
        made = _interface(index, unit, homes) if unit.kind == "procedure" else None
        units.append(_like(unit, made) if made is not None else unit)
    return replace(index, units=tuple(units))


def _interface(index: FileIndex, unit: UnitIndex, homes: _Homes) -> UnitIndex | None:
    """What the interface of a procedure says, as a unit; None where there is none that can be taken."""
    if unit.parent is None:
        return None
    home, seen = index.units[unit.parent].name, set[str]()
    while home in homes and home not in seen:
        seen.add(home)
        file, host = homes[home]
        for lines in _bodies(file, host):
            made = interface_body(lines[0])
            if made is not None and made.name == unit.name and "module" in made.prefix:
                return _with_declarations(made, lines[1:], file.path)
        home = host.uses[0].module if host.kind == "submodule" and host.uses else ""
    return None


def _with_declarations(made: UnitIndex, lines: Sequence[LogicalLine], path: str) -> UnitIndex | None:
    """The unit of an interface body with its declarations, as lines of an included file: nothing edits them."""
    taken = [line for line in lines if not line.directive and not _LEFT_OUT.match(line.text)]
    if any(_NOT_TAKEN.match(line.text) or INTERFACE.match(line.text) for line in taken):
        return None
    named = {word.lower() for line in taken for word in words_of(line.text)}
    typed = made.kind == "subroutine" or made.result in named or not set(made.prefix) <= _WORDS
    if not named >= set(made.dummies) or not typed:
        return None  # the implicit rules type one
    return replace(made, declared=tuple(replace(line, file=line.file or path) for line in (*made.declared, *taken)))


def _bodies(index: FileIndex, unit: UnitIndex) -> Iterator[Sequence[LogicalLine]]:
    """The interface bodies of a module: header and what follows up to the end, which is left out."""
    last = unit.contains if unit.contains >= 0 else unit.last
    number = unit.first + 1
    while number < last:
        line = index.lines[number]
        number += 1
        if line.directive or not INTERFACE.match(line.text):
            continue
        inner, _ = interface_lines(index.lines[number - 1 : last])
        number += len(inner) + 1
        yield from _in_interface(inner)


def _in_interface(lines: Sequence[LogicalLine]) -> Iterator[Sequence[LogicalLine]]:
    """The bodies between the first and the last line of an interface."""
    depth, start = 0, -1
    for number, line in enumerate(lines):
        if line.directive:
            continue
        depth += (INTERFACE.match(line.text) is not None) - (END_INTERFACE.match(line.text) is not None)
        if depth == 0 and start < 0 and interface_body(line) is not None:
            start = number
        elif depth == 0 and start >= 0 and _END.match(line.text):
            yield lines[start:number]
            start = -1
