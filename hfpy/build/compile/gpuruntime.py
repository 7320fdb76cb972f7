"""The library of the GPU runtime: compiled once for each compiler and its flags, and kept for other build folders."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hfpy.build.cachefolder import private_folder
from hfpy.build.compile.cuda import CudaTools
from hfpy.build.compile.tasks import run_ordered
from hfpy.build.files import digest, explained, file_digest, read_json, write_json
from hfpy.diagnostics import HfpyError, ToolError

LIBRARY = "libhfpy_device.a"
_RECORD = f"{LIBRARY}.record"
_MOST_KEPT = 16  # of compilers and flags; a library has some megabytes

Run = Callable[[Sequence[str]], None]


def runtime_library(
    tools: CudaTools,
    folder: Path,
    run: Run,
    jobs: int = 1,
    cache: Path | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Path:
    """The library of the runtime in a build folder, beside its objects; compiled unless it is good already, or the
    ``cache``, a folder for all projects of a user, holds it.

    ``run`` runs a command and raises ToolError if that fails; up to ``jobs`` of them run at a time, and ``stop`` ends
    them after an interrupt. Raises HfpyError if the build folder cannot be written.
    """
    library = folder / LIBRARY
    record = folder / _RECORD
    objects = {source: folder / f"{source.stem}.o" for source in tools.runtime_sources()}
    contents = [file_digest(path) for path in (*objects, *tools.headers())]
    words = (word for source in objects for word in tools.runtime_command(source, Path(f"{source.stem}.o")))
    key = digest(tools.compiler.version, *words, *contents)
    if library.exists() and read_json(record).get("key") == key:
        return library
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        record.unlink(missing_ok=True)
        library.unlink(missing_ok=True)
    # Flags may ask compilers to use what this processor has.
    kept = cache / "runtimes" / digest(key, platform.machine(), platform.node())[:32] if cache is not None else None
    files = [path.name for path in objects.values()] + [LIBRARY]
    if kept is None or not _taken(kept, folder, files):
        _compile(tools, objects, run, jobs, stop)
        run(["ar", "qcs", str(library), *map(str, objects.values())])
        if kept is not None:
            _keep(kept, folder, files)
    write_json(record, {"key": key})
    return library


def _compile(tools: CudaTools, objects: Mapping[Path, Path], run: Run, jobs: int, stop: Callable[[], None]) -> None:
    """Compile the sources of the runtime to objects. Raises the first ToolError."""
    commands = {source.name: tools.runtime_command(source, target) for source, target in objects.items()}
    failures = run_ordered(dict.fromkeys(commands, ()), lambda name: run(commands[name]), jobs, stop)
    if failures:
        raise ToolError(str(failures[0])) from failures[0]


def _taken(kept: Path, folder: Path, files: Sequence[str]) -> bool:
    """Whether a kept library is whole, and has been copied to a build folder."""
    digests = read_json(kept / _RECORD)
    if sorted(digests) != sorted(files) or any(file_digest(kept / name) != digests[name] for name in files):
        return False
    with explained(folder):
        for name in files:
            shutil.copyfile(kept / name, folder / name)
    with contextlib.suppress(OSError):
        os.utime(kept)  # it counts as used now
    return True


def _keep(kept: Path, folder: Path, files: Sequence[str]) -> None:
    """Keep the files of a library, put in place at once; where nothing can be written, nothing is kept."""
    made = private_folder(kept)
    with contextlib.suppress(OSError, HfpyError):
        made.mkdir(parents=True)
        for name in files:
            shutil.copyfile(folder / name, made / name)
        write_json(made / _RECORD, {name: file_digest(made / name) for name in files})
        if kept.exists():  # it was damaged, or somebody was faster
            shutil.rmtree(kept, ignore_errors=True)
        os.rename(made, kept)
        _make_room(kept.parent)
    shutil.rmtree(made, ignore_errors=True)


def _make_room(folder: Path) -> None:
    """Remove the libraries that were used longest ago, and what killed processes have left."""
    found = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[_MOST_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)
