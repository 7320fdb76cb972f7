"""``hfpy fc --scan``: the whole program translated into a store, from which single files are compiled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hfpy.backendtable import with_directives
from hfpy.build import codes
from hfpy.build.compilers import default_jobs
from hfpy.build.cuda import MODULE_SOURCES, CudaTools, find_cuda_tools, runtime_library
from hfpy.build.driver import locked
from hfpy.build.files import explained, write_if_changed
from hfpy.build.includes import IncludeScanner
from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.build.translated import GENERATED, STATE, all_sources, bring_up_to_date
from hfpy.diagnostics import Diagnostic, HfpyError, Place, error
from hfpy.project import PROJECT_FILE, include_folders, source_files
from hfpy.wrapper.compilers import run
from hfpy.wrapper.store import INDEX, Made, Store, as_json, read_store, state_of

Told = Callable[[Sequence[Diagnostic]], None]


def scan(folders: Sequence[str], store: Path, given: Mapping[str, Any], told: Told) -> Store:
    """Translate all sources in some folders, or of the project that is the only one, into a store.

    ``given`` are the options of the command line as ``Given`` has them; ``told`` gets the diagnostics. Raises HfpyError
    for faults of the sources, and for what such builds cannot have; ToolError where the GPU's runtime cannot be built.
    """
    roots = [str(Path(folder).resolve()) for folder in folders]
    values: dict[str, Any] = dict(given)
    values["include_dirs"] = tuple(Path(p).resolve() for p in given.get("include_dirs", ()))
    session = _session(roots, Given(**values), store)
    with explained(store):
        store.mkdir(parents=True, exist_ok=True)
    with locked(store):
        before = read_store(store)
        asked = {k: [str(p) for p in v] if k == "include_dirs" else v for k, v in given.items() if v}
        arguments = {"folders": roots, "given": asked}
        if before is not None and before.arguments == arguments and before.current():
            return before
        return _scanned(session, roots, arguments, store, told)


def again(store: Store, told: Told) -> Store:
    """The store after another scan of the same, which translates what has changed."""
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in store.arguments["given"].items()}
    return scan(store.arguments["folders"], store.folder, given, told)


def _session(roots: Sequence[str], given: Given, store: Path) -> Session:
    paths = [Path(root) for root in roots]
    if len(paths) == 1 and (paths[0] / PROJECT_FILE).is_file():
        return open_project(paths[0], given, os.environ, runs=True)
    return open_files(paths, given, store)


def _scanned(session: Session, roots: Sequence[str], arguments: dict[str, Any], folder: Path, told: Told) -> Store:
    options = replace(session.options, cache_dir=folder / "cache", line_markers=True, jobs=default_jobs())
    sources = all_sources(session.project)
    translated = bring_up_to_date(sources, options, folder / GENERATED, folder / STATE)
    told(translated.diagnostics)
    languages = {file.contents.language for file in translated.files}
    if "cuda-fortran" in languages or options.mpi:
        message = "builds by other tools than hfpy have no CUDA Fortran and no decompositions yet"
        raise HfpyError([error(codes.NOT_BY_WRAPPER, message, Place(roots[0]), "choose cuda-c, or use hfpy build")])
    cuda = _cuda(session, folder) if "cuda-c" in languages else None
    own = set(map(str, source_files(session.project)))
    made: dict[str, Made] = {}
    for file in translated.files:
        if file.contents.language != "fortran" or str(file.source) not in own:
            continue
        same = file.path.read_bytes() == file.source.read_bytes() and file.name == file.source.name
        kernels = [f.name for f in translated.files if f.source == file.source and f.contents.language == "cuda-c"]
        made[str(file.source.resolve())] = Made(same, file.name, file.digest, tuple(kernels))
    runtime = [str(f.path) for f in translated.files if str(f.source) not in own and f.contents.language == "fortran"]
    runtime += [str(path) for path in MODULE_SOURCES] if cuda is not None else []
    backends = {options.default_backend, *options.schemes.values(), *options.routines.values()}
    store = Store(
        folder.resolve(),
        made,
        {path: state_of(path) for path in _inputs(session, sources)},
        tuple(roots),
        arguments,
        frozenset(options.define),
        translated.openmp or bool(backends & with_directives("openmp")),
        bool(backends & with_directives("openacc")),
        tuple(str(Path(path).resolve()) for path in runtime),
        tuple(cuda.kernel_command(Path("SOURCE"), Path("TARGET"))) if cuda is not None else (),
        str(runtime_library(cuda, folder.resolve(), run)) if cuda is not None else "",
        cuda.link_flags() if cuda is not None else (),
    )
    write_if_changed(folder / INDEX, as_json(store).encode())
    return store


def _cuda(session: Session, folder: Path) -> CudaTools:
    settings = session.project.target(session.options.target)
    return find_cuda_tools(
        os.environ,
        emulated=session.options.emulate,
        arch=settings.arch,
        nvcc_flags=session.project.nvccflags,
    ).position_independent()


def _inputs(session: Session, sources: Sequence[Path]) -> list[str]:
    """All files that the translation depends on."""
    found: dict[Path, None] = {}
    scanner = IncludeScanner(include_folders(session.options))
    order = session.options.storage_order
    for path in (*sources, *([order] if order is not None else [])):
        found[path] = None
        found.update(dict.fromkeys(scanner.closure(path, path.read_bytes())))
    if (session.project.root / PROJECT_FILE).is_file():
        found[session.project.root / PROJECT_FILE] = None
    if session.options.scripts is not None:
        found.update(dict.fromkeys(sorted(session.options.scripts.path.glob("*.py"))))
    return [str(path.resolve()) for path in found]
