"""Regions with ``columns(i)``: a stretch whose loops over the columns are in it, written out as a region around the
code for one column; refused where that is not proved (:mod:`hfpy.transform.loops.columnproof`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.loops.contracted import one_column
from hfpy.analyze.loops.loopregions import World, world_of
from hfpy.analyze.loops.ordering import Ordering
from hfpy.analyze.loops.stretches import Columns, NoColumns
from hfpy.diagnostics import Diagnostic, error, has_errors
from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, constructs
from hfpy.model.units import Routine
from hfpy.parse.application import completed
from hfpy.parse.directives.directives import Directive, listed_words, parse_directive
from hfpy.parse.directives.regions import TARGETS
from hfpy.transform.loops.columnloops import TakenOut
from hfpy.transform.loops.columnproof import candidate, proved
from hfpy.transform.loops.tried import region_edits
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import Edit, replace_lines
from hfpy.values import dataclass

_HINT = "a column has to be computed from what is its own, or the same for all: see docs/loops.md, columns"


def stretches_in(routine: Routine) -> list[Construct]:
    """The regions of a routine whose loops over the columns are in them."""
    return [c for c in constructs(routine.body) if c.kind == "columns"]


@dataclass(frozen=True)
class _Asked:
    """A region with ``columns(…)`` in its routine."""

    key: str
    construct: Construct
    directive: Directive

    @property
    def line(self) -> LogicalLine:
        """The line of its directive."""
        return self.construct.header.line

    @property
    def attributes(self) -> tuple[str, ...]:
        """The other attributes, as they are written."""
        return tuple(self.line.text[a.start : a.end] for a in self.directive.attributes if a.name != "columns")


def with_columns(settled: Settled) -> Settled:
    """The application with its regions of columns written out; those for another target go."""
    application = settled.application
    asked, problems = _asked(application)
    if problems or not asked:
        return replace(settled, found=[*settled.found, *problems])
    scopes = Scopes(application)
    worlds = {x.key: _world(scopes, application, x.key) for x in asked}
    other: dict[str, list[Edit]] = {}
    wanted: dict[int, tuple[TakenOut, _Asked]] = {}
    for x in asked:
        path = application.file(x.key).path
        targets, wrong = listed_words(x.directive, "appliesto", TARGETS, x.line, path)
        problems += wrong
        if targets and application.options.target not in targets:
            other.setdefault(path, []).extend(replace_lines(m.first, m.last, ()) for m in _marks(x))
            continue
        try:
            taken = _taken(application, worlds[x.key], x)
            wanted[id(taken)] = taken, x
        except NoColumns as why:
            problems.append(_refused(application, x, why))
    if other and not problems:
        # Lines move: what is left is looked at anew.
        return with_columns(changed(settled, other, []))
    if problems:
        return replace(settled, found=[*settled.found, *problems])
    ordering = Ordering(application, scopes, CallGraph(application, scopes))
    made = proved(settled, worlds, ordering, [taken for taken, _ in wanted.values()])
    if made.refused:
        problems = [_refused(application, wanted[id(taken)][1], why) for taken, why in made.refused]
        return replace(settled, found=[*settled.found, *problems])
    loops = [(wanted[id(taken)][1], loop) for taken, loop in made.loops]
    return _regions(made.settled, loops)


def _asked(application: Application) -> tuple[list[_Asked], list[Diagnostic]]:
    asked: list[_Asked] = []
    problems: list[Diagnostic] = []
    for key, routine in application.routines.items():
        for construct in stretches_in(routine):
            directive, found = parse_directive(construct.header.line, application.file(key).path)
            problems += found
            asked += [_Asked(key, construct, directive)] if directive is not None else []
    return asked, problems


def _world(scopes: Scopes, application: Application, key: str) -> World:
    routine = application.routines[key]
    return world_of(scopes, routine)


def _marks(asked: _Asked) -> Iterator[LogicalLine]:
    yield asked.line
    if asked.construct.end is not None:
        yield asked.construct.end.line


def _taken(application: Application, world: World, asked: _Asked) -> TakenOut:
    """The stretch of a region. Raises NoColumns."""
    attribute = asked.directive.get("columns")
    assert attribute is not None
    names = tuple(name.lower() for name in reversed(attribute.entries))
    inside = [c for c in constructs(asked.construct.body) if c.kind == "do" and isinstance(c.header, Header)]
    model = next((c for c in inside if isinstance(c.header, Header) and c.header.var == names[0]), None)
    if model is None:
        raise NoColumns(f"no loop over '{names[0]}' is in the region", asked.line)
    columns = Columns(world, model, len(names))
    if columns.iterators != names:
        raise NoColumns(f"no loops over {', '.join(names)} are right in each other here", model.header.line)
    stretch = columns.stretch(asked.construct.body)
    return TakenOut(asked.key, stretch, one_column(application, world, columns, stretch), tuple(_marks(asked)))


def _refused(application: Application, asked: _Asked, why: NoColumns) -> Diagnostic:
    place = why.line.place(application.file(asked.key).path)
    return error("HF243", f"this is in the way of code for one column: {why.message}", place, _HINT)


def _regions(settled: Settled, loops: list[tuple[_Asked, Construct]]) -> Settled:
    """The application with loops as the regions that were asked for."""
    application = settled.application
    scopes = Scopes(application)
    changes: dict[str, list[Edit]] = {}
    for asked, loop in loops:
        index, world = application.file(asked.key), _world(scopes, application, asked.key)
        attribute = asked.directive.get("columns")
        assert attribute is not None
        one = replace(candidate(world, loop, len(attribute.entries)), attributes=asked.attributes)
        region = one.region(world, one.most)
        changes.setdefault(index.path, []).extend(region_edits(index, world, one, region))
    made = changed(settled, changes, [])
    whole, problems = completed(made.application)
    found = [*made.found, *problems]
    return Settled(whole if has_errors(found) else replace(whole, by_column=True), found, made.notes)
