"""Two kernels that follow each other as one (kernel-metadata-and-transforms.md §2.3, ``fuse``).

In the program as it is all points of the first come before those of the second. As one kernel each point does what
both say, and points are in any order: no two points may meet in an element that one of the kernels sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from hfpy.analyze.dependence.model import Access
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.flow import Flow, FlowScan
from hfpy.analyze.loops.ordering import Ordering
from hfpy.analyze.nests.builder import build
from hfpy.analyze.nests.turns import across
from hfpy.model.directives import Region
from hfpy.model.names import without_home
from hfpy.model.statements import Construct, Jump, Node, OneLine, Statement, constructs, flatten
from hfpy.model.units import Routine
from hfpy.parse.statements.nests import innermost_body
from hfpy.parse.text.physical import preprocessed
from hfpy.transform.scripts.legality import Against, statement_of
from hfpy.transform.scripts.work import Work, lines_of
from hfpy.transform.stencil.fusion import WISHES, against, fused

# What a rule says; the words are in messages.
BEHIND = "the other kernel is right after this one, with comments alone between them"
POINTS = "both kernels have the same loops, with the same bounds, whatever the first one does"
SAID = "their directives can be one"
END = "each point of the first kernel goes to its end"
FREE = "nothing keeps the points in an order: no output, no stop, no procedure without source"
MEET = "no two points meet in an element that one of the kernels sets and the other one uses"
BETWEEN = "no scalar goes from one kernel to the other"
_POINTS = ("domains", "starts", "ends", "strides", "applies_to", "explicit")
_SCHEDULE = ("private", "schedule", "collapse", "template", "backend")


def check_behind(work: Work, key: str, number: int) -> None:
    """Whether a region and the next one of its routine are side by side. Raises Against."""
    routine = work.routine(key)
    first = routine.regions[number]
    if number + 1 >= len(routine.regions):
        raise Against(BEHIND, "there is no kernel after it")
    second = routine.regions[number + 1]
    if not _beside(routine, first, second):
        raise Against(BEHIND, "something else is between them", second.header)
    between = work.file(key).source.lines[lines_of(first)[1] + 1 : lines_of(second)[0]]
    if preprocessed(between):
        raise Against(BEHIND, "there is a line for the preprocessor between them", second.header)


def _beside(routine: Routine, first: Construct, second: Construct) -> bool:
    blocks = [routine.body, *(part.body for node in constructs(routine.body) for part in node.parts)]
    return any(one is first and other is second for block in blocks for one, other in pairwise(block))


def joined(work: Work, key: str, number: int, region: Region) -> Construct:
    """A region, whose directive is ``region`` by now, with the body of the next one after its own. Raises Against
    where their directives or their points differ.
    """
    first, second = work.routine(key).regions[number : number + 2]
    other = second.region
    assert other is not None
    if region.loops or other.loops:
        raise Against(POINTS, "the loops of one of them are written in its body", second.header)
    for name in _POINTS:
        if getattr(region, name) != getattr(other, name):
            raise Against(POINTS, "they differ in their loops or bounds", second.header)
    for name in _SCHEDULE:
        if getattr(region, name) != getattr(other, name):
            raise Against(SAID, f"they differ in what they say with '{name}'", second.header)
    scripts = tuple(hint for hint in region.hints if hint[0] == "transform")
    plain = replace(region, hints=tuple(hint for hint in region.hints if hint not in scripts))
    reason = "the directive of the other one asks for a script" if other.scripts else against([plain, other])
    own = dict(region.hints)
    for name, entries in other.hints:
        if name in WISHES and own.get(name) != entries:
            reason = f"they differ in what they say with '{name}'"
    if reason or "no" in (region.fusion, other.fusion):
        raise Against(SAID, reason or "one of them says fuse(no)", second.header)
    wishes = tuple(hint for hint in region.hints if hint[0] in WISHES)
    kept = ("loops", "stated", *_POINTS, *_SCHEDULE)
    made = fused([plain, other], **{name: getattr(region, name) for name in kept}, name=region.name)
    made = replace(made, hints=(*scripts, *made.hints, *wishes))
    body = (*first.parts[0].body, *second.parts[0].body)
    return replace(first, parts=(replace(first.parts[0], body=body),), region=made)


def check_parts(work: Work, key: str, number: int) -> None:
    """Whether each point may do what a region says and at once what the next one says, before they are joined: nothing
    leaves the first one, no scalar goes from one to the other. Raises Against.
    """
    first, second = (work.body(key, n) for n in (number, number + 1))
    for jump in _jumps(innermost_body(first.construct, first.region), False):
        raise Against(END, "this may leave the point", jump)
    nodes = [*innermost_body(first.construct, first.region), *innermost_body(second.construct, second.region)]
    kept = Ordering(work.application, work.facts.scopes, work.facts.graph).reason_in(key, nodes)
    if kept is not None:
        at = next((s for s in flatten(nodes) if s.line is kept.line), None)
        raise Against(FREE, f"one of them {kept.does}", at)
    flows = [_flow(work, body) for body in (first, second)]
    bounds = second.region.bound_names | {n for d in second.region.domains for n in d.extent.names}
    for name, reference in flows[0].written.items():
        if name in bounds:
            raise Against(POINTS, f"'{name}' is set here, a bound of the second kernel", reference.at.statement)
    for before, after in (flows, flows[::-1]):
        for name, reference in before.written.items():
            data = work.facts.object(name, key)
            if (data is None or not data.rank) and name in after.exposed:
                raise Against(BETWEEN, f"'{name}' goes from one kernel to the other", reference.at.statement)
    own = work.sharing(key)
    private = [set(own.region(n).place().private) for n in (number, number + 1)]
    for name in sorted({r.name for r in first.references} & {r.name for r in second.references}):
        data = work.facts.object(name, key)
        if data is not None and data.rank and (name in private[0]) != (name in private[1]):
            message = f"'{name}' is an array of each point's own in one kernel alone"
            raise Against(BETWEEN, message, second.construct.header)
    _check_names(work, first, second)


def check_points(work: Work, key: str, number: int, count: int, own: frozenset[str]) -> None:
    """Whether points of a region, whose first ``count`` nodes were a region of their own, meet in no element of which
    the two parts set one. ``own`` are arrays that each point has for itself in both. Raises Against.
    """
    body = work.body(key, number)
    nest = build(body, work.known(body), True)
    if nest is None:
        raise Against(MEET, "the kernels are too long to look into")
    place = len(nest.points)
    parts: tuple[list[Access], list[Access]] = ([], [])
    for access in nest.accesses:
        where = access.at.position[place]
        assert isinstance(where, int)
        if without_home(access.array) not in own:
            parts[where >= count].append(access)
    met = across(work.effects.engine.sets, nest, *parts)
    if met is not None:
        message = f"points meet in elements of '{without_home(met[0].array)}'"
        raise Against(MEET, message, statement_of(met[1], body.construct))


def private_in_both(work: Work, key: str, number: int) -> frozenset[str]:
    """The arrays that each point has for itself, in a region and in the next one."""
    own = work.sharing(key)
    first, second = (frozenset(own.region(n).place().private) for n in (number, number + 1))
    return first & second


def _jumps(nodes: tuple[Node, ...], looped: bool) -> Iterator[Statement]:
    """Statements that may leave a point; not those that leave a loop in it, or go to its next turn."""
    for node in nodes:
        if isinstance(node, Construct):
            for part in node.parts:
                yield from _jumps(part.body, looped or node.kind == "do")
            continue
        action: Statement = node
        while isinstance(action, OneLine):
            action = action.action
        if not isinstance(action, Jump) or action.kind == "continue":
            continue
        if not (looped and action.kind in ("exit", "cycle") and not action.target):
            yield node


def _flow(work: Work, body: RegionBody) -> Flow:
    scan = FlowScan(work.sharing(body.key).uses.all_effects)
    return scan.scan(innermost_body(body.construct, body.region))


def _check_names(work: Work, first: RegionBody, second: RegionBody) -> None:
    """No array that one of the kernels sets may be the memory of another one that the other kernel uses."""
    for one, other in ((first, second), (second, first)):
        for reference in one.references:
            if not work.effects.of(reference, one.key)[1]:
                continue
            for name in sorted({r.name for r in other.references} - {reference.name}):
                if work.facts.storage.shared(reference.name, name, one.key):
                    message = f"'{reference.name}' and '{name}' may be the same memory"
                    raise Against(MEET, message, reference.at.statement)
