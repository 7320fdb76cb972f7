"""Signatures of files: all that the output for other files may depend on.

A signature covers units, declarations, directives, calls, and which variables are read and written how. It says
nothing of the order of statements, of constants and of operators: those matter to the files of an island only
(:mod:`hfpy.analyze.islands`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from hfpy.analyze.context import located
from hfpy.analyze.intrinsics import INTRINSICS
from hfpy.analyze.uses import uses
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Range, base_name
from hfpy.model.statements import Assignment, Call, DirectiveLine, Header, Opaque
from hfpy.model.units import FileIndex, Routine


def signatures(application: Application) -> dict[str, str]:
    """The signature of each file of an application, by its path."""
    by_file: dict[str, dict[str, Routine]] = {}
    for key, routine in application.routines.items():
        by_file.setdefault(routine.file, {})[key] = routine
    return {f.path: signature(f, by_file.get(f.path, {})) for f in application.files}


def signature(index: FileIndex, routines: Mapping[str, Routine]) -> str:
    """The signature of a file: ``routines`` are its units that were parsed."""
    parts: list[str] = []
    for unit in index.units:
        uses_of = [(u.module, u.only, u.renames) for u in unit.uses]
        parts.append(repr((unit.kind, unit.name, unit.parent, unit.dummies, unit.result, unit.prefix, unit.scheme)))
        parts.append(repr((uses_of, sorted(unit.calls), sorted(unit.references), unit.regions)))
    for key, routine in sorted(routines.items()):
        parts.append(key)
        parts += [line.text for line in routine.spec.lines]
        rows: set[str] = set()
        statements = located(routine)
        for at in statements:
            # What may be put in blocks of columns depends on the kinds of statements, also in other files.
            rows.add(f"{type(at.statement).__name__} {getattr(at.statement, 'kind', '')}")
            pointed = isinstance(at.statement, Assignment) and at.statement.pointer
            if pointed or isinstance(at.statement, Call | DirectiveLine | Opaque):
                rows.add(f"{at.regions} {at.statement.line.text}")
            if isinstance(at.statement, Header) and at.statement.serial:
                rows.add(f"{at.regions} serial {at.statement.line.text}")
            if isinstance(at.statement, Header) and at.statement.kind in ("associate", "block"):
                rows.add(f"{at.regions} {at.statement.line.text}")
        for reference in uses(statements):
            text = reference.at.statement.line.text
            shape = ["range" if isinstance(i, Range) else text[i.start : i.end] for i in (reference.indices or ())]
            rows.add(repr((reference.name, reference.role, shape, reference.component, reference.at.regions)))
            call = reference.call
            if isinstance(call, Apply) and base_name(call) not in INTRINSICS:
                rows.add(f"{reference.name} {text[call.start : call.end]}")  # a function's argument
        parts += sorted(rows)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
