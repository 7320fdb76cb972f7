"""Branches with calls or loops: the columns that take a side are put side by side, computed, and put back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from hfpy.model.expressions import Apply, Expr, Keyword, Name, walk
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
    for key, (expr, line, written) in used.items():
        room = writer.room(named(expr), writer.variables.type_text(named(expr)))
        instead[key] = room
        element = _at(writer, expr, line, lanes, f"{lane_at}({LANE})")
        gather.append(f"{room}({LANE}) = {element}")
        scatter += [f"{element} = {room}({LANE})"] if written else []
    inner = writer.block(side, replace(here, instead=instead))
    body = [*writer.lane_loop(here, gather), *inner]
    body += writer.lane_loop(here, scatter) if scatter else []
    return [*out, f"if ({count} > 0) then", *(STEP + row for row in body), "end if"]


def _at(writer: BodyWriter, expr: Expr, line: LogicalLine, lanes: Lanes, lane: str) -> str:
    """A reference in another lane."""
    name = named(expr)
    outer = lanes.instead.get(writer.key(expr, line))
    if outer is not None:
        return f"{outer}({lane})"
    if name in writer.variables.direct:
        raise refused(f"'{name}' of other columns is used in a branch", line.place(writer.routine.file))
    items = writer.indices(expr, line, lanes)
    return f"{writer.variables.blocked[name]}({','.join([lane, *items])})"


def _used(writer: BodyWriter, side: tuple[Node, ...]) -> dict[str, tuple[Expr, LogicalLine, bool]]:
    """The varying elements that a side mentions, by their texts; whether it may change them.

    Raises Refused where one array is used in several elements and changed, or as a whole, or where an index changes.
    """
    found: dict[str, tuple[Expr, LogicalLine, bool]] = {}
    for expr, line, written in _mentions(writer, side):
        name, place = named(expr), line.place(writer.routine.file, expr.start, expr.end)
        if writer.rank(expr, line):
            raise refused(f"'{name}' is used as a whole in a branch that is not taken by all columns", place)
        if isinstance(expr, Apply) and any(
            isinstance(n, Name) and (n.name in writer.varying or n.name in loop_variables(side))
            for a in expr.args
            for n in walk(a)
        ):
            raise refused(f"an index of '{name}' changes in a branch that is not taken by all columns", place)
        key = writer.key(expr, line)
        before = found.get(key)
        found[key] = (expr, line, written or (before is not None and before[2]))
    names = [named(e) for e, _, _ in found.values()]
    for expr, line, written in found.values():
        if written and names.count(named(expr)) > 1:
            raise refused(f"several elements of '{named(expr)}' are used in a branch", line.place(writer.routine.file))
    return found


def _mentions(writer: BodyWriter, nodes: tuple[Node, ...]) -> Iterator[tuple[Expr, LogicalLine, bool]]:
    for node in writer.analysis.plain(writer.routine, nodes):
        if isinstance(node, Construct):
            for part in node.parts:
                yield from _of_statement(writer, part.header)
                yield from _mentions(writer, part.body)
        else:
            yield from _of_statement(writer, node)
            if isinstance(node, OneLine):
                yield from _of_statement(writer, node.action)


def _of_statement(writer: BodyWriter, statement: Statement) -> Iterator[tuple[Expr, LogicalLine, bool]]:
    line = statement.line
    if isinstance(statement, Assignment):
        if named(statement.target) in writer.varying:
            yield statement.target, line, True
        exprs: tuple[Expr, ...] = (statement.value,)
    elif isinstance(statement, Call):
        exprs = ()
        for site in writer.analysis.sites(writer.routine, statement):
            for dummy, value in writer.analysis.actuals(site):
                if named(value) in writer.varying and isinstance(value, Name | Apply):
                    yield value, line, writer.analysis.effects.intent(site.callee, dummy) != "in"
                else:
                    exprs += (value,)
    else:
        exprs = expressions(statement)
    for expr in exprs:
        yield from _references(writer, expr, line)


def _references(writer: BodyWriter, expr: Expr, line: LogicalLine) -> Iterator[tuple[Expr, LogicalLine, bool]]:
    if isinstance(expr, Name | Apply) and named(expr) in writer.varying:
        yield expr, line, False
        return
    if isinstance(expr, Apply):
        for arg in expr.args:
            yield from _references(writer, arg, line)
        return
    if isinstance(expr, Keyword):
        yield from _references(writer, expr.value, line)
        return
    from hfpy.model.expressions import children

    for child in children(expr):
        yield from _references(writer, child, line)
