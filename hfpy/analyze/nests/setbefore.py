"""Scalars that a statement of the routine sets before a region, on every way to it: their values are known there,
``nz = size(x)``, ``kp1 = k + 1``.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.dependence.forms import Parameter, atom
from hfpy.analyze.dependence.model import Compare, Condition
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.analyze.nests.onallways import Setting, lasts, on_all_ways
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.model.expressions import Apply, Expr, Name, base_name


def set_before(body: RegionBody) -> Iterator[Condition]:
    """What integers of a region are equal to, by the last statement before it that sets them.

    Only values count that are still the same in the region: sums, products, quotients, extremes and remainders of
    numbers, named constants, bounds of arrays that keep them, and integers that nothing has changed since then.
    """
    ways = body.effects.set_before
    if body.key not in ways or ways[body.key][0] is not body.routine:
        ways[body.key] = body.routine, on_all_ways(body)
    known = ways[body.key][1].get(id(body.construct), {})
    if not known or body.construct.header.line.file:
        return
    pending = sorted(body.names() & known.keys())
    seen = set(pending)
    while pending:
        name = pending.pop()
        yield from _condition(body, name, known[name])
        others = (known[name].names & known.keys()) - seen
        pending += sorted(others)
        seen |= others


def _condition(body: RegionBody, name: str, found: Setting) -> Iterator[Condition]:
    world = World(body.facts, body.key, lambda identity, parts: False, lambda shown: atom(Parameter(f"${shown}")))
    data = body.facts.object(name, body.key)
    value = Reading(world, Frame(body.key), found.line.key).form(_declared(body, found.value))
    # A number is only an example of a size: what is proved must hold for all sizes.
    if data is not None and value.constant is None:
        yield Compare(atom(Parameter(data.name_in(body.key))) - value, "=")


def _declared(body: RegionBody, expr: Expr) -> Expr:
    """The name that a dimension is declared with, where a value is the dimension's size: it is not negative. That holds
    for names that nothing sets.
    """
    if not isinstance(expr, Apply) or not isinstance(expr.args[0], Name) or base_name(expr) != "size":
        return expr
    data, number = body.facts.object(expr.args[0].name, body.key), dimension_argument(expr)
    place = int(number.text) - 1 if number is not None else 0
    if data is None or data.home != body.key or not 0 <= place < data.rank == data.symbol.rank:
        return expr
    dim = data.used[place].extent
    upper = dim.upper.expr if dim.form == "explicit" and dim.lower is None and dim.upper is not None else None
    found = body.facts.object(upper.name, body.key) if isinstance(upper, Name) else None
    return upper if upper is not None and found is not None and lasts(found) else expr
