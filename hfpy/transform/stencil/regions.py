"""A group as one region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hfpy.model.building import Maker, name, quoted
from hfpy.model.directives import Domain, Region
from hfpy.model.extents import Dim
from hfpy.model.statements import Construct, DirectiveLine, Node, Part
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.stencil.blocks import BlockWriter, block_sizes, in_blocks
from hfpy.transform.stencil.fusion import fused
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.linearforms import names_of, shown
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.lowering import POINTS, Lowering
from hfpy.transform.stencil.points import point_nodes
from hfpy.transform.stencil.program import Box
from hfpy.transform.stencil.rings import RingWriter, goes_by_rings
from hfpy.transform.stencil.rowblocks import row_blocks, within_block
from hfpy.transform.stencil.sweepcode import SweepWriter
from hfpy.transform.stencil.sweeps import ColumnGroup
from hfpy.transform.stencil.tiles import TileWriter
from hfpy.transform.stencil.walk import WalkWriter
from hfpy.values import dataclass

Hints = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class RegionCode:
    """A region, and how it computes: ``points`` or ``blocks of N rows``; evaluations by stage number."""

    region: Construct
    manner: str
    evaluations: Mapping[int, int]


@dataclass(frozen=True)
class _Space:
    """What the points of a region are: iterators, the sizes of their domains, bounds, and steps, numbers or names."""

    iterators: tuple[str, ...]
    sizes: tuple[Dim, ...]
    box: Box
    steps: tuple[int | str, ...] = ()


def region_code(group: Group, names: Locals, target: str, rows: int | str, lowering: Lowering = POINTS) -> RegionCode:
    """The region that takes the place of a group's regions; ``rows`` is how many rows a block has, where there are
    blocks, or the variable that tells, ``lowering`` says how the group is computed on a GPU.
    """
    if isinstance(group, ColumnGroup):
        return _columns(group, names, target)
    if isinstance(rows, str):
        return _even_blocks(group, names, rows, target)
    if in_blocks(group, target):
        return _blocks(group, names, rows, target)
    if lowering.iterator:
        return _walk(group, names, lowering, target)
    if lowering.tile:
        return _tiles(group, names, lowering, target)
    return _points(group, names, target)


def _points(group: Group, names: Locals, target: str) -> RegionCode:
    """A region over the points of the group's box."""
    iterators, unroll = group.program.iterators, group.wishes.unroll
    nodes, body = point_nodes(group, names)
    steps = tuple(unroll.get(i, 1) for i in iterators) if any(n > 1 for n in unroll.values()) else ()
    space = _Space(iterators, _sizes(group), group.box, steps)
    made = _region(group, space, nodes, target, hints=_threads(group, iterators, target))
    several = f", unrolled {_factors(unroll)}" if unroll else ""
    return RegionCode(made, "points" + several, body.evaluations)


def _columns(group: ColumnGroup, names: Locals, target: str) -> RegionCode:
    """A region over the columns of a group with sweeps."""
    writer = SweepWriter(group, names, target)
    space = _Space(group.program.iterators[:-1], _sizes(group), group.box)
    return RegionCode(_region(group, space, tuple(writer.nodes()), target), "columns", writer.evaluations)


def _walk(group: Group, names: Locals, lowering: Lowering, target: str) -> RegionCode:
    """A region over chunks of the group's box, along each of which a thread walks."""
    iterators, unroll = group.program.iterators, group.wishes.unroll
    code = WalkWriter(group, names, lowering.iterator, lowering.size).write()
    counted = tuple(code.block if i == lowering.iterator else i for i in iterators)
    steps = tuple(lowering.size if i == lowering.iterator else unroll.get(i, 1) for i in iterators)
    space = _Space(counted, _sizes(group), group.box, steps)
    made = _region(group, space, code.body, target, hints=_threads(group, counted, target))
    several = f", unrolled {_factors(unroll)}" if unroll else ""
    return RegionCode(made, lowering.name + several, code.evaluations)


def _tiles(group: Group, names: Locals, lowering: Lowering, target: str) -> RegionCode:
    """A region over tiles of the group's box, each of which a team of threads computes."""
    iterators, tile = group.program.iterators, lowering.tile
    code = TileWriter(group, names, tile, lowering.kept).write()
    counted = tuple(code.blocks.get(i, i) for i in iterators)
    space = _Space(counted, _sizes(group), group.box, tuple(tile.get(i, 1) for i in iterators))
    team = tuple(f"{i}:{n}" for i, n in lowering.team.items())
    made = _region(group, space, code.body, target, private=code.private, hints=(("team", team),))
    return RegionCode(made, lowering.name, code.evaluations)


def _even_blocks(group: Group, names: Locals, rows: str, target: str) -> RegionCode:
    """A region over blocks of as many rows as a variable says."""
    row = group.program.iterators[1]
    code = RingWriter(group, names, {row: 1}, rows).write()
    space = _Space((code.blocks[row],), _sizes(group)[1:], group.box[1:], (rows,))
    made = _region(group, space, code.body, target, private=code.private)
    return RegionCode(made, "blocks of rows, one a thread, row by row", code.evaluations)


def _blocks(group: Group, names: Locals, rows: int, target: str) -> RegionCode:
    """A region over blocks of the group's box."""
    iterators = group.program.iterators
    cut = block_sizes(group, rows)
    by_rings = goes_by_rings(group)
    code = (RingWriter if by_rings else BlockWriter)(group, names, cut).write()
    body, blocks = code.body, code.blocks
    if not cut:
        cut = row_blocks(group)
        body, blocks = within_block(group, names, cut, body)
    first = 0 if iterators[0] in cut else 1  # the innermost iterator is one loop in the body, if nobody cuts it
    counted = tuple(blocks.get(i, i) for i in iterators[first:])
    steps = tuple(cut.get(i, 1) for i in iterators[first:]) if cut else ()
    space = _Space(counted, _sizes(group)[first:], group.box[first:], steps)
    made = _region(group, space, body, target, private=code.private)
    manner = _manner(group, cut) + (", row by row" if by_rings else "")
    return RegionCode(made, manner, code.evaluations)


def _region(
    group: Group,
    space: _Space,
    body: Sequence[Node],
    target: str,
    private: tuple[str, ...] = (),
    hints: Hints = (),
) -> Construct:
    """The region with a body; with loops of its own where directives are in comments."""
    first = group.regions[0]
    hints += (("fuse", ("no",)),) if group.wishes.fuse == "no" else ()
    made = fused(
        group.regions,
        domains=tuple(Domain(i, size) for i, size in zip(space.iterators, space.sizes, strict=True)),
        starts=tuple(fragment(shown(s.lower)) for s in space.box),
        ends=tuple(fragment(shown(s.upper)) for s in space.box),
        strides=tuple(fragment(str(step)) for step in space.steps),
        stated=frozenset({"startat", "endat"}),
        private=private,
        applies_to=frozenset({target}),
        loops=first.line.comment,
        schedule=group.wishes.schedule,
        collapse=group.wishes.collapse,
    )
    steps = space.steps or (1,) * len(space.iterators)
    return with_loops(replace(made, hints=(*hints, *made.hints)), tuple(body), steps, group.stages[-1].region)


def with_loops(region: Region, body: tuple[Node, ...], steps: Sequence[int | str], last: Construct) -> Construct:
    """A region with a body, in loops with some steps where directives are in comments; it ends as the region ``last``
    does.
    """
    assert last.end is not None
    make = Maker(region.line)
    spans = zip(region.iterators, region.starts, region.ends, steps, strict=True)
    for iterator, start, end, step in spans if region.loops else ():
        by = name(step) if isinstance(step, str) else step
        body = (make.loop(iterator, quoted(start), quoted(end), body, by),)
    head = DirectiveLine(region.line, "region", made=True)
    return Construct("region", (Part(head, body),), DirectiveLine(last.end.line, "region", made=True), region)


def _sizes(group: Group) -> tuple[Dim, ...]:
    return tuple(d.extent for d in group.regions[0].domains)


def _manner(group: Group, cut: Mapping[str, int]) -> str:
    """How a group of blocks computes, for people."""
    row = group.program.iterators[1]
    manner = f"blocks of {cut[row]} rows" if set(cut) == {row} else f"blocks of {_factors(cut)}" if cut else "rows"
    return manner + (f", unrolled {_factors(group.wishes.unroll)}" if group.wishes.unroll else "")


def _factors(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{i}:{n}" for i, n in numbers.items())


def _threads(group: Group, counted: tuple[str, ...], target: str) -> Hints:
    """The threads a block that ``tile`` asks for on a GPU, with the iterators as the region calls them."""
    names = dict(zip(group.program.iterators, counted, strict=True))
    tile = tuple(f"{names[i]}:{n}" for i, n in group.wishes.tile.items())
    return (("tile", tile),) if tile and target == "gpu" else ()


def names_in_bounds(box: Box) -> set[str]:
    """The names that bounds mention."""
    return names_of(*(form for span in box for form in (span.lower, span.upper)))
