"""What generated sources need of the compiler that a build names, and the runtime's modules compiled with it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hfpy.values import dataclass
from hfpy.wrapper.store import Store

_KNOWN = "compilers.json"


@dataclass(frozen=True)
class Flags:
    """Flags of one compiler for generated sources: ``parallel`` for the directives in them, ``long`` for long lines,
    ``preprocess`` for the preprocessor; ``modules`` is where the runtime's modules are, ``library`` holds its objects.
    """

    parallel: tuple[str, ...]
    long: tuple[str, ...]
    preprocess: tuple[str, ...]
    modules: str = ""
    library: str = ""


def flags_of(store: Store, compiler: Sequence[str]) -> Flags:
    """The flags for a compiler, which is asked for them once. Raises ToolError if it is not there, or if the runtime's
    modules cannot be compiled.
    """
    name = hashlib.sha256("\n".join(compiler).encode()).hexdigest()[:16]
    path = store.folder / f"{name}-{_KNOWN}"
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        if entry.pop("asked") == _asked(store):
            known: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()}
            return Flags(**known)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return _found(store, compiler, path, name)


def _asked(store: Store) -> list[object]:
    return [store.openmp, store.openacc, list(store.runtime)]


def _found(store: Store, compiler: Sequence[str], path: Path, name: str) -> Flags:
    from hfpy.build.compile.compilers import find_compiler, shown
    from hfpy.build.driver import locked
    from hfpy.build.files import write_if_changed

    with locked(store.folder):
        found = find_compiler("fortran", None, {**os.environ, "FC": shown(compiler)})
        spelling = found.spelling
        parallel = spelling.openmp if store.openmp else ()
        parallel += tuple(f for f in spelling.openacc if f not in parallel) if store.openacc else ()
        modules, library = _runtime(store, [*compiler, *parallel], name) if store.runtime else ("", "")
        made = Flags(parallel, tuple(spelling.long_lines), tuple(spelling.preprocess), modules, library)
        write_if_changed(path, json.dumps({"asked": _asked(store), **asdict(made)}).encode())
    return made


def _runtime(store: Store, command: Sequence[str], name: str) -> tuple[str, str]:
    """The runtime's Fortran modules and an archive of their objects, in a folder of the store."""
    folder = store.folder / f"runtime-{name}"
    folder.mkdir(exist_ok=True)
    objects = []
    for source in store.runtime:
        target = folder / f"{Path(source).name}.o"
        run([*command, "-O2", "-fPIC", "-c", source, "-o", str(target)], folder)
        objects.append(str(target))
    library = folder / "libhfpy_runtime.a"
    library.unlink(missing_ok=True)
    run(["ar", "qcs", str(library), *objects], folder)
    return str(folder), str(library)


def run(command: Sequence[str], folder: Path | None = None) -> None:
    """Run a command. Raises ToolError with what it says if it fails."""
    from hfpy.build import codes
    from hfpy.build.compile.compilers import shown
    from hfpy.diagnostics import ToolError

    try:
        done = subprocess.run(list(command), cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    except OSError as fault:
        raise ToolError(f"error {codes.TOOL_FAILED}: '{command[0]}' cannot be run: {fault.strerror}") from None
    if done.returncode:
        raise ToolError(f"{done.stdout}{done.stderr}error {codes.TOOL_FAILED}: {shown(command)} failed")
