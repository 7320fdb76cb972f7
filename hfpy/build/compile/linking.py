"""Linking: executables of a program; an archive and a shared library of a library."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from hfpy.build.compile.graph import CompiledFile
from hfpy.build.compile.objects import Objects
from hfpy.build.compile.tasks import run_ordered
from hfpy.build.progress import Phases
from hfpy.diagnostics import ToolError
from hfpy.values import dataclass

SHARED = ".dylib" if sys.platform == "darwin" else ".so"


@dataclass(frozen=True)
class Library:
    """A library that was built: its name for ``-l``, the archive, the shared library, the folder with its module files,
    and what else a program with the archive is linked with.
    """

    name: str
    archive: Path
    shared: Path
    modules: Path
    flags: tuple[str, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """Both forms of it."""
        return self.archive, self.shared


def link_programs(
    objects: Objects,
    name: str,
    mains: Mapping[str, CompiledFile],
    foreign: Sequence[Path],
    jobs: int,
    phases: Phases,
) -> dict[str, Path]:
    """Put what is no main program into an archive and link each executable with it. Raises ToolError."""
    if not mains:
        return {}
    phases.phase("linking", len(mains))
    always, members = _members(objects, foreign)
    archive = objects.folder / f"lib{library_name(name)}.a"
    if members:
        objects.archive(members, archive)
    linked = {main: objects.folder / main for main in mains}

    def link_one(main: str) -> None:
        parts = [objects.object_of(mains[main].name), *always, *([archive] if members else [])]
        objects.link(parts, linked[main])

    work: dict[str, tuple[str, ...]] = dict.fromkeys(mains, ())
    failures = run_ordered(work, link_one, jobs, objects.processes.stop, phases.step)
    if failures:
        raise ToolError("\n".join(str(failure) for failure in failures))
    return linked


def link_library(objects: Objects, name: str, foreign: Sequence[Path], runtime: Sequence[Path]) -> Library:
    """An archive and a shared library with all objects but main programs. ``runtime`` are objects of the GPU's runtime,
    which the link flags of the tools name too. Raises ToolError.
    """
    always, members = _members(objects, foreign)
    plain = library_name(name)
    archive, shared = objects.folder / f"lib{plain}.a", objects.folder / f"lib{plain}{SHARED}"
    objects.archive([*always, *members, *runtime], archive, whole=bool(always))
    objects.link([*always, *members], shared, shared=True)
    own = {str(path) for path in objects.folder.resolve().glob("*.a")}
    flags = tuple(flag for flag in objects.tools.link_flags if flag not in own)
    return Library(plain, archive, shared, objects.modules, flags)


def library_name(name: str) -> str:
    """The name of a project as a linker takes it after ``-l``."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def _members(objects: Objects, foreign: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The objects that must be linked whatever refers to them, and the others: an archive's member with nothing but
    block data would never be taken.
    """
    always = list(objects.always)
    members = list(foreign)
    for name, file in objects.files.items():
        if not file.programs:
            (always if file.contents.block_data else members).append(objects.object_of(name))
    return always, members
