"""Modules that have the name of a procedure.

In Fortran a name means one thing in the whole program, and in a module. PGI's compiler lets a module have the name of
one of its own procedures; existing projects (B32) rely on that. There the module gets another name, in all files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.macros import Macro
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, UnitIndex
from hfpy.options import Options
from hfpy.parse.files import index_text
from hfpy.parse.text.physical import names_in_rows

Names = Mapping[str, str]  # the new names of modules, by the old ones
_BEFORE = r"use\b\s*(?:,\s*non_intrinsic\s*)?(?:::)?|(?:end\s*)?module\b"
_NAMED = ("subroutine", "function", "program", "blockdata")


def namesakes(files: Sequence[FileIndex], renamed: Names) -> list[Diagnostic]:
    """What is to say of modules that have the name of a procedure of their own, of one outside modules, or of a main
    program. Those in ``renamed`` have another name already.
    """
    modules = _modules(files, renamed)
    found = []
    for index in files:
        for unit in index.units:
            if unit.name not in modules or unit.kind not in _NAMED:
                continue
            other, module = modules[unit.name]
            inside = unit.parent is not None
            if inside and (index.units[unit.parent or 0] is not module):
                continue
            place = index.lines[unit.first].place(index.path)
            related = [Related(other.lines[module.first].place(other.path), "the module")]
            where = "the module around it" if inside else "a module"
            message = f"{unit.kind} '{unit.name}' has the name of {where}"
            if unit.name in renamed:
                hint = f"the module is called '{renamed[unit.name]}' because this is an existing project"
                found.append(warning("HF108", message, place, hint, related))
            else:
                found.append(error("HF108", message, place, "", related))
    return found


def _modules(files: Sequence[FileIndex], renamed: Names) -> dict[str, tuple[FileIndex, UnitIndex]]:
    """All modules by the names that the user gave them."""
    old = {new: name for name, new in renamed.items()}
    return {old.get(u.name, u.name): (f, u) for f in files for u in f.units if u.kind == "module"}


def without_namesakes(
    files: Sequence[FileIndex], options: Options, macros: Mapping[str, Macro]
) -> tuple[list[FileIndex], Names]:
    """The files of an existing project in which no module has the name of a procedure of its own, and the new names.

    A module stays what it is where it has submodules, or where an included file uses it.
    """
    own = {
        unit.name
        for index in files
        for unit in index.units
        if unit.kind in _NAMED and unit.parent is not None and _is_home(index.units[unit.parent], unit.name)
    }
    own -= {
        use.module for f in files for u in f.units for use in u.uses if u.kind == "submodule" or _included(use.line)
    }
    if not own:
        return list(files), {}
    taken = names_in_rows(line.text for index in files for line in index.lines)
    renamed = {name: _free(f"{name}_module", taken) for name in sorted(own)}
    return [_with_names(index, renamed, options, macros) for index in files], renamed


def _is_home(module: UnitIndex, name: str) -> bool:
    return module.kind == "module" and module.name == name


def _included(line: LogicalLine | None) -> bool:
    return line is None or bool(line.file)


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _with_names(index: FileIndex, renamed: Names, options: Options, macros: Mapping[str, Macro]) -> FileIndex:
    """A file with the new names of modules, read again if it has any of them."""
    rows = list(index.source.lines)
    at = sorted({(*line.locate(start), name) for line, start, name in _places(index, renamed)}, reverse=True)
    for row, column, name in at:
        rows[row] = rows[row][:column] + renamed[name] + rows[row][column + len(name) :]
    if not at:
        return index
    text = index.source.with_lines(rows).text
    lines = index.expanded if index.expanded is not None else tuple(range(1, len(rows) + 1))
    made = index_text(Path(index.path), text, options, macros, lines, index.hybrid)
    original = index.original or index.source.text
    return replace(made, original=original, hybrid=index.hybrid, included=index.included)


def _places(index: FileIndex, renamed: Names) -> Iterator[tuple[LogicalLine, int, str]]:
    """The old names in statements that begin, end or use a module: the line, the offset and the name of each."""
    for unit in index.units:
        if unit.kind == "module" and unit.name in renamed:
            yield from _named(index.lines[unit.first], unit.name)
            yield from _named(index.lines[unit.last], unit.name)
        for use in unit.uses:
            if use.module in renamed and use.line is not None and not use.line.file:
                yield from _named(use.line, use.module)


def _named(line: LogicalLine, name: str) -> Iterator[tuple[LogicalLine, int, str]]:
    """The name of the module in one of these statements."""
    found = re.match(rf"(?:{_BEFORE})\s*({name})\b", line.text, re.IGNORECASE)
    if found:
        yield line, found.start(1), name
