"""Exceptions that nobody expected: where in the user's code hfpy was when one came.

The frames of the traceback, innermost first, hold what hfpy worked on: the routine, and the statement or region. So a
pass needs no code of its own for this, and none can forget it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from pathlib import Path
from types import FrameType
from typing import Any

from hfpy.diagnostics import BeyondLimits, Diagnostic, Place, error
from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine, UnitIndex
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.values import dataclass

_HINT = (
    "this is a bug in hfpy, not in your code. Please report it with the command you gave and,\n"
    "        if you can, the source; with HFPY_DEBUG=1 in the environment hfpy shows where it happened."
)


def unexpected(fault: BaseException, otherwise: Place) -> Diagnostic:
    """HF900 for an exception, at the statement that hfpy worked on, else at the routine or file, else ``otherwise``.

    Recursion that went too deep is the user's nesting (HF114), what is BeyondLimits has a code of its own, and an
    expression that cannot be parsed is one of the user's (HF110).
    """
    frames = list(_frames(fault))
    at = _Finder().look(frames)
    place = at.place or otherwise
    within = f" in {at.what}" if at.what else ""
    if isinstance(fault, RecursionError):
        return error("HF114", f"something{within} is nested deeper than hfpy can follow", place)
    if isinstance(fault, BeyondLimits):
        return error(fault.code, str(fault), place)
    if isinstance(fault, GrammarError):
        return error("HF110", f"an expression{within} cannot be parsed: {fault}", place)
    where = f"{Path(frames[0].f_code.co_filename).name}, line {_line(fault)}" if frames else "nowhere"
    said = f": {fault}" if str(fault) else ""
    return error("HF900", f"hfpy stumbled{within}: {type(fault).__name__}{said} ({where})", place, _HINT)


def _frames(fault: BaseException) -> Iterator[FrameType]:
    """The frames from where an exception was raised outwards."""
    trace = fault.__traceback__
    found = []
    while trace is not None:
        found.append(trace.tb_frame)
        trace = trace.tb_next
    return reversed(found)


def _line(fault: BaseException) -> int:
    trace = fault.__traceback__
    number = 0
    while trace is not None:
        number, trace = trace.tb_lineno, trace.tb_next
    return number


@dataclass
class _Finder:
    """What the frames tell, the innermost first."""

    line: LogicalLine | None = None
    routine: Routine | None = None
    unit: UnitIndex | None = None
    index: FileIndex | None = None
    application: Application | None = None
    keys: list[str] = field(default_factory=list)

    def look(self, frames: Iterable[FrameType]) -> _Finder:
        """Itself, after looking at all frames as far as the routine."""
        for frame in frames:
            values = list(frame.f_locals.values())
            for value in values:
                self._take(value)
            for value in values:
                for inner in _parts(value):
                    self._take(inner)
            if self.routine is not None or self.unit is not None:
                break
        return self

    def _take(self, value: Any) -> None:
        if isinstance(value, Routine):
            self.routine = self.routine or value
        elif isinstance(value, UnitIndex):
            self.unit = self.unit or value
        elif isinstance(value, FileIndex):
            self.index = self.index or value
        elif isinstance(value, str) and "::" in value and len(value) < 300:
            self.keys.append(value)
        elif not _own(value):
            return
        application = value if isinstance(value, Application) else getattr(value, "application", None)
        if isinstance(application, Application):
            self.application = application
            known = (application.routines[k] for k in self.keys if k in application.routines)
            self.routine = self.routine or next(known, None)
        elif self.line is None:
            line = value if isinstance(value, LogicalLine) else getattr(value, "line", None)
            self.line = line if isinstance(line, LogicalLine) else None

    @property
    def what(self) -> str:
        """The routine in words."""
        unit = self.routine or self.unit
        if unit is None:
            return ""
        return f"{unit.kind} '{unit.name}'" if unit.name else "the main program"

    @property
    def place(self) -> Place | None:
        """Where it was, in the user's file."""
        routine, line, index = self.routine, self.line, self.index
        if routine is not None:
            last = routine.end.last if routine.end is not None else routine.header.last
            here = line is not None and (bool(line.file) or routine.header.first <= line.first <= last)
            place = line.place(routine.file) if line is not None and here else routine.place()
            files = self.application.files if self.application is not None else ()
            index = next((f for f in files if f.path == place.file), index)
        elif index is not None:
            if line is None and self.unit is not None and self.unit.first < len(index.lines):
                line = index.lines[self.unit.first]
            place = line.place(index.path) if line is not None else Place(index.path)
        else:
            return None
        if index is not None and index.path == place.file:  # perhaps a text that hfpy made from the user's
            return replace(place, line=index.user_line(place.line - 1))
        return place


def _parts(value: Any) -> Iterator[Any]:
    """What an object of hfpy's holds directly."""
    if not _own(value):
        return
    yield from getattr(value, "__dict__", {}).values()
    for name in getattr(type(value), "__slots__", ()):
        yield getattr(value, name, None)


def _own(value: Any) -> bool:
    return type(value).__module__.startswith("hfpy.")
