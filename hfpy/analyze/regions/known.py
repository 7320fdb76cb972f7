"""Integers whose value is known in a region: those that the ``if`` around nothing but it compares with a number.

This is what size specialisation writes (stencil-optimisation.md §8), and kernels and outlined bodies make constants of.
"""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.analyze.facts import Facts
from hfpy.model.building import number
from hfpy.model.directives import Region
from hfpy.model.expressions import Binary, Expr, Fragment, Instead, Literal, Name, Paren, with_children
from hfpy.model.printing import expression as printed
from hfpy.model.statements import Construct, Header
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import fragment

_NOT_FIXED = {"optional", "pointer", "allocatable", "target", "volatile", "asynchronous"}


def known_values(
    facts: Facts, routine: Routine, region: Construct, written: frozenset[str] | set[str]
) -> dict[str, int]:
    """Integers of a routine with their values in a region, which sets those in ``written``."""
    for header, inner in routine.guarded:
        if isinstance(header, Header) and inner is region:
            found = _equalities(header.exprs[0]) if header.exprs else {}
            return {n: v for n, v in found.items() if n not in written and is_size(facts, routine, n)}
    return {}


def is_size(facts: Facts, routine: Routine, name: str) -> bool:
    """Whether a name is an integer that only a statement of the program's own changes, and that is no constant."""
    found = facts.scopes.variable(name, routine.key)
    if found is None or found.symbol.rank or found.symbol.type.base != "integer" or found.symbol.constant:
        return False
    return not found.symbol.attributes & _NOT_FIXED and name not in routine.spec.storage


def team_of(facts: Facts, routine: Routine, region: Region, known: Mapping[str, int]) -> dict[str, int]:
    """The threads that compute a point together, by the variables of loops. None where private arrays have sizes that
    are known in other versions of the region alone: a team needs room of a known size.
    """
    asked = {name for name, _ in region.sizes} - known.keys()
    arrays = [facts.object(name, routine.key) for name in region.private]
    unknown = any(d.extent.names & asked for data in arrays if data is not None for d in data.used)
    return {} if unknown else dict(region.factors("team"))


def values_here(facts: Facts, values: Mapping[str, int], key: str, home: str) -> dict[str, int]:
    """Those of the values known in a routine whose names mean the same in another unit."""
    return {n: v for n, v in values.items() if facts.scopes.variable(n, home) == facts.scopes.variable(n, key)}


def _equalities(condition: Expr) -> dict[str, int]:
    match condition:
        case Paren(inner=inner):
            return _equalities(inner)
        case Binary(op=".and.", left=left, right=right):
            return {**_equalities(left), **_equalities(right)}
        case Binary(op="==", left=Name(name=name), right=Literal(kind="int", text=text)) if text.isdigit():
            return {name: int(text)}
    return {}


def with_values(given: Fragment, values: Mapping[str, int]) -> Fragment:
    """An expression with numbers in the place of names."""
    return with_literals(given, {name: number(value) for name, value in values.items()})


def with_literals(given: Fragment, literals: Mapping[str, Expr]) -> Fragment:
    """An expression with others in the place of names."""

    def put(expr: Expr) -> Expr:
        if isinstance(expr, Name) and expr.name in literals:
            return Instead(expr.start, expr.end, literals[expr.name])
        return with_children(expr, put)

    return fragment(printed(put(given.expr), given.text))
