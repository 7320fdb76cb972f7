"""A group as the text of one region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hfpy.analyze.bodies import words
from hfpy.analyze.sizes import Linear
from hfpy.model.directives import Region
from hfpy.transform.stencil.blocks import BlockWriter, block_sizes, in_blocks
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.lowering import POINTS, Lowering
from hfpy.transform.stencil.march import MarchWriter, marches
from hfpy.transform.stencil.points import point_lines
from hfpy.transform.stencil.program import Box
from hfpy.transform.stencil.sweeps import ColumnGroup
from hfpy.transform.stencil.sweeptext import SweepWriter
from hfpy.transform.stencil.text import bound
from hfpy.transform.stencil.tiles import TileWriter
from hfpy.transform.stencil.walk import WalkWriter


@dataclass(frozen=True)
class RegionText:
    """The lines of a region, and how it computes: ``points`` or ``blocks of N rows``; evaluations by stage number."""

    lines: tuple[str, ...]
    manner: str
    evaluations: dict[int, int]


def region_text(
    group: Group, names: Locals, target: str, indent: str, rows: int, lowering: Lowering = POINTS
) -> RegionText:
    """The region that takes the place of a group's regions; ``rows`` is how many rows a block has, where there are
    blocks, ``lowering`` says how the group is computed on a GPU.
    """
    if isinstance(group, ColumnGroup):
        made = _columns(group, names, target)
    elif in_blocks(group, target):
        made = _blocks(group, names, rows, target)
    elif lowering.iterator:
        made = _walk(group, names, lowering, target)
    elif lowering.tile:
        made = _tiles(group, names, lowering, target)
    else:
        made = _points(group, names, target)
    return RegionText(tuple(indent + row for row in made.lines), made.manner, made.evaluations)


def _points(group: Group, names: Locals, target: str) -> RegionText:
    """A region over the points of the group's box."""
    iterators, unroll = group.program.iterators, group.wishes.unroll
    lines, body = point_lines(group, names)
    steps = [unroll.get(i, 1) for i in iterators]
    rest = [*_bounds(group.box, iterators), *_schedule(group, target), *_taken_over(group)]
    loops = _heads(iterators, group.box, steps) if _commented(group) else []
    made = region_lines(iterators, _sizes(group), rest, lines, loops, target)
    several = f", unrolled {_factors(unroll)}" if unroll else ""
    return RegionText(tuple(made), "points" + several, dict(body.evaluations))


def _columns(group: ColumnGroup, names: Locals, target: str) -> RegionText:
    """A region over the columns of a group with sweeps."""
    iterators = group.program.iterators[:-1]
    writer = SweepWriter(group, names, target)
    lines = list(writer.lines())
    rest = [*_bounds(group.box, iterators), *_taken_over(group)]
    loops = _heads(iterators, group.box, [1] * len(iterators)) if _commented(group) else []
    made = region_lines(iterators, _sizes(group), rest, lines, loops, target)
    return RegionText(tuple(made), "columns", dict(writer.evaluations))


def _walk(group: Group, names: Locals, lowering: Lowering, target: str) -> RegionText:
    """A region over chunks of the group's box, along each of which a thread walks."""
    iterators, unroll = group.program.iterators, group.wishes.unroll
    code = WalkWriter(group, names, lowering.iterator, lowering.size).write()
    counted = tuple(code.block if i == lowering.iterator else i for i in iterators)
    steps = [lowering.size if i == lowering.iterator else unroll.get(i, 1) for i in iterators]
    rest = [*_bounds(group.box, counted), f"stride({','.join(map(str, steps))})", *_threads(group, counted, target)]
    loops = _heads(counted, group.box, steps) if _commented(group) else []
    made = region_lines(counted, _sizes(group), [*rest, *_taken_over(group)], code.lines, loops, target)
    several = f", unrolled {_factors(unroll)}" if unroll else ""
    return RegionText(tuple(made), lowering.name + several, dict(code.evaluations))


def _tiles(group: Group, names: Locals, lowering: Lowering, target: str) -> RegionText:
    """A region over tiles of the group's box, each of which a team of threads computes."""
    iterators, tile = group.program.iterators, lowering.tile
    code = TileWriter(group, names, tile, lowering.kept).write()
    counted = tuple(code.blocks.get(i, i) for i in iterators)
    steps = [tile.get(i, 1) for i in iterators]
    rest = [*_bounds(group.box, counted), f"stride({','.join(map(str, steps))})", f"team({_factors(lowering.team)})"]
    rest += [f"private({','.join(code.private)})"] if code.private else []
    loops = _heads(counted, group.box, steps) if _commented(group) else []
    made = region_lines(counted, _sizes(group), [*rest, *_taken_over(group)], code.lines, loops, target)
    return RegionText(tuple(made), lowering.name, dict(code.evaluations))


def _blocks(group: Group, names: Locals, rows: int, target: str) -> RegionText:
    """A region over blocks of the group's box."""
    iterators = group.program.iterators
    cut = block_sizes(group, rows)
    marching = marches(group)
    code = (MarchWriter if marching else BlockWriter)(group, names, cut).write()
    first = 0 if iterators[0] in cut else 1  # the innermost iterator is one loop in the body, if nobody cuts it
    counted = tuple(code.blocks.get(i, i) for i in iterators[first:])
    steps = [cut.get(i, 1) for i in iterators[first:]]
    box = group.box[first:]
    rest = [*_bounds(box, counted), f"stride({','.join(map(str, steps))})", *_taken_over(group)]
    rest += [f"private({','.join(code.private)})"] if code.private else []
    if len(counted) > 1 and steps[-1] > 1 and not group.wishes.collapse:
        rest.append("collapse(2)")  # few blocks in the outermost iterator: threads share those of two
    loops = _heads(counted, box, steps) if _commented(group) else []
    made = region_lines(counted, _sizes(group)[first:], rest, code.lines, loops, target)
    manner = _manner(group, cut) + (", row by row" if marching else "")
    return RegionText(tuple(made), manner, dict(code.evaluations))


def _directive(group: Group) -> Region:
    """The directive of the group's first region or sweep, from which the new one takes what is not of the schedule."""
    stage = group.sweep if isinstance(group, ColumnGroup) else group.stages[0]
    region = stage.region.region
    assert region is not None
    return region


def _sizes(group: Group) -> list[str]:
    return [d.extent.text for d in _directive(group).domains]


def _commented(group: Group) -> bool:
    """Whether directives stand in comments, so that regions bring their loops."""
    return _directive(group).line.comment


def _taken_over(group: Group) -> list[str]:
    """Attributes that hold for the new region, too."""
    template = _directive(group).template
    found = [f"template({template})"] if template else []
    found += [f"schedule({group.wishes.schedule})"] if group.wishes.schedule else []
    return [*found, "fuse(no)"] if group.wishes.fuse == "no" else found


def _heads(iterators: tuple[str, ...], box: Box, steps: list[int]) -> list[str]:
    """The heads of loops over a box, the innermost first."""
    loops = [f"do {i} = {bound(s.lower)}, {bound(s.upper)}" for i, s in zip(iterators, box, strict=True)]
    return [f"{loop}, {step}" if step > 1 else loop for loop, step in zip(loops, steps, strict=True)]


def _manner(group: Group, cut: Mapping[str, int]) -> str:
    """How a group of blocks computes, for people."""
    row = group.program.iterators[1]
    manner = f"blocks of {cut[row]} rows" if set(cut) == {row} else f"blocks of {_factors(cut)}"
    return manner + (f", unrolled {_factors(group.wishes.unroll)}" if group.wishes.unroll else "")


def _factors(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{i}:{n}" for i, n in numbers.items())


def _schedule(group: Group, target: str) -> list[str]:
    """Attributes of a region of points: the steps of ``unroll``, the threads a block of ``tile``."""
    unroll = group.wishes.unroll
    found = []
    if any(n > 1 for n in unroll.values()):
        found.append(f"stride({','.join(str(unroll.get(i, 1)) for i in group.program.iterators)})")
    found += [f"collapse({group.wishes.collapse})"] if group.wishes.collapse else []
    return [*found, *_threads(group, group.program.iterators, target)]


def _threads(group: Group, counted: tuple[str, ...], target: str) -> list[str]:
    """The attribute with the threads a block that ``tile`` asks for, with the iterators as the region calls them."""
    names = dict(zip(group.program.iterators, counted, strict=True))
    tile = group.wishes.tile
    return [f"tile({', '.join(f'{names[i]}:{n}' for i, n in tile.items())})"] if tile and target == "gpu" else []


def _bounds(box: Box, iterators: tuple[str, ...]) -> list[str]:
    assert len(box) == len(iterators)
    return [
        f"startAt({','.join(bound(s.lower) for s in box)})",
        f"endAt({','.join(bound(s.upper) for s in box)})",
    ]


def region_lines(
    iterators: tuple[str, ...], sizes: list[str], rest: list[str], body: object, loops: list[str], target: str
) -> Iterator[str]:
    """The directive, loops of its own where it stands in a comment, the body."""
    sign = "!@" if loops else "@"
    parts = [f"domName({','.join(iterators)})", f"domSize({','.join(sizes)})", *rest, f"appliesTo({target.upper()})"]
    yield f"{sign}parallelRegion{{{', '.join(parts)}}}"
    for depth, loop in enumerate(reversed(loops)):
        yield "  " * depth + loop
    yield from ("  " * (len(loops) or 1) + row for row in body)  # type: ignore[attr-defined]
    for depth in reversed(range(len(loops))):
        yield "  " * depth + "end do"
    yield f"{sign}end parallelRegion"


def names_in_bounds(box: Box) -> set[str]:
    """The names that bounds mention."""
    forms: list[Linear] = [f for span in box for f in (span.lower, span.upper)]
    return {w for form in forms for atom, _ in form for w in words(atom)}
