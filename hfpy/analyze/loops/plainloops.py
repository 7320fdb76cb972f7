"""Loops of plain code that may become regions: all ``do`` loops with a variable, but for those with a reason against.

What the points of such a region do to each other is for the dependence engine to say; here are the reasons that lie in
the loop's own statements (automatic.md §3).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.callgraph.work import WORTH, turns_of
from hfpy.analyze.directives.offloaded import OFFLOADING
from hfpy.analyze.directives.threadsaround import shared_by_number
from hfpy.analyze.facts import backend_of
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.loops.loopregions import (
    ON_ITS_LINES,
    NotTaken,
    World,
    on_its_lines,
    perfect_nest,
    separable,
    serial_reason,
)
from hfpy.analyze.loops.ordering import Obstacle, Ordering
from hfpy.analyze.loops.parallelloops import Candidate, concurrent_candidate, loop_end
from hfpy.model.expressions import Range
from hfpy.model.source import LogicalLine
from hfpy.model.statements import LOOPS, Assignment, Call, Construct, Header, Node, OneLine, constructs, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.text.sentinels import NUMBER, OwnDirective, own_directives_in
from hfpy.values import dataclass

_DIRECTIVES = "directives of yours are around it or in it"
_LITTLE = "too little to do for threads"
_REGIONS = ("region", "nest", "columns")


@dataclass(frozen=True)
class Serial:
    """A loop that stays as it is: why, and the line that tells it. ``shared`` are the words that others with the same
    reason have, where there are such words, ``cure`` says what helps, ``ordered`` that what it does keeps its turns in
    order, and ``tried`` that it can be looked at as a region, as if the reason were cured.
    """

    loop: Construct
    why: str
    line: LogicalLine
    shared: str = ""
    cure: str = ""
    ordered: bool = False
    tried: bool = False

    @property
    def obstacle(self) -> Obstacle:
        """What is in the way, as other loops that one cure frees have it."""
        return Obstacle(self.shared or self.why, self.cure, said=self.why)


def plain_loops(
    index: FileIndex,
    world: World,
    ordering: Ordering,
    kinds: Kinds,
    target: str,
    drops: bool,
    asking: frozenset[str] = NUMBER,
) -> Iterator[Candidate | Serial]:
    """The loops of a routine outside of regions, in the order of the text, each as a candidate or with a reason.
    ``drops`` says that the user's own directives are dropped, ``asking`` are the names of the function that gives the
    number of a thread.
    """
    routine = world.routine
    listed = [] if drops else _directives(index, world)
    numbered = shared_by_number(index, routine, asking) if drops else []
    on_device = next((d for d in listed if _makes_device_code(d, world)), None)
    open_ = [*_open_around(listed), *_with_directives(routine, listed)]
    impure = bool({"pure", "elemental"} & {*routine.prefix}) and "impure" not in routine.prefix
    together = {id(loop) for e in world.endings if not separable(index, e) for loop in e.loops[1:]}
    for loop in _outside(routine.body):
        line = loop.header.line
        if line.file:
            continue  # in an included file, which other files may include, too
        why = shared = cure = ""
        if impure:
            why, cure = "a pure procedure can hold no directives", "take 'pure' or 'elemental' away"
        elif reason := serial_reason(loop):
            why, shared = f"you call it serial: {reason}", "you call it serial"
        elif loop.kind == "dowhile":
            why, cure = "how many turns it has is known at its end only", "let it count, if the number is known before"
        elif loop.kind == "do" and not (isinstance(loop.header, Header) and loop.header.var):
            why, cure = "it has no variable", "let it count, if the number of turns is known before"
        elif on_its_lines(index, loop):
            why = shared = ON_ITS_LINES
            cure = "give it lines of its own"
        elif id(loop) in together:
            shared, cure = "it ends in the line in which the loop around it ends", "give it an 'end do' of its own"
            why = f"{shared}: {cure}"
        elif on_device:
            why = shared = f"by your '{on_device.name}' the device runs this routine"
            cure = "--drop-directives takes out what calls it there"
        elif _among(loop, listed, open_):
            shared, cure = _DIRECTIVES, "--drop-directives takes them out"
            why = f"{shared} ({cure})"
        elif any(first < line.first <= last for first, last in numbered):
            why = shared = "your threads share out work by their numbers here"
            cure = "share it out by a loop ('!$omp do')"
        elif target == "cpu" and (work := _work(world, kinds, loop)) is not None and work < WORTH:
            why, shared = f"{_LITTLE}: about {work} statements", _LITTLE
        if why:
            yield Serial(loop, why, line, shared, cure, tried=impure or shared == _DIRECTIVES)
        elif (ordered := ordering.reason(routine.key, loop)) is not None:
            yield Serial(loop, ordered.why, ordered.line, ordered=True, tried=True)
        else:
            yield candidate_of(world, loop)


def candidate_of(world: World, loop: Construct) -> Candidate | Serial:
    """A loop as a candidate. What ``do concurrent`` promises is not believed."""
    if loop.kind == "do":
        return Candidate(loop, (), loop.header.line.first, most=len(perfect_nest(loop, 15)), stated=False)
    try:
        return replace(concurrent_candidate(world, loop), stated=False)
    except NotTaken as fault:
        return Serial(loop, fault.message, loop.header.line)


def _outside(nodes: tuple[Node, ...]) -> Iterator[Construct]:
    """The loops outside of regions, outer ones first."""
    for node in nodes:
        if isinstance(node, Construct) and node.kind not in _REGIONS:
            holds = any(c.kind in _REGIONS for c in constructs(node.body))
            if node.kind in ("do", "dowhile", "doconcurrent") and not holds:
                yield node
            for part in node.parts:
                yield from _outside(part.body)


# -- directives of the user's


def _directives(index: FileIndex, world: World) -> list[OwnDirective]:
    """The directives of OpenMP and OpenACC in a routine; none where they are dropped anyway."""
    routine = world.routine
    unit = index.units[routine.unit]
    behind = index.lines[unit.contains if unit.contains >= 0 else unit.last].first
    rows = index.rows
    return list(own_directives_in(rows, routine.header.last + 1, behind, index.fixed))


def _makes_device_code(directive: OwnDirective, world: World) -> bool:
    """Whether a directive makes a routine one for the device, and is of the kind that the backend writes there."""
    sentinel = OFFLOADING.get(backend_of(world.scopes.application, world.routine.key))
    of_routines = (("routine",), ("declare", "target"))
    others = any(c.name in ("", "to", "link", "enter") for c in directive.clauses)  # it lists names
    return directive.sentinel == sentinel and directive.words in of_routines and not others


def _open_around(listed: list[OwnDirective]) -> list[tuple[int, int]]:
    """First and last lines of the user's blocks of directives."""
    found: list[tuple[int, int]] = []
    opened: list[OwnDirective] = []
    for directive in listed:
        if directive.ends:
            while opened and opened[-1].words != directive.words[1:]:
                opened.pop()
            if opened:
                found.append((opened.pop().first, directive.first))
        elif directive.sentinel:
            opened.append(directive)
    return found


def _with_directives(routine: Routine, listed: list[OwnDirective]) -> list[tuple[int, int]]:
    """The lines from a directive for the loop that comes next to the end of that loop."""
    if not listed:
        return []
    rows = sorted(s.line.first for s in flatten(routine.body))
    next_row = {d: bisect(rows, d.last) for d in listed if d.for_loop and not d.ends}
    begins = {rows[n]: d.first for d, n in next_row.items() if n < len(rows)}
    loops = (c for c in constructs(routine.body) if c.kind in LOOPS and c.header.line.first in begins)
    return [(begins[c.header.line.first], loop_end(c)) for c in loops]


def _among(loop: Construct, listed: list[OwnDirective], blocks: list[tuple[int, int]]) -> bool:
    """Whether directives are in a loop or around it, or it is one of those that blocks of lines hold."""
    first, last = loop.header.line.first, loop_end(loop)
    return any(first <= d.first <= last for d in listed) or any(a < first <= b for a, b in blocks)


# -- work


def _work(world: World, kinds: Kinds, loop: Construct) -> int | None:
    """How many statements a loop executes, or None where that is not known or a routine is called."""
    trips = _trips(world, kinds, loop)
    inside = 0
    for node in loop.body:
        more = _cost(world, kinds, node)
        if more is None:
            return None
        inside += more
    return None if trips is None else trips * inside


def _cost(world: World, kinds: Kinds, node: Node) -> int | None:
    if not isinstance(node, Construct):
        action = node.action if isinstance(node, OneLine) else node
        scalar = isinstance(action, Assignment) and not _whole(world, action)
        return 1 if scalar or (not isinstance(action, Assignment) and not _calls(node)) else None
    if node.kind in ("do", "doconcurrent"):
        return _work(world, kinds, node)
    costs = [_cost(world, kinds, inner) for part in node.parts for inner in part.body]
    known = [c for c in costs if c is not None]
    return sum(known) + 1 if len(known) == len(costs) else None


def _whole(world: World, action: Assignment) -> bool:
    """Whether an assignment may set more than one element."""
    references = (r for r in world.references if r.at.statement is action and r.role == "write")
    for reference in references:
        found = world.scopes.variable(reference.name, world.routine.key)
        scalar = found is not None and not found.symbol.rank
        indexed = reference.indices is not None and not any(isinstance(i, Range) for i in reference.indices)
        if not scalar and not indexed:
            return True
    return False


def _calls(node: Node) -> bool:
    return any(isinstance(s, Call) for s in flatten([node]))


def _trips(world: World, kinds: Kinds, loop: Construct) -> int | None:
    return turns_of(kinds, world.routine.key, loop)
