"""What directives say about schedules: ``unroll`` and ``tile`` of regions, ``@stencilProgram`` around them
(kernel-metadata-and-transforms.md §2.1).
"""

from __future__ import annotations

import re

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Listed, StencilScope
from hfpy.model.source import LogicalLine
from hfpy.parse.directives.directives import Directive, check_names, suggestion

SCOPE_ATTRIBUTES = ("name", "temporary", "fuse")
FUSIONS = ("auto", "all", "none")
_WORD = re.compile(r"[A-Za-z_]\w*")


def scope_of(
    directive: Directive, line: LogicalLine, end: LogicalLine, file: str
) -> tuple[StencilScope | None, list[Diagnostic]]:
    """The scope that a ``@stencilProgram`` line opens and ``end`` closes."""
    problems = check_names(directive, line, file, SCOPE_ATTRIBUTES)
    temporaries: list[Listed] = []
    if (attribute := directive.get("temporary")) is not None:
        place = line.place(file, attribute.start, attribute.end)
        temporaries = [Listed(entry.lower(), place) for entry in attribute.entries]
        problems += [
            error("HF202", f"'{listed.name}' is no name of an array", place)
            for listed in temporaries
            if not _WORD.fullmatch(listed.name)
        ]
    fuse = "auto"
    if (attribute := directive.get("fuse")) is not None:
        fuse = ", ".join(attribute.entries).lower()
        if fuse not in FUSIONS:
            place = line.place(file, attribute.start, attribute.end)
            problems.append(error("HF210", f"unknown value '{fuse}' of 'fuse'", place, suggestion(fuse, FUSIONS)))
    if problems:
        return None, problems
    named = directive.get("name")
    name = named.entries[0].lower() if named is not None else ""
    return StencilScope(line, end, line.place(file), tuple(temporaries), fuse, name), []
