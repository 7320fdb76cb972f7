"""Which regions have rows that are worth a routine of their own (:mod:`hfpy.transform.regions.rowbodies`), and which
ones compilers make vectors of as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.vectors import goes_along_rows
from hfpy.model.directives import Region
from hfpy.model.expressions import names_in
from hfpy.model.statements import Assignment, Construct, Header, Jump, Node, OneLine, constructs, flatten, name_of
from hfpy.model.units import Routine
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.transform.regions.outline import Refused
from hfpy.transform.regions.regioncode import RegionCode

MOST_TURNS = 16


def straight_rows(facts: Facts, effects: Effects, routine: Routine, node: Construct, number: int) -> bool:
    """Whether compilers make vectors of a region's rows as they are: contiguous, and but for loops of few turns, which
    are unrolled, nothing than assignments. The loops collect values of a point; a loop that sets elements of arrays
    for all points is a sweep along a column.
    """
    region = node.region
    assert region is not None
    body = innermost_body(node, region)
    if any(number in s.at.regions for s in facts.graph.below(routine.key)):
        return False
    if len(region.domains) < 2 or any(isinstance(s, OneLine) for s in flatten(body)):
        return False
    if any(c.kind != "do" or not 0 < _unrolled(facts, routine, c) <= MOST_TURNS for c in constructs(body)):
        return False
    looped = {id(s) for c in constructs(body) for s in flatten(c.body)}
    for reference in facts.references[routine.key]:
        if id(reference.at.statement) in looped and reference.writes and _of_points(facts, routine, reference, region):
            return False
    inner = [own_nest(node.body, region.iterators)[-1].header] if region.loops else []
    names = [h.var for h in inner if isinstance(h, Header)] or region.iterators
    return any(goes_along_rows(facts, effects, routine, number, name) for name in names)


def check_row(
    facts: Facts,
    effects: Effects,
    routine: Routine,
    body: tuple[Node, ...],
    code: RegionCode,
    inner: str,
    loop: str,
) -> None:
    """Raises Refused unless a row of the region, the loop over ``inner`` with the construct name ``loop``, can be a
    routine, and gains by it as far as its statements tell: it goes along contiguous elements, and holds assignments,
    branches and loops of few turns.
    """
    _check_region(code.region, code, inner)
    _check_routine(facts, routine)
    _check_body(facts, routine, body, loop)
    if not goes_along_rows(facts, effects, routine, code.number, inner):
        raise Refused("the rows are not contiguous, or an array has two names")
    if any(code.number in s.at.regions for s in facts.graph.below(routine.key)):
        raise Refused("there are calls in the body")


def _of_points(facts: Facts, routine: Routine, reference: Reference, region: Region) -> bool:
    """Whether a reference has an index that differs from point to point."""
    plan = facts.plan_of(reference, routine.key)
    items = (plan.items if plan is not None else None) or reference.indices or ()
    return any({i} & set(region.iterators) if isinstance(i, str) else names_in(i) & {*region.iterators} for i in items)


def _unrolled(facts: Facts, routine: Routine, loop: Construct) -> int:
    """The turns of a loop with those of the loops in it; 0 where the number is not known."""
    inner = [_unrolled(facts, routine, c) for c in loop.body if isinstance(c, Construct)]
    return _turns(facts, routine, loop) * (min(inner) and max(inner) if inner else 1)


def _check_region(region: Region, code: RegionCode, inner: str) -> None:
    sharing = code.sharing
    if len(region.domains) < 2 or region.collapse >= len(region.domains) or region.vector:
        raise Refused("threads share all loops")
    if sharing.given:
        raise Refused("names are those of a 'select type' around the region")
    if sharing.firstprivate or sharing.lastprivate or sharing.heap or sharing.flags or not sharing.complete:
        raise Refused("values go into or out of the body")
    if inner not in region.iterators or len(code.loops) != len(region.domains):
        raise Refused("the loops go by blocks")


def _check_routine(facts: Facts, routine: Routine) -> None:
    hosts = list(_hosts(facts, routine))
    if not any(unit.spec.implicit_none for unit in hosts):
        raise Refused("there are implicit types")
    if any(unit.spec.statement_functions or unit.spec.types or unit.spec.interfaces for unit in hosts[:1]):
        raise Refused("the routine has definitions of its own")
    if any(word in routine.prefix for word in ("pure", "elemental")):
        raise Refused("the routine is pure")


def _hosts(facts: Facts, routine: Routine) -> Iterator[Routine]:
    """A routine and the units around it, from the inside."""
    unit: Routine | None = routine
    while unit is not None:
        yield unit
        unit = facts.application.routines.get(unit.host)


def _check_body(facts: Facts, routine: Routine, body: tuple[Node, ...], loop: str) -> None:
    """Raises Refused unless the body is made of assignments, branches and loops of few turns."""
    names = {loop, *map(name_of, constructs(body))}
    for construct in constructs(body):
        if construct.kind not in ("do", "if", "select"):
            raise Refused(f"there is a '{construct.kind}' in the body")
        if construct.kind == "do" and not 0 < _turns(facts, routine, construct) <= MOST_TURNS:
            raise Refused("a loop in the body has many turns, or a number of turns that is not known")
    for statement in flatten(body):
        action = statement.action if isinstance(statement, OneLine) else statement
        leaves = isinstance(action, Jump) and action.kind in ("exit", "cycle") and action.target not in names | {""}
        if leaves or (isinstance(action, Jump) and action.kind not in ("exit", "cycle", "@exit")):
            raise Refused("there is a jump out of the row")
        plain = isinstance(action, Assignment) and not action.pointer
        if not plain and not isinstance(action, Jump) and type(action).__name__ not in ("Header", "End"):
            raise Refused("there is more than assignments in the body")
        if statement.line.label or statement.line.file:
            raise Refused("there are labels or included lines in the body")


def _turns(facts: Facts, routine: Routine, loop: Construct) -> int:
    """How many turns a loop has; 0 where the number is not known."""
    header = loop.header
    if not isinstance(header, Header) or len(header.exprs) not in (2, 3) or header.line.label:
        return 0
    kinds = Kinds(facts.scopes, facts.application.options.kinds)
    values = [kinds.value(e, routine.key) for e in header.exprs]
    low, high, step = (*values, 1)[:3]
    if low is None or high is None or not step:
        return 0
    return (high - low + step) // step
