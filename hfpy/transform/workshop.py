"""What the rewriting of a file asks of the backends: who writes the regions of a routine, and what comes with them."""

from __future__ import annotations

from dataclasses import field
from typing import Protocol

from hfpy.diagnostics import Diagnostic
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.regions.regions import RegionRewriter
from hfpy.transform.text.edits import Edit
from hfpy.translation import Contents
from hfpy.values import dataclass


@dataclass(frozen=True)
class Beside:
    """A file that comes with a generated Fortran file: its name, and its lines with the lines they stem from (0-based,
    -1 for none), and what the build has to know about it.
    """

    name: str
    lines: tuple[tuple[str, int], ...]
    contents: Contents


@dataclass(frozen=True)
class Added:
    """What backends add to a file: lines at its head, files beside it, and what the build has to know about that."""

    head: tuple[str, ...] = ()
    beside: tuple[Beside, ...] = ()
    contents: Contents = field(default_factory=Contents)


class Workshop(Protocol):
    """The backends at work on one translation."""

    def rewriter(self, routine: Routine) -> RegionRewriter | None:
        """Who writes the regions of a routine; None where its backend is not there yet."""

    def data(self, routine: Routine, found: list[Diagnostic]) -> list[Edit]:
        """Edits that keep the copies of data on host and device in step, and imports; findings are added."""

    def known_on_device(self, routine: Routine) -> list[Edit]:
        """Directives by which a routine, or a module's variables, are known to kernels."""

    def finish(self, index: FileIndex, found: list[Diagnostic]) -> Added:
        """After all routines of a file; findings are added."""
