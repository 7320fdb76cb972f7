"""What the passes hand to a backend for one region, and the interface of a backend.

A backend says how a region begins and ends in the user's text; everything it needs to know has been decided before.
"""

from __future__ import annotations

from dataclasses import field
from typing import Protocol, runtime_checkable

from hfpy.analyze.regions.sharing import Sharing
from hfpy.model.directives import Region
from hfpy.values import dataclass


@dataclass(frozen=True)
class Loop:
    """One loop over a domain: variable, bounds as text, and step (empty for 1)."""

    var: str
    lower: str
    upper: str
    step: str = ""
    name: str = ""

    @property
    def head(self) -> str:
        """The ``do`` statement."""
        label = f"{self.name}: " if self.name else ""
        step = f", {self.step}" if self.step else ""
        return f"{label}do {self.var} = {self.lower}, {self.upper}{step}"

    @property
    def end(self) -> str:
        """The ``end do`` statement."""
        return f"end do {self.name}".rstrip()


@dataclass(frozen=True)
class Together:
    """The place of a region among neighbours that the same threads compute one after the other: whether it is the
    ``first`` or the ``last``, whether threads ``wait`` after it until all are done, and all names that the threads
    share in the neighbours (``complete``: none is unknown).
    """

    first: bool
    last: bool
    wait: bool
    names: tuple[str, ...]
    complete: bool


@dataclass(frozen=True)
class RegionCode:
    """All a backend needs to write the lines around a region's body. ``certain`` says that there is a point, by bounds
    and steps that are known.
    """

    region: Region
    indent: str
    loops: tuple[Loop, ...]
    sharing: Sharing
    number: int
    simd: bool = False
    simd_private: tuple[str, ...] = ()
    collapse: int = 0
    schedule: str = ""
    heap: tuple[tuple[str, str], ...] = field(default=())
    together: Together | None = None
    certain: bool = False

    @property
    def in_block(self) -> bool:
        """Whether a ``block`` or ``associate`` is written around its loops."""
        return bool(self.heap)


class Backend(Protocol):
    """The interface of a backend that writes loops around the regions' bodies."""

    name: str
    openmp: bool

    def open_region(self, code: RegionCode) -> list[str]:
        """Lines that take the place of the directive that opens a region."""

    def close_region(self, code: RegionCode) -> list[str]:
        """Lines that take the place of the directive that closes it."""


@runtime_checkable
class InnerLines(Protocol):
    """What a backend may have besides: lines before the innermost loop where the body brings its loops along."""

    def inner_lines(self, code: RegionCode) -> list[str]:
        """Those lines."""
