"""``hfpy verify --races``: one sequential build that watches every access in its regions, run once.

The compiler's instrumentation for races tells hfpy's own runtime (``runtime/races``) each access; what that finds is
read here and reported with the places in the user's files.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.addresses import lines_at
from hfpy.build.compile.cuda import WATCHES
from hfpy.build.compile.messages import Origin, user_path
from hfpy.build.compile.tools import Tools
from hfpy.build.environment import program_environment
from hfpy.diagnostics import ToolError
from hfpy.values import dataclass

FOLDER = "HFPY_RACES"
FLAGS = ("-g", "-O2", "-fno-lto", *WATCHES["gnu"])
WRAPPED = ("memcpy", "memmove", "memset")
_WORDS = {"wrote": "has set", "read": "has read"}


def watching(tools: Tools) -> Tools:
    """The tools of a build that watches. Raises ToolError for compilers that cannot tell of accesses one by one."""
    if tools.fortran.family != "gnu":
        raise ToolError(
            f"error {codes.TOOL_MISSING}: verify --races needs gfortran, not {tools.fortran.command[0]}\n"
            "  hint: name it in FC"
        )
    kept = tuple(flag for flag in tools.fortran_flags if not flag.startswith("-fsanitize"))
    wrap = tuple(f"-Wl,--wrap={name}" for name in WRAPPED)
    linked = tuple(flag for flag in tools.link_flags if not flag.startswith("-fsanitize"))
    return replace(tools, fortran_flags=(*kept, *FLAGS), link_flags=(*wrap, *linked))


@dataclass(frozen=True)
class Meeting:
    """Two points of a region that meet in an element: its array, the region's place and iterators, both points (the
    other one empty if there are several), what each does, and the place of the statement.

    ``equal``: both set it to one value.
    """

    array: str
    element: str
    region: str
    iterators: tuple[str, ...]
    point: tuple[str, ...]
    other: tuple[str, ...]
    does: str
    did: str
    code: str
    place: str = ""
    equal: bool = False

    def text(self) -> str:
        """A line for it."""
        what = f"{self.place or self.region}: "
        if self.equal:
            return f"{what}note: several points set '{self.array}{self.element}' to the same value"
        verb = "set" if self.does == "writes" else "read"
        others = f"point {self._point(self.other)} {_WORDS[self.did]}" if self.other else "several points have read"
        mine = f"'{self.array}{self.element}' is {verb} by point {self._point(self.point)}"
        return f"{what}race: {mine}; {others} it (region {self.region})"

    def _point(self, values: tuple[str, ...]) -> str:
        return ", ".join(f"{name} = {value}" for name, value in zip(self.iterators, values, strict=False))


@dataclass(frozen=True)
class Watched:
    """What a run has shown: meetings in the order of their places, what was not watched, and how much was."""

    meetings: tuple[Meeting, ...]
    unwatched: tuple[str, ...]
    launches: int
    points: int
    status: int
    messages: str

    @property
    def races(self) -> tuple[Meeting, ...]:
        """Those that are none of the same value."""
        return tuple(m for m in self.meetings if not m.equal)


def run_watched(program: Path, arguments: Sequence[str], folder: Path, origins: Iterable[Origin]) -> Watched:
    """Run a program that was built to watch, with its output to the terminal's error stream taken.

    Raises ToolError if it cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="hfpy-races-") as temporary:
        environment = {**program_environment(os.environ), FOLDER: temporary, "OMP_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                [str(program.resolve()), *arguments],
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as fault:
            raise ToolError(f"error {codes.TOOL_FAILED}: '{program}' cannot be run: {fault.strerror}") from None
        rows = [
            line.split("\t")
            for path in sorted(Path(temporary).glob("*.races"))
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        ]
    meetings = [_meeting(row) for row in rows if row[0] in ("race", "equal")]
    places = _places(program, {m.code for m in meetings}, {o.generated.name: o for o in origins})
    placed = dict.fromkeys(replace(m, place=places.get(m.code, "")) for m in meetings)
    unwatched = dict.fromkeys(
        f"accesses of '{row[1]}' are not watched: {row[2]}" for row in rows if row[0] == "unwatched"
    )
    totals = [row for row in rows if row[0] == "done"]
    launches, points = (sum(int(row[n]) for row in totals) for n in (1, 2))
    return Watched(tuple(placed), tuple(unwatched), launches, points, done.returncode, done.stderr)


def _meeting(row: Sequence[str]) -> Meeting:
    kind, array, element, region, *listed, does, did, code = row
    iterators, point, other = (tuple(text.split(",")) if text else () for text in listed)
    return Meeting(array, element, region, iterators, point, other, does, did, code, equal=kind == "equal")


def _places(program: Path, addresses: Iterable[str], origins: Mapping[str, Origin]) -> dict[str, str]:
    """The user's file and line for addresses in an executable; empty where addr2line is not there."""
    by_code = {int(address, 16): address for address in addresses}
    try:
        found = lines_at(program, by_code) if by_code else {}
    except ToolError:
        return {}
    return {by_code[code]: _place(*lines[0], origins) for code, lines in found.items() if lines}


def _place(path: Path, number: int, origins: Mapping[str, Origin]) -> str:
    origin = origins.get(path.name)
    if origin is None:
        return f"{user_path(path)}:{number}"
    return f"{user_path(origin.source)}:{origin.line(number)[0]}"
