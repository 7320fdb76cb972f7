"""The application: every file of a project, every unit by name, and the units parsed so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from hfpy.model.distributed import Sent
from hfpy.model.macros import Macro
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine, UnitIndex
from hfpy.options import Options
from hfpy.outputs import Outputs, outputs_of
from hfpy.values import dataclass


@dataclass(frozen=True)
class Application:
    """What the front end hands to the analyses.

    ``units`` maps a key (``module::routine``) to (file number, unit number); ``routines`` holds the units parsed in
    full, modules
    among them; ``macros`` are those that hybrid files see; ``decomposed`` are the domains of decompositions whose
    directives have been written out, ``sent`` what their exchanges send. ``by_column`` says that regions were made of
    stretches with loops over columns in them, which is proved of the program as a whole, ``reworded`` that
    some files were read with other words than the user's: modules renamed, conditions split.
    """

    options: Options
    files: tuple[FileIndex, ...]
    units: Mapping[str, tuple[int, int]]
    routines: Mapping[str, Routine]
    macros: Mapping[str, Macro] = field(default_factory=dict)
    decomposed: frozenset[str] = frozenset()
    sent: tuple[Sent, ...] = ()
    by_column: bool = False
    reworded: bool = False

    @cached_property
    def outputs(self) -> Outputs:
        """The names of the generated files."""
        return outputs_of(file.path for file in self.files)

    @cached_property
    def _by_file(self) -> Mapping[int, tuple[str, ...]]:
        """The keys of the units of each file, by its number."""
        found: dict[int, list[str]] = {}
        for key, (file, _) in self.units.items():
            found.setdefault(file, []).append(key)
        return {file: tuple(keys) for file, keys in found.items()}

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        """The number of each file, by its path."""
        return {index.path: number for number, index in enumerate(self.files)}

    def routines_in(self, path: str) -> list[Routine]:
        """The units of a file that are parsed in full."""
        keys = self._by_file.get(self._numbers[path], ()) if path in self._numbers else ()
        return [self.routines[key] for key in keys if key in self.routines]

    @cached_property
    def _by_host(self) -> Mapping[str, tuple[Routine, ...]]:
        """The units of each host that are parsed in full, by its key."""
        found: dict[str, list[Routine]] = {}
        for routine in self.routines.values():
            found.setdefault(routine.host, []).append(routine)
        return {host: tuple(routines) for host, routines in found.items()}

    def routines_of(self, host: str) -> tuple[Routine, ...]:
        """The procedures of a module, or the internal ones of a procedure, that are parsed in full."""
        return self._by_host.get(host, ())

    def unit(self, key: str) -> UnitIndex:
        """The index entry of a unit."""
        file, number = self.units[key]
        return self.files[file].units[number]

    def file(self, key: str) -> FileIndex:
        """The file that holds a unit."""
        return self.files[self.units[key][0]]

    def macros_of(self, key: str) -> Mapping[str, Macro]:
        """The macros that the text of a unit may name: those of the project and those of its file."""
        own = self.file(key).definitions
        return {**self.macros, **own} if own else self.macros

    def user_line(self, key: str, row: int) -> int:
        """The line of the user's file, counted from 1, for a row of a unit's text, counted from 0."""
        return self.file(key).user_line(row)

    def at(self, key: str, row: int) -> tuple[str, int]:
        """The user's file and line, counted from 1, for a row of a unit's text, counted from 0. They are those of an
        included file where the row is from one whose text was put in.
        """
        index = self.file(key)
        return index.at(index.user_line(row))

    def shown_place(self, key: str, line: LogicalLine) -> str:
        """``file:line`` for a line of a unit, as programs print it."""
        if line.file:
            return f"{line.file.rsplit('/', 1)[-1]}:{line.first + 1}"
        path, number = self.at(key, line.first)
        return f"{path.rsplit('/', 1)[-1]}:{number}"
