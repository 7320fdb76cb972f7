"""What library functions cost in columns, in operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.model.expressions import Apply, Binary, Literal, walk
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions
from hfpy.transform.columns.common import named
from hfpy.transform.stencil.operations import MORE, POWER, REAL_POWER

# Those functions that compilers call for one value after the other.
CALLS = frozenset(MORE) - {"sqrt"}
# What the library functions of a side must cost that it pays to list the columns that take it.
MUCH = 40


def library(nodes: tuple[Node, ...]) -> float:
    """What the library functions of assignments cost that stay one call a value."""
    calls = (e for s in assignments(nodes) for e in walk(s.value) if isinstance(e, Apply))
    return float(sum(MORE[called] + POWER for e in calls if (called := named(e)) in CALLS))


def costly(nodes: tuple[Node, ...]) -> float:
    """What the library functions and the powers of some statements cost, those of branches as if all were taken."""
    total = 0.0
    for statement in _statements(nodes):
        for expr in (e for top in expressions(statement) for e in walk(top)):
            if isinstance(expr, Apply):
                total += MORE[called] + POWER if (called := named(expr)) in CALLS else 0
            elif isinstance(expr, Binary) and expr.op == "**":
                whole = isinstance(expr.right, Literal) and expr.right.text.isdigit()
                total += 0 if whole else POWER + REAL_POWER
    return total


def likely(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The statements without sides of branches that cost much: of those nobody knows how many columns take them."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Construct):
            bodies = (() if node.kind == "if" and costly(p.body) >= MUCH else likely(p.body) for p in node.parts)
            parts = tuple(replace(p, body=body) for p, body in zip(node.parts, bodies, strict=True))
            found.append(replace(node, parts=parts))
        elif not (isinstance(node, OneLine) and node.kind == "if" and costly((node.action,)) >= MUCH):
            found.append(node)
    return tuple(found)


def assignments(nodes: tuple[Node, ...]) -> Iterator[Assignment]:
    """The assignments in some statements, but for those of one-line ``if``s."""
    for node in nodes:
        if isinstance(node, Construct):
            for part in node.parts:
                yield from assignments(part.body)
        elif isinstance(node, Assignment):
            yield node


def _statements(nodes: tuple[Node, ...]) -> Iterator[Statement]:
    for node in nodes:
        if isinstance(node, Construct):
            for part in node.parts:
                yield part.header
                yield from _statements(part.body)
        else:
            yield node
            if isinstance(node, OneLine):
                yield node.action
