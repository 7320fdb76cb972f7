"""What names of an ``associate`` around a region mean: parts of variables of the routine.

A name means its selector as it was when the construct began (Fortran 2018, 11.1.3.3).
"""

from __future__ import annotations

from collections.abc import Callable

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Section, Subscript
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.analyze.nests.subscripts import Subscripts
from hfpy.analyze.nests.views import Hole, View, from_one
from hfpy.model.expressions import Component, Expr, base_name, mentioned
from hfpy.model.statements import Construct, Header

Part = tuple[DataObject, View]
Places = tuple[Subscript | Hole, ...]


def part_around(body: RegionBody, reference: Reference, key: str, fresh: Callable[[str], Form]) -> Part | None:
    """The variable of a unit that a name means a part of, and which elements, as far as that is known: where the
    indices of the selector are the same all through the construct. None for values of expressions, and for what a
    block declares.
    """
    name = stands_for(reference.name, reference.at)[0]
    data = body.facts.object(name, key) if name is not None else None
    if data is None:
        return None
    found = _selector(reference)
    if found is None or key != body.key:
        return data, View("", data.identity, None)
    slot = (id(found[0]), reference.name)
    if slot not in body.parts:
        body.parts[slot] = _view(body, data, *found, fresh)
    return data, body.parts[slot]


def renamed(reference: Reference, within: Construct) -> bool:
    """Whether what a selector names is itself a name that a construct around ``within`` gives."""
    for construct in reference.at.constructs:
        if construct is within:
            return False
        if reference.name in getattr(construct.header, "names", ()):
            return True
    return False


def _selector(reference: Reference) -> tuple[Construct, Expr] | None:
    """The construct that gives a name, and what the name means."""
    for construct in reversed(reference.at.constructs):
        header = construct.header
        if isinstance(header, Header) and reference.name in header.names:
            given = dict(zip(header.names, header.exprs, strict=False)).get(reference.name)
            return (construct, given) if construct.kind == "associate" and given is not None else None
    return None


def _view(
    body: RegionBody, data: DataObject, construct: Construct, selector: Expr, fresh: Callable[[str], Form]
) -> View:
    """The elements that a selector means, in terms of the names as they are in the region."""
    unknown = View("", data.identity, None)
    header, base = construct.header, base_name(selector)
    named = (r for r in body.facts.references[body.key] if r.at.statement is header and r.name == base)
    reference = next((r for r in named if selector.start <= r.node.start < selector.end), None)
    if base != data.name or reference is None or renamed(reference, construct):
        return unknown
    if not body.lasting_in(construct, mentioned(selector) - {base}):
        return unknown
    still = World(body.facts, body.key, lambda identity, parts: False, fresh)
    subscripts = Subscripts(Reading(still, Frame(body.key), header.line.key), header)
    places = subscripts.of(reference, data)
    return (
        unknown
        if places is None or subscripts.vague
        else View("", data.identity, renumbered(places, selector, body.key, body.facts.scopes))
    )


def renumbered(places: tuple[Subscript, ...], selector: Expr, key: str, scopes: Scopes) -> Places | None:
    """The places of a selector for indices of its name: these are those of a component that is whole, and count from 1
    in a section (Fortran 2018, 11.1.3.3).
    """
    found = from_one(places)
    symbol = component(selector, key, scopes) if isinstance(selector, Component) else None
    if found is None or symbol is None or not symbol.rank:
        return found
    first = sum(isinstance(p, Hole) for p in found)
    return (*found, *(Hole(first + n, number(0), number(0), 1, Section()) for n in range(symbol.rank)))
