"""Regions side by side in a routine, and whether a thread may go on to the next one before the others are done."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.effects.severalnames import SET
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.components import chains_from
from hfpy.analyze.regions.sharing import RoutineSharing, Sharing
from hfpy.model.expressions import Component, walk
from hfpy.model.source import SourceText
from hfpy.model.statements import Construct, Node
from hfpy.model.units import Routine
from hfpy.parse.text.physical import physical
from hfpy.values import dataclass


def side_by_side(nodes: tuple[Node, ...], source: SourceText) -> Iterator[tuple[Construct, ...]]:
    """The runs of two and more regions with nothing between them but comments, at any depth outside of regions."""
    run: list[Construct] = []
    for node in nodes:
        if isinstance(node, Construct) and node.kind == "region":
            if run and not _nothing_between(run[-1], node, source):
                yield from _several(run)
                run = []
            run.append(node)
            continue
        yield from _several(run)
        run = []
        for part in node.parts if isinstance(node, Construct) else ():
            yield from side_by_side(part.body, source)
    yield from _several(run)


def _several(run: list[Construct]) -> Iterator[tuple[Construct, ...]]:
    if len(run) > 1:
        yield tuple(run)


def _nothing_between(first: Construct, second: Construct, source: SourceText) -> bool:
    """Whether there are only blank lines and comments between two constructs of a file."""
    if first.end is None or first.end.line.file or second.header.line.file:
        return False
    rows = source.lines[first.end.line.last + 1 : second.header.line.first]
    return all(physical(row).kind in ("blank", "comment") for row in rows)


@dataclass(frozen=True)
class Touched:
    """The memory that a region reads and writes, without what each thread has for itself; ``unknown`` if it may touch
    more.
    """

    reads: frozenset[Identity]
    writes: frozenset[Identity]
    unknown: bool


def touched(facts: Facts, sharing: RoutineSharing, number: int, placed: Sharing) -> Touched:
    """What the threads of a region share, bounds of the loops included; ``placed`` is where its variables are."""
    key, body = sharing.routine.key, sharing.region(number).body
    own = {*placed.private, *body.region.iterators} - {*placed.firstprivate, *placed.lastprivate}
    reads: set[Identity] = set()
    writes: set[Identity] = set()
    unknown = not placed.complete
    for reference in sharing.effects.with_functions(body.references, key):
        name, _ = stands_for(reference.name, reference.at)
        if name in own and not _points(facts, name, key):
            continue
        found = _memory(facts, name, key) if name is not None else frozenset()
        found |= facts.storage.of_designator(reference.node, reference.at, key)
        for chain in chains_from(reference) if reference.component else ():
            parts = (e.name for e in walk(chain) if isinstance(e, Component))
            found = found.union(*(facts.storage.of_identity(component_object(part)) for part in parts))
        reading, writing = sharing.effects.of(reference, key)
        reads |= found if reading else frozenset()
        writes |= found if writing else frozenset()
    reductions = [r.name for r in body.region.reductions]
    for name in (*placed.firstprivate, *reductions, *body.region.bound_names):
        reads |= _memory(facts, name, key)
    for name in (*placed.lastprivate, *reductions):
        writes |= _memory(facts, name, key)
    for site in facts.graph.below(key):
        if number in site.at.regions and facts.live(site.at, key):
            unknown = unknown or not site.callee
            reads |= sharing.effects.mentioned_memory(site.callee)
            writes |= sharing.effects.changed_memory(site.callee)
            for identity, word in sharing.effects.touched(site.callee):  # by pointers, also in objects that it gets
                reads |= facts.storage.of_identity(identity)
                writes |= facts.storage.of_identity(identity) if word == SET else frozenset()
    return Touched(frozenset(reads), frozenset(writes), unknown)


def _points(facts: Facts, name: str, key: str) -> bool:
    """Whether a variable is a pointer: where each thread has its own, the target may still be there for all."""
    found = facts.scopes.variable(name, key)
    return found is not None and "pointer" in found.symbol.attributes


def _memory(facts: Facts, name: str, key: str) -> frozenset[Identity]:
    """What a variable of a routine may be in memory, with what ``common`` and ``equivalence`` join with it."""
    found = facts.scopes.variable(name, key)
    if found is None:
        return frozenset()
    joint = facts.storage.joint((found.home, found.symbol.name))
    return facts.storage.objects(name, key) | (frozenset() if joint is None else {joint})


def apart(facts: Facts, routine: Routine, first: Touched, second: Touched) -> bool:
    """Whether threads may be in two regions of a routine at the same time: what one of them writes the other does not
    touch, under any name.
    """
    if first.unknown or second.unknown:
        return False
    meet = facts.storage.meet
    if meet(first.writes, second.reads | second.writes) or meet(first.reads, second.writes):
        return False
    return not any(
        facts.storage.shared(one[1], other[1], routine.key)
        for one in first.writes | first.reads
        for other in second.writes | second.reads
        if one[0] == other[0] == routine.key and (one in first.writes or other in second.writes)
    )
