"""What may be on the device when a routine runs, since a caller holds it there.

Device memory belongs to addresses, not to names. So an array that one routine brings to the device is there under all
its other names, too, as long as that routine runs: in routines that import it, get it as an argument, or are internal
ones; through pointers; in common blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.domains import DataObject
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.model.expressions import Name, walk
from hfpy.model.statements import InputOutput, Statement

Identity = tuple[str, str]

#: Stands for all that pointers may point to.
TARGETS: Identity = ("", "targets")
#: The attributes of what may be known by a pointer.
POINTED = frozenset({"pointer", "target"})


class Decisions(Protocol):
    """What :class:`hfpy.analyze.states.States` knows of single routines."""

    def held(self, key: str) -> list[DataObject]:
        """The arrays that a routine has on the device by itself."""


def common_block(facts: Facts, identity: Identity) -> Identity | None:
    """What stands for the common block of a variable, if it is in one."""
    home = facts.application.routines.get(identity[0])
    for group in home.spec.groups if home is not None else ():
        if group.kind == "common" and identity[1] in group.members:
            return "common", group.name
    return None


def equivalent(facts: Facts, identity: Identity) -> set[str]:
    """The other names that an ``equivalence`` gives the memory of a variable, in its unit."""
    home = facts.application.routines.get(identity[0])
    groups = [set(g.members) for g in home.spec.groups if g.kind == "equivalence"] if home is not None else []
    found = {identity[1]}
    for _ in groups:  # each round may join one more set
        found = found.union(*(g for g in groups if g & found))
    return found - {identity[1]}


def marks(facts: Facts, data: DataObject) -> set[Identity]:
    """All that stands for an array in a set of what is on the device."""
    found = {data.identity}
    if data.symbol.attributes & POINTED:
        found.add(TARGETS)
    block = common_block(facts, data.identity)
    return found | {block} if block is not None else found


def namelist_members(facts: Facts, key: str, statement: Statement) -> list[DataObject]:
    """The arrays of the namelist that an input or output statement names."""
    if not isinstance(statement, InputOutput):
        return []
    names = {e.name for c in statement.control for e in walk(c) if isinstance(e, Name)}
    routine = facts.application.routines.get(key)
    units = [routine] if routine is not None and names else []
    seen = {key}
    for unit in units:
        uses = (facts.scopes.modules.get(use.module) for use in unit.spec.uses)
        more = {k: facts.application.routines.get(k) for k in (unit.host, *uses) if k and k not in seen}
        seen |= more.keys()
        units += [u for u in more.values() if u is not None]
        members = [m for g in unit.spec.groups if g.kind == "namelist" and g.name in names for m in g.members]
        if members:
            found = (facts.object(m, unit.key) for m in members)
            return [d for d in found if d is not None and d.rank]
    return []


class Residence:
    """Answers what callers hold on the device, for the whole program at once."""

    def __init__(self, facts: Facts, effects: Effects, decisions: Decisions) -> None:
        self.facts = facts
        self.effects = effects
        self._found: dict[str, frozenset[Identity]] = {}
        self._touched: dict[str, frozenset[Identity]] = {}
        self._spread(decisions)

    def of(self, key: str) -> frozenset[Identity]:
        """What may be on the device whenever a routine runs."""
        return self._found.get(key, frozenset())

    def touched(self, key: str) -> frozenset[Identity]:
        """All that stands for arrays that a routine, or one it calls, may name: modules' and its host's data, what
        pointers of theirs may point to, common blocks. Arguments are not among them.
        """
        if key not in self._touched:
            self._touched[key] = frozenset()  # a recursive call adds nothing
            found: set[Identity] = set()
            for identity in self.effects.mentioned(key):
                home = self.facts.application.routines.get(identity[0])
                symbol = home.spec.symbols.get(identity[1]) if home is not None else None
                data = self.facts.object(identity[1], identity[0]) if symbol is not None else None
                if data is not None and data.rank:
                    found |= marks(self.facts, data)
            for reference in self.facts.references.get(key, ()):
                block = common_block(self.facts, (key, reference.name))
                found |= {block} if block is not None else set()
            for at in self.facts.graph.statements.get(key, ()):
                for data in namelist_members(self.facts, key, at.statement):
                    found |= marks(self.facts, data)
            for site in self.facts.graph.sites.get(key, ()):
                found |= self.touched(site.callee) if site.callee else set()
            self._touched[key] = frozenset(found)
        return self._touched[key]

    def _spread(self, decisions: Decisions) -> None:
        own = {
            key: frozenset[Identity]().union(*(marks(self.facts, d) for d in decisions.held(key)))
            for key in self.facts.graph.sites
            if self.facts.positions.get(key).own or self.facts.positions.get(key).below
        }
        pending = [key for key, held in own.items() if held]
        while pending:
            key = pending.pop()
            here = own[key] | self.of(key)
            for callee, handed in self._handed(key, here):
                if callee in own and not handed <= self.of(callee):
                    self._found[callee] = self.of(callee) | handed
                    pending.append(callee)

    def _handed(self, key: str, here: frozenset[Identity]) -> Iterator[tuple[str, frozenset[Identity]]]:
        """What each call of a routine leaves on the device, as the callee knows it."""
        for site in self.facts.graph.sites.get(key, ()):
            if site.callee:
                yield site.callee, frozenset(i for i in here if self._seen(i, site.callee))
        for reference in self.facts.references.get(key, ()):
            if reference.role != "argument":
                continue
            call = self.effects.site(reference, key)
            name = resolve_alias(reference.name, reference.at)[0]
            data = self.facts.object(name, key) if name is not None else None
            if call is None or not call.callee or data is None or not data.rank:
                continue
            dummy = dummy_name(self.facts, call, reference.position)
            if dummy is not None and (data.identity in here or marks(self.facts, data) & here):
                yield call.callee, frozenset({(call.callee, dummy)})

    def _seen(self, identity: Identity, callee: str) -> bool:
        """Whether a routine may name what an identity stands for: marks, modules' data, those of its host."""
        home = self.facts.application.routines.get(identity[0])
        if home is None or home.kind in ("module", "submodule"):
            return True
        routine = self.facts.application.routines.get(callee)
        return routine is not None and routine.host == identity[0]
