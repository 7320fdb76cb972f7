"""Reductions that nobody names: scalars of which every use in a region is an update with one operator."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.types import type_of
from hfpy.analyze.regions.reductions import misuse
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Apply, Component, Literal, Name, walk
from hfpy.model.statements import Assignment

_OPERATORS = ("+", "*", "max", "min", ".and.", ".or.", ".eqv.", ".neqv.", "iand", "ior", "ieor")
# Functions whose value is an integer, or of the type of their arguments.
_OF_INTEGERS = frozenset(
    "int nint floor ceiling abs mod modulo max min sign dim merge iand ior ieor ishft ibset ibclr ibits size lbound "
    "ubound count len len_trim index scan verify ichar iachar popcnt leadz trailz sum product maxval minval".split()
)


def found_reductions(body: RegionBody) -> Iterator[Reduction]:
    """The reductions of a region besides those that it names, by what its statements do (automatic.md §1)."""
    flow = body.flow()
    known = {*body.region.iterators, *(r.name for r in body.region.reductions)}
    for name in sorted(flow.written.keys() - known):
        data = body.facts.object(name, body.key)
        if data is None or data.rank or name not in flow.exposed or data.symbol.type.base in ("type", "class"):
            continue
        if data.symbol.type.base == "integer" and not _of_integers(body, name):
            continue
        for operator in _OPERATORS:
            reduction = Reduction(operator, name)
            if misuse(body, reduction) is None:
                yield reduction
                break


def _of_integers(body: RegionBody, name: str) -> bool:
    """Whether an integer certainly gets integers: of others each update cuts off a part, in the order of the turns."""
    for reference in body.references:
        if resolve_alias(reference.name, reference.at)[0] != name or reference.role != "write":
            continue
        statement = reference.at.statement
        if isinstance(statement, Assignment) and not _integer_valued(body, statement):
            return False
    return True


def _integer_valued(body: RegionBody, statement: Assignment) -> bool:
    found = type_of(statement.value, body.key, body.facts.scopes)
    if found is not None:
        return found.base == "integer"
    nodes = list(walk(statement.value))
    called = [n.base.name for n in nodes if isinstance(n, Apply) and isinstance(n.base, Name)]
    names = [n.name for n in nodes if isinstance(n, Name) and n.name not in called]
    strange = any(isinstance(n, Component) or (isinstance(n, Literal) and n.kind == "real") for n in nodes)
    return not strange and all(_known(body, name) for name in (*called, *names))


def _known(body: RegionBody, name: str) -> bool:
    """Whether a name with arguments means integers: a variable, or a function that makes them of integers."""
    found = body.facts.scopes.variable(name, body.key)
    if found is not None:
        return found.symbol.type.base == "integer"
    return name in _OF_INTEGERS and body.facts.scopes.is_intrinsic(name, body.key)
