"""What generic names and the names that types bind mean: interfaces, and lines after ``contains`` in a derived type
(Fortran 2018, 15.4.3, 7.5.5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hfpy.model.source import LogicalLine
from hfpy.model.units import Interface

# Operators as expressions have them.
_SPELLINGS = {".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=", ".eq.": "==", ".ne.": "/="}

INTERFACE = re.compile(r"(?:abstract\s+)?interface\b\s*(.*)$", re.IGNORECASE)
END_INTERFACE = re.compile(r"end\s*interface\b", re.IGNORECASE)
_PROCEDURES = re.compile(r"(?:module\s+)?procedure\s*(?:::)?\s*(.*)$", re.IGNORECASE)
_HEADER = re.compile(r"\b(?:subroutine|function)\s+([a-z_]\w*)\s*(?:\(([^)]*)\))?", re.IGNORECASE)
_BOUND = re.compile(r"procedure\b(?:\s*\([^)]*\))?(?:\s*,[^:]*)?(?:\s*::)?\s*(.*)$")
_GENERIC = re.compile(r"generic\b[^:]*::\s*([^=]*?(?:\([^)]*\))?)\s*=>\s*(.*)$")
_FINAL = re.compile(r"final\b\s*(?:::)?\s*(.*)$")


def generic_name(text: str) -> str:
    """A generic name in lower case and without blanks, operators as expressions have them: ``operator(.GT.)`` is
    ``operator(>)``.
    """
    name = "".join(text.lower().split())
    head, bracket, rest = name.partition("(")
    inner = rest.removesuffix(")")
    return f"{head}({_SPELLINGS.get(inner, inner)})" if bracket else name


def interface_lines(lines: Sequence[LogicalLine]) -> tuple[list[LogicalLine], list[str]]:
    """What is between the first line, which begins an interface, and its end; and of that what is not in interfaces
    of dummy procedures.
    """
    inner: list[LogicalLine] = []
    own: list[str] = []
    depth = 1
    for line in lines[1:]:
        begins = not line.directive and INTERFACE.match(line.text) is not None
        ends = not line.directive and END_INTERFACE.match(line.text) is not None
        depth += begins - ends
        if depth == 0:
            break
        inner.append(line)
        own += [line.text] if depth == 1 and not ends else []
    return inner, own


def interface_of(first: str, lines: Sequence[str]) -> Interface:
    """An interface: its first line, and those between that and its end."""
    found = INTERFACE.match(first)
    procedures: list[str] = []
    bodies: list[str] = []
    dummies: list[tuple[str, ...]] = []
    for line in lines:
        listed, header = _PROCEDURES.match(line), _HEADER.search(line)
        if listed:
            procedures += [p.strip().lower() for p in listed.group(1).split(",")]
        elif header and not line.lower().startswith("end"):
            bodies.append(header.group(1).lower())
            dummies.append(tuple(d.strip().lower() for d in (header.group(2) or "").split(",") if d.strip()))
    return Interface(generic_name(found.group(1)) if found else "", tuple(procedures), tuple(bodies), tuple(dummies))


def bound_names(lowered: str) -> list[tuple[str, str]]:
    """The names that a line of a type, in lower case, binds to procedures, or a generic name to other bindings."""
    if generic := _GENERIC.match(lowered):
        name = generic_name(generic.group(1))
        return [(name, item.strip()) for item in generic.group(2).split(",")]
    bound = _BOUND.match(lowered)
    pairs = [item.partition("=>") for item in bound.group(1).split(",")] if bound else []
    return [(local.strip(), (target or local).strip()) for local, _, target in pairs]


def final_procedures(lowered: str) -> list[str]:
    """The procedures that a line of a derived type makes final."""
    found = _FINAL.match(lowered)
    return [name.strip() for name in found.group(1).split(",")] if found else []
