"""Stands in for the translator where the build is what is tested: every file comes out as it went in.

Programs, modules and uses are told by simple patterns; a line ``!hfpy-error MESSAGE`` becomes an error,
``!hfpy-warning MESSAGE`` a warning, and ``!hfpy-lines N`` puts N lines of hfpy's own on top.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Place, has_errors
from hfpy.options import Options, Progress, silent

_SUFFIXES = {".h90": ".F90", ".H90": ".F90"}


@dataclass(frozen=True)
class GeneratedFile:
    source: Path
    name: str
    text: str
    line_map: tuple[int, ...]


def holds_selections(_text: str) -> bool:
    """Nothing is optimised here."""
    return False


@dataclass(frozen=True)
class FileUnits:
    provides: tuple[str, ...]
    uses: tuple[str, ...]
    programs: tuple[str, ...]
    includes: tuple[str, ...]


@dataclass(frozen=True)
class Translation:
    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    units: Mapping[Path, FileUnits]
    explain: Callable[[str | None], str]
    openmp: bool
    beside: tuple[GeneratedFile, ...] = ()


def _words(pattern: str, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.lower() for word in re.findall(pattern, text, re.M | re.I)))


def translate(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Translation:
    files, units, found = [], {}, []
    for path in paths:
        text = path.read_text()
        for number, line in enumerate(text.splitlines(), start=1):
            if match := re.match(r"!hfpy-(error|warning) (.*)", line):
                found.append(Diagnostic(match.group(1), "HF200", match.group(2), Place(str(path), number, 1)))  # type: ignore[arg-type]
        provides = _words(r"^\s*module\s+(?!procedure)(\w+)\s*$", text)
        uses = _words(r"^\s*use\s+(?:::\s*)?(\w+)", text) + _words(r"^\s*submodule\s*\((\w+)", text)
        units[path] = FileUnits(provides, uses, _words(r"^\s*program\s+(\w+)", text), ())
        own = sum(int(n) for n in re.findall(r"^!hfpy-lines (\d+)", text, re.M))
        lines = (0,) * own + tuple(range(1, text.count("\n") + 2))
        name = path.stem + _SUFFIXES.get(path.suffix, path.suffix)
        files.append(GeneratedFile(path, name, "! made by hfpy\n" * own + text, lines))
    given = () if has_errors(found) else tuple(files)
    return Translation(
        given, tuple(found), units, lambda routine: f"explained: {routine or 'all'}\n", options.backend == "openmp"
    )
