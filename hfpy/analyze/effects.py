"""Effects: whether a reference reads or changes its variable, through calls too.

Intent is taken from the declaration, else found by reading and writing in the callee (B14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.dependence.queries import Engine
from hfpy.analyze.facts import Facts, keeps_value, resolve_alias
from hfpy.analyze.flow import EffectsByStatement, is_whole
from hfpy.analyze.graph import CallSite
from hfpy.analyze.mpi import only_reads, procedure
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, Name
from hfpy.model.source import LineKey


class Effects:
    """Answers what references do; intents found are kept."""

    def __init__(
        self,
        facts: Facts,
        intents: dict[tuple[str, str], str] | None = None,
        changes: dict[str, frozenset[tuple[str, str]]] | None = None,
    ) -> None:
        """``intents`` are those known already, by routine and dummy; ``changes`` what :meth:`changed` gave."""
        self.facts = facts
        self._intents: dict[tuple[str, str], str] = dict(intents or {})
        self._sites: dict[str, dict[tuple[LineKey, int, int], CallSite]] = {}
        self._shared_writes: dict[str, dict[tuple[str, str], Place]] = {}
        self._mentioned: dict[str, frozenset[tuple[str, str]]] | None = None
        self._changed: dict[str, frozenset[tuple[str, str]]] | None = None
        self.engine = Engine()
        self.looked: set[tuple[str, str]] = set()  # routines with regions, and the bodies below them that were asked

    def of(self, reference: Reference, key: str) -> tuple[bool, bool]:
        """(reads, writes) of one reference in a routine."""
        match reference.role:
            case "write" | "input":
                partial = reference.indices is not None and False
                return partial, True
            case "argument":
                return self._argument(reference, key)
            case "inquiry":
                return False, False
            case "allocate":
                return False, True
        return True, False

    def by_statement(self, references: Iterable[Reference], key: str) -> EffectsByStatement:
        """What each statement does to variables; what it reads stands first."""
        found: EffectsByStatement = {}
        for reference in references:
            name, _ = resolve_alias(reference.name, reference.at)
            if name is not None:
                entry = (reference, *self.of(reference, key), is_whole(reference))
                found.setdefault(id(reference.at.statement), []).append(entry)
        for listed in found.values():
            listed.sort(key=lambda e: e[2])
        return found

    def site(self, reference: Reference, key: str) -> CallSite | None:
        """The call that a reference is an argument of."""
        if reference.call is None:
            return None
        if key not in self._sites:
            self._sites[key] = {
                (s.at.statement.line.key, s.node.start, s.node.end): s for s in self.facts.graph.sites.get(key, ())
            }
        call = reference.call
        return self._sites[key].get((reference.at.statement.line.key, call.start, call.end))

    def _argument(self, reference: Reference, key: str) -> tuple[bool, bool]:
        site = self.site(reference, key)
        call = reference.call
        if site is None or not site.callee:
            if isinstance(call, Apply) and isinstance(call.base, Name):
                # An index of an array, or an argument of a function whose source is not here: functions do not write.
                return True, False
            found = self.facts.scopes.variable(reference.name, key)
            if found is not None and (found.symbol.intent == "in" or found.symbol.constant):
                return True, False  # whatever is called may not change it
            if only_reads(procedure(reference.at.statement), reference.position):
                return True, False
            return self._intrinsic_subroutine(site, reference)
        name = dummy_name(self.facts, site, reference.position)
        if name is None:
            return True, False
        intent = self.intent(site.callee, name)
        return intent != "out", intent != "in"

    @staticmethod
    def _intrinsic_subroutine(site: CallSite | None, reference: Reference) -> tuple[bool, bool]:
        name = site.name if site is not None else ""
        if name in ("random_number", "cpu_time", "system_clock", "date_and_time", "getarg", "get_command_argument"):
            return False, True
        return True, True

    def intent(self, key: str, name: str) -> str:
        """``in``, ``out`` or ``inout`` of a dummy: as declared, else ``in`` if nothing writes it, else ``inout``."""
        slot = (key, name)
        if slot in self._intents:
            return self._intents[slot]
        routine = self.facts.application.routines.get(key)
        if routine is None:
            return "inout"
        symbol = routine.spec.symbols.get(name)
        # The intent of a pointer is about what it points to, not about the values there (Fortran 2018, 8.5.10).
        if symbol is not None and symbol.intent and "pointer" not in symbol.attributes:
            self._intents[slot] = symbol.intent
            return symbol.intent
        if symbol is not None and "value" in symbol.attributes:
            self._intents[slot] = "in"
            return "in"
        self._intents[slot] = "in"  # a recursive call adds nothing
        written = any(r.name == name and (r.role == "pointer" or self.of(r, key)[1]) for r in self._references(key))
        self._intents[slot] = "inout" if written else "in"
        return self._intents[slot]

    def _references(self, key: str) -> Iterator[Reference]:
        """The references of a routine that no ``@if`` drops in this build."""
        return (r for r in self.facts.references.get(key, ()) if self.facts.live(r.at, key))

    def mentioned(self, key: str) -> frozenset[tuple[str, str]]:
        """Variables of other units that a routine, or one it calls, mentions: (home unit, name there)."""
        if self._mentioned is None:
            graph = self.facts.graph
            self._mentioned = graph.gathered({k: self._mentions(k) for k in graph.sites})
        outside = self._mentioned.get(key, frozenset())
        return frozenset(i for i in outside if i[0] != key)

    def _mentions(self, key: str) -> frozenset[tuple[str, str]]:
        found = (self.facts.scopes.variable(r.name, key) for r in self._references(key))
        return frozenset((f.home, f.symbol.name) for f in found if f is not None and f.home != key)

    def changed(self, key: str) -> frozenset[tuple[str, str]]:
        """Variables of other units that a routine, or one it calls, may set: (home unit, name there)."""
        if self._changed is None:
            graph = self.facts.graph
            self._changed = graph.gathered({k: self._changes(k) for k in graph.sites})
        outside = self._changed.get(key, frozenset())
        return frozenset(i for i in outside if i[0] != key)

    def _changes(self, key: str) -> frozenset[tuple[str, str]]:
        written = (r for r in self._references(key) if self.of(r, key)[1])
        found = (self.facts.scopes.variable(r.name, key) for r in written)
        return frozenset((f.home, f.symbol.name) for f in found if f is not None and f.home != key)

    def shared_writes(self, key: str) -> dict[tuple[str, str], Place]:
        """Variables that outlive a call and that a routine, or one it calls, writes: (kind, name) → place of a write.

        ``kind`` is ``module`` for module variables, ``saved`` for locals with ``save`` or an initial value.
        """
        result: dict[tuple[str, str], Place] = {}
        pending, seen = [key], {key}
        while pending:
            current = pending.pop()
            for variable, place in self._own_shared_writes(current).items():
                result.setdefault(variable, place)
            for site in reversed(self.facts.graph.below(current)):
                if site.callee and site.callee not in seen and self.facts.live(site.at, current):
                    seen.add(site.callee)
                    pending.append(site.callee)
        return result

    def _own_shared_writes(self, key: str) -> dict[tuple[str, str], Place]:
        if key in self._shared_writes:
            return self._shared_writes[key]
        result = self._shared_writes.setdefault(key, {})
        routine = self.facts.application.routines.get(key)
        for reference in self._references(key) if routine is not None else ():
            found = self.facts.scopes.variable(reference.name, key)
            home = self.facts.application.routines.get(found.home) if found is not None else None
            if found is None or home is None or found.symbol.constant or not self.of(reference, key)[1]:
                continue
            module = home.kind in ("module", "submodule")
            kept = routine is not None and found.home == key and keeps_value(routine, reference.name)
            if routine is not None and (module or kept):
                node = reference.node
                place = reference.at.statement.line.place(routine.file, node.start, node.end)
                result.setdefault(("module" if module else "saved", found.symbol.name), place)
        return result
