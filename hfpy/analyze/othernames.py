"""Memory that has several names: what a region, or a routine that it calls, writes under one of them and uses under
another one. The dependence engine compares the accesses of one variable; here is what it does not see.

Names have memory in common by pointers, ``common`` and ``equivalence``. Two arrays that the region itself mentions are
compared by :mod:`hfpy.analyze.sharedarrays`, objects with pointers in them by :mod:`hfpy.analyze.pointercomponents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.components import chains_in
from hfpy.analyze.declared import SIZE
from hfpy.analyze.facts import Facts
from hfpy.analyze.kinds import Kinds
from hfpy.analyze.members import Members
from hfpy.analyze.storage import Identity, component_object
from hfpy.analyze.types import component
from hfpy.analyze.uses import Reference, aliases_of, associated, sets_component
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.model.expressions import Component, walk
from hfpy.model.units import Symbol

if TYPE_CHECKING:
    from hfpy.analyze.bodies import RegionBody

#: What is noted of a routine: that it uses a variable, sets it, or sets a pointer to it, which others may have then.
USE, SET, LENT = "use", "set", "lend"
TOUCHED = frozenset({USE, SET, LENT})
_POINTED = frozenset({"pointer", "target"})
_STATE = "if no two points meet in it, say so in the region: independent({name}); else use one name"


@dataclass(frozen=True)
class _Touch:
    """A variable, or a pointer component, that is used; ``place`` is that of the region's own reference, else of the
    region; ``below`` the routine that does it; ``lent`` says that it does so through a pointer.
    """

    identity: Identity
    name: str
    writes: bool
    place: Place
    below: str = ""
    array: bool = False
    lent: bool = False


def touched_in(
    facts: Facts,
    of: Callable[[Reference, str], tuple[bool, bool]],
    key: str,
    declared: Iterable[tuple[Identity, str]],
) -> Iterator[tuple[Identity, str]]:
    """The memory with other names that a routine's statements use and set; ``of`` tells whether a reference does. Local
    pointers stand for their targets; who gets the target of a pointer uses it. Dummy arguments are the callers' own.
    What is ``declared`` is read, too (:mod:`hfpy.analyze.declared`).
    """
    yield from ((identity, USE) for identity, word in declared if word == SIZE)
    routine = facts.application.routines.get(key)
    for reference, identity, symbol in _references(facts, facts.references.get(key, ()), key, True):
        if routine is None or (identity[0] == key and identity[1] in routine.dummies):
            continue
        if reference.role == "pointer":
            yield identity, LENT
            continue
        reads, writes = of(reference, key)
        found = frozenset({identity})
        if identity[0] == key and symbol is not None and "pointer" in symbol.attributes:
            found |= facts.storage.of_identity(identity)
        for each in found if reads or writes else ():
            yield each, SET if writes else USE


def other_names(body: RegionBody, said: Sequence[Diagnostic]) -> list[Diagnostic]:
    """A warning (HF500) for each two names of one memory, of which the region, with what it calls, writes one. What is
    ``said`` at a place already is enough.
    """
    places = {d.place for d in said if d.severity != "note"}
    return [d for d in _met(body) if d.place not in places]


def _met(body: RegionBody) -> Iterator[Diagnostic]:
    touches = list(_touches(body))
    if not any(t.writes for t in touches):
        return
    met = _Meeting(body)
    told: set[frozenset[str]] = set()
    for number, one in enumerate(touches):
        for other in touches[number + 1 :]:
            names = frozenset({one.name, other.name})
            if not (one.writes or other.writes) or names in told:
                continue
            if one.identity == other.identity and not (one.lent or other.lent):
                continue
            if (one.array and other.array and not one.below and not other.below) or not met.meet(one, other):
                continue
            if names & {*body.region.independent}:
                continue
            told.add(names)
            first, second = (one, other) if one.writes else (other, one)
            shown = f", which '{second.below}' uses," if second.below else ""
            message = f"'{first.name}' is written, and '{second.name}'{shown} may be the same memory"
            hint = _STATE.format(name=first.name)
            yield warning("HF500", f"{message}: nothing keeps points apart", first.place, hint)


def _touches(body: RegionBody) -> Iterator[_Touch]:
    """What the region touches, and what the routines do that it calls, each once."""
    seen: set[tuple[Identity, bool]] = set()
    for reference, identity, symbol in _references(body.facts, body.references, body.key):
        reads, writes = body.effects.of(reference, body.key)
        writes = writes and _sets_target(body, reference, symbol)
        if (reads or writes) and (identity, writes) not in seen:
            seen.add((identity, writes))
            array = symbol is not None and bool(symbol.rank) and identity[0] != "%"
            yield _Touch(identity, identity[1], writes, body.place(reference), array=array)
    for callee in body.callees:
        name = body.facts.routine(callee).name
        for identity, word in sorted(body.effects.touched(callee)):
            if word == LENT or (identity, word == SET) not in seen:
                seen.add((identity, word == SET))
                lent = word == LENT
                yield _Touch(identity, identity[1], word == SET, body.region.place, name, lent=lent)


def _sets_target(body: RegionBody, reference: Reference, symbol: Symbol | None) -> bool:
    """Whether an argument that a called routine changes is more than a pointer which it sets to something."""
    pointer = symbol is not None and "pointer" in symbol.attributes
    if not pointer or reference.role != "argument" or reference.call is None:
        return True
    facts, effects = body.facts, body.effects
    sites = facts.graph.called_at(body.key, reference.at, reference.call)
    dummies = [(s.callee, dummy_name(facts, s, reference.position)) for s in sites]
    if not dummies or any(dummy is None for _, dummy in dummies):
        return True
    named = ((r, key) for key, dummy in dummies for r in facts.references.get(key, ()) if r.name == dummy)
    return any(r.role != "pointer" and effects.of(r, key)[1] for r, key in named) or any(
        key not in facts.references for key, _ in dummies
    )


def _references(
    facts: Facts, references: Sequence[Reference], key: str, targets: bool = False
) -> Iterator[tuple[Reference, Identity, Symbol | None]]:
    """The references that mean memory with other names: what they mean, a variable or a pointer component. With
    ``targets`` what pointers are set to is among them.
    """
    chains: dict[int, Mapping[tuple[int, str], Sequence[Component]]] = {}
    for reference in references:
        set_ = reference.role == "pointer" and (not targets or associated(reference) or sets_component(reference))
        if set_ or reference.role == "inquiry":
            continue
        selector = aliases_of(reference.at).get(reference.name) if reference.at.renamed else None
        if selector is not None:
            parts: Sequence[Component] = [node for node in walk(selector) if isinstance(node, Component)]
        elif reference.component:
            statement = reference.at.statement
            listed = chains.get(id(statement)) or chains.setdefault(id(statement), chains_in(statement))
            parts = listed.get((reference.node.start, reference.name), ())
        else:
            parts = ()
        found = [(part.name, component(part, key, facts.scopes)) for part in parts]
        pointer = next((p for p in reversed(found) if p[1] is not None and "pointer" in p[1].attributes), None)
        if pointer is not None:
            yield reference, component_object(pointer[0]), pointer[1]
            continue
        variable = facts.variable(reference.name, reference.at, key)
        if variable is not None and not variable.symbol.constant:
            identity = variable.home, variable.symbol.name
            if variable.symbol.attributes & _POINTED or facts.storage.joint(identity) is not None:
                yield reference, identity, variable.symbol


class _Meeting:
    """Whether what is touched may be one memory."""

    def __init__(self, body: RegionBody) -> None:
        self.storage = body.facts.storage
        self.members = Members(body.facts.application, body.facts.scopes, Kinds(body.facts.scopes))
        self.facts = body.facts

    def meet(self, one: _Touch, other: _Touch) -> bool:
        """The answer for two of them."""
        first, second = one.identity, other.identity
        joint = self.storage.joint(first)
        if joint is not None and joint == self.storage.joint(second):
            return self._joined(first, second)
        if not (self._pointed(first) and self._pointed(second)):
            return False
        return self.storage.meet(self.storage.of_identity(first), self.storage.of_identity(second))

    def _joined(self, first: Identity, second: Identity) -> bool:
        """Whether variables of one common block, or of one ``equivalence``, overlap; if that cannot be told, yes."""
        if first[0] == second[0] and not (self.storage.equivalent(first) and self.storage.equivalent(second)):
            return False
        one, other = self.members.member(*first), self.members.member(*second)
        if one is None or other is None:
            return first[0] != second[0] or self.storage.shared(first[1], second[1], first[0])
        pairs = zip(one.begin, other.begin, strict=True)
        return any(a < b + other.bytes and b < a + one.bytes for a, b in pairs)

    def _pointed(self, identity: Identity) -> bool:
        if identity[0] == "%":
            return True
        home = self.facts.application.routines.get(identity[0])
        symbol = home.spec.symbols.get(identity[1]) if home is not None else None
        return symbol is not None and bool(symbol.attributes & _POINTED)
