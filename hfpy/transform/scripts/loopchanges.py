"""Loops in the body of a kernel written in another way. Nothing is checked here (see :mod:`.legality`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hfpy.model.building import Maker, apply, binary, name, number, paren, plus
from hfpy.model.directives import Region
from hfpy.model.expressions import Binary, Expr, Instead, Literal, Name, with_children
from hfpy.model.statements import Construct, Header, Node, Part, Statement, map_expressions


def with_nodes(node: Construct, old: Construct, new: tuple[Node, ...]) -> Construct:
    """A construct with nodes in the place of one somewhere in it."""
    return _with_each(node, {id(old): new})


def _with_each(node: Construct, new: Mapping[int, tuple[Node, ...]]) -> Construct:
    """A construct with nodes in the places of some in it, by their identities."""

    def body(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        made: list[Node] = []
        for one in nodes:
            inner = _with_each(one, new) if isinstance(one, Construct) else one
            made += new.get(id(one), (inner,))
        return tuple(made)

    return replace(node, parts=tuple(replace(part, body=body(part.body)) for part in node.parts))


def interchanged(outer: Construct, inner: Construct) -> Construct:
    """Two loops, of which the inner one is all that the outer one holds, the other way round."""
    first, second = outer.parts[0], inner.parts[0]
    within = replace(outer, parts=(replace(first, body=second.body),))
    return replace(inner, parts=(replace(second, body=(within,)),))


def in_blocks(loop: Construct, size: int, block: str, end: Expr) -> Construct:
    """A loop in blocks of so many turns; ``block`` is the variable of the loop over them, ``end`` the last turn in the
    kind of that.
    """
    header = loop.header
    assert isinstance(header, Header)
    make = Maker(header.line)
    low, high = header.exprs[:2]
    last = apply("min", (plus(name(block), size - 1), end))
    inside = replace(header, exprs=(name(block), last), made=True)
    turns = replace(loop, parts=(replace(loop.parts[0], header=inside),))
    return make.loop(block, low, high, (turns,), size)


def reordered(region: Region, iterators: list[str]) -> Region:
    """A region with its own loops in another order, the innermost first."""
    places = [region.iterators.index(i) for i in iterators]
    strides = tuple(region.strides[p] for p in places) if region.strides else ()
    return replace(
        region,
        domains=tuple(region.domains[p] for p in places),
        starts=tuple(region.starts[p] for p in places),
        ends=tuple(region.ends[p] for p in places),
        strides=strides,
    )


def cut(loop: Construct, count: int) -> tuple[Construct, Construct]:
    """A loop in two: one with so many of its first statements, one with the others."""
    header, end = loop.header, loop.end
    assert isinstance(header, Header) and end is not None
    nodes = loop.parts[0].body
    first = replace(loop, parts=(replace(loop.parts[0], body=nodes[:count]),))
    again = replace(header, made=True, construct_name="")
    return first, Construct("do", (Part(again, nodes[count:]),), Maker(end.line).end("do"))


def fused(node: Construct, first: Construct, second: Construct) -> Construct:
    """A construct with two loops in it, which have the same turns, as one: in each turn there are the statements of the
    first, then those of the second.
    """
    header, other = first.header, second.header
    assert isinstance(header, Header) and isinstance(other, Header)
    behind = second.parts[0].body
    if other.var != header.var:
        behind = _copy(behind, other.var, name(header.var))
    part = first.parts[0]
    together = replace(first, parts=(replace(part, body=(*part.body, *behind)),))
    return _with_each(node, {id(first): (together,), id(second): ()})


def renamed(loop: Construct, variable: str, new: str) -> Construct:
    """A loop with another variable in the place of one in its body."""
    part = loop.parts[0]
    return replace(loop, parts=(replace(part, body=_copy(part.body, variable, name(new))),))


def jammed(outer: Construct, inner: Construct, size: int) -> tuple[Node, ...]:
    """Two loops, of which the inner one is all that the outer one holds, with so many turns of the outer one in each
    turn of the inner, and a loop over what is left.
    """
    header, end = outer.header, outer.end
    assert isinstance(header, Header) and end is not None
    low, high = header.exprs[:2]
    body = inner.parts[0].body
    copies = tuple(node for n in range(size) for node in _copy(body, header.var, plus(name(header.var), n)))
    together = replace(inner, parts=(replace(inner.parts[0], body=copies),))
    most = replace(header, exprs=(low, binary(high, "-", number(size - 1)), number(size)), made=True)
    rest = replace(header, exprs=(_rest(low, high, size), high), made=True, construct_name="")
    made = replace(outer, parts=(replace(outer.parts[0], header=most, body=(together,)),))
    return made, Construct("do", (Part(rest, (inner,)),), Maker(end.line).end("do"))


def expanded(loop: Construct, variable: str, array: str) -> Construct:
    """A loop with an element of an array, one for each turn, in the place of a variable."""
    header = loop.header
    assert isinstance(header, Header)
    part = loop.parts[0]
    element = apply(array, (name(header.var),))
    return replace(loop, parts=(replace(part, body=_copy(part.body, variable, element)),))


def unrolled(loop: Construct, first: int, trip: int, step: int, kind: str) -> tuple[Node, ...]:
    """The turns of a loop one after the other, with numbers of a ``kind`` for its variable, and its last value."""
    header = loop.header
    assert isinstance(header, Header)
    copies = [_copy(loop.parts[0].body, header.var, number(first + n * step, kind)) for n in range(trip)]
    last = Maker(header.line).assign(name(header.var), number(first + trip * step))
    return (*(node for copy in copies for node in copy), last)


def unrolled_by(loop: Construct, size: int) -> tuple[Node, ...]:
    """A loop with so many turns of itself in each of its own, and one over what is left."""
    header = loop.header
    assert isinstance(header, Header)
    variable, (low, high) = header.var, header.exprs[:2]
    body = loop.parts[0].body
    copies = (node for n in range(size) for node in _copy(body, variable, plus(name(variable), n)))
    most = replace(header, exprs=(low, binary(high, "-", number(size - 1)), number(size)), made=True)
    rest = replace(header, exprs=(_rest(low, high, size), high), made=True, construct_name="")
    end = loop.end
    assert end is not None
    made = replace(loop, parts=(replace(loop.parts[0], header=most, body=tuple(copies)),))
    left = Construct("do", (Part(rest, body),), Maker(end.line).end("do"))
    return made, left


def _rest(low: Expr, high: Expr, size: int) -> Expr:
    """The first turn that is left behind as many blocks of a size as fit. Where there are no turns it is above the last
    one, since integers are divided towards 0 (Fortran 2018, 10.1.5.2.2).
    """
    value = low.integer if isinstance(low, Literal) else None
    if value is not None:
        turns = plus(high, 1 - value)
    else:
        turns = plus(binary(high, "-", paren(low) if isinstance(low, Binary) else low), 1)
    turns = paren(turns) if isinstance(turns, Binary) else turns
    blocks = binary(binary(turns, "/", number(size)), "*", number(size))
    return plus(blocks, value) if value is not None else binary(low, "+", blocks)


def _copy(nodes: tuple[Node, ...], variable: str, value: Expr) -> tuple[Node, ...]:
    """Statements with a value in the place of a variable."""
    change = _replacing(variable, value)

    def statement(made: Statement) -> Statement:
        return map_expressions(made, change)

    def node(one: Node) -> Node:
        if isinstance(one, Construct):
            parts = tuple(Part(statement(p.header), tuple(node(n) for n in p.body)) for p in one.parts)
            return replace(one, parts=parts)
        return statement(one)

    return tuple(node(one) for one in nodes)


def _replacing(variable: str, value: Expr) -> Callable[[Expr], Expr]:
    def change(expr: Expr) -> Expr:
        if isinstance(expr, Name):
            plain = isinstance(value, Name) and value.name == variable
            return expr if expr.name != variable or plain else Instead(expr.start, expr.end, value)
        return with_children(expr, change)

    return change
