"""A common expression of a kernel's body, computed once (kernel-metadata-and-transforms.md §2.3, ``precompute``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hfpy.analyze.effects.flow import FlowScan
from hfpy.analyze.language.typed import Types
from hfpy.analyze.nests.shown import show
from hfpy.model.building import Maker, name, quoted
from hfpy.model.expressions import (
    Apply,
    Binary,
    Expr,
    Fragment,
    Instead,
    Literal,
    Name,
    Paren,
    Unary,
    names_in,
    walk,
    with_children,
)
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
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.meanings import check_meanings
from hfpy.transform.scripts.work import Work

VALUE = "a number made of variables, elements of arrays, constants and intrinsic functions"
FIRST = "the first statement with the expression is an assignment, which always computes it"
SAME = "nothing that the expression reads changes between the first and the last statement with it"
_TYPES = ("integer", "real", "complex")
_ARITHMETIC = ("+", "-", "*", "/", "**")


@dataclass(frozen=True)
class Common:
    """An expression as text, its type as a declaration has it, and the statements of one block from the first to the
    last one that has it.
    """

    text: str
    value: Fragment
    type: str
    nodes: tuple[Node, ...]


def find_common(work: Work, key: str, number: int, text: str) -> Common:
    """What ``precompute`` works on. Raises Against."""
    body = work.body(key, number)
    header = body.construct.header
    try:
        value = fragment(text)
    except GrammarError:
        raise Against(VALUE, f"'{text}' is no expression", header) from None
    expr, shown = value.expr, show(value.expr)
    block = _block(innermost_body(body.construct, body.region), shown)
    if not block:
        raise Against("an expression of the kernel", f"'{text}' is nowhere in it", header)
    first = block[0]
    check_value(work, key, expr, first)
    if not isinstance(first, Assignment) or not any(
        _computes(e, shown) for e in (first.value, *_subscripts(first.target))
    ):
        raise Against(FIRST, "it is computed under a condition, or in a loop", _statement(first))
    check_same(work, key, number, expr, block)
    check_meanings(work, key, number, names_in(expr))
    return Common(shown, value, _type(work, key, expr, first), block)


def computed_once(construct: Construct, common: Common, variable: str) -> Construct:
    """A region with an assignment of the value to a variable before the first statement, and the variable in all."""
    first = common.nodes[0]
    assert isinstance(first, Assignment)
    begin = Maker(first.line).assign(name(variable), quoted(common.value))
    new = (begin, *(_replaced(node, common.text, variable) for node in common.nodes))
    return _with(construct, common.nodes, new)


def _with(node: Construct, old: tuple[Node, ...], new: tuple[Node, ...]) -> Construct:
    def body(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        place = next((n for n, one in enumerate(nodes) if one is old[0]), None)
        if place is not None:
            return (*nodes[:place], *new, *nodes[place + len(old) :])
        return tuple(_with(one, old, new) if isinstance(one, Construct) else one for one in nodes)

    return replace(node, parts=tuple(replace(part, body=body(part.body)) for part in node.parts))


def _block(nodes: tuple[Node, ...], text: str) -> tuple[Node, ...]:
    """The nodes of the innermost block around all places of an expression, from the first to the last that has it."""
    places = [n for n, node in enumerate(nodes) if any(_has(s, text) for s in _all(node))]
    if not places:
        return ()
    only = nodes[places[0]]
    if len(places) == 1 and isinstance(only, Construct):
        holders = [p for p in only.parts if any(_has(s, text) for node in p.body for s in _all(node))]
        if len(holders) == 1 and not any(_has(p.header, text) for p in only.parts):
            return _block(holders[0].body, text)
    return nodes[places[0] : places[-1] + 1]


def _all(node: Node) -> Iterator[Statement]:
    for statement in flatten((node,)):
        yield statement
        while isinstance(statement, OneLine):
            statement = statement.action
            yield statement


def _has(statement: Statement, text: str) -> bool:
    return any(show(e) == text for top in expressions(statement) for e in walk(top))


def _computes(expr: Expr, text: str) -> bool:
    """Whether an expression is computed whenever one around it is: logical operators may leave out a side."""
    if show(expr) == text:
        return True
    if isinstance(expr, Binary) and expr.op not in _ARITHMETIC:
        return False
    found = False

    def look(child: Expr) -> Expr:
        nonlocal found
        found = found or _computes(child, text)
        return child

    with_children(expr, look)
    return found


def _subscripts(target: Expr) -> tuple[Expr, ...]:
    return target.args if isinstance(target, Apply) else ()


def check_value(work: Work, key: str, expr: Expr, first: Node) -> None:
    """An expression is a number that nothing is done for but arithmetic and intrinsic functions. Raises Against."""
    bases = {id(node.base) for node in walk(expr) if isinstance(node, Apply)}
    for node in walk(expr):
        known = isinstance(node, (Literal, Paren)) or (isinstance(node, (Unary, Binary)) and node.op in _ARITHMETIC)
        if isinstance(node, Name):
            variable = work.facts.object(node.name, key)
            known = id(node) in bases or (variable is not None and not variable.symbol.rank)
        if isinstance(node, Apply) and isinstance(node.base, Name):
            data = work.facts.object(node.base.name, key)
            known = data is not None or work.facts.scopes.is_intrinsic(node.base.name, key)
        if not known:
            raise Against(VALUE, f"'{show(node)}' is something else", _statement(first))


def _type(work: Work, key: str, expr: Expr, first: Node) -> str:
    """The type of an expression as the declaration of a variable in it has it."""
    types = Types(work.application, work.facts.scopes)
    wanted = types.expression(expr, key)
    if wanted is None or wanted.rank or wanted.base not in _TYPES or wanted.bytes is None:
        raise Against(VALUE, "its type is not known, or no number", _statement(first))
    for node in walk(expr):
        data = work.facts.object(node.name, key) if isinstance(node, Name) else None
        if data is not None and data.symbol.type.base == wanted.base:
            found = types.variable(data.symbol, data.home, key)
            if found is not None and (found.base, found.bytes) == (wanted.base, wanted.bytes) and data.home == key:
                return data.symbol.type.text
    raise Against(VALUE, "no variable of the routine that it reads has its type", _statement(first))


def check_same(work: Work, key: str, number: int, expr: Expr, nodes: tuple[Node, ...]) -> None:
    """Nothing that an expression reads changes in some statements, which follow each other. Raises Against."""
    statements = {id(s): s for node in nodes for s in _all(node)}
    labelled = next((s for s in statements.values() if s.line.label), None)
    if labelled is not None:  # a jump to it may pass by the first statement
        raise Against(SAME, "there is a label", labelled)
    for site in work.facts.graph.below(key):
        if id(site.at.statement) in statements and not work.facts.scopes.is_intrinsic(site.name, key):
            raise Against(SAME, f"'{site.name}' is called", site.at.statement)
    called = next((s for s in statements.values() if isinstance(s, Call)), None)
    if called is not None:
        raise Against(SAME, "a routine is called", called)
    read = {node.name for node in walk(expr) if isinstance(node, Name)}
    written = FlowScan(work.sharing(key).uses.all_effects).scan(nodes).written
    for changed, reference in written.items():
        for one in sorted(read):
            if one == changed or work.facts.storage.shared(one, changed, key):
                raise Against(SAME, f"'{changed}' is set", reference.at.statement)


def _replaced(node: Node, text: str, variable: str) -> Node:
    def change(expr: Expr) -> Expr:
        return Instead(expr.start, expr.end, name(variable)) if show(expr) == text else with_children(expr, change)

    if isinstance(node, Construct):
        parts = (
            Part(map_expressions(p.header, change), tuple(_replaced(n, text, variable) for n in p.body))
            for p in node.parts
        )
        return replace(node, parts=tuple(parts))
    return map_expressions(node, change)


def _statement(node: Node) -> Statement:
    return node.header if isinstance(node, Construct) else node
