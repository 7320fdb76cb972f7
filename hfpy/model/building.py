"""Nodes that passes make. They have no places; statements carry the line that they come from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from hfpy.model.expressions import (
    NOWHERE,
    Apply,
    Binary,
    Expr,
    Fragment,
    Keyword,
    Literal,
    Name,
    Paren,
    Quoted,
    Range,
    Unary,
)
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, Construct, End, Header, Node, OneLine, Part, Statement

COLON = Range(NOWHERE, NOWHERE, None, None, None)


def name(text: str) -> Name:
    """A name."""
    return Name(NOWHERE, NOWHERE, text)


def paren(inner: Expr) -> Expr:
    """An expression in parentheses."""
    return Paren(NOWHERE, NOWHERE, inner)


def quoted(fragment: Fragment) -> Expr:
    """An expression as it is written elsewhere."""
    return Quoted(NOWHERE, NOWHERE, fragment)


def as_written(bound: Fragment, macros: Collection[str]) -> Expr:
    """An expression as it is written elsewhere, in parentheses if it has ``macros``: what these mean may be a sum."""
    return paren(quoted(bound)) if bound.names & set(macros) else quoted(bound)


def number(value: int, kind: str = "") -> Expr:
    """An integer, with a kind parameter if one is given."""
    literal = Literal(NOWHERE, NOWHERE, "int", f"{abs(value)}_{kind}" if kind else str(abs(value)))
    return literal if value >= 0 else Unary(NOWHERE, NOWHERE, "-", literal)


def literal(kind: str, text: str) -> Literal:
    """A literal constant, as people write it."""
    return Literal(NOWHERE, NOWHERE, kind, text)


def binary(left: Expr, op: str, right: Expr) -> Expr:
    """Two operands with an operator between them."""
    return Binary(NOWHERE, NOWHERE, op, left, right)


def negated(condition: Expr) -> Expr:
    """``.not. condition``."""
    return Unary(NOWHERE, NOWHERE, ".not.", condition)


def plus(expr: Expr, by: int) -> Expr:
    """An expression plus a number."""
    return binary(expr, "+" if by > 0 else "-", number(abs(by))) if by else expr


def apply(base: str, args: Iterable[Expr]) -> Expr:
    """An element, a section, or a reference of a function; the bare name without arguments."""
    listed = tuple(args)
    return Apply(NOWHERE, NOWHERE, name(base), listed, NOWHERE) if listed else name(base)


def between(lower: Expr, upper: Expr) -> Expr:
    """The subscripts from one to another."""
    return Range(NOWHERE, NOWHERE, lower, upper, None)


def keyword(word: str, value: Expr) -> Expr:
    """The argument ``word=value``."""
    return Keyword(NOWHERE, NOWHERE, word, value)


def all_of(conditions: Sequence[Expr]) -> Expr | None:
    """The condition that all of some hold; None without any."""
    found: Expr | None = None
    for condition in conditions:
        found = condition if found is None else binary(found, ".and.", condition)
    return found


class Maker:
    """Makes statements that come from one line."""

    def __init__(self, line: LogicalLine) -> None:
        self.line = line

    def assign(self, target: Expr, value: Expr) -> Assignment:
        """``target = value``."""
        return Assignment(self.line, target, value, made=True)

    def call(self, routine: str, args: Iterable[Expr]) -> Call:
        """``call routine(args)``."""
        return Call(self.line, name(routine), tuple(args), made=True)

    def only_if(self, condition: Expr, action: Statement) -> Node:
        """``if (condition) action``."""
        return OneLine(self.line, "if", (condition,), action, made=True)

    def loop(self, variable: str, first: Expr, last: Expr, body: Iterable[Node], step: int | Expr = 1) -> Construct:
        """A ``do`` around nodes."""
        by = number(step) if isinstance(step, int) else step
        bounds = (first, last) if step == 1 else (first, last, by)
        header = Header(self.line, "do", bounds, variable, made=True)
        return Construct("do", (Part(header, tuple(body)),), self.end("do"))

    def branch(self, condition: Expr | None, body: Iterable[Node]) -> tuple[Node, ...]:
        """An ``if`` around nodes; the nodes alone without a condition, or where there are none."""
        inner = tuple(body)
        if condition is None or not inner:
            return inner
        return (self.branches([self.side(condition, inner)]),)

    def side(self, condition: Expr | None, body: Iterable[Node], first: bool = True) -> Part:
        """A side of an ``if``, the last one without a condition."""
        kind = "else" if condition is None else "if" if first else "elseif"
        exprs = () if condition is None else (condition,)
        return Part(Header(self.line, kind, exprs, made=True), tuple(body))

    def branches(self, sides: Sequence[Part]) -> Construct:
        """An ``if`` with some sides."""
        return Construct("if", tuple(sides), self.end("if"))

    def end(self, kind: str) -> End:
        """The end of a block."""
        return End(self.line, kind, made=True)
