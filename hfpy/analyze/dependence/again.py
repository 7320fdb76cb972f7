"""A nest in several turns of a loop around it, as one nest in which the turn is an index; nests of several regions in
one turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from hfpy.analyze.dependence.forms import Application, Atom, Form, Index, Parameter, atom, atoms_of, number, substituted
from hfpy.analyze.dependence.model import (
    Access,
    Compare,
    Condition,
    Every,
    Facts,
    Loop,
    Nest,
    Section,
    Some,
    Subscript,
    forms_of,
)

TURN = Index("turn")
_Change = Callable[[Form], Form]


def in_turns(nest: Nest, lasting: frozenset[str]) -> Nest:
    """Two turns of a nest. Parameters with the names ``lasting`` have the same values in both, others may have others;
    nothing is kept of what is known of those.
    """
    return Nest((TURN, *nest.points), tuple(_access(a, 0, lasting) for a in nest.accesses), _facts(nest, lasting))


def by_each_point(nest: Nest, lasting: frozenset[str]) -> Nest:
    """The same two turns, as a loop that each point runs for itself."""
    place = len(nest.points)
    return Nest(nest.points, tuple(_access(a, place, lasting) for a in nest.accesses), _facts(nest, lasting))


def beside(nests: Sequence[Nest]) -> Nest:
    """Nests of regions over the same points as one nest: each point goes through one after the other.

    An array that gives indices may have other values in each region, as another one may have set it; so may whatever
    else is not known. The points' loops must be the same, and nothing may be assumed of the nests.
    """
    if len(nests) == 1:
        return nests[0]
    points = nests[0].points
    assert all(nest.points == points and nest.facts == Facts() for nest in nests)
    return Nest(points, tuple(_in_region(a, n, len(points)) for n, nest in enumerate(nests) for a in nest.accesses))


def _facts(nest: Nest, lasting: frozenset[str]) -> Facts:
    return Facts(tuple(c for c in nest.facts.assumed if all(_lasts(f, lasting) for f in forms_of(c))))


def _lasts(form: Form, lasting: frozenset[str]) -> bool:
    return all(isinstance(a, Parameter) and a.name in lasting for a in atoms_of(form))


def _access(access: Access, place: int, lasting: frozenset[str]) -> Access:
    """An access in one of the turns; their loop comes after so many of its own."""
    changed = _changed(access, partial(_in_turn, lasting=lasting))
    at = changed.at
    turns = Loop(TURN, number(0), number(1), number(1))
    loops = (*at.loops[:place], turns, *at.loops[place:])
    position = (*at.position[:place], TURN, *at.position[place:])
    return replace(changed, at=replace(at, loops=loops, position=position))


def _in_region(access: Access, region: int, place: int) -> Access:
    """An access in the region with a number."""
    changed = _changed(access, partial(_owned, region=region))
    position = (*changed.at.position[:place], region, *changed.at.position[place:])
    return replace(changed, at=replace(changed.at, position=position))


def _changed(access: Access, form: _Change) -> Access:
    """An access with other forms; nothing is kept of what it writes."""
    at = access.at
    loops = tuple(Loop(x.index, *(form(f) for f in (x.lower, x.upper, x.step))) for x in at.loops)
    at = replace(at, loops=loops, guards=tuple(_condition(g, form) for g in at.guards))
    subscripts = tuple(_subscript(s, form) for s in access.subscripts)
    return replace(access, at=at, subscripts=subscripts, value=None, inside=())


def _subscript(item: Subscript, form: _Change) -> Subscript:
    if isinstance(item, Section):
        low, high = (None if e is None else form(e) for e in (item.lower, item.upper))
        return Section(low, high, item.step)
    return form(item) if isinstance(item, Form) else item


def _condition(item: Condition, form: _Change) -> Condition:
    if isinstance(item, Compare):
        return Compare(form(item.form), item.op)
    of = tuple(_condition(c, form) for c in item.of)
    return Every(of) if isinstance(item, Every) else Some(of)


def _in_turn(form: Form, lasting: frozenset[str]) -> Form:
    """A form whose values belong to one turn, but for lasting ones."""
    table: dict[Atom, Form] = {}
    for item in atoms_of(form):
        if isinstance(item, Parameter) and item.name not in lasting:
            table[item] = atom(Application(item.name, (atom(TURN),), shown=item.name, anew=True))
        elif isinstance(item, Application):
            args = tuple(_in_turn(a, lasting) for a in item.args)
            table[item] = atom(Application(item.name, (*args, atom(TURN)), item.truth, item.shown, anew=True))
    return substituted(form, table) if table else form


def _owned(form: Form, region: int) -> Form:
    """A form whose unknown values belong to a region."""
    table: dict[Atom, Form] = {}
    for item in atoms_of(form):
        if isinstance(item, Application):
            args = tuple(_owned(a, region) for a in item.args)
            table[item] = atom(replace(item, name=f"{item.name} in {region}", args=args))
    return substituted(form, table) if table else form
