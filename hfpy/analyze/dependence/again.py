"""A nest in several turns of a loop around it, as one nest in which the turn is the first index of each point."""

from __future__ import annotations

from dataclasses import replace

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

_TURN = Index("turn")


def in_turns(nest: Nest, lasting: frozenset[str]) -> Nest:
    """Two turns of a nest. Parameters with the names ``lasting`` have the same values in both, others may have others;
    nothing is kept of what is known of those.
    """
    return Nest((_TURN, *nest.points), tuple(_access(a, 0, lasting) for a in nest.accesses), _facts(nest, lasting))


def by_each_point(nest: Nest, lasting: frozenset[str]) -> Nest:
    """The same two turns, as a loop that each point runs for itself."""
    place = len(nest.points)
    return Nest(nest.points, tuple(_access(a, place, lasting) for a in nest.accesses), _facts(nest, lasting))


def _facts(nest: Nest, lasting: frozenset[str]) -> Facts:
    return Facts(tuple(c for c in nest.facts.assumed if all(_lasts(f, lasting) for f in forms_of(c))))


def _lasts(form: Form, lasting: frozenset[str]) -> bool:
    return all(isinstance(a, Parameter) and a.name in lasting for a in atoms_of(form))


def _access(access: Access, place: int, lasting: frozenset[str]) -> Access:
    """An access in one of the turns; their loop comes behind so many of its own."""
    at = access.at
    own = [Loop(x.index, *(_form(f, lasting) for f in (x.lower, x.upper, x.step))) for x in at.loops]
    turns = Loop(_TURN, number(0), number(1), number(1))
    loops = (*own[:place], turns, *own[place:])
    guards = tuple(_condition(g, lasting) for g in at.guards)
    position = (*at.position[:place], _TURN, *at.position[place:])
    at = replace(at, loops=loops, guards=guards, position=position)
    subscripts = tuple(_subscript(s, lasting) for s in access.subscripts)
    return replace(access, at=at, subscripts=subscripts, value=None, inside=())


def _subscript(item: Subscript, lasting: frozenset[str]) -> Subscript:
    if isinstance(item, Section):
        low, high = (None if e is None else _form(e, lasting) for e in (item.lower, item.upper))
        return Section(low, high, item.step)
    return _form(item, lasting) if isinstance(item, Form) else item


def _condition(item: Condition, lasting: frozenset[str]) -> Condition:
    if isinstance(item, Compare):
        return Compare(_form(item.form, lasting), item.op)
    of = tuple(_condition(c, lasting) for c in item.of)
    return Every(of) if isinstance(item, Every) else Some(of)


def _form(form: Form, lasting: frozenset[str]) -> Form:
    """A form whose values belong to one turn, but for lasting ones."""
    table: dict[Atom, Form] = {}
    for item in atoms_of(form):
        if isinstance(item, Parameter) and item.name not in lasting:
            table[item] = atom(Application(item.name, (atom(_TURN),), shown=item.name, anew=True))
        elif isinstance(item, Application):
            args = tuple(_form(a, lasting) for a in item.args)
            table[item] = atom(Application(item.name, (*args, atom(_TURN)), item.truth, item.shown, anew=True))
    return substituted(form, table) if table else form
