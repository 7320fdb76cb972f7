"""Regions that bring their own loops: the body begins with the ``do`` nest over the region's iterators.

That nest is then taken as the loops instead of adding them, so that the file stays valid Fortran
for a plain compiler (the comment spelling of directives).
"""

from __future__ import annotations

from dataclasses import replace

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment, without_places
from hfpy.model.statements import Construct, Header, Node, Statement, within
from hfpy.parse.expressions.fragments import ONE, piece


def own_nest(body: tuple[Node, ...], iterators: tuple[str, ...]) -> list[Construct]:
    """The ``do`` constructs at the beginning of a body that loop over the iterators, outermost first.

    The list is complete (one loop an iterator) or empty.
    """
    loops: list[Construct] = []
    wanted = set(iterators)
    nodes = body
    while wanted:
        if not nodes or not isinstance(nodes[0], Construct) or nodes[0].kind != "do":
            return []
        header = nodes[0].header
        if not isinstance(header, Header) or header.var not in wanted:
            return []
        wanted.discard(header.var)
        loops.append(nodes[0])
        nodes = within(nodes[0])
    return loops


def innermost_body(construct: Construct, region: Region) -> tuple[Node, ...]:
    """What is executed for one point: the region's body, or that of its own innermost loop."""
    if not region.loops:
        return construct.body
    loops = own_nest(construct.body, region.iterators)
    return loops[-1].body


def take_loops(construct: Construct, region: Region, file: str) -> tuple[Region, list[Diagnostic]]:
    """The region with its loops taken from the body, if the body begins with them.

    Errors: a region in a comment without its nest; code beside the nest; a nest that is not perfect; a step; bounds
    that
    contradict ``startAt``/``endAt``.
    """
    loops = own_nest(construct.body, region.iterators)
    if not loops:
        if region.line.comment:
            hint = "begin the region with 'do' loops over its iterators, last name outermost"
            message = "a region in a comment needs its own loops"
            return region, [error("HF213", message, region.place, hint)]
        return region, []
    problems: list[Diagnostic] = []
    nodes = construct.body
    for loop in loops:
        rest = [n for n in nodes if n is not loop]
        if rest:
            first = rest[0].header if isinstance(rest[0], Construct) else rest[0]
            assert isinstance(first, Statement)
            message = "code beside the loop nest of a region"
            problems.append(
                error("HF213", message, first.line.place(file), "move it into the innermost loop or out of the region")
            )
        nodes = within(loop)
    bounds: dict[str, tuple[Fragment, Fragment]] = {}
    for loop in loops:
        header = loop.header
        assert isinstance(header, Header)
        text = header.line.text
        lower, upper, *steps = (piece(text, e) for e in header.exprs)
        bounds[header.var] = (lower, upper)
        if header.serial:
            message = f"the loop over '{header.var}' is the region's, and you call it serial: {header.serial}"
            problems.append(
                error("HF213", message, header.line.place(file), "leave it out of domName, or @serial away")
            )
        problems += _other_bounds(region, header, lower, upper, file)
        for step in (s for s in steps if s != ONE):
            index = region.iterators.index(header.var)
            strides = list(region.strides or (ONE,) * len(region.domains))
            given = strides[index]
            if given != ONE and without_places(given.expr) != without_places(step.expr):
                problems.append(error("HF213", "the loop's step is not the region's stride", header.line.place(file)))
            strides[index] = step
            region = replace(region, strides=tuple(strides))
    return (
        replace(
            region,
            starts=tuple(bounds[i][0] for i in region.iterators),
            ends=tuple(bounds[i][1] for i in region.iterators),
            loops=True,
        ),
        problems,
    )


def _other_bounds(region: Region, header: Header, lower: Fragment, upper: Fragment, file: str) -> list[Diagnostic]:
    """An error where ``startAt`` or ``endAt`` say something else than the loop over an iterator."""
    index = region.iterators.index(header.var)
    found = []
    for attribute, said, there in (("startAt", region.starts, lower), ("endAt", region.ends, upper)):
        if attribute.lower() in region.stated and without_places(said[index].expr) != without_places(there.expr):
            message = f"the loop over '{header.var}' has the bound {there}, '{attribute}' says {said[index]}"
            hint = f"write the same in both, or leave out '{attribute}': the loops have their bounds"
            found.append(error("HF213", message, header.line.place(file), hint))
    return found
