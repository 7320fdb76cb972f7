"""Effects: whether a reference reads or changes its variable, through calls too.

Intent is taken from the declaration, else found by reading and writing in the callee (B14).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import JOINT, Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import chosen_dummies, dummies_met, dummy_name
from hfpy.analyze.dependence.queries import Engine
from hfpy.analyze.effects.declared import DECLARED, declared_of
from hfpy.analyze.effects.flow import EffectsByStatement, Flow, FlowScan, is_whole
from hfpy.analyze.effects.loopvalues import OwnVariables, values_read
from hfpy.analyze.effects.memory import memory_of
from hfpy.analyze.effects.retargeted import RETARGETED, RETARGETING, retargeted_in
from hfpy.analyze.effects.severalnames import TOUCHED, touched_in
from hfpy.analyze.effects.statementfunctions import read_by_function, with_functions
from hfpy.analyze.facts import Facts, block_of, in_one_memory, keeps_value, stands_for
from hfpy.analyze.language.files import only_reads_values
from hfpy.analyze.language.intrinsics import ADDRESSES, argument_intent
from hfpy.analyze.language.mpi import only_reads, procedure
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import Reference, aliases_of, associated, frees, sets_component
from hfpy.diagnostics import Place
from hfpy.model.expressions import Apply, Keyword, Name, names_in
from hfpy.model.source import LineKey
from hfpy.model.statements import Call, Header, Opaque

if TYPE_CHECKING:
    from hfpy.analyze.callgraph.positions import RegionId
    from hfpy.analyze.nests.onallways import Known
    from hfpy.analyze.regions.pointercomponents import Pointed
    from hfpy.analyze.regions.sharing import Placed
    from hfpy.model.units import Routine


class Effects:
    """Answers what references do; intents found are kept."""

    def __init__(
        self,
        facts: Facts,
        intents: dict[tuple[str, str], str] | None = None,
        changes: dict[str, frozenset[Identity]] | None = None,
        mentions: dict[str, frozenset[Identity]] | None = None,
        memory: dict[str, frozenset[tuple[Identity, str]]] | None = None,
        members: dict[str, frozenset[Identity]] | None = None,
    ) -> None:
        """``intents`` are those known already, by routine and dummy; ``changes``, ``mentions``, ``memory`` and
        ``members`` what :meth:`changed_memory`, :meth:`mentioned_memory`, :meth:`all_memory` and :meth:`members` gave
        for all routines.
        """
        self.facts = facts
        self._intents: dict[tuple[str, str], str] = dict(intents or {})
        self._guesses = 0  # how many intents are being found out, of which others may be taken for `inout` until then
        self._arguments: dict[int, tuple[Reference, tuple[bool, bool], str]] = {}  # by identity, which it keeps alive
        self._sites: dict[str, dict[tuple[LineKey, int, int], CallSite]] = {}
        self._lasting: dict[str, dict[Identity, Place]] = {}
        self._lasting_writes: dict[str, dict[Identity, Place]] = {}
        self._in_regions: dict[str, frozenset[Identity]] = {}
        self._mentioned = mentions
        self._changed = changes
        self._memory = memory
        self._members = members
        self._own_mentioned: dict[str, frozenset[Identity]] = {}
        self._own_changed: dict[str, frozenset[Identity]] = {}
        self._own_members: dict[str, frozenset[Identity]] = {}
        self.engine = Engine()
        self.pointed: dict[str, tuple[Pointed, ...]] = {}  # targets of pointers in objects, by routine
        self._objects: dict[str, dict[tuple[LineKey, int], list[tuple[CallSite, int]]]] = {}
        self.placed: dict[RegionId, Placed] = {}  # whose the names of a region are, where that has been asked
        self.read_first: dict[tuple[str, str], bool] = {}  # of dummies: hfpy.analyze.effects.firstuses
        self.set_before: dict[str, tuple[Routine, dict[int, Known]]] = {}  # integers: hfpy.analyze.nests.onallways
        self._by_region: dict[str, dict[int, list[Reference]]] = {}
        self._asking: dict[str, bool] = {}
        self._flows: dict[str, Flow | None] = {}
        self._retargeted: dict[str, frozenset[Identity]] = {}
        self.looked: set[tuple[str, str]] = set()  # routines with regions, and the bodies below them that were asked

    def inside(self, key: str, number: int) -> list[Reference]:
        """The references of a routine in one of its regions."""
        if key not in self._by_region:
            found = self._by_region[key] = {}
            for reference in self.facts.references[key]:
                # In a region, a statement that is not understood is an error; no other follows from its names.
                for region in reference.at.regions if not isinstance(reference.at.statement, Opaque) else ():
                    found.setdefault(region, []).append(reference)
        return self._by_region[key].get(number, [])

    def asks(self, key: str) -> bool:
        """Whether a routine has inquiries about variables, or frees some."""
        if key not in self._asking:
            self._asking[key] = any(r.role == "inquiry" or frees(r) for r in self.facts.references[key])
        return self._asking[key]

    def taking_over(self, earlier: Effects, settled: Collection[str]) -> Effects:
        """These with what was found out for routines that are ``settled``: as they were, with all that they call."""
        self._intents |= {slot: intent for slot, intent in earlier._intents.items() if slot[0] in settled}
        self._arguments |= {at: known for at, known in earlier._arguments.items() if known[2] in settled}
        self._own_mentioned |= {key: own for key, own in earlier._own_mentioned.items() if key in settled}
        self._own_changed |= {key: own for key, own in earlier._own_changed.items() if key in settled}
        self._own_members |= {key: own for key, own in earlier._own_members.items() if key in settled}
        self._lasting_writes |= {key: own for key, own in earlier._lasting_writes.items() if key in settled}
        return self

    @cached_property
    def values_read(self) -> dict[Identity, set[str]]:
        """As :func:`hfpy.analyze.effects.loopvalues.values_read` tells."""
        return values_read(self.facts)

    def of(self, reference: Reference, key: str) -> tuple[bool, bool]:
        """(reads, writes) of one reference in a routine."""
        match reference.role:
            case "write" | "input" | "message":
                return False, True
            case "argument":
                known = self._arguments.get(id(reference))
                if known is not None:
                    return known[1]
                made = self._argument(reference, key)
                if not self._guesses:
                    self._arguments[id(reference)] = reference, made, key
                return made
            case "inquiry":
                return False, False
            case "allocate":
                return False, True
            case "pointer" if sets_component(reference):
                return False, True
        return True, self._changed_object(reference, key)

    def _changed_object(self, reference: Reference, key: str) -> bool:
        """Whether a reference is the object before ``%`` of a call that may change it: the passed-object dummy
        argument of a candidate gets it (Fortran 2018, 7.5.4.5).
        """
        if not self.facts.graph.indirect.get(key):
            return False
        if key not in self._objects:
            table = self._objects[key] = {}
            for site in self.facts.graph.indirect[key]:
                for place, arg in enumerate(site.args):
                    if not isinstance(arg, Keyword) and arg.start == site.node.start:
                        table.setdefault((site.at.statement.line.key, arg.start), []).append((site, place))
        for site, place in self._objects[key].get((reference.at.statement.line.key, reference.node.start), ()):
            name = dummy_name(self.facts, site, place)
            if name is None or self.intent(site.callee, name) != "in":
                return True
        return False

    def by_statement(self, references: Iterable[Reference], key: str) -> EffectsByStatement:
        """What each statement does to variables, by their own names; what it reads is first. Variables of implied
        loops, of ``forall`` and of ``do concurrent`` are not read there.
        """
        found: EffectsByStatement = {}
        own = OwnVariables(self.facts, key, likely=True)
        for reference in references:
            if not reference.writes and own.has(reference):
                continue
            for read in self.read_by_function(reference, key):
                found.setdefault(id(reference.at.statement), []).append((read, True, False, False))
            name, whole = stands_for(reference.name, reference.at)
            if name is not None and not _is_selector(reference):
                meant = reference if name == reference.name else replace(reference, name=name)
                if associated(reference):
                    entry = (meant, False, True, whole)
                else:
                    reads, writes = self.of(reference, key)
                    if reads and writes and self._sets_first(reference, name, key):
                        reads = False
                    sure = whole and is_whole(reference) and reference.sure
                    sure = sure and not (reads and writes and self._may_leave(reference, name, key))
                    sure = sure and not self._open_ended(name, key)
                    entry = (meant, reads, writes, sure)
                found.setdefault(id(reference.at.statement), []).append(entry)
        for listed in found.values():
            if len(listed) > 1:
                listed.sort(key=lambda e: e[2])
        return found

    def _open_ended(self, name: str, key: str) -> bool:
        """Whether a variable has more elements than one that is declared with 1 has as a whole."""
        found = self.facts.scopes.variable(name, key)
        return found is not None and found.symbol.old_size is not None

    def _may_leave(self, reference: Reference, name: str, key: str) -> bool:
        """Whether a scalar is an argument that a called routine may leave as it is. That is asked of points alone: only
        there the bodies of called routines count (:mod:`hfpy.analyze.asked`), and elsewhere a value that may be left is
        read by the call, so that it matters anyway.
        """
        dummies = self._scalar_dummies(reference, name, key)
        return not all(d is None or d.symbol.intent == "out" or self._sets(d.routine, d.name) for d in dummies)

    def _sets_first(self, reference: Reference, name: str, key: str) -> bool:
        """Whether a scalar is an argument that called routines set before they use it, with the same restriction."""
        dummies = self._scalar_dummies(reference, name, key)
        flows = [(d, self.flow(d.routine) if d.routine in self.facts.graph.statements else None) for d in dummies if d]
        whole = bool(flows) and len(flows) == len(dummies)
        return whole and all(f is not None and d.name in f.certain and d.name not in f.exposed for d, f in flows)

    def _scalar_dummies(self, reference: Reference, name: str, key: str) -> list[DataObject | None]:
        """What a scalar that points pass is in the routines which a call may mean; None for what is not known."""
        by_points = bool(reference.at.regions) or bool(self.facts.positions.get(key).above)
        asked = by_points and reference.role == "argument"
        found = self.facts.scopes.variable(name, key) if asked else None
        if found is None or found.symbol.rank or found.symbol.type.base in ("type", "class"):
            return []
        return [dummy for _, dummy in dummies_met(self.facts, key, reference)]

    def _sets(self, key: str, dummy: str) -> bool:
        """Whether a routine sets a dummy argument on all its ways; True where its body is not here."""
        if key not in self.facts.graph.statements:
            return True
        flow = self.flow(key)
        return flow is not None and dummy in flow.certain

    def flow(self, key: str) -> Flow | None:
        """What a routine reads and sets; None while that is being found out."""
        if key not in self._flows:
            self._flows[key] = None
            live = list(self._references(key))
            scan = FlowScan(self.by_statement(live, key), lambda condition: self.facts.holds(condition, key))
            self._flows[key] = scan.scan(self.facts.application.routines[key].body)
        return self._flows[key]

    def read_by_function(self, reference: Reference, key: str) -> Iterator[Reference]:
        """What a reference of a statement function reads besides its arguments, each as if it stood in its place."""
        return read_by_function(self.facts, reference, key)

    def with_functions(self, references: Sequence[Reference], key: str) -> Sequence[Reference]:
        """References of a routine, with what its statement functions read where they are used."""
        return with_functions(self.facts, references, key)

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
            if isinstance(call, Apply):
                chosen = chosen_dummies(self.facts, key, reference)
                if any(dummy is None or self.intent(dummy.routine, dummy.name) != "in" for _, dummy in chosen):
                    return True, True
            function = call.base.name if isinstance(call, Apply) and isinstance(call.base, Name) else ""
            if function and not self._may_write(function, reference, key):
                return True, False
            found = self.facts.scopes.variable(reference.name, key)
            if found is not None and (found.symbol.intent == "in" or found.symbol.constant):
                return True, False  # whatever is called may not change it
            if only_reads(procedure(reference.at.statement), reference.position):
                return True, False
            if only_reads_values(function or (site.name if site is not None else ""), reference.position):
                return True, False
            called = site.name if site is not None and self.facts.scopes.is_intrinsic(site.name, key) else ""
            intent = argument_intent(called, reference.position)
            return intent != "out", intent != "in"
        name = dummy_name(self.facts, site, reference.position)
        if name is None:
            return True, False
        intent = self.intent(site.callee, name)
        return intent != "out", intent != "in"

    def _may_write(self, name: str, reference: Reference, key: str) -> bool:
        """Whether a name with a list after it is that of a function whose source is not here, which may set arguments
        as those of NetCDF do. What is called for the points of regions is taken for a function that sets none. An
        address that ``loc`` gives is for a pointer of Cray's kind, by which the routine, or one it calls, gets at the
        variable, one that ``c_loc`` gives for a procedure in C.
        """
        if reference.at.regions or self.facts.positions.get(key).above or name in aliases_of(reference.at):
            return False
        if name in ADDRESSES:
            return True
        routine = self.facts.application.routines[key]
        if any(name == function for function, *_ in routine.spec.statement_functions):
            return False
        scopes = self.facts.scopes
        if scopes.is_intrinsic(name, key) or scopes.derived_type(name, key) is not None:
            return False
        if any(name == macro.lower() for macro in self.facts.application.macros_of(key)):
            return False
        data = self.facts.object(name, key)
        return data is None or not (data.rank or data.symbol.type.base == "character")

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
        self._intents[slot] = "inout"  # what a recursive call finds: it may be asked before the writes are
        self._guesses += 1
        written = any(r.name == name and (r.role == "pointer" or self.of(r, key)[1]) for r in self._references(key))
        self._guesses -= 1
        self._intents[slot] = "inout" if written else "in"
        return self._intents[slot]

    def _references(self, key: str) -> Iterator[Reference]:
        """The references of a routine that no ``@if`` drops in this build."""
        return (r for r in self.facts.references.get(key, ()) if self.facts.live(r.at, key))

    def mentioned(self, key: str) -> frozenset[Identity]:
        """Variables of other units that a routine, or one it calls, mentions: (home unit, name there)."""
        return frozenset(i for i in self.mentioned_memory(key) if i[0] not in (key, JOINT))

    def changed(self, key: str) -> frozenset[Identity]:
        """Variables of other units that a routine, or one it calls, may set: (home unit, name there)."""
        return frozenset(i for i in self.changed_memory(key) if i[0] not in (key, JOINT))

    def known_in_regions(self, key: str) -> frozenset[Identity]:
        """Variables of other units that routines mention which are called in the regions of a routine."""
        if key not in self._in_regions:
            sites = {s.callee for s in self.facts.graph.below(key) if s.at.regions and s.callee}
            self._in_regions[key] = frozenset().union(*map(self.mentioned_memory, sites))
        return self._in_regions[key]

    def knows(self, key: str, identity: Identity) -> bool:
        """Whether a routine, or one it calls, mentions a variable of another unit, under any of its names."""
        return self._meets(identity, self.mentioned_memory(key))

    def may_change(self, key: str, identity: Identity) -> bool:
        """Whether a routine, or one it calls, may set a variable of another unit, under any of its names."""
        return self._meets(identity, self.changed_memory(key))

    def _meets(self, identity: Identity, memory: frozenset[Identity]) -> bool:
        if not memory:
            return False
        return identity in memory or self.facts.storage.joint(identity) in memory

    def changed_memory(self, key: str) -> frozenset[Identity]:
        """As :meth:`changed`, with what :meth:`Storage.joint` gives for the variables."""
        if self._changed is None:
            for k in self.facts.graph.sites:
                if k not in self._own_changed:
                    written = self._variables(self._written(k), k)
                    self._own_changed[k] = frozenset(self._outside(written, k))
            self._changed = self.facts.graph.gathered(self._own_changed)
        return self._changed.get(key, frozenset())

    def mentioned_memory(self, key: str) -> frozenset[Identity]:
        """As :meth:`mentioned`, with what :meth:`Storage.joint` gives for the variables."""
        if self._mentioned is None:
            for k in self.facts.graph.sites:
                if k not in self._own_mentioned:
                    self._own_mentioned[k] = frozenset(self._outside(self._mentioned_in(k), k))
            self._mentioned = self.facts.graph.gathered(self._own_mentioned)
        return self._mentioned.get(key, frozenset())

    def memory(self, key: str) -> frozenset[tuple[Identity, str]]:
        """What a routine, or one that it calls, does to variables' memory (:mod:`hfpy.analyze.effects.memory`)."""
        return frozenset(done for done in self.all_memory(key) if done[1] not in TOUCHED | DECLARED | RETARGETED)

    def touched(self, key: str) -> frozenset[tuple[Identity, str]]:
        """The variables whose memory has other names, too, that a routine, or one that it calls, uses and sets
        (:mod:`hfpy.analyze.effects.severalnames`).
        """
        return frozenset(done for done in self.all_memory(key) if done[1] in TOUCHED)

    def declared(self, key: str) -> frozenset[tuple[Identity, str]]:
        """What the declarations of a routine, or of one that it calls, read (:mod:`hfpy.analyze.effects.declared`)."""
        return frozenset(done for done in self.all_memory(key) if done[1] in DECLARED)

    def retargeted(self, key: str) -> frozenset[Identity]:
        """The pointers that a routine, or one that it calls, may give other targets: variables, and components by
        their names (:mod:`hfpy.analyze.effects.retargeted`).
        """
        if key not in self._retargeted:
            self._retargeted[key] = frozenset(i for i, word in self.all_memory(key) if word in RETARGETING)
        return self._retargeted[key]

    def all_memory(self, key: str) -> frozenset[tuple[Identity, str]]:
        """All that together."""
        if self._memory is None:
            self._memory = memory_of(self.facts, self.lasts)
            sizes = declared_of(self.facts, self.mentioned_memory)
            own = {k: there.union(touched_in(self.facts, self, k, there)) for k, there in sizes.items()}
            own = {k: there.union(retargeted_in(self.facts, k)) for k, there in own.items()}
            for k, there in self.facts.graph.gathered(own).items():
                self._memory[k] = self._memory.get(k, frozenset()) | there
        return self._memory.get(key, frozenset())

    def members(self, key: str) -> frozenset[Identity]:
        """The members of common blocks that a routine, or one that it calls, mentions, by the names that the routines
        themselves declare: (unit, name).
        """
        if self._members is None:
            for k in self.facts.graph.sites:
                if k not in self._own_members:
                    self._own_members[k] = frozenset(self._in_blocks(k))
            self._members = self.facts.graph.gathered(self._own_members)
        return self._members.get(key, frozenset())

    def _in_blocks(self, key: str) -> Iterator[Identity]:
        routine = self.facts.application.routines.get(key)
        if routine is None or not any(g.kind == "common" for g in routine.spec.groups):
            return
        sizes = {n for s in routine.spec.symbols.values() for dim in s.shape for n in dim.names}
        found = [*self._mentioned_in(key), *(f for n in sorted(sizes) if (f := self.facts.scopes.variable(n, key)))]
        for one in found:
            if one.home == key and block_of(routine, one.symbol.name) is not None:
                yield key, one.symbol.name

    def _written(self, key: str) -> Iterator[Reference]:
        return (r for r in self._references(key) if self.of(r, key)[1])

    def _mentioned_in(self, key: str) -> Iterator[Found]:
        """The variables that a routine's statements mean, those of its statement functions among them, and the
        procedure pointers that ``call`` names.
        """
        yield from self._variables(self._references(key), key)
        for at in self.facts.graph.statements.get(key, ()):
            called = at.statement.designator if isinstance(at.statement, Call) else None
            if isinstance(called, Name) and (found := self.facts.variable(called.name, at, key)) is not None:
                yield found
        routine = self.facts.application.routines.get(key)
        for _, dummies, value, _ in routine.spec.statement_functions if routine is not None else ():
            for name in sorted(names_in(value) - set(dummies)):
                found = self.facts.scopes.variable(name, key)
                if found is not None:
                    yield found

    def _outside(self, variables: Iterable[Found], key: str) -> Iterator[Identity]:
        """Those of some variables that other units have, and the identities of memory that is joined with others."""
        for found in variables:
            identity = found.home, found.symbol.name
            if found.home != key:
                yield identity
            joint = self.facts.storage.joint(identity)
            if joint is not None:
                yield joint

    def _variables(self, references: Iterable[Reference], key: str) -> Iterator[Found]:
        """The variables that references mean, each name once where no ``associate`` or ``block`` is around it."""
        seen: set[str] = set()
        for reference in references:
            renamed = reference.at.renamed
            if renamed or reference.name not in seen:
                found = self.facts.variable(reference.name, reference.at, key)
                if found is not None:
                    yield found
                if not renamed:
                    seen.add(reference.name)

    def lasting_writes(self, key: str) -> dict[Identity, Place]:
        """Variables that outlive a call and that a routine, or one it calls, writes: home unit and name there → place
        of a write. They are those of modules, of hosts and of common blocks, and locals with ``save`` or an initial
        value.
        """
        if key in self._lasting:
            return self._lasting[key]
        result = self._lasting.setdefault(key, {})
        pending, seen = [key], {key}
        while pending:
            current = pending.pop()
            for identity, place in self._own_lasting_writes(current).items():
                result.setdefault(identity, place)
            for site in reversed(self.facts.graph.below(current)):
                if site.callee and site.callee not in seen and self.facts.live(site.at, current):
                    seen.add(site.callee)
                    pending.append(site.callee)
        return result

    def _own_lasting_writes(self, key: str) -> dict[Identity, Place]:
        if key in self._lasting_writes:
            return self._lasting_writes[key]
        result = self._lasting_writes.setdefault(key, {})
        routine = self.facts.application.routines.get(key)
        for reference in self._written(key) if routine is not None else ():
            found = self.facts.variable(reference.name, reference.at, key)
            if routine is None or found is None or found.symbol.constant:
                continue
            identity = found.home, found.symbol.name
            if found.home != key or self.lasts(identity):
                node = reference.node
                place = reference.at.statement.line.place(routine.file, node.start, node.end)
                result.setdefault(identity, place)
        return result

    def lasts(self, identity: Identity) -> bool:
        """Whether a variable is there before and after a call of its unit: of a module, in a common block, saved. Of a
        scalar with an ``equivalence`` that is assumed, too, since a walk does not see who sets it.
        """
        home = self.facts.application.routines.get(identity[0])
        if home is None or home.kind in ("module", "submodule"):
            return home is not None
        together = in_one_memory(home, identity[1]) if home.spec.groups else ()
        unseen = len(together) > 1 and not all(s and s.rank for s in map(home.spec.symbols.get, together))
        return unseen or keeps_value(home, identity[1])

    def shared_writes(self, key: str) -> tuple[str, ...]:
        """The names of variables of modules that a routine, or one it calls, writes."""
        return tuple(name for home, name in self.lasting_writes(key) if self._of_module(home))

    def _of_module(self, home: str) -> bool:
        unit = self.facts.application.routines.get(home)
        return unit is not None and unit.kind in ("module", "submodule")


def _is_selector(reference: Reference) -> bool:
    """Whether a variable only gets another name."""
    statement = reference.at.statement
    return isinstance(statement, Header) and statement.kind == "associate" and reference.role == "pointer"
