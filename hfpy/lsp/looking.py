"""What is known of a project as it is on disk. Nothing of a project is executed unless it is trusted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.commands.checking import check, session_of, unreached
from hfpy.commands.unreached import Unreached
from hfpy.diagnostics import Diagnostic, HfpyError, Place, UsageError, error, source_lines
from hfpy.insight.survey import RoutineView, Survey
from hfpy.model.source import source_text
from hfpy.options import Options, silent
from hfpy.project import PROJECT_FILE
from hfpy.store.ahead import Ahead
from hfpy.translation import Translation
from hfpy.values import dataclass

_LIMIT = 5.0  # seconds to parse a unit


@dataclass(frozen=True)
class Looked:
    """The diagnostics of a project by file, its sources, the lines that some of its files had, and its translation,
    which tells more when it is asked. ``before`` is the survey of an earlier look. ``plain_files`` are those that no
    directive reaches, if there may be such ones.
    """

    found: Mapping[Path, tuple[Diagnostic, ...]] = field(default_factory=dict)
    sources: frozenset[Path] = frozenset()
    lines: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    session: Session | None = None
    translation: Translation | None = None
    before: Survey | None = None
    plain_files: Unreached | None = None

    @property
    def survey_at_hand(self) -> Survey | None:
        """What was said of its routines when that was last worked out; None if it never was."""
        return self.__dict__.get("survey", self.before)

    @cached_property
    def survey(self) -> Survey:
        """What there is to say of its routines; this may take as long as a translation."""
        made = self.translation.survey() if self.translation is not None else None
        return made if made is not None else Survey()

    @cached_property
    def routines(self) -> Mapping[str, RoutineView]:
        """The routines by their keys."""
        return {r.key: r for r in self.survey.routines}


class Looker:
    """How a workspace is looked at. What is made of projects that were not built is kept in a folder of its own."""

    def __init__(self, target: str = "cpu", trust: bool = False) -> None:
        self.target = target
        self.trust = trust
        self.ahead = Ahead()
        self._options: dict[Path, Options] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="hfpy-lsp-")

    def close(self) -> None:
        """Remove what was kept."""
        self._folder.cleanup()

    def session(self, path: Path) -> Session:
        """The project that a file belongs to, that has it as its settings, or the file alone. Raises HfpyError for
        faulty settings.
        """
        given = Given(target=self.target, trust=self.trust)
        if path.name == PROJECT_FILE:
            return open_project(path.parent, given, os.environ)
        found = session_of([path], given, os.environ)
        return found if found is not None else open_files([path], given)

    def project(self, path: Path, open_now: Sequence[Path] = ()) -> Looked:
        """All that is to be said of the project of a file, as it is on disk; with the lines of some of its files."""
        sources = frozenset([path])
        lines: dict[Path, tuple[str, ...]] = {}
        try:
            session = self.session(path)
            sources |= session.resolved | _settings_of(session)
            lines = {p: lines_on_disk(p) for p in {path, *open_now} & sources}
            self._options[path] = session.options
            made = check(session, silent, os.environ, surveyed=True, cache=Path(self._folder.name), ahead=self.ahead)
        except HfpyError as fault:
            return Looked(by_file(fault.diagnostics), sources, lines)
        except UsageError as fault:
            return Looked({path: (error("HF801", str(fault), Place(str(path))),)}, sources, lines)
        plain = unreached(session, (), cache=Path(self._folder.name))
        files = plain if plain.wanted else None
        return Looked(by_file(made.found), sources, lines, session, made.translation, plain_files=files)

    def options(self, path: Path) -> Options:
        """The options with which a file is read while it is typed: those of when its project was last looked at."""
        known = self._options.get(path)
        if known is None:
            try:
                known = self.session(path).options
            except (HfpyError, UsageError):
                known = open_files([path], Given(target=self.target)).options
            self._options[path] = known
        return replace(known, parse_limit=_LIMIT)


def _settings_of(session: Session) -> frozenset[Path]:
    """The file with the settings of a project, which is looked at with its sources."""
    file = session.project.root / PROJECT_FILE
    return frozenset([file.resolve()]) if file.is_file() else frozenset()


def lines_on_disk(path: Path) -> tuple[str, ...]:
    """The lines of a file; none if it cannot be read."""
    return source_text(str(path), "\n".join(source_lines(str(path)))).lines


def project_above(path: Path) -> Path:
    """The nearest folder above a file that has settings, or the file: files with another one are not of a project."""
    return next((folder for folder in path.parents if (folder / PROJECT_FILE).is_file()), path)


def by_file(found: Iterable[Diagnostic]) -> dict[Path, tuple[Diagnostic, ...]]:
    """Diagnostics by the files that they are in."""
    files: dict[Path, list[Diagnostic]] = {}
    for one in found:
        files.setdefault(Path(one.place.file).resolve(), []).append(one)
    return {path: tuple(listed) for path, listed in files.items()}
