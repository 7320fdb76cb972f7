"""Where what a name means is defined: variables, routines, iterators of regions, scripts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from hfpy.diagnostics import Place, source_lines
from hfpy.lsp.looking import Looked
from hfpy.lsp.modules import Modules
from hfpy.lsp.texts import Part, Text
from hfpy.model.directives import Region
from hfpy.model.statements import constructs
from hfpy.options import Options


def definition_of(name: str, row: int, text: Text) -> Place | None:
    """Where a name of a line (from 0) is defined in the text itself: the function of a script, a declaration in a unit
    around the line, a unit, or the region whose iterator it is.
    """
    found = _script(name, row, text) or _declaration(name, row, text) or _unit(name, text)
    return found or next(_iterators(name, row, text), None)


def definition_elsewhere(name: str, row: int, text: Text, looked: Looked, modules: Modules) -> Place | None:
    """Where it is defined in other files of the project: in a module that is used, or a routine of that name."""
    uses = [use for part in text.around(row) for use in part.uses]
    place = modules.declaration(name, uses, looked.sources, text.options)
    if place is None:
        routines = looked.survey.named(name)
        place = Place(routines[0].file, routines[0].line) if routines else None
    return place


def _declaration(name: str, row: int, text: Text) -> Place | None:
    for part in text.around(row):
        symbol = part.routine.spec.symbols.get(name.lower())
        if symbol is not None and symbol.line is not None:
            return part.place(symbol.line.place(part.routine.file, *symbol.name_span))
    return None


def _unit(name: str, text: Text) -> Place | None:
    return next((p.place(p.routine.place()) for p in text.parts if p.routine.name == name.lower()), None)


def _iterators(name: str, row: int, text: Text) -> Iterator[Place]:
    """The directives of regions around a line that have an iterator of the name, the innermost first."""
    for part in text.around(row):
        for region in reversed(list(_regions(part, row))):
            if name.lower() in region.iterators:
                yield part.place(region.place)


def _regions(part: Part, row: int) -> Iterator[Region]:
    for construct in constructs(part.routine.body):
        if construct.region is None:
            continue
        last = construct.end.line.last if construct.end is not None else part.last - part.moved
        if construct.header.line.first <= row - part.moved <= last:
            yield construct.region


def _script(name: str, row: int, text: Text) -> Place | None:
    """The function, or the module, that ``transform(module:function)`` names in a line."""
    part = text.part_at(row)
    for region in _regions(part, row) if part is not None else ():
        line = region.line
        for module, function in region.scripts if line.first <= row - (part.moved if part else 0) <= line.last else ():
            if name in (module, function):
                return _function(module, function if name == function else "", text.options)
    return None


def _function(module: str, function: str, options: Options) -> Place | None:
    """A function of a script, or the script itself. The script is read, not run."""
    path = options.scripts.path / f"{module}.py" if options.scripts is not None else Path()
    if not path.is_file():
        return None
    try:
        tree = ast.parse("\n".join(source_lines(str(path))))
    except (SyntaxError, ValueError):
        return Place(str(path), 1, 1)
    found = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function)
    return next((Place(str(path), n.lineno, n.col_offset + 5, len(n.name)) for n in found), Place(str(path), 1, 1))
