"""``hfpy fc --scan``: the whole program translated into a store, from which single files are compiled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from hfpy.backendtable import with_directives
from hfpy.build.cachefolder import cache_folder
from hfpy.build.compile.compilers import default_jobs
from hfpy.build.compile.cuda import MODULE_SOURCES, CudaTools, devices_of, find_cuda_tools
from hfpy.build.compile.gpuruntime import Run, runtime_library
from hfpy.build.compile.includes import IncludeScanner
from hfpy.build.driver import locked
from hfpy.build.files import explained, write_if_changed
from hfpy.build.plan import check_by_others
from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.build.translated import GENERATED, STATE, all_sources, bring_up_to_date
from hfpy.diagnostics import Diagnostic
from hfpy.project import PROJECT_FILE, include_folders, source_files
from hfpy.translation import C_LANGUAGES, Language
from hfpy.wrapper.compilers import run
from hfpy.wrapper.fpm import MANIFEST, read_package, says, with_manifest
from hfpy.wrapper.store import INDEX, Made, Store, as_json, read_store, state_of

Report = Callable[[Sequence[Diagnostic]], None]


def scan(folders: Sequence[str], store: Path, given: Mapping[str, Any], reported: Report) -> Store:
    """Translate all sources in some folders, or of the project or fpm package that is the only one, into a store.

    ``given`` are the options of the command line as ``Given`` has them; ``reported`` gets the diagnostics. Raises
    HfpyError for faults of the sources and settings, and for what such builds cannot have; ToolError where the GPU's
    runtime cannot be built.
    """
    roots = [str(Path(folder).resolve()) for folder in folders]
    asked = {key: _absolute(key, value) for key, value in given.items() if says(value)}
    arguments = {"folders": roots, "given": asked}
    session, sources = _session(roots, asked, store)
    with explained(store):
        store.mkdir(parents=True, exist_ok=True)
    with locked(store):
        before = read_store(store)
        if before is not None and before.arguments == arguments and before.current():
            return before
        return _scanned(session, sources, arguments, store, reported)


def _absolute(key: str, value: Any) -> Any:
    """An option as JSON has it, with paths that mean the same in every folder."""
    if key == "storage_order":
        return str(Path(value).resolve())
    if key == "include_dirs":
        return [str(Path(path).resolve()) for path in value]
    return list(value) if isinstance(value, tuple) else value


def again(store: Store, reported: Report) -> Store:
    """The store after another scan of the same, which translates what has changed."""
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in store.arguments["given"].items()}
    return scan(store.arguments["folders"], store.folder, given, reported)


def _session(roots: Sequence[str], asked: Mapping[str, Any], store: Path) -> tuple[Session, Sequence[str]]:
    """What is scanned, with its options, and the folders that its sources are in."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in asked.items()}
    root, folders = Path(roots[0]), roots
    if len(roots) == 1 and (root / MANIFEST).is_file():
        package = read_package(root)
        values, folders = with_manifest(values, package), package.folders
    values["include_dirs"] = tuple(map(Path, values.get("include_dirs", ())))
    if values.get("storage_order"):
        values["storage_order"] = Path(values["storage_order"])
    given = Given(**values)
    if len(roots) == 1 and (root / PROJECT_FILE).is_file():
        session = open_project(root, given, os.environ, runs=True)
        return session, [_home(root / entry) for entry in session.project.sources]
    return open_files([Path(folder) for folder in folders], given, store), folders


def _home(entry: Path) -> str:
    """The folder or file that an entry of a project's sources is about: of a pattern what is before it."""
    while any(character in entry.name for character in "*?["):
        entry = entry.parent
    return str(entry.resolve())


def _scanned(
    session: Session, roots: Sequence[str], arguments: dict[str, Any], folder: Path, reported: Report
) -> Store:
    options = replace(session.options, cache_dir=folder / "cache", line_markers=True, jobs=default_jobs())
    sources = all_sources(session.project)
    translated = bring_up_to_date(sources, options, folder / GENERATED, folder / STATE)
    reported(translated.diagnostics)
    languages = {file.contents.language for file in translated.files}
    check_by_others(languages, options, roots[0])
    cuda = _cuda(session, languages) if languages & C_LANGUAGES else None
    own = set(map(str, source_files(session.project)))
    made: dict[str, Made] = {}
    for file in translated.files:
        if file.contents.language != "fortran" or str(file.source) not in own:
            continue
        same = file.path.read_bytes() == file.source.read_bytes() and file.path.suffix == file.source.suffix
        kernels = [f.name for f in translated.files if f.source == file.source and f.contents.language in C_LANGUAGES]
        made[str(file.source.resolve())] = Made(same, file.name, file.digest, tuple(kernels))
    asked = [Path(folder) for folder in arguments["folders"]]
    runtime = [str(f.path) for f in translated.files if str(f.source) not in own and f.contents.language == "fortran"]
    runtime += [str(path) for path in MODULE_SOURCES] if cuda is not None else []
    backends = options.backends
    store = Store(
        folder.resolve(),
        made,
        {path: state_of(path) for path in _inputs(session, sources, asked)},
        tuple(roots),
        arguments,
        frozenset(options.define),
        translated.openmp or bool(backends & with_directives("openmp")),
        bool(backends & with_directives("openacc")),
        tuple(str(Path(path).resolve()) for path in runtime),
        tuple(cuda.kernel_command(Path("SOURCE"), Path("TARGET"))) if cuda is not None else (),
        str(_runtime(cuda, folder, run, options.jobs)) if cuda is not None else "",
        cuda.link_flags() if cuda is not None else (),
    )
    write_if_changed(folder / INDEX, as_json(store).encode())
    return store


def _runtime(cuda: CudaTools, folder: Path, run: Run, jobs: int) -> Path:
    return runtime_library(cuda, folder.resolve(), run, jobs, cache_folder(os.environ))


def _cuda(session: Session, languages: Set[Language]) -> CudaTools:
    settings = session.project.target(session.options.target)
    return find_cuda_tools(
        os.environ,
        emulated=session.options.emulate,
        arch=settings.arch,
        nvcc_flags=session.project.nvccflags,
        made_for=devices_of(languages),
    ).position_independent()


def _inputs(session: Session, sources: Sequence[Path], asked: Sequence[Path]) -> list[str]:
    """All files that the translation depends on."""
    found: dict[Path, None] = {}
    scanner = IncludeScanner(include_folders(session.options))
    order = session.options.storage_order
    for path in (*sources, *([order] if order is not None else [])):
        found[path] = None
        found.update(dict.fromkeys(scanner.closure(path, path.read_bytes())))
    for settings in (session.project.root / PROJECT_FILE, *(folder / MANIFEST for folder in asked)):
        if settings.is_file():
            found[settings] = None
    if session.options.scripts is not None:
        found.update(dict.fromkeys(sorted(session.options.scripts.path.glob("*.py"))))
    return [str(path.resolve()) for path in found]
