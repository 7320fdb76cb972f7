"""Takes the place of the translator where the build is what is tested: every file comes out as it went in.

Programs, modules and uses are told by simple patterns; a line ``!hfpy-error MESSAGE`` becomes an error,
``!hfpy-warning MESSAGE`` a warning, and ``!hfpy-lines N`` puts N lines of hfpy's own on top.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Place, has_errors
from hfpy.options import Options, Progress, silent
from hfpy.translation import Contents, GeneratedFile, Translation

_SUFFIXES = {".h90": ".F90", ".H90": ".F90"}


def _words(pattern: str, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.lower() for word in re.findall(pattern, text, re.M | re.I)))


def translate(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Translation:
    files, found = [], []
    for path in paths:
        text = path.read_text()
        for number, line in enumerate(text.splitlines(), start=1):
            if match := re.match(r"!hfpy-(error|warning) (.*)", line):
                found.append(Diagnostic(match.group(1), "HF200", match.group(2), Place(str(path), number, 1)))  # type: ignore[arg-type]
        provides = _words(r"^\s*module\s+(?!procedure)(\w+)\s*$", text)
        uses = _words(r"^\s*use\s+(?:::\s*)?(\w+)", text) + _words(r"^\s*submodule\s*\((\w+)", text)
        contents = Contents(
            provides=provides,
            programs=_words(r"^\s*program\s+(\w+)", text),
            block_data=re.search(r"^\s*block\s*data\b", text, re.M | re.I) is not None,
            submodules=re.search(r"^\s*submodule\s*\(", text, re.M | re.I) is not None,
        ).using(uses)
        own = sum(int(n) for n in re.findall(r"^!hfpy-lines (\d+)", text, re.M))
        lines = (0,) * own + tuple(range(1, text.count("\n") + 2))
        name = path.stem + _SUFFIXES.get(path.suffix, path.suffix)
        files.append(GeneratedFile(path, name, "! made by hfpy\n" * own + text, lines, contents))
    given = () if has_errors(found) else tuple(files)
    return Translation(
        given, tuple(found), lambda routine: (f"explained: {routine or 'all'}",), options.backend == "openmp"
    )
