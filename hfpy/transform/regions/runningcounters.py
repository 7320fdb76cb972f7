"""Regions in whose loops integers count: each point gets the value that they have there, by the loops' variables.

``k = k + 1`` stays as it is. Before it, at the beginning of the point, ``k`` is set to what it was before the region
and what the points before this one have added; after the region to what all of them have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.loops.counters import counters, increment
from hfpy.analyze.loops.loopregions import World, world_of
from hfpy.model.building import Maker, binary, name
from hfpy.model.expressions import Expr
from hfpy.model.printing import rows
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.statements.nests import own_nest
from hfpy.parse.text.physical import physical
from hfpy.transform.text.edits import Edit, insert_lines

_FIXED = " " * 6
_LONG = 40  # names have 63 characters at most


def known_counters(scopes: Scopes, index: FileIndex, routine: Routine) -> Iterator[Edit]:
    """Edits by which points know their counters, in the regions of a routine that have loops of their own."""
    world: World | None = None
    target = scopes.application.options.target
    for construct in routine.regions:
        region = construct.region
        if region is None or not region.loops or not region.active(target) or not _may_count(construct):
            continue
        if world is None:
            world = world_of(scopes, routine)
        known = [*(r.name for r in region.reductions), *region.private, *region.local]
        nest = own_nest(construct.body, region.iterators)
        yield from counter_edits(index, world, nest, known, construct)


def _may_count(construct: Construct) -> bool:
    return any(isinstance(s, Assignment) and increment(s) is not None for s in flatten(construct.body))


def counter_edits(
    index: FileIndex, world: World, nest: Sequence[Construct], known: Sequence[str], region: Construct | None = None
) -> Iterator[Edit]:
    """Edits by which the points of a nest know its counters, but for variables that are ``known`` to be something
    else. ``region`` is the region that the nest is in; without it, the directive is put right before the nest.
    """
    loop = nest[0].header.line
    first = region.header.line if region is not None else loop
    last = max(s.line.last for s in flatten([region or nest[0]]))
    if loop.label or first.label or _has_branches(index, first.first, last):
        return
    for counter in counters(world, nest, known):
        if any(_shares_line(start.loop) for start in counter.starts):
            continue
        kept = _free_name(world, f"hf_{counter.name[:_LONG]}_{index.user_line(loop.first)}")
        yield insert_lines(first.first, _assigned(index, loop, kept, name(counter.name)), 8, first.first)
        for start in counter.starts:
            here = start.loop.header.line
            made = _assigned(index, here, counter.name, binary(name(kept), "+", start.added), deeper=True)
            yield insert_lines(here.last + 1, made, 0, here.first)
        behind = _assigned(index, loop, counter.name, binary(name(kept), "+", counter.all))
        yield insert_lines(last + 1, behind, -8, last)
        margin = _FIXED if index.fixed else " " * (world.routine.header.segments[0][2] + 2)
        yield insert_lines(world.routine.spec_insert + 1, [f"{margin}integer :: {kept}"], 5, world.routine.header.first)


def _assigned(index: FileIndex, line: LogicalLine, target: str, value: Expr, deeper: bool = False) -> list[str]:
    """The lines of an assignment near a line of the user's, or ``deeper`` in the loop that begins there."""
    indent = _FIXED if index.fixed else " " * (line.segments[0][2] + (2 if deeper else 0))
    return [row.text for row in rows([Maker(line).assign(name(target), value)], indent)]


def _shares_line(loop: Construct) -> bool:
    """Whether the body of a loop begins on the line of its header."""
    return bool(loop.body) and next(flatten(loop.body)).line.first <= loop.header.line.last


def _has_branches(index: FileIndex, first: int, last: int) -> bool:
    """Whether a preprocessor chooses among the lines of a region."""
    return any(physical(index.source.lines[row]).kind == "preprocessor" for row in range(first, last + 1))


def _free_name(world: World, wanted: str) -> str:
    """A name that the routine does not have."""
    found, number = wanted, 0
    while world.scopes.variable(found, world.routine.key) is not None:
        number += 1
        found = f"{wanted}_{number}"
    return found
