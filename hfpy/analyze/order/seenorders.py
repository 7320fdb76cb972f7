"""Statements by which a program sees the order of an array's dimensions: inquiries for its shape, values that get a
name or are written, allocations with the shape of another array, masks and what is assigned under them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import ORDER_FREE, dimension_argument
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Keyword, Name, walk
from hfpy.model.statements import Header, InputOutput, Memory, OneLine, expressions


def asks_for_shape(reference: Reference) -> str:
    """The inquiry function that tells more of an array than a dimension which is rewritten with it; empty if none."""
    call = reference.call
    name = call.base.name if isinstance(call, Apply) and isinstance(call.base, Name) else ""
    if not isinstance(call, Apply) or name not in ("shape", "size", "lbound", "ubound"):
        return ""
    if name == "size" and not any(n or (isinstance(a, Keyword) and a.name == "dim") for n, a in enumerate(call.args)):
        return ""
    rewritten = dimension_argument(call) is not None and reference.indices is None and not reference.component
    return "" if rewritten else name


def shows_values(reference: Reference) -> str:
    """How a statement shows the order of an expression's values, of which the reference is an operand; empty where it
    does not. The values get a name, by which elements of them are meant, or they are written.
    """
    statement, node = reference.at.statement, reference.node
    if isinstance(statement, InputOutput):
        return "it is written as a part of an expression"
    if isinstance(statement, Header) and statement.kind in ("associate", "selecttype"):
        around = (e for e in statement.exprs if e.start <= node.start and node.end <= e.end)
        if any(not isinstance(e, (Name, Component)) and (e.start, e.end) != (node.start, node.end) for e in around):
            return "an expression of it is associated with a name"
    return ""


def reduced(reference: Reference, key: str, facts: Facts) -> bool:
    """Whether the reference is an operand of what an intrinsic makes one value of, in whatever order."""
    node = reference.node
    within = (e for whole in expressions(reference.at.statement) for e in walk(whole) if isinstance(e, Apply))
    return any(
        call.start <= node.start
        and node.end <= call.end
        and len(call.args) == 1
        and isinstance(call.base, Name)
        and call.base.name in ORDER_FREE
        and facts.scopes.is_intrinsic(call.base.name, key)
        for call in within
    )


def takes_shape(reference: Reference) -> bool:
    """Whether an array is allocated with the shape or the values of another: ``source=`` and ``mold=``."""
    statement = reference.at.statement
    options = statement.options if isinstance(statement, Memory) else ()
    return any(isinstance(option, Keyword) and option.name in ("source", "mold") for option in options)


def masked_together(facts: Facts) -> Iterator[tuple[Located, ...]]:
    """The statements of each ``where`` that is in no other one: masks and assignments go through the same elements."""
    for statements in facts.graph.statements.values():
        groups: dict[int, list[Located]] = {}
        for at in statements:
            around = next((c for c in at.constructs if c.kind == "where"), None)
            if around is not None:
                groups.setdefault(id(around), []).append(at)
            elif isinstance(at.statement, OneLine) and at.statement.kind == "where":
                action = at.statement.action
                groups[id(at.statement)] = [at, replace(at, statement=action)]
        yield from (tuple(group) for group in groups.values())
