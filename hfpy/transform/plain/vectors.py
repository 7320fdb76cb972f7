"""Regions with ``vector`` in plain form: their loops are written in them, as they are serial loops within a kernel."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.directives import Region
from hfpy.model.statements import Construct, constructs, own_exits
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.text.edits import Edit, insert_lines, replace_range


def vector_edits(facts: Facts, _: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines."""
    active = {id(region) for region in facts.positions.regions.values()}
    made: dict[str, list[Edit]] = {}
    for key in keys:
        routine = facts.routine(key)
        found = [c for c in constructs(routine.body) if c.region is not None and id(c.region) in active]
        opened = [(c, c.region) for c in found if c.region is not None and c.region.vector and not c.region.loops]
        rows = made.setdefault(routine.file, [])
        for construct, region in opened:
            rows += _with_loops(construct, region)
        rows += _declared(facts, routine, [region for _, region in opened])
    return made


def _with_loops(construct: Construct, region: Region) -> Iterator[Edit]:
    """A region with loops over its points in it."""
    header, end = construct.header.line, construct.end
    assert end is not None
    indent = " " * header.segments[0][2]
    steps = region.strides or (ONE,) * len(region.domains)
    loops = zip(region.iterators, region.starts, region.ends, steps, strict=True)
    turns = [(name, f"{low.text}, {high.text}", step.text) for name, low, high, step in reversed(list(loops))]
    exits = own_exits(construct)
    label = f"hf_points{header.first + 1}" if exits else ""
    begins = [*("" for _ in turns[1:]), f"{label}: " if label else ""]
    rows = [
        f"{indent}{begin}do {name} = {bounds}{f', {step}' if step != '1' else ''}"
        for begin, (name, bounds, step) in zip(begins, turns, strict=True)
    ]
    for jump in exits:
        start, last = jump.span
        yield replace_range(jump.line, start, len(jump.line.text) if last < 0 else last, f"cycle {label}")
    yield insert_lines(header.last + 1, rows, 5, header.first)
    closed = [f"{indent}end do{f' {label}' if label else ''}", *(f"{indent}end do" for _ in turns[1:])]
    yield insert_lines(end.line.first, closed, -5, end.line.first)


def _declared(facts: Facts, routine: Routine, regions: Collection[Region]) -> Iterator[Edit]:
    """Declarations of the iterators that the routine does not declare."""
    names = dict.fromkeys(name for region in regions for name in region.iterators)
    new = [name for name in names if facts.scopes.variable(name, routine.key) is None]
    if new:
        margin = " " * (routine.header.segments[0][2] + 2)
        row = f"{margin}integer(4) :: {', '.join(new)}"
        yield insert_lines(routine.spec_insert + 1, [row], 6, routine.header.first)
