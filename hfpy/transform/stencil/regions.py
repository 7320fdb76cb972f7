"""A group as the text of one region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hfpy.analyze.bodies import words
from hfpy.analyze.sizes import Linear
from hfpy.transform.stencil.blocks import BlockWriter
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.points import point_lines
from hfpy.transform.stencil.program import Box
from hfpy.transform.stencil.text import bound


@dataclass(frozen=True)
class RegionText:
    """The lines of a region, and how it computes: ``points`` or ``blocks of N rows``; evaluations by stage number."""

    lines: tuple[str, ...]
    manner: str
    evaluations: dict[int, int]


def region_text(group: Group, names: Locals, target: str, indent: str, rows: int) -> RegionText:
    """The region that takes the place of a group's regions."""
    iterators = group.program.iterators
    sizes = [d.size for d in group.stages[0].region.region.domains]  # type: ignore[union-attr]
    commented = group.stages[0].region.header.line.comment
    template = group.stages[0].region.region.template  # type: ignore[union-attr]
    extra = [f"template({template})"] if template else []
    if target == "gpu" or len(iterators) < 2 or rows == 0:
        lines, body = point_lines(group, names)
        rest = _bounds(group.box, iterators)
        loops = [f"do {i} = {bound(s.lower)}, {bound(s.upper)}" for i, s in zip(iterators, group.box, strict=True)]
        made = list(region_lines(iterators, sizes, rest + extra, lines, loops if commented else [], target))
        return RegionText(tuple(indent + row for row in made), "points", dict(body.evaluations))
    code = BlockWriter(group, names, rows).write()
    counted = (code.block, *iterators[2:])
    strides = ",".join([str(rows), *("1" for _ in iterators[2:])])
    rest = [*_bounds(group.box[1:], counted), f"stride({strides})"]
    rest += [f"private({','.join(code.private)})"] if code.private else []
    loops = [f"do {i} = {bound(s.lower)}, {bound(s.upper)}" for i, s in zip(counted, group.box[1:], strict=True)]
    loops[0] += f", {rows}"
    made = list(region_lines(counted, sizes[1:], rest, code.lines, loops if commented else [], target))
    return RegionText(tuple(indent + row for row in made), f"blocks of {rows} rows", dict(code.evaluations))


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
