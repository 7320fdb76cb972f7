"""How many lines hfpy wrote: its output compared with what it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from hfpy.diagnostics import Diagnostic
from hfpy.options import Options
from hfpy.report.productivity.figures import Figures, compare
from hfpy.report.productivity.tree import Tree, read_text
from hfpy.values import dataclass


@dataclass(frozen=True)
class Generated:
    """The output for one target and backend. ``figures`` compare it with the hybrid code; None where the code is
    refused, for the reasons in ``problems``. ``kernels`` are lines in files of kernels (``.cu``, ``.cuf``, ``.hip``,
    ``_opencl.cpp``).
    """

    name: str
    figures: Figures | None
    kernels: int = 0
    problems: tuple[Diagnostic, ...] = field(default=())


def generated(name: str, paths: Sequence[Path], options: Options, hybrid: Tree) -> Generated:
    """Translate the sources at ``paths`` and compare."""
    from hfpy.pipeline import translate

    done = translate(paths, options)
    problems = tuple(d for d in done.diagnostics if d.severity == "error")
    if problems:
        return Generated(name, None, 0, problems)
    tree = Tree(tuple(read_text(file.name, file.text) for file in done.files))
    kernels = sum(len(file.lines) for file in tree.files if file.name.endswith((".cu", ".cuf", ".hip", "_opencl.cpp")))
    return Generated(name, compare(hybrid, tree), kernels)
