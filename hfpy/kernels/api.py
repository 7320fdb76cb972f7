"""``hfpy.load``: options in, a loaded library out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hfpy.build.cachefolder import cache_folder
from hfpy.build.files import digest, write_if_changed
from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.diagnostics import UsageError
from hfpy.extras import require
from hfpy.options import with_flags
from hfpy.project import PROJECT_FILE, TARGETS, TargetSettings

if TYPE_CHECKING:
    from hfpy.kernels.objects import Library

_CAN = {"cpu": ("sequential", "openmp"), "gpu": ("cuda-c", "opencl")}
_TEXT_FILE = "source.h90"


def load(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str = "cpu",
    backend: str | None = None,
    *,
    emulate: bool = False,
    opt: int | None = None,
    specialise: str | bool = False,
    flags: Sequence[str] | None = None,
    layout: str | None = None,
    storage_order: str | os.PathLike[str] | None = None,
    define: Sequence[str] = (),
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    sizes: dict[str, Any],
) -> Library:
    """:func:`hfpy.load`, which has the documentation."""
    if target not in TARGETS:
        raise UsageError(f"unknown target '{target}'; known are {', '.join(TARGETS)}")
    cache = cache_folder(os.environ)
    given = Given(
        target=target,
        backend=backend,
        storage_order=Path(storage_order).resolve() if storage_order is not None else None,
        define=tuple(define),
        include_dirs=tuple(Path(folder).resolve() for folder in include_dirs),
        layout=layout,
        opt=opt,
        specialise=_wanted_sizes(specialise, sizes),
        emulate=emulate and target == "gpu",
    )
    session = _session(source, given, cache)
    if target == "gpu" and not emulate and session.options.default_backend != "opencl":
        from hfpy.kernels.gpu import require_gpu

        require_gpu()
    return loaded(_with_flags(session, flags), sizes, 4)


def loaded(session: Session, sizes: dict[str, Any], callers: int = 3) -> Library:
    """The library of a project's routines. What hfpy warns of becomes a warning at the line of a caller, so many calls
    above. Raises HfpyError, ToolError, UsageError as :func:`hfpy.load`.
    """
    from hfpy.kernels.library import build
    from hfpy.kernels.objects import Library

    session = for_callers(session)
    built = build(session.project, session.options, os.environ, cache_folder(os.environ))
    for text in built.warnings:
        warnings.warn(text, stacklevel=callers)
    return Library(built, sizes)


def for_callers(session: Session) -> Session:
    """A project as it is loaded. Raises UsageError for what cannot be called from Python, or without NumPy."""
    require("numpy", "python", "hfpy.load")
    _check_backends(session)
    _check_layout(session)
    # Callers reach routines through wrappers in the same modules.
    return replace(session, options=replace(session.options, exports=()))


def _check_layout(session: Session) -> None:
    """Raise UsageError for a layout with blocks, which arrays of NumPy cannot have."""
    if text := session.options.layout_with_blocks:
        hint = "pass an order without blocks, such as layout='k i j'"
        raise UsageError(f"hfpy.load cannot use the layout '{text}': callers have no arrays in blocks; {hint}")


def _wanted_sizes(specialise: str | bool, sizes: dict[str, Any]) -> str | None:
    """What is specialised for: a text, or the integers among the sizes."""
    if isinstance(specialise, str):
        return specialise
    whole = {n: v for n, v in sizes.items() if isinstance(v, int) and not isinstance(v, bool) and v >= 0}
    return " ".join(f"{name}={value}" for name, value in whole.items()) if specialise else None


def _session(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], given: Given, cache: Path) -> Session:
    """The project to load: a text, files, or a folder."""
    if isinstance(source, str) and "\n" in source:
        data = source.encode("utf-8", "surrogateescape")
        path = cache / "texts" / digest(data)[:16] / _TEXT_FILE
        write_if_changed(path, data)
        return open_files([path], given)
    names = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = [Path(name).resolve() for name in names]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise UsageError(f"no such file or folder: {', '.join(missing)} (text of a source has more than one line)")
    if len(paths) == 1 and (paths[0] / PROJECT_FILE).is_file():
        return open_project(paths[0], given, os.environ, runs=True)
    return open_files(paths, given)


def _with_flags(session: Session, flags: Sequence[str] | None) -> Session:
    """The project with other compiler flags, and the default kinds that follow from them."""
    if flags is None:
        return session
    target = session.options.target
    settings = session.project.targets.get(target, TargetSettings())
    changed = {**session.project.targets, target: replace(settings, flags=tuple(flags))}
    options = with_flags(session.options, flags)
    return replace(session, project=replace(session.project, targets=changed), options=options)


def _check_backends(session: Session) -> None:
    """Raise UsageError for backends whose code cannot be loaded."""
    options = session.options
    asked = options.backends
    able = _CAN[options.target] if options.target == "cpu" else (*_CAN["cpu"], *_CAN["gpu"])
    unable = sorted(asked - set(able))
    if unable or options.default_backend not in _CAN[options.target]:
        named = ", ".join(unable) or options.default_backend
        known = ", ".join(_CAN[options.target])
        raise UsageError(f"hfpy.load cannot use {named} for target {options.target}; it can use {known}")
