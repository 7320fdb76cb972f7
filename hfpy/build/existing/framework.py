"""The makefile of a project's own build system, ``FRAMEWORK_MAKEFILE`` (hybrid-fortran.md §13.4).

hfpy compiles and links by itself and does not run that makefile. What it usually adds are libraries, and objects of
further sources in ``FRAMEWORK_DIRS``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from hfpy.build.existing.makesettings import Settings
from hfpy.values import dataclass

_COMMENT = re.compile(r"(?<!\\)#.*")
_WORD = re.compile(r"[^\s:=;&|'\"]+")
_OBJECT = re.compile(r"(?:.*/)?([A-Za-z]\w*)\.o")
_LEFT_OUT = re.compile(r"-D[A-Za-z_]|-[lL]\$|.*\.a$")


@dataclass(frozen=True)
class Framework:
    """What the makefile says: flags for linking, and words that mean something but are not followed."""

    link_flags: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def read_framework(path: Path, sources: Collection[str], known: Collection[str]) -> Framework:
    """Libraries and their folders (``-lNAME``, ``-LPATH``) that the makefile names outside comments.

    ``sources`` are the stems of the files that hfpy compiles, ``known`` flags that count already. Objects without
    source, archives, flags that need make's variables and macros are ``ignored``. Nothing if the file cannot be read.
    """
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return Framework()
    flags: list[str] = []
    ignored: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        for word in _WORD.findall(_COMMENT.sub("", line)):
            made = _OBJECT.fullmatch(word)
            if word in known:
                continue
            if re.fullmatch(r"-[lL][^$]+", word):
                flags.append(word)
            elif (made and made[1] not in sources) or _LEFT_OUT.match(word):
                ignored.append(word)
    return Framework(tuple(dict.fromkeys(flags)), tuple(dict.fromkeys(ignored)))


def installed_programs(settings: Settings) -> dict[str, str]:
    """Where the executables of that makefile are installed, by their names: paths in the project without the target.

    ``FRAMEWORK_EXECUTABLE_PATHS`` has what the makefile builds, ``FRAMEWORK_INSTALLED_EXECUTABLE_PATHS`` the folder of
    each, or its path with a target. Without the makefile, or a folder of its own, an executable goes where others go.
    """
    if not settings.words("FRAMEWORK_MAKEFILE"):
        return {}
    names = [PurePosixPath(path).name for path in settings.words("FRAMEWORK_EXECUTABLE_PATHS")]
    places = settings.words("FRAMEWORK_INSTALLED_EXECUTABLE_PATHS")
    return {name: _installed(name, PurePosixPath(place)) for name, place in zip(names, places, strict=False)}


def _installed(name: str, place: PurePosixPath) -> str:
    """Where an executable is installed: in a folder, or at a path that has its name and a target."""
    if place.name in (f"{name}_cpu", f"{name}_gpu"):
        return place.with_name(name).as_posix()
    return (place / name).as_posix()


def place_of(program: str, programs: Collection[str], installed: Mapping[str, str]) -> str | None:
    """Where the executable of a main program is installed: the makefile gives it the name of the main program's file,
    or one that begins with it (``wave_hybrid`` of ``wave``); or it is the only one.
    """
    if program in installed:
        return installed[program]
    free = [name for name in installed if name not in programs]
    longer = [name for name in free if re.match(rf"{re.escape(program)}[^A-Za-z0-9]", name)]
    if len(longer) == 1:
        return installed[longer[0]]
    return installed[free[0]] if len(free) == len(installed) == len(programs) == 1 else None
