"""Memory that has several names: what a region, or a routine that it calls, writes under one of them and uses under
another one. The dependence engine compares the accesses of one variable; here is what it does not see.

Names have memory in common by pointers, ``common`` and ``equivalence``. Two arrays that the region itself mentions are
compared by :mod:`hfpy.analyze.regions.sharedarrays`, objects with pointers in them by
:mod:`hfpy.analyze.regions.pointercomponents`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.effects.members import Members
from hfpy.analyze.effects.severalnames import LENT, POINTED, SET, Chains, components_meant, references_to
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.nests.calls import Calls
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.analyze.effects.bodies import RegionBody

_OBJECTS = ("type", "class")
_STATE = "if no two points meet in it, say so in the region: independent({name}); else use one name"


@dataclass(frozen=True)
class _Touch:
    """A variable, or a pointer component, that is used; ``place`` is that of the region's own reference, else of the
    region; ``below`` the routine that does it; ``lent`` says that it does so through a pointer. ``objects`` are what
    the region uses the component of, ``parts`` the names of the components that it uses of an object; None for any.
    """

    identity: Identity
    name: str
    writes: bool
    place: Place
    below: str = ""
    array: bool = False
    lent: bool = False
    objects: frozenset[str] = frozenset()
    parts: frozenset[str] | None = None

    @property
    def stated(self) -> str:
        """What ``independent`` has to list."""
        return ", ".join(sorted(self.objects)) or self.name

    def apart(self, independent: Collection[str]) -> bool:
        """Whether the region states that no two points meet in it: of a component, in none of the objects."""
        return self.name in independent or (bool(self.objects) and self.objects <= {*independent})


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
    reported: set[frozenset[str]] = set()
    for number, one in enumerate(touches):
        for other in touches[number + 1 :]:
            names = frozenset({one.name, other.name})
            if not (one.writes or other.writes) or names in reported:
                continue
            if one.identity == other.identity and not (one.lent or other.lent):
                continue
            if (one.array and other.array and not one.below and not other.below) or not met.meet(one, other):
                continue
            if one.apart(body.region.independent) or other.apart(body.region.independent):
                continue
            reported.add(names)
            first, second = (one, other) if one.writes else (other, one)
            shown = f", which '{second.below}' uses," if second.below else ""
            message = f"'{first.name}' is written, and '{second.name}'{shown} may be the same memory"
            hint = _STATE.format(name=first.stated)
            yield warning("HF500", f"{message}: nothing keeps points apart", first.place, hint)


def _touches(body: RegionBody) -> Iterator[_Touch]:
    """What the region touches, and what the routines do that it calls, each once."""
    own: dict[tuple[Identity, bool], _Touch] = {}
    chains: Chains = {}
    references = body.effects.with_functions(body.references, body.key)
    for reference, identity, symbol in references_to(body.facts, references, body.key):
        reads, writes = body.effects.of(reference, body.key)
        writes = writes and not (reference.role == "argument" and _only_points(body, reference, identity))
        if not (reads or writes):
            continue
        part = identity[0] == "%"
        objects = {stands_for(reference.name, reference.at)[0] or reference.name} if part else set()
        array = symbol is not None and bool(symbol.rank) and not part
        parts = None
        if symbol is not None and symbol.type.base in _OBJECTS and not part:
            parts = components_meant(body.facts, reference, body.key, chains)
        touch = own.get((identity, writes))
        if touch is None:
            touch = _Touch(identity, identity[1], writes, body.place(reference), array=array, parts=parts)
        both = touch.parts | parts if touch.parts is not None and parts is not None else None
        own[identity, writes] = replace(touch, objects=touch.objects | objects, parts=both)
    yield from own.values()
    seen = set(own)
    for callee in body.callees:
        name = body.facts.routine(callee).name
        for identity, word in sorted(body.effects.touched(callee)):
            if not (body.in_common(identity) or _is_pointed(body.facts, identity)):
                continue
            if word == LENT or (identity, word == SET) not in seen:
                seen.add((identity, word == SET))
                lent = word == LENT
                yield _Touch(identity, identity[1], word == SET, body.region.place, name, lent=lent)


def _only_points(body: RegionBody, reference: Reference, identity: Identity) -> bool:
    """Whether a routine sets where a pointer points that it gets as an argument, and no values there."""
    if (identity, "pointer") not in body.changed_below:
        return False
    calls, met = Calls(body.facts, body.effects, body.key), dummies_met(body.facts, body.key, reference)
    return bool(met) and not any(d is None or calls.sets_values(s.callee, d.name) for s, d in met)


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
        if not (_is_pointed(self.facts, first) and _is_pointed(self.facts, second)):
            return False
        mine, others = self.storage.of_identity(first), self.storage.of_identity(second)
        for pointed, objects, used in ((mine, others, other.parts), (others, mine, one.parts)):
            if used is not None and self.storage.inside.without(pointed, objects, used):
                return False
        return self.storage.meet(mine, others)

    def _joined(self, first: Identity, second: Identity) -> bool:
        """Whether variables of one common block, or of one ``equivalence``, overlap; if that is not known, yes."""
        if first[0] == second[0] and not (self.storage.equivalent(first) and self.storage.equivalent(second)):
            return False
        one, other = self.members.member(*first), self.members.member(*second)
        if one is None or other is None:
            return first[0] != second[0] or self.storage.shared(first[1], second[1], first[0])
        pairs = zip(one.begin, other.begin, strict=True)
        return any(a < b + other.bytes and b < a + one.bytes for a, b in pairs)


def _is_pointed(facts: Facts, identity: Identity) -> bool:
    """Whether pointers may give the memory of a variable, or of a component, other names."""
    if identity[0] == "%":
        return True
    home = facts.application.routines.get(identity[0])
    symbol = home.spec.symbols.get(identity[1]) if home is not None else None
    return symbol is not None and bool(symbol.attributes & POINTED)
