"""What the loops around a region say of their variables, which are the same for all of its points."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.dependence.forms import Form, Parameter, atom, number
from hfpy.analyze.dependence.model import Compare, Condition
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.model.expressions import Expr, Name, walk
from hfpy.model.statements import Construct, Header


def loops_around(body: RegionBody) -> Iterator[Condition]:
    """The bounds and steps of the ``do`` loops around a region whose variables it mentions. The variable of a loop has
    one of the loop's values in it, and cannot be set there (Fortran 2018, 11.1.7.4.3).

    Only bounds that are the same in all turns count: of numbers, named constants, ``intent(in)`` dummies and variables
    of loops further out.
    """
    names = body.names()
    known: set[str] = set()
    for loop in around(body):
        header = loop.header
        if loop.kind != "do" or not isinstance(header, Header) or not header.var:
            continue
        data = body.facts.object(header.var, body.key)
        if data is None or data.rank or data.symbol.type.base != "integer":
            continue
        if header.var in names and all(_lasting(body, e, known) for e in header.exprs):
            yield from _conditions(body, header, atom(Parameter(data.name_in(body.key))))
        known.add(header.var)


def around(body: RegionBody) -> tuple[Construct, ...]:
    """The constructs around the region, outermost first."""
    for at in body.inside:
        for place, construct in enumerate(at.constructs):
            if construct is body.construct:
                return at.constructs[:place]
    return ()


def lasting(body: RegionBody) -> Iterator[str]:
    """The scalars of a region that have one value as long as the routine runs, by their names in forms."""
    for name in sorted(body.names()):
        data = body.facts.object(name, body.key)
        if data is not None and not data.rank and (data.symbol.constant or data.symbol.intent == "in"):
            yield data.name_in(body.key)


def _lasting(body: RegionBody, expr: Expr, loops: set[str]) -> bool:
    """Whether an expression has one value as long as the loop runs."""
    for node in walk(expr):
        if isinstance(node, Name) and node.name not in loops:
            data = body.facts.object(node.name, body.key)
            if data is None or data.rank or not (data.symbol.constant or data.symbol.intent == "in"):
                return False
    return True


def _conditions(body: RegionBody, header: Header, variable: Form) -> Iterator[Condition]:
    world = World(body.facts, body.key, lambda identity, parts: False, lambda shown: atom(Parameter(f"${shown}")))
    reading = Reading(world, Frame(body.key), header.line.key)
    first, last, step = (*(reading.form(e) for e in header.exprs), number(1))[:3]
    by = step.constant
    if not by:
        return
    low, high = (first, last) if by > 0 else (last, first)
    yield Compare(variable - low, ">=")
    yield Compare(high - variable, ">=")
    if abs(by) > 1:
        turn = atom(Parameter(f"turn of {header.var}", reported=False))
        yield Compare(variable - first - turn.times(by), "=")
