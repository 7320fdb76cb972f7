"""Where the names of a project's modules are declared. Files are indexed when they are first asked for, and again when
they have changed on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hfpy.diagnostics import Place
from hfpy.model.units import FileIndex, Use
from hfpy.options import Options
from hfpy.parse.files import index_file, is_fortran, project_macros
from hfpy.parse.routines import parse_unit


class Modules:
    """The files of projects by what was read of them."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int], FileIndex]] = {}

    def declaration(self, name: str, uses: Iterable[Use], sources: Iterable[Path], options: Options) -> Place | None:
        """Where a name is declared that comes from one of the modules that are used, or from those that they use."""
        files = list(self._indices(sources, options))
        wanted = [(use, name.lower()) for use in uses]
        seen: set[tuple[str, str]] = set()
        while wanted:
            use, local = wanted.pop(0)
            remote = _remote(use, local)
            if remote is None or (use.module, remote) in seen:
                continue
            seen.add((use.module, remote))
            for index in files:
                for number, unit in enumerate(index.units):
                    if unit.kind != "module" or unit.name != use.module:
                        continue
                    if (place := _in_module(index, number, remote, options)) is not None:
                        return place
                    wanted += [(more, remote) for more in unit.uses]
        return None

    def _indices(self, sources: Iterable[Path], options: Options) -> Iterator[FileIndex]:
        macros, _ = project_macros(options)
        for path in sorted(sources):
            try:
                status = path.stat()
            except OSError:
                continue
            mark = (status.st_mtime_ns, status.st_size)
            if is_fortran(path) and self._known.get(path, (None,))[0] != mark:
                self._known[path] = (mark, index_file(path, options, macros))
            if path in self._known:
                yield self._known[path][1]


def _remote(use: Use, local: str) -> str | None:
    """The name in the module that a name means; None if the ``use`` does not bring it."""
    if use.only is not None:
        return next((remote for name, remote in use.only if name == local), None)
    if any(remote == local for _, remote in use.renames):
        return None
    return next((remote for name, remote in use.renames if name == local), local)


def _in_module(index: FileIndex, number: int, name: str, options: Options) -> Place | None:
    """A symbol of a module, or one of its procedures."""
    module, _ = parse_unit(index, number, options.include_dirs, options.parse_limit)
    symbol = module.spec.symbols.get(name)
    if symbol is not None and symbol.line is not None:
        return _in_file(index, symbol.line.place(index.path, *symbol.name_span))
    found = (u for u in index.units if u.parent == number and u.name == name)
    return next((_in_file(index, index.lines[u.first].place(index.path)) for u in found), None)


def _in_file(index: FileIndex, place: Place) -> Place:
    line = index.user_line(place.line - 1)
    return Place(place.file, line, place.column if index.expanded is None else 1, place.length)
