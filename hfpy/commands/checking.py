"""All diagnostics of a project, or of some of its files: these are read with the rest of the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, has_errors, ordered
from hfpy.store.store import Store
from hfpy.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hfpy.build.session import Given, Session
    from hfpy.commands.unreached import Unreached
    from hfpy.insight.survey import Survey
    from hfpy.options import Options, Outside, Progress
    from hfpy.store.ahead import Ahead
    from hfpy.store.incremental import Now
    from hfpy.translation import Translation

_STEP = "checked"
_OF_THE_MOMENT = frozenset({"HF111", "HF114", "HF900"})  # time ran out, or the stack, or hfpy failed


@dataclass(frozen=True)
class Checked:
    """The diagnostics of a session, and the translation where one was made."""

    found: tuple[Diagnostic, ...]
    translation: Translation | None = None


def session_of(files: Sequence[Path], given: Given, environment: Mapping[str, str]) -> Session | None:
    """The project that has all these files among its sources: the nearest above the first. None if there is none.

    Raises HfpyError if the settings of that project are faulty, UsageError for unusable options.
    """
    from hfpy.build.session import nearest_project, open_project

    for folder in files[0].resolve().parents:
        if not (folder / "hfpy.toml").is_file():
            continue
        session = open_project(nearest_project(Path(os.path.relpath(folder))), given, environment)
        return session if all(path.resolve() in session.resolved for path in files) else None
    return None


def check(
    session: Session,
    progress: Progress,
    environment: Mapping[str, str],
    surveyed: bool = False,
    cache: Path | None = None,
    ahead: Ahead | None = None,
) -> Checked:
    """All that is wrong with the sources of a session, with what compilers would find. Where the project was built,
    what was found is kept in its store, else in ``cache`` if there is one; ``surveyed`` asks for the translation in any
    case. ``ahead`` has entries of that store, and gets those that the next check will ask for.
    """
    from hfpy.build.outside import outside_of
    from hfpy.store.ahead import StoreAhead
    from hfpy.store.incremental import Now, asked_next, faults_key, key_now

    project, options = session.project, session.options
    sources = session.sources
    outside = outside_of(project, options.target, environment)
    folder = _kept_in(session) or cache
    now = Now.of(sources, options) if folder is not None else None
    if folder is None or now is None:
        return _made(session, sources, options, outside, progress)
    store = StoreAhead(folder, ahead=ahead) if ahead is not None else Store(folder)
    key = faults_key(now.key, outside)
    kept = store.get(_STEP, key) if not surveyed else None
    if isinstance(kept, tuple):
        return Checked((*session.notes, *kept))
    again = _again(session, now, outside, store)
    made = again or _made(session, sources, replace(options, cache_dir=store.folder), outside, progress)
    same = again is not None or key == faults_key(key_now(sources, options), outside)
    if same and not {d.code for d in made.found} & _OF_THE_MOMENT:
        store.put(_STEP, key, made.found[len(session.notes) :])
    if ahead is not None:
        ahead.expect(store, asked_next(store, now, outside))
    return made


def _kept_in(session: Session) -> Path | None:
    """Where a project keeps what was found, if it was built."""
    from hfpy.build.driver import build_folder

    project = session.project
    built = build_folder(project, session.options)
    return built / "cache" if not project.scratch and project.name != "files" and built.is_dir() else None


def unreached(session: Session, only: Sequence[Path], cache: Path | None = None) -> Unreached:
    """The files of a session that no directive reaches: some, or without any all. What they say is kept in the store of
    the project if it was built, else in ``cache`` if there is one.
    """
    from hfpy.commands.unreached import Unreached

    folder = _kept_in(session) or cache
    some = frozenset(path.resolve() for path in only) if only else None
    return Unreached(session.sources, session.options, some, Store(folder) if folder is not None else None)


def _again(session: Session, now: Now, outside: Outside, store: Store) -> Checked | None:
    """What is found in sources as they are now, where some procedures alone have changed since they were last
    translated.
    """
    from hfpy.parse.text.allowed import acknowledged
    from hfpy.pipeline import translate
    from hfpy.store.rechecked import rechecked
    from hfpy.translation import Translation

    made = rechecked(now, session.options, outside, store)
    if made is None:
        return None

    def survey() -> Survey | None:
        return translate(session.sources, replace(session.options, cache_dir=None)).survey()

    found = ordered(acknowledged(made.found))
    return Checked(_together(session, found, made.faults), Translation((), found, survey=survey))


def _made(
    session: Session, sources: tuple[Path, ...], options: Options, outside: Outside, progress: Progress
) -> Checked:
    """What a translation finds, and what compilers would find at other places."""
    from hfpy.pipeline import translate

    translation = translate(sources, options, progress)
    return Checked(_together(session, translation.diagnostics, translation.faults(outside)), translation)


def _together(
    session: Session, translated: Sequence[Diagnostic], faults: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """What is found in all, without faults where a translation has found an error."""
    found = (*session.notes, *translated)
    reported = {(d.place.file, d.place.line, d.place.column) for d in found if d.severity == "error"}
    return (*found, *(d for d in faults if (d.place.file, d.place.line, d.place.column) not in reported))


def of_files(
    session: Session, found: Sequence[Diagnostic], files: Sequence[Path]
) -> tuple[tuple[Diagnostic, ...], int]:
    """The diagnostics of some files of a session, and those of options and settings, with the number of errors in the
    other files.
    """

    others = session.resolved - {path.resolve() for path in files}
    elsewhere = {file for file in {d.place.file for d in found} if Path(file).resolve() in others}
    left = tuple(d for d in found if d.place.file not in elsewhere)
    return left, sum(has_errors([d]) for d in found if d.place.file in elsewhere)
