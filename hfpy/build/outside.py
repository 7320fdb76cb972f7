"""What may come to a project from outside of its sources: modules in folders that compilers search, libraries, objects.

Only settings are read; nothing is executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hfpy.build.compile.compilers import environment_flags
from hfpy.options import Outside
from hfpy.project import C_SUFFIXES, CUDA_SUFFIXES, Project

# Compilers that bring no modules but their own, and MPI's, which are known by name.
_PLAIN = ("gfortran", "flang", "ifx", "ifort", "nvfortran", "mpif90", "mpifort", "mpif77")
_FOLDERS = ("-I", "-J", "-module", "-fintrinsic-modules-path")


def outside_of(project: Project, target: str, environment: Mapping[str, str]) -> Outside:
    """What is known of a project's surroundings; nothing for single files. Settings of existing Hybrid Fortran projects
    name folders of libraries without naming a library there.
    """
    settings = project.target(target)
    if project.name == "files":
        return Outside()
    flags = (*(settings.flags or ()), *environment_flags(environment, "FFLAGS"))
    every = (*flags, *(f for listed in project.file_flags.values() for f in listed))
    compiler = Path(settings.compiler or environment.get("FC", "") or "gfortran").name
    linked = (*project.ldflags, *settings.ldflags, *environment_flags(environment, "LDFLAGS"))
    linked = tuple(f for f in linked if not (project.legacy and f.startswith("-L")))
    foreign = any(True for _ in _foreign_sources(project))
    return Outside(
        complete=True,
        modules=tuple(project.root / f for f in (".", *project.include_dirs, *_named(every))),
        libraries=bool(project.libraries or linked or foreign or any(f.startswith("-l") for f in every)),
        unknown=not compiler.startswith(_PLAIN) or any("$" in f or f.startswith("@") for f in every),
        kinds_known=not project.file_flags,
    )


def _named(flags: Iterable[str]) -> Iterator[str]:
    """The folders that flags name, after a blank or not."""
    before = ""
    for flag in flags:
        if before in _FOLDERS:
            yield flag
        for word in _FOLDERS[:2]:
            if flag.startswith(word) and len(flag) > 2:
                yield flag[2:]
        before = flag


def _foreign_sources(project: Project) -> Iterator[Path]:
    """C and CUDA sources of a project, which may hold what Fortran calls."""
    for listed in project.sources:
        path = project.root / listed
        found = path.rglob("*") if path.is_dir() else [path]
        yield from (p for p in found if p.suffix in (*C_SUFFIXES, *CUDA_SUFFIXES, ".o", ".a", ".cpp", ".cc"))
