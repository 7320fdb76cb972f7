"""What a pass over kernels is: it takes the facts of an application and gives new texts of files, with what it did
and why it left regions as they are (design contract 8).

:mod:`hfpy.transform.pipelines` puts passes in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, Self

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place
from hfpy.model.units import FileIndex
from hfpy.transform.text.edits import Edit, apply_edits
from hfpy.transform.text.fixedform import lines_for
from hfpy.values import dataclass

# The facts with new texts of files, where not all is analysed again: by what made the texts (the name of a pass, or of
# a step to the plain form), and the facts before. None where these are as before.
Again = Callable[[str, Facts, Mapping[str, "NewText"]], tuple[Facts, Effects] | None]


@dataclass(frozen=True)
class Refusal:
    """Why a region stays as it is: the rule (its number in stencil-optimisation.md §1), what is against it, where."""

    rule: int
    text: str
    place: Place


class Refused(Exception):
    """A region stays as it is."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


@dataclass(frozen=True)
class NewText:
    """The new text of a file with the source line (1-based) of each line."""

    lines: tuple[str, ...]
    line_map: tuple[int, ...]


@dataclass(frozen=True)
class Made:
    """What a pass made: files that changed by their path; refusals by routine, an entry for each routine that was
    looked at; what is to be said; arrays whose declared order is the one to keep from now on, as ``unit::name``.
    """

    files: Mapping[str, NewText]
    refusals: Mapping[str, tuple[Refusal, ...]]
    notes: tuple[Diagnostic, ...] = ()
    declared: frozenset[str] = frozenset()

    def only(self, accepted: Collection[str], _facts: Facts) -> Self:
        """What is left where the new text of some files alone is accepted."""
        return replace(self, files={path: text for path, text in self.files.items() if path in accepted})

    def holds(self, _facts: Facts) -> bool:
        """Whether what it made is still right under facts that were found later."""
        return True


class Pass(Protocol):
    """A pass over the kernels of an application.

    ``needs`` are the names of passes that must not come later in a list, ``whole`` says that the new texts of all files
    belong together: all are taken, or none.
    """

    @property
    def name(self) -> str:
        """The name for ``--dump-after``."""

    @property
    def needs(self) -> frozenset[str]:
        """Passes on whose results it builds, where they are in the list at all."""

    @property
    def whole(self) -> bool:
        """Whether its files are accepted together or not at all."""

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """All reasons why regions stay as they are, by routine, each with its place. Changes nothing."""

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Made:
        """New texts of the files where it has something to do. ``only`` are the paths of the files that are looked at,
        where not all are; other files that get new text on that account must be among them.
        """

    def explain(self, made: Made, facts: Facts, key: str) -> Iterator[str]:
        """What it did to a routine, in lines of text; ``facts`` are those it was applied to."""


def edited(index: FileIndex, edits: list[Edit], macros: Collection[str]) -> NewText:
    """A file with edits, and which line of the user's file each line stems from."""
    done = apply_edits(index.source, edits, lines_for(index, macros))
    before = index.expanded
    lines = tuple(before[n - 1] if before is not None and n else n for n in done.line_map)
    return NewText(done.lines, lines)


def edited_files(facts: Facts, edits: Mapping[str, list[Edit]]) -> dict[str, NewText]:
    """The files of an application that have edits, by their path."""
    macros = facts.application.macros
    return {f.path: edited(f, edits[f.path], macros) for f in facts.application.files if f.path in edits}


def with_text(index: FileIndex, done: NewText) -> tuple[str, tuple[int, ...]]:
    """The whole text of a file that a pass changed, and its line map."""
    return index.source.with_lines(done.lines).text, done.line_map
