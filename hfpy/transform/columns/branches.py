"""Branches with calls or loops, or with much work: the columns that take a side are put side by side, computed, and put
back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hfpy.model.building import Maker, apply, binary, name, negated, number, plus
from hfpy.model.expressions import Apply, Expr, Name, children, walk, without_places
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, Construct, Node, OneLine, Statement, expressions, sides
from hfpy.transform.columns.common import LANE, Lanes, calls, in_lane, line_of, named, refused
from hfpy.transform.columns.library import MUCH, costly
from hfpy.transform.columns.varying import loop_variables
from hfpy.transform.passes import Refused
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.transform.columns.statements import BodyWriter


def compressed(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> tuple[Node, ...]:
    """What becomes of a branch whose condition varies. Raises Refused for branches of more than two sides."""
    line = line_of(node)
    found = sides(node)
    if found is None:
        raise refused("there is an 'else if' with calls or loops in it", line.place(writer.routine.file))
    condition, bodies = found
    writer.made += 1
    mask = in_lane(writer.names.array(f"mask_{writer.made}", "", "logical", f"0:{writer.width - 1}"))
    out = lanes.loop([Maker(line).assign(mask, writer.expression(condition, line, lanes))])
    for body, test in zip(bodies, (mask, negated(mask)), strict=False):
        if body:
            out += _side(writer, body, test, lanes)
    return out


def rare(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> tuple[Node, ...] | None:
    """What becomes of a branch one of whose sides costs much: it is computed for the columns that take it, unless more
    than half of them do. None for other branches, and where the columns of a side cannot be put side by side.
    """
    found = sides(node)
    if found is None or calls((node,)) or loop_variables((node,)):
        return None
    condition, bodies = found
    costs = [costly(writer.analysis.plain(writer.routine, body)) for body in bodies]
    if max(costs) < MUCH or min(costs[1:], default=0.0) >= MUCH <= costs[0] or not _apart(writer, node, lanes):
        return None
    place = int(costs[0] < MUCH)  # of the side that costs much
    make = Maker(line_of(node))
    writer.made += 1
    mask = in_lane(writer.names.array(f"mask_{writer.made}", "", "logical", f"0:{writer.width - 1}"))
    taken = mask if place == 0 else negated(mask)
    count = name(writer.names.scalar("active", f"_{writer.made}", "integer"))
    lane_at = writer.names.array(f"lane_{writer.made}", "", "integer", f"0:{writer.width - 1}")
    listed = [make.assign(apply(lane_at, [count]), name(LANE)), make.only_if(taken, make.assign(count, plus(count, 1)))]
    few = [*_computed(writer, bodies[place], lanes, count.name, lane_at)]
    other = bodies[1 - place] if len(bodies) > 1 else ()
    if other:
        few += lanes.loop(make.branch(mask if place else negated(mask), writer.inside(other, lanes)))
    many = lanes.loop(list(writer.in_lane(node, lanes)))
    half = binary(binary(number(2), "*", count), ">", name(lanes.count))
    return (
        *lanes.loop([make.assign(mask, writer.expression(condition, line_of(node), lanes))]),
        make.assign(count, number(0)),
        *lanes.loop(listed),
        make.branches([make.side(half, many), make.side(None, few, first=False)]),
    )


def _apart(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> bool:
    """Whether the columns of each side can be put side by side."""
    found = sides(node)
    try:
        used = [use for body in (found[1] if found is not None else ()) for use in _used(writer, body).values()]
        for use in used:
            _at(writer, use.expr, use.line, lanes, number(0))
    except Refused:
        return False
    return True


def _side(writer: BodyWriter, side: tuple[Node, ...], test: Expr, lanes: Lanes) -> tuple[Node, ...]:
    make = Maker(line_of(side[0]))
    if not calls(side) and not loop_variables(side):
        return lanes.loop(make.branch(test, writer.inside(side, lanes)))
    writer.made += 1
    count = name(writer.names.scalar("active", f"_{writer.made}", "integer"))
    lane_at = writer.names.array(f"lane_{writer.made}", "", "integer", f"0:{writer.width - 1}")
    listed = (make.assign(apply(lane_at, [count]), name(LANE)), make.assign(count, plus(count, 1)))
    out = (make.assign(count, number(0)), *lanes.loop(make.branch(test, listed)))
    return (*out, *_computed(writer, side, lanes, count.name, lane_at))


def _computed(writer: BodyWriter, side: tuple[Node, ...], lanes: Lanes, count: str, lane_at: str) -> tuple[Node, ...]:
    """A side for so many columns, whose lanes are listed in an array."""
    here = replace(lanes, count=count, instead={}, results={})
    instead: dict[Expr, str] = {}
    gather: list[Node] = []
    scatter: list[Node] = []
    for key, use in _used(writer, side).items():
        called = named(use.expr)
        instead[key] = writer.room(called, writer.variables.type_text(called))
        element, room = _at(writer, use.expr, use.line, lanes, in_lane(lane_at)), in_lane(instead[key])
        gather += [] if use.first_set else [Maker(use.line).assign(room, element)]
        scatter += [Maker(use.line).assign(element, room)] if use.changed else []
    inner = writer.block(side, replace(here, instead=instead))
    body = (*here.loop(gather), *inner, *here.loop(scatter))
    return Maker(line_of(side[0])).branch(binary(name(count), ">", number(0)), body)


def _at(writer: BodyWriter, expr: Expr, line: LogicalLine, lanes: Lanes, lane: Expr) -> Expr:
    """A reference in another lane."""
    called = named(expr)
    outer = lanes.instead.get(without_places(expr))
    if outer is not None:
        return in_lane(outer, lane=lane)
    if called in writer.variables.point:
        return writer.variables.column(lane)
    items = writer.indices(expr, line, lanes)
    if called in writer.variables.in_place:
        here, there = (writer.variables.column(at) for at in (name(LANE), lane))
        return apply(called, [there if item == here else item for item in items])
    if called in writer.variables.direct:
        raise refused(f"'{called}' of other columns is used in a branch", line.place(writer.routine.file))
    return in_lane(writer.variables.blocked[called], *items, lane=lane)


@dataclass(frozen=True)
class _Use:
    """A reference in a side: whether it may be changed there, and whether it is set there before it is read."""

    expr: Expr
    line: LogicalLine
    changed: bool = False
    first_set: bool = False


def _used(writer: BodyWriter, side: tuple[Node, ...]) -> dict[Expr, _Use]:
    """The varying elements that a side mentions, by their trees without places.

    Raises Refused where one array is used in several elements and changed, or as a whole, or where an index changes.
    """
    found: dict[Expr, _Use] = {}
    for use in _mentions(writer, side, True):
        called, place = named(use.expr), use.line.place(writer.routine.file, use.expr.start, use.expr.end)
        if writer.rank(use.expr, use.line):
            raise refused(f"'{called}' is used as a whole in a branch that is not taken by all columns", place)
        if isinstance(use.expr, Apply) and any(
            isinstance(n, Name) and (n.name in writer.varying or n.name in loop_variables(side))
            for a in use.expr.args
            for n in walk(a)
        ):
            raise refused(f"an index of '{called}' changes in a branch that is not taken by all columns", place)
        key = without_places(use.expr)
        before = found.get(key)
        found[key] = use if before is None else replace(before, changed=before.changed or use.changed)
    names = [named(use.expr) for use in found.values()]
    for use in found.values():
        called = named(use.expr)
        if use.changed and names.count(called) > 1:
            text = f"several elements of '{called}' are used in a branch"
            raise refused(text, use.line.place(writer.routine.file))
    return found


def _mentions(writer: BodyWriter, nodes: tuple[Node, ...], certain: bool) -> Iterator[_Use]:
    """All varying references in order; ``certain`` says that the statements are reached by all that take the side."""
    for node in writer.analysis.plain(writer.routine, nodes):
        if isinstance(node, Construct):
            for part in node.parts:
                yield from _of_statement(writer, part.header, False)
                yield from _mentions(writer, part.body, False)
        else:
            yield from _of_statement(writer, node, certain)
            if isinstance(node, OneLine):
                yield from _of_statement(writer, node.action, False)


def _of_statement(writer: BodyWriter, statement: Statement, certain: bool) -> Iterator[_Use]:
    line = statement.line
    if isinstance(statement, Assignment):
        yield from _references(writer, statement.value, line)
        if named(statement.target) in writer.varying:
            yield _Use(statement.target, line, True, certain)
        return
    if not isinstance(statement, Call):
        for expr in expressions(statement):
            yield from _references(writer, expr, line)
        return
    results: list[_Use] = []
    for site in writer.analysis.sites(writer.routine, statement):
        for dummy, value in writer.analysis.actuals(site):
            intent = writer.analysis.effects.intent(site.callee, dummy)
            data = writer.analysis.facts.object(dummy, site.callee)
            if named(value) in writer.varying and isinstance(value, (Name, Apply)) and intent != "in":
                sets = certain and data is not None and data.symbol.intent == "out"
                results.append(_Use(value, line, True, sets))
            else:
                yield from _references(writer, value, line)
    yield from results


def _references(writer: BodyWriter, expr: Expr, line: LogicalLine) -> Iterator[_Use]:
    if isinstance(expr, (Name, Apply)) and named(expr) in writer.varying:
        yield _Use(expr, line)
        return
    if isinstance(expr, Apply):
        for arg in expr.args:
            yield from _references(writer, arg, line)
        return
    for child in children(expr):
        yield from _references(writer, child, line)
