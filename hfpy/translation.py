"""What a translation yields, as values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic

if TYPE_CHECKING:
    from hfpy.insight.survey import Survey


@dataclass(frozen=True)
class GeneratedFile:
    """One file that comes out: the user's file, its output name, text, and for each output line the source line (0:
    none).
    """

    source: Path
    name: str
    text: str
    line_map: tuple[int, ...]


@dataclass(frozen=True)
class FileUnits:
    """What a file provides and needs, for build dependencies (names in lower case)."""

    provides: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translation:
    """The result of a translation; ``files`` is empty if there are errors.

    ``beside`` are files for the compiler to include. ``survey`` tells what is known of the program, None if it could
    not be read.
    """

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    units: Mapping[Path, FileUnits] = field(default_factory=dict)
    explain: Callable[[str | None], str] = lambda _name: ""
    openmp: bool = False
    beside: tuple[GeneratedFile, ...] = ()
    schedule: Callable[[str | None], str] = lambda _name: ""
    survey: Callable[[], Survey | None] = lambda: None
