"""Which stretches of a program are tried as code for one column: those around serial loops that hold loops over columns
(automatic.md §3). A sweep over the levels then is in the code of a column, and not around regions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hfpy.analyze.loops.contracted import OneColumn, one_column
from hfpy.analyze.loops.loopregions import World
from hfpy.analyze.loops.stretches import Columns, NoColumns, Stretch, line_of, neighbours, serial_loops_with
from hfpy.model.application import Application
from hfpy.model.expressions import names_in
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, constructs, flatten
from hfpy.transform.loops.columnloops import TakenOut
from hfpy.values import dataclass

# Loops that are regions, with the iterators of each, outermost first.
Regions = Sequence[tuple[Construct, tuple[str, ...]]]


@dataclass(frozen=True)
class Stretches:
    """The stretches of a routine that may be code for one column; and what is in the way around other serial loops."""

    wanted: tuple[TakenOut, ...]
    refused: tuple[tuple[Construct, NoColumns], ...]


def stretches(application: Application, world: World, regions: Regions) -> Stretches:
    """The stretches of one routine, given the loops in it that are regions."""
    wanted: list[TakenOut] = []
    refused: list[tuple[Construct, NoColumns]] = []
    covered: set[int] = set()
    for serial, held in serial_loops_with(world.routine.body, [loop for loop, _ in regions]):
        if id(serial) in covered or not _over_levels(world, serial):
            continue
        others = frozenset(id(node) for w in wanted for node in w.stretch.nodes)
        own = [(loop, names) for loop, names in regions if any(loop is h for h in held)]
        found = _around(application, world, serial, own, others)
        if isinstance(found, NoColumns):
            refused.append((serial, found))
            continue
        stretch, one = found
        inside = {id(c) for c in constructs(list(stretch.nodes))}
        wanted = [w for w in wanted if id(w.stretch.loops[0]) not in inside]  # of a block that is part of it
        wanted.append(TakenOut(world.routine.key, stretch, one))
        covered |= inside
    return Stretches(tuple(wanted), tuple(refused))


def _over_levels(world: World, loop: Construct) -> bool:
    """Whether the variable of a loop indexes arrays in it, as that of a loop over levels does; that of a loop over time
    steps does not.
    """
    name = loop.header.var if isinstance(loop.header, Header) else ""
    inside = (r for r in world.references if r.indices and any(c is loop for c in r.at.constructs))
    return any(name in names_in(index) for r in inside for index in r.indices or ())


def beside(application: Application, world: World, taken: TakenOut, line: LogicalLine) -> Iterator[TakenOut]:
    """What is left of a stretch on both sides of a line that is in the way, as far as that is worth it."""
    nodes = taken.stretch.nodes
    here = next((n for n, node in enumerate(nodes) if any(s.line is line for s in flatten([node]))), None)
    if here is None:
        return
    columns = Columns(world, taken.stretch.loops[0], len(taken.stretch.iterators))
    for piece in (nodes[:here], nodes[here + 1 :]):
        made: dict[int, OneColumn] = {}

        def accepted(stretch: Stretch, made: dict[int, OneColumn] = made) -> None:
            made[id(stretch)] = one_column(application, world, columns, stretch)

        stretch = columns.inside(piece, accepted)
        if stretch is not None and stretch.sweeps:
            yield TakenOut(taken.key, stretch, made[id(stretch)])


def _around(
    application: Application, world: World, serial: Construct, regions: Regions, others: frozenset[int]
) -> tuple[Stretch, OneColumn] | NoColumns:
    """The stretch around a serial loop that holds some regions, over the iterators that most of these have; ``others``
    are nodes of other stretches.
    """
    block, index = neighbours(world.routine.body, serial)
    plain = [(loop, iterators) for loop, iterators in regions if loop.kind == "do"]
    if not plain:
        return NoColumns("'do concurrent' holds the columns, where a plain loop is needed", line_of(regions[0][0]))
    first: NoColumns | None = None
    for model, depth in _models(plain):
        columns = Columns(world, model, depth)
        made: dict[int, OneColumn] = {}

        def accepted(stretch: Stretch, columns: Columns = columns, made: dict[int, OneColumn] = made) -> None:
            made[id(stretch)] = one_column(application, world, columns, stretch)

        try:
            stretch = columns.around(block, index, accepted, others)
        except NoColumns as fault:
            first = first if first is not None else fault
            continue
        return stretch, made[id(stretch)]
    assert first is not None
    return first


def _models(regions: Regions) -> Iterator[tuple[Construct, int]]:
    """Loops over the columns as they may be, with the number of loops that are right in each other: the iterators
    that most regions end with first, and of those the longest row.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    models: dict[tuple[str, ...], Construct] = {}
    for loop, iterators in regions:
        inner = loop
        for number in range(len(iterators)):
            names = iterators[number:]
            counts[names] += 1
            models.setdefault(names, inner)
            if number < len(iterators) - 1:
                nested = inner.body[0]
                assert isinstance(nested, Construct)
                inner = nested
    for names in sorted(counts, key=lambda n: (-counts[n], -len(n))):
        yield models[names], len(names)
