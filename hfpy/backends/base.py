"""What a backend is: it says how a region begins and ends in the user's text, and how it is built.

Decisions are made by analyses and passes; boilerplate stands in templates (design contract 9).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from hfpy.analyze.sharing import Sharing
from hfpy.model.directives import Region


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
class RegionCode:
    """All a backend needs to write the lines around a region's body."""

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


class Backend(Protocol):
    """The interface of a backend for the CPU."""

    name: str
    openmp: bool

    def open_region(self, code: RegionCode) -> list[str]:
        """Lines that take the place of the directive that opens a region."""

    def close_region(self, code: RegionCode) -> list[str]:
        """Lines that take the place of the directive that closes it."""


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("hfpy", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )


def render(template: str, **values: object) -> list[str]:
    """The lines of a template; empty ones are dropped."""
    text: str = _environment().get_template(template).render(**values)
    return [line for line in text.split("\n") if line.strip()]


def directive_lines(indent: str, sentinel: str, parts: list[str], limit: int = 120) -> list[str]:
    """A directive with its clauses over as many lines as it needs, each continued with ``&``."""
    lines: list[str] = []
    current = f"{indent}{sentinel} {parts[0]}"
    for part in parts[1:]:
        for piece in _pieces(part, limit - len(indent) - 10):
            if len(current) + len(piece) + 1 > limit:
                lines.append(current + " &")
                current = f"{indent}{sentinel}& {piece}"
            else:
                current += " " + piece
    return [*lines, current]


def _pieces(clause: str, limit: int) -> list[str]:
    """A clause with a long list as several clauses of the same kind."""
    if len(clause) <= limit or "(" not in clause:
        return [clause]
    word, _, rest = clause.partition("(")
    items = rest[:-1].split(", ")
    pieces: list[str] = []
    current: list[str] = []
    for item in items:
        if current and len(word) + 2 + len(", ".join([*current, item])) > limit:
            pieces.append(f"{word}({', '.join(current)})")
            current = []
        current.append(item)
    pieces.append(f"{word}({', '.join(current)})")
    return pieces
