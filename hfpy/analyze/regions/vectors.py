"""Where the innermost loop of a region may carry ``simd``: straight bodies with stride-one accesses."""

from __future__ import annotations

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias, stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import Sharing
from hfpy.model.directives import Region
from hfpy.model.expressions import Expr, Range, names_in
from hfpy.model.statements import Assignment, Construct, Header, Node, OneLine
from hfpy.model.units import Routine
from hfpy.parse.statements.nests import innermost_body
from hfpy.parse.text.macros import permutation


def simd_plan(
    facts: Facts,
    effects: Effects,
    routine: Routine,
    node: Construct,
    region: Region,
    sharing: Sharing,
    innermost: str = "",
) -> tuple[bool, tuple[str, ...]]:
    """Whether the innermost loop is marked ``simd``, and which scalars are private to a lane.

    ``innermost`` is the iterator of the innermost generated loop. Legal: the body holds assignments and ``if``
    blocks alone, no calls, no inner loops, no jumps; no value is carried.
    Worth it: every array that the iterator indexes has it in the place of stride one.
    """
    body = innermost_body(node, region)
    iterator = innermost or (region.iterators[0] if not region.loops else _innermost(node, region))
    if sharing.firstprivate or sharing.lastprivate or sharing.heap or not sharing.clean:
        return False, ()
    if region.reductions or sharing.flags or not _straight(body):
        return False, ()
    number = next(n for n, c in enumerate(_regions(routine)) if c is node)
    key = routine.key
    # Operators that the program defines are calls, too. GNU Fortran 12 makes wrong code of class dummies there.
    if any(number in site.at.regions for site in facts.graph.below(key)):
        return False, ()
    for reference in facts.references[key]:
        if number not in reference.at.regions or reference.at.loop_of == number:
            continue
        name, _ = resolve_alias(reference.name, reference.at)
        data = facts.object(name, key) if name is not None else None
        if data is None or not data.rank or reference.component:
            if data is not None and reference.component:
                return False, ()
            continue
        items = _items(facts, reference, key)
        if items is None or any(isinstance(i, Range) or i == ":" for i in items):
            return False, ()
        if not _stride_one(facts, data, items, iterator):
            return False, ()
    if _share_memory(facts, effects, key, number):
        return False, ()
    private = tuple(sorted(n for n in sharing.private if n not in region.iterators))
    arrays = [n for n in private if (d := facts.object(n, key)) is not None and d.rank]
    return not arrays, private


def _items(facts: Facts, reference: Reference, key: str) -> tuple[Expr | str, ...] | None:
    """The indices of a reference as the generated text has them, in declared order."""
    made = facts.plan_of(reference, key)
    return made.items if made is not None and made.items is not None else reference.indices


def _stride_one(facts: Facts, data: DataObject, items: tuple[Expr | str, ...], iterator: str) -> bool:
    """Whether indices have an iterator in the place of stride one, or not at all."""
    fastest = contiguous(facts, data)
    uses = (n for n, i in enumerate(items) if (i == iterator if isinstance(i, str) else iterator in names_in(i)))
    return fastest is not None and all(position == fastest for position in uses)


def contiguous(facts: Facts, data: DataObject) -> int | None:
    """The declared position of the dimension whose elements are beside each other in memory; None if a macro does not
    tell.
    """
    order = facts.order(data)
    if order.pieces and order.storage is not None:
        return order.storage[0]
    if order.permutation is not None:
        return order.permutation[0]
    if order.access_macro:
        places = permutation(order.access_macro, data.rank, dict(facts.application.macros))
        return places[0] if places is not None else None
    return 0


def goes_along_rows(facts: Facts, effects: Effects, routine: Routine, number: int, iterator: str) -> bool:
    """Whether an iterator of a region indexes arrays in the place of stride one alone, with no components among them,
    and no array that is written has another name in the region.
    """
    found = False
    for reference in facts.references[routine.key]:
        if number not in reference.at.regions or reference.at.loop_of == number:
            continue
        name, _ = resolve_alias(reference.name, reference.at)
        data = facts.object(name, routine.key) if name is not None else None
        if reference.component:
            return False
        if data is None or not data.rank:
            continue
        items = _items(facts, reference, routine.key) or ()  # none: the whole array
        if not _stride_one(facts, data, items, iterator):
            return False
        found = found or any(i == iterator if isinstance(i, str) else iterator in names_in(i) for i in items)
    return found and not _share_memory(facts, effects, routine.key, number)


def _share_memory(facts: Facts, effects: Effects, key: str, number: int) -> bool:
    """Whether an array that the region writes may have another name in it."""
    names: set[str] = set()
    written: set[str] = set()
    for reference in effects.with_functions(facts.references[key], key):
        name = stands_for(reference.name, reference.at)[0] if number in reference.at.regions else None
        data = facts.object(name, key) if name is not None else None
        if name is not None and data is not None and data.rank:
            names.add(name)
            written |= {name} if effects.of(reference, key)[1] else set()
    return any(facts.storage.shared(w, n, key) for w in written for n in names - {w})


def _regions(routine: Routine) -> tuple[Construct, ...]:
    from hfpy.analyze.language.context import regions_of

    return regions_of(routine)


def _innermost(node: Construct, region: Region) -> str:
    from hfpy.parse.statements.nests import own_nest

    header = own_nest(node.body, region.iterators)[-1].header
    return header.var if isinstance(header, Header) else region.iterators[0]


def _straight(nodes: tuple[Node, ...]) -> bool:
    for node in nodes:
        if isinstance(node, Construct):
            if node.kind != "if" or not all(_straight(p.body) for p in node.parts):
                return False
        elif isinstance(node, OneLine):
            if node.kind != "if" or not isinstance(node.action, Assignment) or node.action.pointer:
                return False
        elif not isinstance(node, Assignment) or node.pointer:
            return False
    return True
