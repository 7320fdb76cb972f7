"""What a command works on: the project in a folder, or single files, with what the command line adds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from hfpy.backendtable import BACKENDS
from hfpy.build.compile.compilers import environment_flags, family_by_name
from hfpy.build.settings.named import unknown_folders, unknown_paths
from hfpy.build.settings.projectfile import load_project
from hfpy.changes import Changes, changes_of
from hfpy.diagnostics import Diagnostic, HfpyError, Place, UsageError, note, warning
from hfpy.options import Options, directives_of, keeps_locals, schedule_fault, sizes_of, with_flags
from hfpy.project import PROJECT_FILE, Project, options_for, with_order_macro
from hfpy.values import dataclass


@dataclass(frozen=True)
class Given:
    """The options of a command line that go over those of a project; ``None`` and empty say nothing."""

    target: str = "cpu"
    backend: str | None = None
    routines: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    storage_order: Path | None = None
    define: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    layout: str | None = None
    exports: tuple[str, ...] = ()
    schedule: str | None = None
    opt: int | None = None
    specialise: str | None = None
    parse_limit: float | None = None
    line_markers: bool = False
    indent: bool = False
    debug: bool = False
    emulate: bool = False
    mpi: bool = False
    poison_halos: bool = False
    trace: bool = False
    debug_print: bool = False
    profile: bool = False
    races: bool = False
    drop_directives: bool = False
    directives_as_regions: bool = False
    auto: bool = False
    trust: bool = False
    changes: tuple[str, ...] = ()
    library: bool = False
    jobs: int = 0


@dataclass(frozen=True)
class Session:
    """A project with the options for the target that was asked for, and notes on how the project was read."""

    project: Project
    options: Options
    notes: tuple[Diagnostic, ...] = field(default=())

    @cached_property
    def sources(self) -> tuple[Path, ...]:
        """The Fortran sources with those of the runtime library that they use, as they are when somebody asks first.

        Raises HfpyError if there are none, or if two would be written to one file.
        """
        from hfpy.build.translated import all_sources

        return all_sources(self.project)

    @cached_property
    def resolved(self) -> frozenset[Path]:
        """The sources as absolute paths without links. Raises HfpyError as ``sources`` does."""
        folders = {folder: folder.resolve() for folder in {path.parent for path in self.sources}}
        made = ((path, folders[path.parent] / path.name) for path in self.sources)
        return frozenset(path.resolve() if path.is_symlink() else full for path, full in made)


def open_project(folder: Path, given: Given, environment: Mapping[str, str], *, runs: bool = False) -> Session:
    """The project in ``folder``, or, from the current folder, in the nearest one above that has an ``hfpy.toml``.

    A folder with ``config/MakesettingsGeneral`` and no ``hfpy.toml`` is an existing Hybrid Fortran project.
    Nothing of the project is executed unless ``runs``, which is for commands that build.
    Raises HfpyError if there is no project or its settings are faulty, UsageError for unusable options.
    """
    from hfpy.build.existing.legacy import is_legacy, load_legacy

    folder = nearest_project(folder)
    notes: tuple[Diagnostic, ...] = ()
    if is_legacy(folder):
        project, notes = load_legacy(
            folder, given.target, environment, debug=given.debug, runs=runs, backend=given.backend
        )
    else:
        project = load_project(folder)
    notes = (*notes, *unknown_paths(project), *unknown_folders(given.include_dirs, Place("-I")))
    options = with_given(options_for(project, given.target), given)
    if options.scripts is not None and (runs or given.trust):
        options = replace(options, scripts=replace(options.scripts, trusted=True))
    flags = (*(project.target(given.target).flags or ()), *environment_flags(environment, "FFLAGS"))
    family = family_by_name(project.target(given.target).compiler, environment)
    known = replace(with_flags(options, flags), directives=directives_of(flags), compiler=family)
    if any(keeps_locals(extra) for extra in project.file_flags.values()):
        known = replace(known, locals_kept=True)
    return Session(project, known, notes)


def nearest_project(folder: Path) -> Path:
    """``folder`` if it holds a project; if it is the current one, the nearest above that does; else ``folder``."""
    from hfpy.build.existing.legacy import is_legacy

    if folder != Path(".") or (folder / PROJECT_FILE).is_file() or is_legacy(folder):
        return folder
    for parent in Path.cwd().parents:
        if (parent / PROJECT_FILE).is_file() or is_legacy(parent):
            return parent
    return folder


def project_at(folder: Path, environment: Mapping[str, str]) -> Project | None:
    """The settings of the project that :func:`open_project` would find for ``folder``, whatever is with its sources;
    None if there is none. Raises HfpyError if they are faulty.
    """
    from hfpy.build.existing.legacy import is_legacy, load_legacy

    found = nearest_project(folder)
    if is_legacy(found):
        return load_legacy(found, "cpu", environment, debug=False)[0]
    return load_project(found) if (found / PROJECT_FILE).is_file() else None


def open_files(files: Sequence[Path], given: Given, output: Path = Path("build")) -> Session:
    """The given files and folders as a project without settings; what is in ``output`` is no source.

    Raises UsageError for unusable options.
    """
    project = Project(root=Path("."), name="files", sources=tuple(map(str, files)), build_dir=str(output), named=True)
    notes = tuple(unknown_folders(given.include_dirs, Place("-I")))
    options = Options(target=given.target, compiler=family_by_name(None, os.environ))
    return Session(project, with_given(options, given), notes)


# Options that a project sets and that decide what is generated, with what they are called in its file.
_SETTINGS = {
    "layout": "[layout]",
    "layout_arrays": "[layout.arrays]",
    "domains": "[domains]",
    "decomposition": "[decomposition]",
    "default_backend": "backend",
    "schemes": "[schemes]",
    "routines": "[routines]",
    "storage_order": "storage_order",
    "directives_as_regions": "directives_as_regions",
    "auto": "auto",
    "drop_directives": "drop_directives",
    "library": "kind",
}


def settings_left_out(files: Sequence[Path], given: Given) -> tuple[Diagnostic, ...]:
    """What is said where files that are named, or folders, have sources of a project whose settings would change what
    is generated: :func:`open_files` reads none. A warning for those that the command line does not give, a note for
    scripts.
    """
    used = with_given(Options(target=given.target), given)
    for folder in {above: None for path in files for above in (path.resolve(), *path.resolve().parents)}:
        if not (folder / PROJECT_FILE).is_file():
            continue
        try:
            project = load_project(folder)
            sources = [path.resolve() for path in project.files]
            meant = with_given(options_for(project, given.target), given)
        except (HfpyError, UsageError):
            continue  # those who build the project hear of it
        if any(source.is_relative_to(path.resolve()) for source in sources for path in files):
            return _left_out(project, meant, used)
    return ()


def _left_out(project: Project, meant: Options, used: Options) -> tuple[Diagnostic, ...]:
    place = Place(os.path.relpath(project.root / PROJECT_FILE))
    names = [name for field, name in _SETTINGS.items() if getattr(meant, field) != getattr(used, field)]
    found: list[Diagnostic] = []
    if names:
        text = f"files that are named are translated without the settings of their project: {', '.join(names)}"
        found.append(warning("HF817", text, place))
    if project.scripts is not None:
        text = "the project's scripts are not run: files that are named are translated without its settings"
        found.append(note("HF674", text, place, "name no files: then the project here is translated, with its scripts"))
    return tuple(found)


def with_given(options: Options, given: Given) -> Options:
    """The options with those of the command line over them. Raises UsageError for unusable ones."""
    changed = replace(
        options,
        schemes={**options.schemes, **{k.upper(): v for k, v in _pairs("--scheme", given.schemes).items()}},
        routines={**options.routines, **{k.lower(): v for k, v in _pairs("--routine", given.routines).items()}},
        define=options.define + given.define,
        include_dirs=options.include_dirs + given.include_dirs,
        line_markers=options.line_markers or given.line_markers,
        indent=given.indent,
        emulate=given.emulate,
        checked=given.debug,
        mpi=given.mpi or options.mpi,
        poison_halos=given.poison_halos or given.emulate,
        trace=given.trace,
        debug_print=replace(options.debug_print, on=options.debug_print.on or given.debug_print),
        profile=given.profile,
        races=given.races,
        drop_directives=("*",) if given.drop_directives else options.drop_directives,
        directives_as_regions=given.directives_as_regions or options.directives_as_regions,
        auto=given.auto or options.auto,
        changes=(*options.changes, *map(_changes, given.changes)),
        library=given.library or options.library,
        jobs=given.jobs,
    )
    if given.backend is not None:
        changed = replace(changed, backend=given.backend)
    if given.storage_order is not None:
        changed = replace(changed, storage_order=given.storage_order)
    if given.layout is not None:
        changed = replace(changed, layout=given.layout)
    if given.exports:
        changed = replace(changed, exports=(*(changed.exports or ()), *given.exports))
    if given.schedule is not None and (fault := schedule_fault(given.schedule)):
        raise UsageError(f"--schedule {given.schedule}: {fault}")
    if given.schedule is not None:
        changed = replace(changed, schedule=given.schedule)
    if given.parse_limit is not None:
        changed = replace(changed, parse_limit=given.parse_limit)
    if given.specialise is not None:
        sizes = sizes_of(given.specialise)
        if sizes is None:
            raise UsageError(f"--specialise wants NAME=NUMBER …, not '{given.specialise}'")
        changed = replace(changed, specialise=sizes)
    if given.opt is not None:
        changed = replace(changed, opt=given.opt)
    elif given.debug or given.races or changed.debug_print.on:
        changed = replace(changed, opt=0)  # what is looked at are the regions as they were written
    return with_order_macro(changed)


def _changes(setting: str) -> Changes:
    try:
        return changes_of(setting)
    except ValueError as fault:
        raise UsageError(f"--set {setting}: {fault}") from None


def _pairs(option: str, values: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for value in values:
        name, separator, backend = value.partition("=")
        if not separator or not name:
            raise UsageError(f"{option} wants NAME=BACKEND, not '{value}'")
        if backend not in BACKENDS:
            raise UsageError(f"{option} {value}: unknown backend '{backend}'; known are {', '.join(BACKENDS)}")
        pairs[name] = backend
    return pairs
