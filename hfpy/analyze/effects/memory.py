"""What routines do to the memory of variables: which they allocate and free, which get other bounds or another target.

Each is noted with one of four words: ``allocate`` and ``deallocate`` for what these statements name, ``pointer`` for a
pointer that gets a target or loses it, ``resize`` for what an assignment may allocate, or give other bounds, and for
what a called routine does that to as a dummy argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.resized import gives_bounds
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference, associated, sets_component
from hfpy.model.expressions import Component, Name, base_name
from hfpy.model.statements import Assignment, Call, Memory, Opaque

if TYPE_CHECKING:
    from hfpy.analyze.effects.bodies import RegionBody

Done = tuple[Identity, str]


def memory_of(facts: Facts, lasts: Callable[[Identity], bool]) -> dict[str, frozenset[Done]]:
    """What each routine, or one that it calls, does to variables that it knows by itself, and what it does to its own
    dummy arguments. ``lasts`` tells whether a variable is there before and after a call of its unit.
    """
    own = {key: set(_of_references(facts, facts.references.get(key, ()), key)) for key in facts.graph.sites}
    _follow_dummies(facts, own)
    known = {key: frozenset(d for d in done if d[0][0] != key or lasts(d[0])) for key, done in own.items()}
    below = facts.graph.gathered(known)
    return {key: below[key] | frozenset(d for d in done if _is_dummy(facts, d[0])) for key, done in own.items()}


def done_in(body: RegionBody) -> frozenset[Done]:
    """What the statements of a region do, without those of routines that it calls."""
    return frozenset(_of_references(body.facts, body.references, body.key))


def done_below(body: RegionBody) -> frozenset[Done]:
    """What routines do that a region calls: to variables that they know by themselves, and that it passes."""
    found: set[Done] = set()
    for site in body.sites:
        for done in body.effects.memory(site.callee):
            found |= {done, *_above(body.facts, site, done)}
    return frozenset(found)


def done_to(reference: Reference, key: str, facts: Facts) -> str:
    """What a statement itself does to the memory of a variable that it names: one of the words, or an empty text."""
    statement = reference.at.statement
    match reference.role:
        case "allocate":
            return statement.kind if isinstance(statement, Memory) else ""
        case "pointer":
            return "pointer" if associated(reference) else "resize" if sets_component(reference) else ""
        case "argument" if isinstance(statement, Opaque):
            meant = facts.variable(reference.name, reference.at, key)
            return "resize" if meant is not None and meant.symbol.dynamic else ""
        case "argument":
            return "resize" if allocation_moved(reference, key, facts) else ""
        case "write" if isinstance(statement, Assignment):
            target = statement.target
            whole = isinstance(target, (Name, Component)) and base_name(target) == reference.name
            anew = whole and gives_bounds(reference.at, target, statement.value, key, facts.scopes)
            return "resize" if anew else ""
    return ""


def _of_references(facts: Facts, references: Iterable[Reference], key: str) -> Iterator[Done]:
    for reference in references:
        word = done_to(reference, key, facts)
        meant = _meant(facts, reference.name, reference.at, key) if word else None
        if meant is not None:
            yield meant, word


def _meant(facts: Facts, name: str, at: Located, key: str) -> Identity | None:
    found = facts.variable(name, at, key)
    return (found.home, found.symbol.name) if found is not None else None


def allocation_moved(reference: Reference, key: str, facts: Facts) -> bool:
    """Whether the allocation of an argument is moved (Fortran 2018, 16.9.137)."""
    statement = reference.at.statement
    called = isinstance(statement, Call) and base_name(statement.designator) == "move_alloc"
    return called and facts.scopes.is_intrinsic("move_alloc", key)


def _is_dummy(facts: Facts, identity: Identity) -> bool:
    routine = facts.application.routines.get(identity[0])
    return routine is not None and identity[1] in routine.dummies


def _follow_dummies(facts: Facts, own: dict[str, set[Done]]) -> None:
    """Add what callers pass for dummy arguments of routines that give these other bounds or targets."""
    pending = list({done for there in own.values() for done in there if _is_dummy(facts, done[0])})
    while pending:
        done = pending.pop()
        for site in facts.graph.callers.get(done[0][0], ()):
            more = set(_above(facts, site, done)) - own[site.caller]
            own[site.caller] |= more
            pending += [each for each in more if _is_dummy(facts, each[0])]


def _above(facts: Facts, site: CallSite, done: Done) -> Iterator[Done]:
    """What a call does to a variable of its routine, where it does something to a dummy argument."""
    (home, dummy), word = done
    if home == site.callee:
        for name, value in passed(facts, site):
            base = base_name(value) if name == dummy else None
            meant = _meant(facts, base, site.at, site.caller) if base is not None else None
            if meant is not None:
                yield meant, "pointer" if word == "pointer" else "resize"
