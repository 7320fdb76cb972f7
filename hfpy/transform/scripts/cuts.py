"""When a loop in a kernel's body may be cut in two, when a scalar may become an array over a loop, and what goes from
turn to turn (kernel-metadata-and-transforms.md §2.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hfpy.analyze.dependence.forms import Index
from hfpy.analyze.dependence.model import Nest
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.flow import Flow, FlowScan
from hfpy.analyze.nests.builder import build
from hfpy.analyze.nests.turns import against_order, index_of, shared
from hfpy.model.expressions import Binary, Literal, Name, Paren, Unary, walk
from hfpy.model.names import without_home
from hfpy.model.statements import Construct, Header, Jump, Node, OneLine, Statement, flatten
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.scripts.legality import (
    SCALARS,
    SIMPLE,
    Against,
    check_bounds,
    check_memory,
    check_no_calls,
    check_simple,
    inside,
    statement_of,
)
from hfpy.transform.scripts.loops import Loop
from hfpy.transform.scripts.work import Work

# What a rule says; the words are in messages.
PARTS = "no value goes from the second part of a turn to the first part of a later one"
BETWEEN = "no scalar goes from one part to the other; expand gives each turn its own"
OWN = "the variable is a number or a logical value that is private to the point"
BEHIND = "the second loop is right after the first"
TURNS = "both loops have the same turns, whatever the first one does"
DECLARED = "the loop has the step 1, and bounds of numbers, constants and arguments with intent(in)"
Way = list[tuple[tuple[Node, ...], int, Construct]]
_TYPES = ("integer", "real", "logical", "complex")


def check_fission(work: Work, key: str, number: int, loop: Construct, count: int) -> None:
    """Whether the first statements of a loop, so many, may be done for all turns before the others. Raises Against."""
    check_simple(loop)
    check_no_calls(work, key, loop)
    check_bounds((loop,), loop)
    body, nodes = work.body(key, number), loop.parts[0].body
    _check_scalars(work, body, loop, nodes[:count], nodes[count:])
    check_memory(work, body, loop)
    nest = _nest(work, body, loop)
    first, second = _statements(nodes[:count]), _statements(nodes[count:])
    for array, index in _arrays(nest, loop):
        accesses = [a for a in nest.of(array) if index_of(a, loop) == index]
        parts = [[a for a in accesses if id(statement_of(a, loop)) in of] for of in (first, second)]
        if sum(map(len, parts)) < len(accesses):
            raise Against(PARTS, f"'{without_home(array)}' is used in a way that is not understood", loop.header)
        met = against_order(work.effects.engine.sets, nest, array, index, *parts)
        if met is not None:
            message = f"elements of '{without_home(array)}' would be used in another order"
            raise Against(PARTS, message, statement_of(met[0], loop))


def check_neighbours(work: Work, key: str, number: int, first: Loop, second: Loop) -> None:
    """Whether two loops are one right after the other, with the same turns. Raises Against."""
    one, other = first.construct, second.construct
    assert one is not None and other is not None
    header, later = one.header, other.header
    assert isinstance(header, Header) and isinstance(later, Header)
    if not _next(work.routine(key).regions[number], one, other):
        raise Against(BEHIND, f"'{second.name}' is not right after '{first.name}'", later)
    if (first.lower, first.upper, first.step) != (second.lower, second.upper, second.step):
        raise Against(TURNS, f"'{first.name}' and '{second.name}' have other bounds", later)
    for loop in (one, other):
        check_simple(loop)
        check_bounds((loop,), loop)
        if any(isinstance(s, Header) and s.var == header.var for s in flatten(loop.parts[0].body)):
            raise Against(TURNS, f"there is another loop over '{header.var}' in one of them", loop.header)
    read = {n.name for e in later.exprs for n in walk(e) if isinstance(n, Name)}
    changed = read & _flow(work, work.body(key, number), (one,)).written.keys()
    if changed:
        raise Against(TURNS, f"'{first.name}' sets '{min(changed)}', a bound of '{second.name}'", later)


def _next(node: Construct, one: Construct, other: Construct) -> bool:
    """Whether a construct is right after another one somewhere in a region."""
    for part in node.parts:
        if any(a is one and b is other for a, b in pairwise(part.body)):
            return True
        if any(_next(inner, one, other) for inner in part.body if isinstance(inner, Construct)):
            return True
    return False


def check_privatise(work: Work, key: str, number: int, loop: Construct, name: str) -> None:
    """Whether a scalar may be another one within a loop: no value of it goes in or out. Raises Against."""
    body = work.body(key, number)
    nodes = innermost_body(body.construct, body.region)
    jump = next((s for s in flatten(nodes) if isinstance(s, Jump)), None)
    if jump is not None:
        raise Against(SIMPLE, "there is a jump in the kernel", jump)
    _check_own(work, body, loop, name, _way_to(nodes, loop))


def _way_to(nodes: tuple[Node, ...], loop: Construct) -> Way:
    """The blocks around a loop, the innermost first: the nodes of each, which of them has the loop, or is it."""
    for place, node in enumerate(nodes):
        if node is loop:
            return [(nodes, place, loop)]
        for part in node.parts if isinstance(node, Construct) else ():
            found = _way_to(part.body, loop)
            if found and isinstance(node, Construct):
                return [*found, (nodes, place, node)]
    return []


def _value_behind(work: Work, body: RegionBody, way: Way, name: str) -> Statement | None:
    """A statement that may read what a loop has left in a variable: after it, or before it in a later turn of a loop
    around it.
    """
    for level, (nodes, place, _) in enumerate(way):
        rest = _flow(work, body, nodes[place + 1 :])
        if name in rest.exposed:
            return rest.exposed[name].at.statement
        if name in rest.certain:
            return None  # set anew, whichever way it goes on
        around = way[level + 1][0][way[level + 1][1]] if level + 1 < len(way) else None
        if isinstance(around, Construct) and around.kind == "do":
            before = _flow(work, body, nodes[:place])
            if name in before.exposed:
                return before.exposed[name].at.statement
    return None


def _check_own(work: Work, body: RegionBody, loop: Construct, name: str, way: Way | None = None) -> None:
    """A scalar is private to the point, each turn of a loop sets it before it reads it, and what the loop leaves in it
    is not read; without the ``way`` to the loop, it may not be read outside at all. Raises Against.
    """
    check_no_calls(work, body.key, loop)
    header = loop.header
    assert isinstance(header, Header)
    data = work.facts.object(name, body.key)
    flow = _flow(work, body, loop.parts[0].body)
    written = flow.written.get(name)
    if data is None or data.rank or data.symbol.type.base not in _TYPES or written is None:
        raise Against(OWN, f"'{name}' is no scalar that the loop over '{header.var}' sets", header)
    if any(isinstance(s, Header) and s.var == name for s in flatten((loop,))):
        raise Against(OWN, f"'{name}' is the variable of a loop", written.at.statement)
    if name in flow.exposed:
        raise Against(SCALARS, f"'{name}' goes from one turn to the next", flow.exposed[name].at.statement)
    behind = _value_behind(work, body, way, name) if way is not None else _read_outside(body, loop, name)
    if behind is not None:
        raise Against(SCALARS, f"'{name}' is read after the loop", behind)
    if name not in work.sharing(body.key).region(body.identity.number).place().private:
        raise Against(OWN, f"'{name}' is not private to the point", written.at.statement)


def check_expand(work: Work, key: str, number: int, loop: Construct, name: str) -> None:
    """Whether a scalar may become an array with an element for each turn of a loop. Raises Against."""
    body, header = work.body(key, number), loop.header
    assert isinstance(header, Header)
    _check_own(work, body, loop, name)
    if len(header.exprs) > 2:
        raise Against(DECLARED, f"the loop over '{header.var}' has a step", header)
    for node in (n for e in header.exprs for n in walk(e)):
        known = isinstance(node, (Literal, Paren, Unary, Binary))
        if not known and not (isinstance(node, Name) and _fixed(work, key, node.name)):
            raise Against(DECLARED, f"a bound of the loop over '{header.var}' may change in the routine", header)


def carried(work: Work, key: str, number: int, loop: Construct) -> Iterator[str]:
    """The arrays and scalars by which a turn of a loop depends on another one, and those of which that is not known.
    Raises Against for a loop that cannot be looked into.
    """
    body = work.body(key, number)
    check_simple(loop)
    flow = _flow(work, body, loop.parts[0].body)
    for name in flow.written:
        data = work.facts.object(name, key)
        if name in flow.exposed and (data is None or not data.rank):
            yield name
    nest = _nest(work, body, loop)
    for array in dict.fromkeys(a for a, _ in _arrays(nest, loop)):
        indices = {index for a, index in _arrays(nest, loop) if a == array}
        if any(shared(work.effects.engine.sets, nest, array, (index,)) is not None for index in indices):
            yield without_home(array)


def sets(work: Work, key: str, number: int, node: Node, name: str) -> bool:
    """Whether a node of a region's body sets a variable."""
    return name in _flow(work, work.body(key, number), (node,)).written


def _check_scalars(
    work: Work, body: RegionBody, loop: Construct, first: tuple[Node, ...], second: tuple[Node, ...]
) -> None:
    one, other = _flow(work, body, first), _flow(work, body, second)
    for before, after in ((one, other), (other, one)):
        for name, reference in before.written.items():
            data = work.facts.object(name, body.key)
            if data is not None and data.rank:
                continue
            if name in after.exposed:
                raise Against(BETWEEN, f"'{name}' goes from one part to the other", reference.at.statement)
            private = name in work.sharing(body.key).region(body.identity.number).place().private
            if name in after.written and not (private and _read_outside(body, loop, name) is None):
                raise Against(
                    SCALARS, f"'{name}', which both parts set, is read after the loop", reference.at.statement
                )


def _flow(work: Work, body: RegionBody, nodes: tuple[Node, ...]) -> Flow:
    return FlowScan(work.sharing(body.key).uses.all_effects).scan(nodes)


def _read_outside(body: RegionBody, loop: Construct, name: str) -> Statement | None:
    """A statement of a region, outside of a loop, that may read a variable."""
    found = (r.at.statement for r in body.references_of(name) if r.role != "write" and not inside(r.at, loop))
    return next(found, None)


def _nest(work: Work, body: RegionBody, loop: Construct) -> Nest:
    nest = build(body, work.known(body), True)
    if nest is None:
        raise Against(PARTS, "the kernel is too long to look into", loop.header)
    return nest


def _arrays(nest: Nest, loop: Construct) -> Iterator[tuple[str, Index]]:
    """The arrays that something in a loop sets, each with the index that the loop has for it."""
    found: dict[tuple[str, Index], bool] = {}
    for access in nest.accesses:
        index = index_of(access, loop)
        if index is not None and (access.subscripts or not access.exact):
            place = (access.array, index)
            found[place] = found.get(place, False) or access.write
    yield from (place for place, written in found.items() if written)


def _statements(nodes: Sequence[Node]) -> frozenset[int]:
    """The identities of all statements in some nodes, those after one-line conditions included."""
    found = set()
    for statement in flatten(tuple(nodes)):
        found.add(id(statement))
        if isinstance(statement, OneLine):
            found.add(id(statement.action))
    return frozenset(found)


def _fixed(work: Work, key: str, name: str) -> bool:
    """Whether a name has one value in a routine: a named constant, or an argument with intent(in)."""
    variable = work.facts.scopes.variable(name, key)
    return variable is not None and (variable.symbol.constant or variable.symbol.intent == "in")
