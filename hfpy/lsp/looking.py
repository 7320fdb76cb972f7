"""What is known of the files of a project, as they are on disk and as they are typed. Nothing of a project is executed
unless it is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from hfpy.build.session import Given, Session, open_files
from hfpy.checking import check, session_of
from hfpy.diagnostics import Diagnostic, HfpyError, Place, UsageError, error
from hfpy.insight.survey import DataView, RoutineView, Survey
from hfpy.model.units import FileIndex, Routine
from hfpy.options import silent
from hfpy.parse.files import index_text, project_macros
from hfpy.parse.routines import parse_unit


@dataclass(frozen=True)
class Looked:
    """The diagnostics of a project by file, and what there is to say of its routines."""

    found: dict[Path, tuple[Diagnostic, ...]] = field(default_factory=dict)
    survey: Survey | None = None

    def routine_at(self, path: Path, line: int) -> RoutineView | None:
        """The innermost routine around a line (1-based) of a file."""
        inside = [
            r
            for r in (self.survey.routines if self.survey is not None else ())
            if Path(r.file).resolve() == path and r.line <= line <= r.last_line
        ]
        return max(inside, key=lambda r: r.line, default=None)

    def data_at(self, path: Path, line: int, name: str) -> DataView | None:
        """What is known of a variable where a line is."""
        routine = self.routine_at(path, line)
        return next((d for d in routine.data if d.name == name.lower()), None) if routine is not None else None


@dataclass(frozen=True)
class Looker:
    """How a workspace is looked at."""

    target: str = "cpu"
    trust: bool = False

    def session(self, path: Path) -> Session:
        """The project that a file belongs to, or the file alone. Raises HfpyError for faulty settings."""
        given = Given(target=self.target, trust=self.trust)
        found = session_of([path], given, os.environ)
        return found if found is not None else open_files([path], given)

    def project(self, path: Path) -> Looked:
        """All that is to be said of the project of a file, as it is on disk."""
        try:
            session = self.session(path)
            made = check(session, silent, os.environ, surveyed=True)
        except HfpyError as fault:
            return Looked(_by_file(fault.diagnostics))
        except UsageError as fault:
            return Looked({path: (error("HF801", str(fault), Place(str(path))),)})
        survey = made.translation.survey() if made.translation is not None else None
        return Looked(_by_file(made.found), survey)

    def typed(self, path: Path, text: str) -> tuple[FileIndex, tuple[Routine, ...], tuple[Diagnostic, ...]]:
        """A file by itself with a text that is not on disk: its index, its units, and what is wrong with its
        statements and directives.
        """
        try:
            options = self.session(path).options
        except (HfpyError, UsageError):
            options = open_files([path], Given(target=self.target)).options
        options = replace(options, parse_limit=5.0)
        macros, _ = project_macros(options)
        index = index_text(path, text, options, macros)
        found = list(index.diagnostics)
        units = []
        for number in range(len(index.units)):
            unit, problems = parse_unit(index, number, options.include_dirs, options.parse_limit)
            units.append(unit)
            found += problems
        return index, tuple(units), tuple(found)


def declaration_of(name: str, line: int, units: Iterable[Routine]) -> Place | None:
    """Where a name is declared that a line (1-based) uses: in the innermost unit around it, or one around that."""
    around = [u for u in units if u.header.first < line and (u.end is None or line <= u.end.last + 1)]
    for unit in sorted(around, key=lambda u: -u.header.first):
        symbol = unit.spec.symbols.get(name.lower())
        if symbol is not None and symbol.line is not None:
            return symbol.line.place(unit.file, *symbol.name_span)
    return None


def unit_named(name: str, units: Iterable[Routine]) -> Place | None:
    """Where a routine or module of that name begins."""
    return next((u.place() for u in units if u.name == name.lower()), None)


def _by_file(found: Iterable[Diagnostic]) -> dict[Path, tuple[Diagnostic, ...]]:
    files: dict[Path, list[Diagnostic]] = {}
    for one in found:
        files.setdefault(Path(one.place.file).resolve(), []).append(one)
    return {path: tuple(listed) for path, listed in files.items()}
