"""Variables that a call in a region gives to two dummy arguments of which the routine sets one.

The standard does not allow it (Fortran 2018, 15.5.2.13): compilers may keep a copy of the one while the other changes,
and kernels do. Dummies that are pointers or targets may share memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.analyze.language.sizes import linear
from hfpy.diagnostics import Diagnostic, Related, warning
from hfpy.model.expressions import Apply, Binary, Component, Expr, Name, Range, base_name, without_places
from hfpy.model.units import Routine

_MAY_SHARE = frozenset({"pointer", "target"})
_MOST = 4  # arguments that get the same are looked at


def given_twice(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """Warnings for the calls in regions, and in routines that are called there (HF510)."""
    for routine in routines_to_check(facts):
        below = bool(facts.positions.get(routine.key).above)
        for site in facts.graph.below(routine.key):
            inside = below or facts.positions.active(routine.key, site.at)
            if inside and len(site.args) > 1 and site.callee and facts.live(site.at, routine.key):
                yield from _in_call(facts, effects, routine, site)


def _in_call(facts: Facts, effects: Effects, routine: Routine, site: CallSite) -> Iterator[Diagnostic]:
    callee = facts.application.routines.get(site.callee)
    if callee is None:
        return
    given = [(name, value) for name, value in passed(facts, site) if is_variable(facts, routine.key, value)]
    for (first, one), (second, other) in _in_same_memory(given):
        if _may_share(callee, first) and _may_share(callee, second):
            continue
        effects.looked.add((routine.key, site.callee))
        changed = next((n for n in (second, first) if effects.intent(site.callee, n) != "in"), None)
        if changed is not None:
            place = site.at.statement.line.place(routine.file, other.start, other.end)
            message = (
                f"'{base_name(other)}' is given to '{first}' and '{second}' of '{site.name}', which sets '{changed}'"
            )
            hint = f"write ({_shown(site, one)}) for what is only read, or use another variable"
            yield warning("HF510", message, place, hint, [Related(callee.place(), f"'{site.name}'")])


Given = tuple[str, Expr]  # a dummy argument with the designator that it gets


def _in_same_memory(given: Sequence[Given]) -> Iterator[tuple[Given, Given]]:
    """Pairs whose designators mean the same, or one a part of the other as they are, and sections that nothing keeps
    apart from other parts of the array. Each argument is in a few of them at most.
    """
    designators = [without_places(value) for _, value in given]
    places: dict[Expr, list[int]] = {}
    sections: dict[Expr, list[int]] = {}
    for place, designator in enumerate(designators):
        places.setdefault(designator, []).append(place)
        if isinstance(designator, Apply):
            for other in sections.get(designator.base, ()):
                if _meet(designators[other], designator):
                    yield given[other], given[place]
            if len(sections.setdefault(designator.base, [])) < _MOST:
                sections[designator.base].append(place)
    for place, designator in enumerate(designators):
        for part in _wholes(designator):
            for other in places.get(part, ())[:_MOST]:
                if part is not designator or other < place:
                    yield given[other], given[place]


def _meet(one: Expr, other: Expr) -> bool:
    """Whether two parts of an array, one a section at least, have elements in common unless the run keeps them apart.
    Two elements are for the user to keep apart: an index may be any.
    """
    assert isinstance(one, Apply) and isinstance(other, Apply)
    pairs = list(zip(one.args, other.args, strict=False))
    section = any(isinstance(a, Range) or isinstance(b, Range) for a, b in pairs)
    return section and one != other and not any(_apart(a, b) or _apart(b, a) for a, b in pairs)


def _apart(one: Expr, other: Expr) -> bool:
    """Whether all of one subscript lies below all of another, or both are indices of which nothing says that they are
    equal.
    """
    if not isinstance(one, Range) and not isinstance(other, Range):
        return linear(one) != linear(other)
    last = one.upper if isinstance(one, Range) else one
    first = other.lower if isinstance(other, Range) else other
    distance = linear(Binary(0, 0, "-", first, last)) if first is not None and last is not None else None
    return distance is not None and all(atom == "" for atom, _ in distance) and sum(n for _, n in distance) > 0


def is_variable(facts: Facts, key: str, value: Expr) -> bool:
    """Whether an actual argument is a variable or a part of one, and no value: no constant, no function's result."""
    if not isinstance(value, (Name, Apply, Component)):
        return False
    name = base_name(value)
    found = facts.scopes.variable(name, key) if name is not None else None
    if found is None or found.symbol.constant:
        return False
    return not isinstance(value, Apply) or bool(found.symbol.rank) or isinstance(value.base, Component)


def _wholes(designator: Expr) -> Iterator[Expr]:
    """A designator and all that it is an element, a section or a component of."""
    yield designator
    while isinstance(designator, (Apply, Component)):
        designator = designator.base
        yield designator


def _may_share(callee: Routine, dummy: str) -> bool:
    symbol = callee.spec.symbols.get(dummy)
    return symbol is not None and bool(symbol.attributes & _MAY_SHARE)


def _shown(site: CallSite, value: Expr) -> str:
    return site.at.statement.line.text[value.start : value.end]
