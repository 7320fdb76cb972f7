"""Scalars that one statement of a routine sets, before a region: their values are known there, ``nz = size(x)``."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.dependence.forms import Parameter, atom
from hfpy.analyze.dependence.model import Compare, Condition
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Unary, base_name, children, names_in
from hfpy.model.statements import Assignment, flatten, targets
from hfpy.values import dataclass

_SIZES = ("size", "lbound", "ubound")


@dataclass(frozen=True)
class Once:
    """What an integer is equal to that one statement sets (None for a number), the statement's line, and the other such
    integers in its value.
    """

    line: int
    condition: Condition | None
    others: frozenset[str]


def set_before(body: RegionBody) -> Iterator[Condition]:
    """What integers of a region are equal to that a statement of the routine's own sets before it, certainly and once.

    Only what stays the same counts: numbers, named constants, ``intent(in)`` dummies, bounds of arrays that keep them,
    and other such integers.
    """
    once = body.effects.set_once
    if body.key not in once:
        once[body.key] = dict(_set_once(body))
    known, line = once[body.key], body.construct.header.line
    pending = sorted(body.names() & known.keys()) if known and not line.file else []
    seen = set(pending)
    while pending:
        found = known[pending.pop()]
        if found.line < line.first and found.condition is not None:
            yield found.condition
        pending += sorted(found.others - seen)
        seen |= found.others


def _set_once(body: RegionBody) -> Iterator[tuple[str, Once]]:
    """The integers of a routine that a statement outside of all constructs sets, and no other."""
    nodes = body.routine.body
    if any(targets(s) for s in flatten(nodes)) or body.facts.application.routines_of(body.key):
        return
    writes: dict[str, int] = {}
    for reference in body.facts.references[body.key]:
        writes[reference.name] = writes.get(reference.name, 0) + body.effects.of(reference, body.key)[1]
    known: set[str] = set()
    world = World(body.facts, body.key, lambda identity, parts: False, lambda shown: atom(Parameter(f"${shown}")))
    for node in nodes:
        if not isinstance(node, Assignment) or node.pointer or not isinstance(node.target, Name) or node.line.file:
            continue
        name = node.target.name
        data = body.facts.object(name, body.key)
        if data is None or not data.local or data.rank or data.symbol.type.base != "integer":
            continue
        if data.symbol.attributes or name in body.routine.spec.storage or writes.get(name) != 1:
            continue
        if _stays(body, node.value, known):
            value = Reading(world, Frame(body.key), node.line.key).form(_declared(body, node.value, known))
            equal = Compare(atom(Parameter(data.name_in(body.key))) - value, "=")
            others = frozenset(names_in(node.value) & known)
            # A number is only an example of a size: what is proved must hold for all sizes.
            yield name, Once(node.line.first, equal if value.constant is None else None, others)
            known.add(name)


def _declared(body: RegionBody, expr: Expr, known: set[str]) -> Expr:
    """The name that a dimension is declared with, where a value is the dimension's size: it is not negative."""
    if not isinstance(expr, Apply) or not isinstance(expr.args[0], Name) or base_name(expr) != "size":
        return expr
    data, number = body.facts.object(expr.args[0].name, body.key), dimension_argument(expr)
    place = int(number.text) - 1 if number is not None else 0
    if data is None or data.home != body.key or not 0 <= place < data.rank == data.symbol.rank:
        return expr
    dim = data.used[place].extent
    upper = dim.upper.expr if dim.form == "explicit" and dim.lower is None and dim.upper is not None else None
    return upper if isinstance(upper, Name) and _stays(body, upper, known) else expr


def _stays(body: RegionBody, expr: Expr, known: set[str]) -> bool:
    """Whether an expression is of integers, and has the same value as long as the routine runs."""
    if isinstance(expr, Literal):
        return expr.integer is not None
    if isinstance(expr, Name):
        data = body.facts.object(expr.name, body.key)
        if data is None or data.rank or data.symbol.dynamic or data.symbol.type.base != "integer":
            return False
        return expr.name in known or data.symbol.constant or data.symbol.intent == "in"
    if isinstance(expr, Apply):
        name, array = expr.base, expr.args[0] if expr.args else None
        if not isinstance(name, Name) or name.name not in _SIZES or not isinstance(array, Name):
            return False
        data = body.facts.object(array.name, body.key)
        plain = data is not None and data.rank and not data.symbol.dynamic
        intrinsic = plain and body.facts.scopes.is_intrinsic(name.name, body.key)
        one = data is not None and (data.rank == 1 and name.name == "size" and len(expr.args) == 1)
        return bool(intrinsic) and (one or (len(expr.args) == 2 and dimension_argument(expr) is not None))
    return isinstance(expr, (Binary, Unary, Paren)) and all(_stays(body, e, known) for e in children(expr))
