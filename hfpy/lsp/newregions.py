"""Directives that make a region of a loop nest, as far as hfpy accepts the result.

A directive alone takes names, sizes and bounds from the loops after it, and ends with them (docs/language.md, "Names
and sizes from the loops"); ``domName(j)`` leaves the inner loops to each point. A directive is proposed if the program
with it has no error and no warning that it does not have without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hfpy.analyze.loops.loopregions import perfect_nest
from hfpy.build.session import Session
from hfpy.build.translated import all_sources
from hfpy.diagnostics import HfpyError, UsageError
from hfpy.lsp.texts import Text
from hfpy.model.statements import Construct, Header, Node, constructs
from hfpy.parse.files import directive_sign
from hfpy.pipeline import judged
from hfpy.values import dataclass

_MOST = 3  # directives that are tried
_REGIONS = ("region", "nest", "columns")


@dataclass(frozen=True)
class Proposal:
    """A line with a directive before the loops that begin in a row (from 0), and the iterators of the region."""

    row: int
    line: str
    iterators: tuple[str, ...]


class Judge:
    """The verdict on a file of a project with another text."""

    def __init__(self, session: Session, path: Path) -> None:
        self._options = session.options
        self._sources = all_sources(session.project)
        self._path = next((p for p in self._sources if p.resolve() == path), None)
        self._known: dict[str, Counter[tuple[str, str]]] = {}

    def accepts(self, text: Text, changed: str) -> bool:
        """Whether a program with a changed text has no fault that it does not have with the text as it is."""
        before, after = self._faults("\n".join(text.lines)), self._faults(changed)
        return before is not None and after is not None and not after - before

    def _faults(self, text: str) -> Counter[tuple[str, str]] | None:
        """Errors and warnings; None where nothing can be said."""
        if self._path is None:
            return None
        if text not in self._known:
            try:
                found = judged(self._sources, self._options, {self._path: text})
            except (HfpyError, UsageError):
                return None
            self._known[text] = Counter((d.code, d.message) for d in found if d.severity != "note")
        return self._known[text]


def new_regions(text: Text, row: int, judge: Judge) -> Iterator[Proposal]:
    """The first directive, with as many loops as possible, that hfpy accepts before the loop in a row (from 0)."""
    nest = _nest(text, row)
    if nest is None:
        return
    iterators = tuple(loop.header.var for loop in perfect_nest(nest, 15) if isinstance(loop.header, Header))
    for count in range(len(iterators), max(len(iterators) - _MOST, 0), -1):
        names = tuple(reversed(iterators[:count]))  # the first name is that of the innermost loop
        attributes = "" if count == len(iterators) else f"{{domName({','.join(names)})}}"
        line = _directive(text, row, attributes)
        changed = "\n".join([*text.lines[:row], line, *text.lines[row:], ""])
        if judge.accepts(text, changed):
            yield Proposal(row, line, names)
            return


def _nest(text: Text, row: int) -> Construct | None:
    """The ``do`` in a row (from 0) that is not in a region, and has none in it."""
    part = text.part_at(row)
    found = _outside(part.routine.body, row - part.moved) if part is not None else None
    if found is None or not isinstance(found.header, Header) or not found.header.var or found.header.line.file:
        return None
    if found.header.serial or any(c.kind in _REGIONS for c in constructs(found.body)):
        return None
    return found


def _outside(nodes: tuple[Node, ...], row: int) -> Construct | None:
    for node in nodes:
        if not isinstance(node, Construct) or node.kind in _REGIONS:
            continue
        if node.kind == "do" and node.header.line.first == row:
            return node
        for part in node.parts:
            if (found := _outside(part.body, row)) is not None:
                return found
    return None


def _directive(text: Text, row: int, attributes: str) -> str:
    """The line of a directive before a row."""
    if text.index.fixed:
        return f"!@parallelRegion{attributes}"
    before = text.lines[row]
    indent = before[: len(before) - len(before.lstrip())]
    return f"{indent}{directive_sign(str(text.path))}parallelRegion{attributes}"
