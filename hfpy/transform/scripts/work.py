"""A program that kernels are looked at in, and the same with one region written anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hfpy.analyze.analysis import analyse
from hfpy.analyze.dependence.forms import Form
from hfpy.analyze.dependence.model import Facts as Known
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import has_errors
from hfpy.model.application import Application
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment
from hfpy.model.printing import attributes
from hfpy.model.statements import Construct
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.ownloops import directive_rows
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import Edit, apply_edits, insert_lines, replace_rows
from hfpy.transform.text.fixedform import lines_for
from hfpy.transform.text.remade import remade

Row = tuple[str, int]  # a line of text, and the one (0-based) of the program's that it stems from


@dataclass(frozen=True, eq=False)
class Work:
    """A program, with the facts when they are asked for. ``before`` is the one it was made from, ``rows`` are the lines
    of the file that was changed (None: none was). ``assumed`` are conditions that are tested before kernels, by routine
    and number.
    """

    settled: Settled
    before: Work | None = None
    rows: tuple[Row, ...] | None = None
    assumed: tuple[tuple[str, int, Fragment], ...] = ()

    @property
    def application(self) -> Application:
        """The program."""
        return self.settled.application

    @cached_property
    def facts(self) -> Facts:
        """What the analyses know about it."""
        return analyse(self.application, self.before.facts if self.before is not None else None)

    @cached_property
    def effects(self) -> Effects:
        """What its routines read and write."""
        return Effects(self.facts)

    def routine(self, key: str) -> Routine:
        """A routine by its key."""
        return self.application.routines[key]

    def file(self, key: str) -> FileIndex:
        """The file of a routine."""
        return self.application.file(key)

    def sharing(self, key: str) -> RoutineSharing:
        """Who owns what in the regions of a routine."""
        return RoutineSharing(self.facts, self.effects, self.routine(key))

    def body(self, key: str, number: int) -> RegionBody:
        """The body of a region."""
        routine = self.routine(key)
        return RegionBody(self.facts, self.effects, routine, routine.regions[number], number)

    def known(self, body: RegionBody) -> Known:
        """What the dependence engine may take for granted in a region: what is tested before it."""
        place = (body.key, body.identity.number)
        world = World(self.facts, body.key, lambda _identity, _parts: False, _valueless)
        reading = Reading(world, Frame(body.key), body.construct.header.line.key)
        tested = (made for key, number, made in self.assumed if (key, number) == place)
        return Known(assumed=tuple(reading.condition(made.expr) for made in tested))

    def origin(self, row: int) -> int:
        """The line of the program's text (0-based) that a line of the changed file stems from."""
        return self.rows[row][1] if self.rows is not None else row

    def with_region(
        self, key: str, number: int, new: Construct, declared: Sequence[str], taken: int = 0
    ) -> Work | None:
        """The program with another construct in the place of a region and of so many after it (``taken``), and
        declarations in its routine; None where hfpy cannot read that.
        """
        index, routine = self.file(key), self.routine(key)
        old = routine.regions[number]
        indent = " " * old.header.line.segments[0][2]
        first, last = lines_of(old)[0], lines_of(routine.regions[number + taken])[1]
        edits = [replace_rows(first, last, remade(index, (new,), indent, first, last))]
        edits += declarations(routine, declared)
        made = changed(self.settled, {index.path: edits}, [])
        done = apply_edits(index.source, edits, lines_for(index, self.application.macros))
        rows = tuple((text, self.origin(line - 1)) for text, line in zip(done.lines, done.line_map, strict=True))
        return None if has_errors(made.found) else Work(made, self, rows, self.assumed)

    def region_rows(self, key: str, number: int, region: Region) -> Iterator[Row]:
        """The lines of a region with another directive."""
        index, construct = self.file(key), self.routine(key).regions[number]
        first, last = lines_of(construct)
        header = construct.header.line
        if region is construct.region:
            yield from ((index.source.lines[n], self.origin(n)) for n in range(first, header.last + 1))
        else:
            sign = "!@" if header.comment else "@"
            column = header.segments[0][2]
            yield from ((row, self.origin(first)) for row in directive_rows(column, list(attributes(region)), sign))
        yield from ((index.source.lines[n], self.origin(n)) for n in range(header.last + 1, last + 1))


def _valueless(shown: str) -> Form:
    raise AssertionError(f"'{shown}' has no value before a region")


def lines_of(construct: Construct) -> tuple[int, int]:
    """The first and the last physical line of a region."""
    assert construct.end is not None
    return construct.header.line.first, construct.end.line.last


def declarations(routine: Routine, rows: Sequence[str]) -> Iterator[Edit]:
    """Declarations at the end of a routine's specification part."""
    if rows:
        indent = " " * (routine.header.segments[0][2] + 2)
        yield insert_lines(routine.spec_insert + 1, [indent + row for row in rows], 5, routine.header.first)
