"""Directives of the user's by which the device works on arrays that a backend with directives has there itself.

hfpy takes such statements for host code: what they read is copied to the host before them, what they write goes to the
device after them, so that the host's old values would go over what the device has computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import OwnDirective, own_directives_in

# The sentinels of directives by which the device works on what such a backend has there.
OFFLOADING = {"openmp-target": "omp", "openacc": "acc"}
_HINT = "write a region here, or let hfpy take your directives out: --drop-directives"


class Offloaded:
    """Answers what of a routine's host statements the device does."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.sentinel = OFFLOADING.get(facts.backend(routine.key), "")

    def error(self, first: LogicalLine, last: LogicalLine) -> Diagnostic | None:
        """Says that the device does something that is in some lines, or in a routine called there, if it does."""
        if not self.sentinel:
            return None
        found = self._here(first.first, last.last)
        if found is not None:
            message = f"by your '{found.name}' the device works on arrays here that hfpy has there itself"
            return error("HF216", message, self._place(self.routine, found), _HINT)
        for site in self.facts.graph.below(self.routine.key):
            line = site.at.statement.line
            below = self._below.get(site.callee, ()) if first.first <= line.first and line.last <= last.last else ()
            for key in sorted(below):
                other = self.facts.routine(key)
                directive = self._own[key]
                message = f"by your '{directive.name}' the device works on arrays that hfpy has there itself"
                related = Related(line.place(self.routine.file), "the call that leads here")
                return error("HF216", message, self._place(other, directive), _HINT, [related])
        return None

    def _place(self, routine: Routine, directive: OwnDirective) -> Place:
        index = self.facts.application.file(routine.key)
        row = physical(index.rows[directive.first])
        return Place(routine.file, directive.first + 1, row.column + 1, row.length)

    def _here(self, first: int, last: int) -> OwnDirective | None:
        """A directive by which the device works in some of the physical lines, or hands out its addresses there."""
        opened: list[OwnDirective] = []
        lines = self.facts.application.file(self.routine.key).source.lines
        for directive in self._directives(self.routine, last + 1):
            if directive.ends:
                if directive.first < first:
                    opened = [d for d in opened if not d.on_device or d.words != directive.words[1:]]
            elif directive.on_device:
                near = directive.for_loop and _next_code(lines, directive.last + 1) >= first
                if directive.first >= first or near:
                    return directive
                opened += [directive] if directive.for_block else []
        return opened[-1] if opened else None

    def _directives(self, routine: Routine, end: int | None = None) -> Iterator[OwnDirective]:
        """The directives of a routine that the backend's compiler heeds, up to a line."""
        index = self.facts.application.file(routine.key)
        unit = index.units[routine.unit]
        behind = unit.contains if unit.contains >= 0 else unit.last
        last = index.lines[behind].first if behind < len(index.lines) else len(index.source.lines)
        begin = routine.header.last + 1
        listed = own_directives_in(index.source.lines, begin, last if end is None else end, index.fixed)
        return (d for d in listed if d.sentinel == self.sentinel)

    @cached_property
    def _own(self) -> dict[str, OwnDirective]:
        """For each routine in which the device works the first directive that says so."""
        found: dict[str, OwnDirective] = {}
        for key in self.facts.graph.sites:
            routine = self.facts.routine(key)
            here = next((d for d in self._directives(routine) if d.on_device and not d.ends), None)
            if here is not None:
                found[key] = here
        return found

    @cached_property
    def _below(self) -> dict[str, Collection[str]]:
        """For each routine those in which the device works, of itself and all that it calls."""
        own = {key: frozenset({key} if key in self._own else ()) for key in self.facts.graph.sites}
        return dict(self.facts.graph.gathered(own))


def _next_code(lines: tuple[str, ...], row: int) -> int:
    """The next line that is neither blank, a comment, nor a directive."""
    while row < len(lines) and physical(lines[row]).apart:
        row += 1
    return row
