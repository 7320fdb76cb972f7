"""A group as one region of one thread a point, or a few of them: everything in scalars (stencil-optimisation.md §3,
overlapped tiles of one point; §5 for several points a thread).
"""

from __future__ import annotations

from itertools import product

from hfpy.model.building import name
from hfpy.model.statements import Node
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.nests import NestBody
from hfpy.transform.stencil.program import Offset


def point_nodes(group: Group, names: Locals) -> tuple[list[Node], NestBody]:
    """The body of the region over the box of the group, and who wrote it (for its counts). What ``unroll`` adds to a
    point is under conditions, since the last points may be missing.
    """
    body = NestBody(group, names, {i: name(i) for i in group.program.iterators}, {})
    nodes: list[Node] = []
    for stage in group.stages:
        if any(v in group.stored for v in stage.writes):
            for at in copies(group):
                nodes += body.root(stage, group.box, at)
    return nodes, body


def copies(group: Group) -> list[Offset]:
    """The points of one turn, relative to its first."""
    factors = [group.wishes.unroll.get(i, 1) for i in group.program.iterators]
    return sorted(product(*(range(f) for f in factors)))
