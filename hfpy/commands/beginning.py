"""``hfpy init``: an ``hfpy.toml`` for Fortran sources that are there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hfpy.backendtable import ENTRIES
from hfpy.build.compile.includes import included_names
from hfpy.build.existing.legacy import is_legacy
from hfpy.build.files import write_atomically
from hfpy.build.fragments import fragments
from hfpy.diagnostics import UsageError
from hfpy.model.application import Application
from hfpy.model.units import FileIndex
from hfpy.options import DEFAULT_BACKEND, Options
from hfpy.parse.files import index_file
from hfpy.parse.outside import unseen_modules
from hfpy.parse.text.sentinels import calls_loops_parallel
from hfpy.project import PROJECT_FILE, TARGETS
from hfpy.suffixes import FORTRAN
from hfpy.values import dataclass

# Folders whose files belong to no program that is built, unless there are no others.
BESIDE = frozenset({"test", "tests", "example", "examples", "doc", "docs", "benchmark", "benchmarks"})
_BUILT = frozenset({"build", "_build", "__pycache__", "node_modules"})
_MARKS = ("CMakeCache.txt", "pyvenv.cfg")  # files of folders that tools have made


@dataclass(frozen=True)
class Begun:
    """What was found in a folder, and the file that says so: entries of ``sources``, folders with sources that were
    left out, folders of included files, the number of files, main programs by file, modules that nothing has, and
    whether there are directives of hfpy's, and of others that call loops parallel.
    """

    file: Path
    sources: tuple[str, ...]
    beside: tuple[str, ...]
    include_dirs: tuple[str, ...]
    files: int
    programs: tuple[str, ...]
    unseen: tuple[str, ...]
    annotated: bool
    parallel: bool

    def reported(self) -> Iterator[str]:
        """What to tell the user, line by line; what to do next comes last."""
        programs = _several(len(self.programs), "main program") if self.programs else "a library: no main program"
        yield f"wrote {self.file}: {_several(self.files, 'source')}, {programs}"
        for folder in self.beside:
            yield f"left out: {folder}; name it in sources if it belongs to the program"
        if self.unseen:
            names = ", ".join(self.unseen[:8]) + (", …" if len(self.unseen) > 8 else "")
            yield f"modules that no source has: {names}; a library that has them goes into libraries and include_dirs"
        yield f"now: {self.next_step}"

    @property
    def next_step(self) -> str:
        """What to do next."""
        if self.annotated:
            return "hfpy check, then hfpy build"
        if self.parallel:
            return "hfpy check --directives-as-regions takes the loops that directives call parallel as regions"
        return "hfpy annotate finds the loops that can run in parallel, hfpy build builds the program as it is"


def begin(folder: Path) -> Begun:
    """Write ``hfpy.toml`` into a folder with Fortran sources.

    Raises UsageError if there is one already, if the folder needs none, or if there are no sources; HfpyError if it
    cannot be written.
    """
    file = folder / PROJECT_FILE
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; a new project is made by hfpy new NAME")
    if file.exists():
        raise UsageError(f"{file} exists already")
    if is_legacy(folder):
        raise UsageError(f"{folder} is a Hybrid Fortran project, which hfpy builds without {PROJECT_FILE}")
    named = sorted(_sources(folder))
    parts = fragments(named)
    everything = [path for path in named if path not in parts]
    main = [
        path for path in everything if path.relative_to(folder).parts[0].lower() not in BESIDE or _at_top(path, folder)
    ]
    found = main or everything
    if not found:
        raise UsageError(f"there are no Fortran sources in {folder}; a new project is made by hfpy new NAME")
    begun = _begun(file, folder, found, sorted(set(everything) - set(found)))
    write_atomically(file, _text(folder, begun).encode())
    return begun


def _at_top(path: Path, folder: Path) -> bool:
    return path.parent == folder


def _sources(folder: Path) -> Iterator[Path]:
    """The Fortran files below a folder, but for those that tools have made and hidden ones."""
    for here, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in _BUILT and not _made(Path(here, f))]
        yield from (Path(here, n) for n in names if Path(n).suffix in FORTRAN and not n.startswith("."))


def _made(folder: Path) -> bool:
    return folder.is_symlink() or any((folder / mark).exists() for mark in _MARKS)


def _begun(file: Path, folder: Path, found: Sequence[Path], others: Iterable[Path]) -> Begun:
    indexes = [index_file(path, Options(), {}) for path in found]
    return Begun(
        file,
        tuple(dict.fromkeys(_entries(found, folder))),
        tuple(dict.fromkeys(path.relative_to(folder).parts[0] for path in others)),
        tuple(dict.fromkeys(_include_dirs(found, folder))),
        len(found),
        tuple(i.path for i in indexes if any(u.kind == "program" for u in i.units)),
        tuple(unseen_modules(Application(Options(), tuple(indexes), {}, {}))),
        any(u.directives or u.regions for i in indexes for u in i.units),
        any(_parallel(index) for index in indexes),
    )


def _parallel(index: FileIndex) -> bool:
    return calls_loops_parallel(index.source.lines)


def _entries(found: Sequence[Path], folder: Path) -> Iterator[str]:
    """Folders with sources, and patterns of those that are in no other."""
    for path in found:
        yield f"*{path.suffix}" if _at_top(path, folder) else path.relative_to(folder).parts[0]


def _include_dirs(found: Sequence[Path], folder: Path) -> Iterator[str]:
    """The folders of files that sources include and do not have beside them."""
    wanted = {n for path in found for n in included_names(path.read_bytes()) if not (path.parent / n).is_file()}
    names = {Path(name).name for name in wanted}
    for here, folders, files in os.walk(folder) if wanted else ():
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _BUILT)
        for path in (Path(here, file) for file in sorted(names & set(files))):
            above = (
                path.parents[len(Path(n).parts) - 1]
                for n in wanted
                if path.parts[-len(Path(n).parts) :] == Path(n).parts
            )
            yield from (str(a.relative_to(folder)) for a in above)


def _text(folder: Path, begun: Begun) -> str:
    """The settings as TOML. The strings of JSON are strings of TOML, too."""
    rows = ["[project]", f"name = {json.dumps(folder.resolve().name)}", f"sources = {json.dumps(begun.sources)}"]
    if not begun.programs:
        rows.append('kind = "library"')
    if begun.include_dirs:
        rows.append(f"include_dirs = {json.dumps(begun.include_dirs)}")
    for target in TARGETS:
        others = ", ".join(e.name for e in ENTRIES if e.target == target and e.name != DEFAULT_BACKEND[target])
        rows += ["", f"[target.{target}]", f'backend = "{DEFAULT_BACKEND[target]}"  # or {others}']
    return "\n".join([*rows, ""])


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
