"""What a scalar of a kernel's body is set to, in the places where it is read (kernel-metadata-and-transforms.md §2.3,
``inline``): the other way of ``precompute``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import Reference
from hfpy.model.building import paren, quoted
from hfpy.model.expressions import Apply, Binary, Expr, Instead, Name, Unary, base_name, names_in, walk, with_children
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Node,
    OneLine,
    Part,
    Statement,
    expressions,
    flatten,
    map_expressions,
)
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.scripts.common import check_same, check_value
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.meanings import check_meanings
from hfpy.transform.scripts.work import Work

OWN = "the variable is a number that is private to the point, and assignments alone set it"
ONE = "each place that reads the variable has one assignment before it, in the same statements or around them"
KIND = "the value has the type of the variable"


def check_inline(work: Work, key: str, number: int, name: str) -> None:
    """Whether reads of a scalar may have the expressions that it is set to. Raises Against."""
    body = work.body(key, number)
    construct = body.construct
    scopes = list(_scopes(innermost_body(construct, body.region), name))
    _check_own(work, body, name, [made for made, _ in scopes])
    known = {identity for _, nodes in scopes for identity in _identities(nodes)}
    for reference in body.references_of(name):
        if reference.role != "write" and id(reference.at.statement) not in known:
            raise Against(ONE, f"'{name}' is read where no one assignment is before it", reference.at.statement)
        if not _is_read(work, key, reference):
            raise Against(OWN, f"'{name}' is no value here", reference.at.statement)
    check_meanings(work, key, number, {name}.union(*(names_in(made.value) for made, _ in scopes)))
    for made, nodes in scopes:
        check_value(work, key, made.value, made)
        _check_type(work, key, made)
        if any(isinstance(n, Name) and n.name == name for n in walk(made.value)):
            raise Against(ONE, f"'{name}' is set to a value that is made of itself", made)
        check_same(work, key, number, made.value, _up_to_last(nodes, name))


def without(construct: Construct, name: str) -> Construct:
    """A region without the assignments to a variable, and with what they set it to where it is read."""
    parts = tuple(replace(part, body=_inlined(part.body, name)) for part in construct.parts)
    return replace(construct, parts=parts)


def _inlined(nodes: tuple[Node, ...], name: str) -> tuple[Node, ...]:
    value: Expr | None = None
    made: list[Node] = []
    for node in nodes:
        if _sets(node, name):
            assert isinstance(node, Assignment)
            value = quoted(fragment(node.line.text[node.value.start : node.value.end]))
            value = paren(value) if isinstance(node.value, (Binary, Unary)) else value
        elif value is not None:
            made.append(_with(node, name, value))
        elif isinstance(node, Construct):
            made.append(without(node, name))
        else:
            made.append(node)
    return tuple(made)


def _with(node: Node, name: str, value: Expr) -> Node:
    """A node with a value in the place of a variable."""

    def change(expr: Expr) -> Expr:
        if isinstance(expr, Name):
            return Instead(expr.start, expr.end, value) if expr.name == name else expr
        return with_children(expr, change)

    if isinstance(node, Construct):
        parts = (
            Part(map_expressions(p.header, change), tuple(_with(n, name, value) for n in p.body)) for p in node.parts
        )
        return replace(node, parts=tuple(parts))
    return map_expressions(node, change)


def _sets(node: Node, name: str) -> bool:
    """Whether a node is an assignment to a variable."""
    return isinstance(node, Assignment) and isinstance(node.target, Name) and node.target.name == name


def _scopes(nodes: tuple[Node, ...], name: str) -> Iterator[tuple[Assignment, tuple[Node, ...]]]:
    """The assignments to a variable, each with the nodes after it in its block, up to the next one."""
    places = [n for n, node in enumerate(nodes) if _sets(node, name)]
    for place, end in pairwise([*places, len(nodes)]):
        made = nodes[place]
        assert isinstance(made, Assignment)
        yield made, nodes[place + 1 : end]
    for node in nodes[: places[0]] if places else nodes:
        for part in node.parts if isinstance(node, Construct) else ():
            yield from _scopes(part.body, name)


def _identities(nodes: tuple[Node, ...]) -> Iterator[int]:
    for statement in flatten(nodes):
        yield id(statement)
        while isinstance(statement, OneLine):
            statement = statement.action
            yield id(statement)


def _check_own(work: Work, body: RegionBody, name: str, made: list[Assignment]) -> None:
    data = work.facts.object(name, body.key)
    header = body.construct.header
    if data is None or data.rank or not made:
        raise Against(OWN, f"'{name}' is no scalar that an assignment of the kernel sets", header)
    if name not in work.sharing(body.key).region(body.identity.number).place().private:
        raise Against(OWN, f"'{name}' is not private to the point", made[0])
    own = {id(one) for one in made}
    for reference in body.references_of(name):
        if reference.writes and id(reference.at.statement) not in own:
            raise Against(OWN, f"'{name}' is set in another way, or under a condition", reference.at.statement)


def _is_read(work: Work, key: str, reference: Reference) -> bool:
    """Whether a reference takes the value of a variable, or sets it."""
    if reference.role in ("read", "write"):
        return True
    function = base_name(reference.call) if isinstance(reference.call, Apply) else None
    intrinsic = function is not None and work.facts.scopes.is_intrinsic(function, key)
    return reference.role == "argument" and intrinsic and not isinstance(reference.at.statement, Call)


def _check_type(work: Work, key: str, made: Assignment) -> None:
    """A value needs no conversion to the type of the variable. Raises Against."""
    types = Types(work.application, work.facts.scopes)
    value, variable = types.expression(made.value, key), types.expression(made.target, key)
    if value is None or variable is None or None in (value.bytes, variable.bytes):
        raise Against(KIND, "the type of the value is not known", made)
    if (value.base, value.bytes, value.rank) != (variable.base, variable.bytes, 0):
        raise Against(KIND, "the value has another type", made)


def _up_to_last(nodes: tuple[Node, ...], name: str) -> tuple[Node, ...]:
    """Nodes up to the last one that reads a variable: without that one where it is an assignment, which sets nothing
    before it has read all.
    """
    places = [n for n, node in enumerate(nodes) if any(_reads(s, name) for s in flatten((node,)))]
    if not places:
        return ()
    last = places[-1]
    return nodes[: last if isinstance(nodes[last], Assignment) else last + 1]


def _reads(statement: Statement, name: str) -> bool:
    while True:
        if any(isinstance(e, Name) and e.name == name for top in expressions(statement) for e in walk(top)):
            return True
        if not isinstance(statement, OneLine):
            return False
        statement = statement.action
