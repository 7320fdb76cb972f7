"""An over-approximation of the call graph from the index alone: by name, nothing resolved.

Procedures that are called by other names count as well: those that a generic name means, and those that a unit binds
to a type, points to, or passes to a procedure with a dummy procedure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import networkx as nx

from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, UnitIndex
from hfpy.parse.declarations.bindings import INTERFACE, bound_names, generic_name, interface_of

_PROCEDURES = ("subroutine", "function", "procedure")
_NAME = re.compile(r"[a-z_]\w*")
# Interface bodies count: a generic name or an operator may mean the procedures that they describe.
_BINDS = re.compile(r"(?!end).*?(?:=>|\b(?:procedure|final|subroutine|function)\b)", re.IGNORECASE)
# One of these is in each line that it takes, and in few others: to look for a text is much faster.
_BINDING = ("=>", "procedure", "final", "subroutine", "function")
_ENDS = re.compile(r"end\s*interface\b")
_DUMMY_PROCEDURE = re.compile(
    r"\s*(?:external\b|procedure\s*\(|interface\s*$|(?:abstract\s+)?interface\s+\w)", re.IGNORECASE
)
# `p => a`, `o%p(1:n) => a`; not `use m, only: a => b`, `procedure :: a => b`, `real, pointer :: p => null()`.
_POINTS = re.compile(r"\s*(?!use\b|procedure\b|generic\b|associate\b)[a-z_][^'\"!]*?=>", re.IGNORECASE)


def index_edges(application: Application) -> dict[str, set[str]]:
    """Unit key → keys of the routines that it may call, by name."""
    by_name = procedures_by_name(application)
    rows = {key: [line.text.lower() for line in _own_lines(application, key)] for key in application.units}
    taking = {application.unit(key).name for key in application.units if _takes_procedures(application, key)}
    taking |= _unseen(application, rows) - by_name.keys()
    edges: dict[str, set[str]] = {}
    for key in application.units:
        names = _mentioned(application.unit(key))
        given = names & taking
        header, *body = rows[key]
        binding = _may_bind("\n".join(body))
        for text in [header, *body] if given else body if binding else ():
            binds = binding and text is not header and _may_bind(text) and _BINDS.match(text)
            if binds or (given and given & set(_NAME.findall(text))):
                names |= set(_NAME.findall(text))
        edges[key] = set()
        for name in names & by_name.keys():
            edges[key] |= by_name[name]
    return edges


def _unseen(application: Application, rows: Mapping[str, Sequence[str]]) -> set[str]:
    """The names of procedures that are called, declared external, or described by an interface: those without source
    may call what they get. ``rows`` are the lines of each unit in lower case.
    """
    found: set[str] = set()
    for key in application.units:
        found |= {name for name in application.unit(key).calls if "%" not in name}
        header, *body = rows[key]
        described = _describes("\n".join(body))
        for text in [header, *body] if described or "external" in header else ():
            if "external" in text:
                found |= set(_NAME.findall(text))
            elif text is not header and _describes(text) and not text.startswith("end"):
                found |= set(_NAME.findall(text.partition("(")[0]))
    return found


def _describes(text: str) -> bool:
    return "subroutine" in text or "function" in text or "external" in text


def _may_bind(text: str) -> bool:
    return any(word in text for word in _BINDING)


def procedures_by_name(application: Application) -> dict[str, set[str]]:
    """Names of procedures, generic names and names that types bind → keys of the routines that they may mean."""
    by_name: dict[str, set[str]] = {}
    for key in application.units:
        unit = application.unit(key)
        if unit.kind in _PROCEDURES:
            by_name.setdefault(unit.name, set()).add(key)
    for name, meant in _other_names(application).items():
        by_name[name] = by_name.get(name, set()).union(*(by_name.get(other, set()) for other in meant))
    return by_name


def _other_names(application: Application) -> dict[str, set[str]]:
    """Generic names and names that types bind → names of the procedures that they may mean."""
    meant: dict[str, set[str]] = {}
    binding = {index.path for index in application.files if _has_interfaces(index)}
    for key in application.units:
        generic = ""
        for line in _own_lines(application, key) if application.file(key).path in binding else ():
            lowered = line.text.lower()
            if begin := INTERFACE.match(lowered):
                generic = generic_name(begin.group(1))
            elif _ENDS.match(lowered):
                generic = ""
            elif generic:
                inside = interface_of("", [lowered])
                meant.setdefault(generic, set()).update(inside.procedures, inside.bodies)
            elif lowered.startswith(("procedure", "generic")):
                for name, target in bound_names(lowered):
                    meant.setdefault(name, set()).add(target)
    net = nx.DiGraph([(name, other) for name, others in meant.items() for other in others])
    return {name: nx.descendants(net, name) if others else set() for name, others in meant.items()}


def _has_interfaces(index: FileIndex) -> bool:
    """Whether a file may have interfaces, or types with procedures."""
    return any("interface" in text or "procedure" in text for text in (line.text.lower() for line in index.lines))


def units_with_pointers(application: Application) -> set[str]:
    """Keys of the units that may set pointers."""
    return {
        key
        for key in application.units
        if any(
            "=>" in line.text and "::" not in line.text and _POINTS.match(line.text)
            for line in _own_lines(application, key)
        )
    }


def pointer_names(application: Application) -> frozenset[str]:
    """Names that some unit associates as pointers, those of components without their objects."""
    lines = (line.text.lower() for key in units_with_pointers(application) for line in _own_lines(application, key))
    found = (text.partition("=>")[0].rsplit("%", 1)[-1].rsplit(")", 1)[-1] for text in lines if _POINTS.match(text))
    return frozenset(name for text in found for name in _NAME.findall(text))


def _takes_procedures(application: Application, key: str) -> bool:
    """Whether a routine may have a dummy procedure."""
    unit = application.unit(key)
    if unit.kind not in _PROCEDURES or not unit.dummies:
        return False
    if unit.calls & set(unit.dummies):
        return True
    return any(_DUMMY_PROCEDURE.match(line.text) for line in _own_lines(application, key))


def _own_lines(application: Application, key: str) -> Iterator[LogicalLine]:
    file, number = application.units[key]
    return own_lines(application.files[file], number)


def own_lines(index: FileIndex, number: int) -> Iterator[LogicalLine]:
    """The lines of a unit of a file that are not those of units in it."""
    unit = index.units[number]
    inner = [index.units[child] for child in unit.children]
    last = min([child.first for child in inner], default=unit.last + 1)
    yield from index.lines[unit.first : last]


def _mentioned(unit: UnitIndex) -> set[str]:
    return called_names(unit) | (set(unit.references) - {unit.name})


def called_names(unit: UnitIndex) -> set[str]:
    """The names of what a unit calls, those of components without their objects."""
    return {c.rsplit("%", 1)[-1] for c in unit.calls}


def names_between(index: FileIndex, first: int, last: int) -> set[str]:
    """Every name in the statements of some lines of a file, counted from 0."""
    rows = (line.text.lower() for line in index.lines if first <= line.first <= last and not line.directive)
    return {name for row in rows for name in _NAME.findall(row)}
