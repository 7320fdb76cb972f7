"""A group as one region of one thread a point: everything in scalars (stencil-optimisation.md §3, overlapped tiles of
one point).
"""

from __future__ import annotations

from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody


def point_lines(group: Group, names: Locals) -> tuple[list[str], NestBody]:
    """The body of the region over the box of the group, and who wrote it (for its counts)."""
    body = NestBody(group, names, {i: i for i in group.program.iterators}, {})
    lines: list[str] = []
    for stage in group.stages:
        if any(v in group.stored for v in stage.writes):
            lines += body.root(stage, group.box)
    return lines, body
