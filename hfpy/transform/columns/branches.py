"""Branches with calls or loops: the columns that take a side are put side by side, computed, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hfpy.model.expressions import Apply, Expr, Name, children, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, Construct, Header, Node, OneLine, Statement, expressions
from hfpy.transform.columns.common import line_of, named, refused
from hfpy.transform.columns.varying import loop_variables

if TYPE_CHECKING:
    from hfpy.transform.columns.statements import BodyWriter, Lanes


def compressed(writer: BodyWriter, node: Construct | OneLine, lanes: Lanes) -> list[str]:
    """The lines of a branch whose condition varies. Raises Refused for branches of more than two sides."""
    from hfpy.transform.columns.statements import LANE

    place = line_of(node).place(writer.routine.file)
    if isinstance(node, OneLine):
        condition = node.control[0]
        sides: list[tuple[Node, ...]] = [(node.action,)]
    else:
        second = node.parts[1].header if len(node.parts) == 2 else None
        if len(node.parts) > 2 or (second is not None and not (isinstance(second, Header) and second.kind == "else")):
            raise refused("there is an 'else if' with calls or loops in it", place)
        condition, sides = expressions(node.header)[0], [p.body for p in node.parts]
    writer.made += 1
    mask = writer.names.array(f"mask_{writer.made}", "", "logical", f"0:{writer.width - 1}")
    out = writer.lane_loop(lanes, [f"{mask}({LANE}) = {writer.text(condition, line_of(node), lanes)}"])
    for side, test in zip(sides, (f"{mask}({LANE})", f".not. {mask}({LANE})"), strict=False):
        if side:
            out += _side(writer, side, test, lanes)
    return out


def _side(writer: BodyWriter, side: tuple[Node, ...], test: str, lanes: Lanes) -> list[str]:
    from hfpy.transform.columns.statements import LANE, STEP, _calls

    if not _calls(side) and not loop_variables(side):
        rows = list(writer.inside(side, lanes))
        return writer.lane_loop(lanes, [f"if ({test}) then", *(STEP + r for r in rows), "end if"])
    used = _used(writer, side)
    writer.made += 1
    number = writer.made
    count = writer.names.scalar("active", f"_{number}", "integer")
    lane_at = writer.names.array(f"lane_{number}", "", "integer", f"0:{writer.width - 1}")
    out = [f"{count} = 0"]
    out += writer.lane_loop(
        lanes, [f"if ({test}) then", f"  {lane_at}({count}) = {LANE}", f"  {count} = {count} + 1", "end if"]
    )
    here = replace(lanes, count=count, instead={}, results={})
    instead: dict[str, str] = {}
    gather, scatter = [], []
    for key, use in used.items():
        name = named(use.expr)
        room = writer.room(name, writer.variables.type_text(name))
        instead[key] = room
        element = _at(writer, use.expr, use.line, lanes, f"{lane_at}({LANE})")
        gather += [] if use.first_set else [f"{room}({LANE}) = {element}"]
        scatter += [f"{element} = {room}({LANE})"] if use.changed else []
    inner = writer.block(side, replace(here, instead=instead))
    body = [*(writer.lane_loop(here, gather) if gather else []), *inner]
    body += writer.lane_loop(here, scatter) if scatter else []
    return [*out, f"if ({count} > 0) then", *(STEP + row for row in body), "end if"]


def _at(writer: BodyWriter, expr: Expr, line: LogicalLine, lanes: Lanes, lane: str) -> str:
    """A reference in another lane."""
    name = named(expr)
    outer = lanes.instead.get(writer.key(expr, line))
    if outer is not None:
        return f"{outer}({lane})"
    items = writer.indices(expr, line, lanes)
    if name in writer.variables.in_place:
        here = writer.variables.here
        there = f"{here.rpartition('+')[0]}+{lane}"
        return f"{name}({','.join(there if item == here else item for item in items)})"
    if name in writer.variables.direct:
        raise refused(f"'{name}' of other columns is used in a branch", line.place(writer.routine.file))
    return f"{writer.variables.blocked[name]}({','.join([lane, *items])})"


@dataclass(frozen=True)
class _Use:
    """A reference in a side: whether it may be changed there, and whether it is set there before it is read."""

    expr: Expr
    line: LogicalLine
    changed: bool = False
    first_set: bool = False


def _used(writer: BodyWriter, side: tuple[Node, ...]) -> dict[str, _Use]:
    """The varying elements that a side mentions, by their texts.

    Raises Refused where one array is used in several elements and changed, or as a whole, or where an index changes.
    """
    found: dict[str, _Use] = {}
    for use in _mentions(writer, side, True):
        name, place = named(use.expr), use.line.place(writer.routine.file, use.expr.start, use.expr.end)
        if writer.rank(use.expr, use.line):
            raise refused(f"'{name}' is used as a whole in a branch that is not taken by all columns", place)
        if isinstance(use.expr, Apply) and any(
            isinstance(n, Name) and (n.name in writer.varying or n.name in loop_variables(side))
            for a in use.expr.args
            for n in walk(a)
        ):
            raise refused(f"an index of '{name}' changes in a branch that is not taken by all columns", place)
        key = writer.key(use.expr, use.line)
        before = found.get(key)
        found[key] = use if before is None else replace(before, changed=before.changed or use.changed)
    names = [named(use.expr) for use in found.values()]
    for use in found.values():
        name = named(use.expr)
        if use.changed and names.count(name) > 1:
            text = f"several elements of '{name}' are used in a branch"
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
            if named(value) in writer.varying and isinstance(value, Name | Apply) and intent != "in":
                sets = certain and data is not None and data.symbol.intent == "out"
                results.append(_Use(value, line, True, sets))
            else:
                yield from _references(writer, value, line)
    yield from results


def _references(writer: BodyWriter, expr: Expr, line: LogicalLine) -> Iterator[_Use]:
    if isinstance(expr, Name | Apply) and named(expr) in writer.varying:
        yield _Use(expr, line)
        return
    if isinstance(expr, Apply):
        for arg in expr.args:
            yield from _references(writer, arg, line)
        return
    for child in children(expr):
        yield from _references(writer, child, line)
