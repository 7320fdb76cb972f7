"""What names of an ``associate`` around a region mean: parts of variables of the routine.

A name means its selector as it was when the construct began (Fortran 2018, 11.1.3.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Section, Subscript
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component, named_outside
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.analyze.nests.subscripts import Subscripts
from hfpy.analyze.nests.views import Hole, View, from_one
from hfpy.model.expressions import Component, Expr, Name, base_name, mentioned
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


def selected(references: Iterable[Reference], selector: Expr, construct: Construct) -> Reference | None:
    """The variable of a selector, of the references of its construct's header, where the names that the construct
    gives do not hold yet.
    """
    base = base_name(selector)
    here = (r for r in references if r.name == base and selector.start <= r.node.start < selector.end)
    found = next(here, None)
    if found is None:
        return None
    around = tuple(takewhile(lambda one: one is not construct, found.at.constructs))
    return replace(found, at=replace(found.at, constructs=around))


def part_of(data: DataObject, around: Part | None, selector: Expr, reference: Reference, indices: Subscripts) -> View:
    """What a selector means that begins with ``reference``: a part of a variable, or of what ``around`` says where that
    is a name which another construct gives.
    """
    unknown = View("", data.identity, None)
    whole = isinstance(selector, Name)
    if around is not None:
        if whole:
            return around[1]
        places = indices.listed(reference, around[1].dimensions)
        places = _from_first(around[1], places) if places is not None else None
    else:
        places = indices.of(reference, data)
    if places is None or indices.vague:
        return unknown
    if whole:  # which has the bounds of the variable
        return replace(unknown, places=tuple(_kept(n, p) for n, p in enumerate(places) if isinstance(p, Section)))
    meant = named_outside(selector, aliases_of(reference.at))
    own = renumbered(places, meant, indices.key, indices.facts.scopes)
    return replace(unknown, places=own if around is None or own is None else around[1].behind(own))


def _kept(which: int, whole: Section) -> Hole:
    """A dimension with its own bounds."""
    return Hole(which, number(0), number(0), 1, whole)


def _from_first(view: View, places: tuple[Subscript, ...]) -> tuple[Subscript, ...]:
    """Subscripts of a name, of which sections without a lower bound begin with the first element."""
    first = {
        p.which: number(1) if p.first == number(1) else p.whole.lower for p in view.places or () if isinstance(p, Hole)
    }

    def begun(which: int, place: Subscript) -> Subscript:
        open_ = isinstance(place, Section) and place.lower is None and place.step > 0
        return replace(place, lower=first.get(which)) if open_ and isinstance(place, Section) else place

    return tuple(begun(which, place) for which, place in enumerate(places))


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
    header = construct.header
    named = (r for r in body.facts.references[body.key] if r.at.statement is header)
    reference = selected(named, selector, construct)
    if reference is None:
        return unknown
    given = aliases_of(reference.at)
    around = part_around(body, reference, body.key, fresh) if reference.name in given else None
    if reference.name != data.name if around is None else around[0].identity != data.identity:
        return unknown
    values = mentioned(selector) - {reference.name}
    if values & given.keys() or not body.lasting_in(construct, values):
        return unknown
    still = World(body.facts, body.key, lambda identity, parts: False, fresh)
    indices = Subscripts(Reading(still, Frame(body.key), header.line.key), header)
    return part_of(data, around, selector, reference, indices)


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
