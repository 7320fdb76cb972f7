"""Who owns what in a parallel region: shared, private, firstprivate, lastprivate, reduction.

Every symbol of a region is placed (``default(none)``). What cannot be placed so that the result equals the
sequential meaning is an error or a warning with the references that show it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property

from hfpy.analyze.arrays.accesses import parallel_positions
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.dependence.answers import Proved, Witness
from hfpy.analyze.effects.declared import seen_in_declarations
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import Flow, FlowScan
from hfpy.analyze.effects.resized import asked_behind
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import Reference, associated
from hfpy.analyze.regions.absent import left_out
from hfpy.analyze.regions.directivenames import given_iterators, given_names, lost_texts, not_for_threads
from hfpy.analyze.regions.flags import flag_writes
from hfpy.analyze.regions.known import known_values
from hfpy.analyze.regions.largecopies import large_copy
from hfpy.analyze.regions.othernames import other_names
from hfpy.analyze.regions.pointercomponents import between_components, written_targets
from hfpy.analyze.regions.reductions import misuse
from hfpy.analyze.regions.renamed import from_outside, given_around, through_components, written_through
from hfpy.analyze.regions.routineuses import RoutineUses
from hfpy.analyze.regions.setpointers import HINT, called_before, is_set, used_before, used_behind
from hfpy.analyze.regions.takenover import lost_beside_large
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.directives import IfDirective
from hfpy.model.expressions import Apply
from hfpy.model.names import is_own
from hfpy.model.statements import Assignment, constructs
from hfpy.model.units import Routine
from hfpy.values import dataclass

_SEEN = frozenset({"pointer", "target", "volatile"})  # of dummies: others may read them before the routine ends
_IN_DIRECTIVES = ("openmp", "openacc", "openmp-target")  # backends that list variables in directives


@dataclass
class Sharing:
    """Placement of every name in one region, but for those that are ``unknown``, or ``refused`` with an error.

    ``given`` are those of the shared that a guard of a ``select type`` around the region gives anew: directives do not
    list them. ``flags`` are assignments of shared scalars that threads must do atomically
    (:mod:`hfpy.analyze.regions.flags`).
    """

    shared: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    firstprivate: list[str] = field(default_factory=list)
    lastprivate: list[str] = field(default_factory=list)
    heap: list[str] = field(default_factory=list)
    flags: list[Assignment] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether no name is unknown."""
        return not self.unknown

    @property
    def listed(self) -> list[str]:
        """The shared names that a directive lists."""
        return [name for name in self.shared if name not in self.given]

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong or open: only then may points be computed together."""
        return all(d.severity == "note" for d in self.found)


class RoutineSharing:
    """The regions of one routine; data flow of a region is scanned once, as other regions ask for it too."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.uses = RoutineUses(facts, effects, routine)
        self.constructs = self.uses.constructs
        self._regions: dict[int, RegionSharing] = {}

    def region(self, number: int) -> RegionSharing:
        """The analysis of the region with that number."""
        if number not in self._regions:
            self._regions[number] = RegionSharing(self.uses, number)
        return self._regions[number]


@dataclass(frozen=True)
class Placed:
    """What is kept of a region whose names have all been placed, for those who ask again with the same effects."""

    result: Sharing
    set_first: set[str]
    mentioned: frozenset[str]


def _never(_found: Diagnostic) -> bool:
    return False


class RegionSharing:
    """Places the symbols of one active region."""

    def __init__(self, uses: RoutineUses, number: int) -> None:
        self.uses = uses
        self._arrays = uses.arrays(number)
        self.body = self._arrays.body
        self.facts = uses.facts
        self.effects = uses.effects
        self.routine = uses.routine
        self.key = uses.routine.key
        self.region = self.body.region
        self.result = Sharing(found=self._arrays.found)
        self._values: dict[str, int] | None = None
        self._through = written_targets(self.body)
        self.set_first: set[str] = set()  # scalars that each point provably sets before it reads them

    def place(self) -> Sharing:
        """Classify every name, once for all who ask with the same effects."""
        kept = self.effects.placed.get(self.body.identity)
        if kept is None:
            kept = Placed(self.place_until(_never), self.set_first, self.body.mentioned)
            self.effects.placed[self.body.identity] = kept
        self.result, self.set_first, self.body.mentioned = kept.result, kept.set_first, kept.mentioned
        return self.result

    def place_until(self, enough: Callable[[Diagnostic], bool]) -> Sharing:
        """The same until a diagnostic is ``enough``, with what was found so far; it is to be asked once."""
        flow = self.body.flow()
        names = self.body.names()
        iterators = set(self.region.iterators)
        reductions = {r.name for r in self.region.reductions}
        inner = [c.region for c in constructs(self.body.construct.body) if c.region is not None and c.region.vector]
        counters = {name for region in inner for name in region.iterators}  # of loops that are not in the text
        for name in sorted(names):
            if name in iterators or name in reductions:
                continue
            if name in counters:
                self.result.private.append(name)
                continue
            found = self.facts.scopes.variable(name, self.key)
            if found is None:
                self._unknown(name)
                continue
            if found.symbol.constant:
                continue
            data = self.facts.object(name, self.key)
            assert data is not None
            if data.rank or found.symbol.type.base in ("type", "class"):
                self._array(name, data, flow)
            else:
                self._scalar(name, data, flow)
            if any(map(enough, self.result.found)):
                return self.result
        self._share_sizes(names)
        self._check_undeclared(flow)
        self._check_reductions()
        result = self.result
        result.found += lost_beside_large(self.facts, self.key, self.region, result)
        result.found += written_through(self.body, self._arrays)
        result.found += through_components(self.body)
        result.found += between_components(self.body, self._arrays)
        result.found += other_names(self.body, result.found)
        result.found += seen_in_declarations(self.body)
        own = {*result.private, *result.firstprivate, *result.lastprivate, *result.heap, *reductions}
        result.found += given_iterators(self.body)
        result.found += from_outside(self.body, {*own, *self.region.iterators})
        result.found += left_out(self.body, (*result.firstprivate, *result.lastprivate, *sorted(reductions)))
        if self.facts.backend(self.key) in _IN_DIRECTIVES:
            if self.facts.backend(self.key) == "openmp":  # the selector is shared, not its other name (5.2, 5.1.1)
                result.given += sorted(given_around(self.body) & {*result.shared})
            result.found += given_names(self.body, {*own, *result.shared}.difference(result.given))
            result.found += not_for_threads(self.body, own - reductions)
            result.found += lost_texts(self.body, result.listed)
        return result

    @property
    def refuted(self) -> tuple[Witness, ...]:
        """Points that certainly meet, one pair for each array or scalar in which some do."""
        return tuple(self._arrays.refuted)

    # -- names

    def _share_sizes(self, names: set[str]) -> None:
        """What only sizes of arrays mention that each thread allocates for itself."""
        for array in self.result.heap:
            data = self.facts.object(array, self.key)
            sizes = {n for dim in (data.used if data is not None else ()) for n in dim.extent.names}
            for name in sorted(sizes - names - {*self.result.shared}):
                found = self.facts.scopes.variable(name, self.key)
                if found is not None and not found.symbol.constant:
                    self.result.shared.append(name)

    def _check_undeclared(self, flow: Flow) -> None:
        """Results that nothing declares beside arrays that each thread allocates: these are declared in a block, of
        which compilers would make the results locals.
        """
        for name in self.result.lastprivate if self.result.heap else ():
            data = self.facts.object(name, self.key)
            if data is not None and data.symbol.line is None and not data.dummy and name in flow.written:
                message = f"'{name}' is set in the region, used after it and declared nowhere"
                self.result.found.append(
                    error("HF502", message, self.body.place(flow.written[name]), f"declare '{name}'")
                )

    def _unknown(self, name: str) -> None:
        scopes = self.facts.scopes
        if scopes.procedures(name, self.key) or scopes.statement_function(name, self.key):
            return
        named = [r for r in self.body.references if r.name == name]
        called = not named or any(isinstance(r.node, Apply) for r in named)  # the bounds only call what they name
        if scopes.is_intrinsic(name, self.key) and called:
            return
        if scopes.standard_constant(name, self.key) is not None or scopes.derived_type(name, self.key) is not None:
            return
        self.result.unknown.append(name)
        write = next((r for r in named if r.writes), None)
        stated = {*self.region.private, *self.region.local, *self.region.independent}
        if write is not None and name not in stated:
            self.result.found.append(self._strange(name, write))

    def _strange(self, name: str, write: Reference) -> Diagnostic:
        """What a write of something that no source here declares means: all points share it, and nothing tells which
        elements they meet in; without an index they meet in all of it.
        """
        whole = write.indices is None and not write.component
        doubt = "all points set the same" if whole else "points may meet in an element"
        if self.routine.kind == "procedure":
            message = f"the region sets '{name}', which only the interface declares: {doubt}"
            hint = "repeat the arguments: 'module subroutine' for 'module procedure'"
            return error("HF504", message, self.body.place(write), hint)
        message = f"the region sets '{name}', which no source that hfpy has declares: {doubt}"
        if whole:
            hint = "set a variable of the routine, and copy it after the region"
            return error("HF504", message, self.body.place(write), hint)
        hint = f"give hfpy the source of its module; if no two points meet in an element: independent({name})"
        return warning("HF500", message, self.body.place(write), hint)

    # -- scalars

    def _scalar(self, name: str, data: DataObject, flow: Flow) -> None:
        if name not in flow.written:
            self.result.shared.append(name)
            return
        known = self.body.known_below(data)
        set_below = (data.identity, "pointer") in self.body.changed_below
        if set_below and not known:
            self._pointer(name, data)
            return
        write = flow.written[name]
        if data.symbol.type.base == "procedure" and (known or called_before(self.body, name, write)):
            self.result.shared.append(name)
            why = "a routine that is called there knows it" if known else "may be used before the point has set it"
            message = f"the procedure pointer '{name}' is set in the region, and {why}"
            place = self.body.place(write)
            self.result.found.append(warning("HF501", message, place, f"set '{name}' before the region"))
            return
        associated_here = set_below or any(map(associated, self.body.references_of(name)))
        pointer = "pointer" in data.symbol.attributes and data.symbol.type.base != "procedure"
        if pointer and not associated_here:
            self._target(name, data)
            return
        if pointer and used_before(self.body, name) is not None:
            self._pointer(name, data)
            return
        live_out = self._live_out(name, data)
        if live_out and name in self.region.local:
            self._local_error(name, write)
            return
        if known or (data.home != self.key and name in flow.exposed):
            self._common(name, data, write)
            self.result.shared.append(name)
            return
        if self._same_memory(name, data, write):
            return
        if name in flow.exposed and name in flow.certain | flow.written.keys():
            carried = self._carried(name, data, flow.exposed[name], write)
            if not carried:
                self.set_first.add(name)
            if live_out and (carried or name not in flow.certain):
                self._live_error(name, write)
                return
            (self.result.lastprivate if live_out else self.result.firstprivate).append(name)
            return
        if not live_out:
            self.result.private.append(name)
        elif name in flow.certain:
            self.result.lastprivate.append(name)
        elif raised := flag_writes(self.body, name, data):
            self.result.shared.append(name)
            self.result.flags += raised
        else:
            self._live_error(name, write)

    def _target(self, name: str, data: DataObject) -> None:
        """The target of a pointer to a scalar, which got it before the region: a pointer of a thread's own has none."""
        self.result.shared.append(name)
        self._arrays.check_target(name, data)

    def _same_memory(self, name: str, data: DataObject, write: Reference) -> bool:
        """Report HF504 if the region uses what it writes under another name as well (``equivalence``), so that no point
        can have one of its own; return whether it does.
        """
        storage = self.facts.storage
        if storage.joint(data.identity) is None:
            return False
        mentioned = self.body.mentioned - {name}
        other = next((n for n in sorted(mentioned) if storage.shared(name, n, self.key)), None)
        if other is None:
            return False
        self.result.refused.append(name)
        message = f"'{name}' is written in the region, and '{other}' is the same memory, so that points would share it"
        self.result.found.append(error("HF504", message, self.body.place(write), "use one name in the region"))
        return True

    def _carried(self, name: str, data: DataObject, read: Reference, write: Reference) -> bool:
        """Whether a value of a scalar may go from one point to the next: it is read where it is not obvious that the
        point has set it.
        """
        answer = self._arrays.carried(data)
        if isinstance(answer, Proved):
            return False
        if self._arrays.check_carried(name, answer):
            self.result.refused.append(name)
            return True
        message = f"'{name}' is read before it is set in the region, so one point may see the value of another"
        related = [Related(self.body.place(write), "it is set here")]
        hint = "set it first, or use reduction(…) if it collects a result"
        self.result.found.append(warning("HF500", message, self.body.place(read), hint, related))
        return True

    def _live_error(self, name: str, write: Reference) -> None:
        self.result.refused.append(name)
        after = self._read_after(name)
        related = [Related(self.body.place(after), "it is read here")] if after is not None else []
        hint = f"use reduction(op:{name}), set it for every point, or set it to one constant only"
        message = f"'{name}' is set in the region and used after it, but which point sets it last is not defined"
        self.result.found.append(error("HF502", message, self.body.place(write), hint, related))

    def _local_error(self, name: str, write: Reference) -> None:
        self.result.refused.append(name)
        message = f"'{name}' is local to the loop, but what has its name outside is used after it"
        hint = "give the local variable a name of its own"
        self.result.found.append(error("HF502", message, self.body.place(write), hint))

    def _live_out(self, name: str, data: DataObject) -> bool:
        symbol = data.symbol
        if data.home != self.key:
            return True
        given_back = (data.dummy and symbol.intent != "in") or self._is_result(name)
        if given_back and (symbol.attributes & _SEEN or name not in self._after.certain):
            return True
        if self.facts.storage.joint(data.identity) is not None:  # other names, or other routines, read what it holds
            return True
        if self.routine.kind != "program" and keeps_value(self.routine, name) and not is_own(name):
            return True  # what hfpy has added under a bare ``save`` is set anew in each call
        if self.facts.storage.pointed_to(data.identity):
            return True
        return self._read_after(name) is not None

    def _is_result(self, name: str) -> bool:
        """Whether a variable is what a function returns, by its own name or by that of an entry."""
        results = (self.routine.result or self.routine.name, *self.routine.entries)
        return self.routine.kind == "function" and name in results

    def _read_after(self, name: str) -> Reference | None:
        """A reference after the region, or in the next turn of a loop around it, that may read the value set in it."""
        data = self.facts.object(name, self.key)
        if data is None or "pointer" not in data.symbol.attributes:
            return self._after.exposed.get(name)
        return used_behind(self.body, self.uses.effects_of(name), name)

    @cached_property
    def _after(self) -> Flow:
        """What may be executed after the region."""
        scan = FlowScan(self.uses.all_effects, self._holds)
        return scan.scan_behind(self.routine.body, self.body.construct)

    def _holds(self, condition: IfDirective) -> bool:
        """Whether the lines of an ``@if`` of the routine are in the build."""
        return self.facts.holds(condition, self.key)

    def _common(self, name: str, data: DataObject, write: Reference) -> None:
        """A scalar that all points have in common, since it is not the routine's own, or known to what it calls."""
        passed = "pass it to the routine that is called as an argument"
        cure = passed if data.home == self.key else "make it a local, or list it in @domainDependant"
        open_ = self._arrays.check_common(data, cure)
        if open_:
            what = "module variable" if data.home != self.key else "variable"
            message = f"{what} '{name}' is written in a region, where all threads share it: {open_}"
            hint = "make it a local, or list it in @domainDependant so that every point has its own"
            self.result.found.append(warning("HF501", message, self.body.place(write), hint))

    # -- arrays and objects of derived type

    def _array(self, name: str, data: DataObject, flow: Flow) -> None:
        if name not in flow.written:
            self.result.shared.append(name)
            return
        if self.body.known_below(data):
            self._shared_array(name, data, "a routine that is called in the region knows it by itself")
            return
        if name in self._through:
            self._shared_array(name, data, "the region writes what a pointer in it points to")
            return
        if name in self.region.private:
            if not self._same_memory(name, data, flow.written[name]):
                self._own(name, data)
            return
        if is_set(self.body, name, data):
            self._pointer(name, data)
            return
        lasting = not data.local or not self.facts.storage.alone(data.identity) or self._is_result(name)
        lasting = lasting or self._read_in_next_call(name, data)
        # Where all indices are written, a size that is also a domain's says nothing: a work array may have it, too.
        of_domains = not self.region.explicit and parallel_positions(data, self.region)
        known = lasting or of_domains or self._array_read_after(name, data)
        if known or asked_behind(self.body, self.uses.by_name.get(name, ())):
            self.result.shared.append(name)
            self._arrays.check(name, data)
            return
        if self._arrays.by_point(data) and self._arrays.independent(data) == Proved():
            self.result.shared.append(name)
            return
        self._private_array(name, data, flow)

    def _shared_array(self, name: str, data: DataObject, why: str) -> None:
        """An array or object of which a point cannot have one of its own."""
        self.result.shared.append(name)
        if name in self.region.private:
            message = f"'{name}' cannot be private: {why}"
            hint = "pass it to the routine as an argument" if self.body.known_below(data) else "use another variable"
            self.result.found.append(error("HF504", message, self.region.place, hint))
        else:
            self._arrays.check(name, data)

    def _pointer(self, name: str, data: DataObject) -> None:
        """Place a pointer that the region sets. It is private if points set it first and nothing reads it later."""
        first, used = self.body.references_of(name)[0], used_before(self.body, name)
        kept = keeps_value(self.routine, name) and self.routine.kind != "program"
        if not data.local or data.dummy or kept or self._is_result(name):
            self.result.refused.append(name)
            message = f"the pointer '{name}' is set in the region, where all threads share it"
            self.result.found.append(error("HF504", message, self.body.place(first), HINT))
        elif used is not None:
            self.result.refused.append(name)
            message = f"the pointer '{name}' is set in the region, and may be used before the point has set it"
            hint = "set it first in each point, or before the region alone"
            self.result.found.append(error("HF504", message, self.body.place(used), hint))
        elif self._read_after(name) is not None or asked_behind(self.body, self.uses.by_name.get(name, ())):
            self._live_error(name, first)
        else:
            self._own(name, data)

    def _private_array(self, name: str, data: DataObject, flow: Flow) -> None:
        """A local array none of whose dimensions belongs to the region, and that is not used after it: each point
        gets its own, if it sets what it reads; what was set before the region may come in, if no point changes that.
        """
        answer = self._arrays.private(data)
        if isinstance(answer, Proved):
            self._own(name, data)
            return
        outside = any(
            self.body.identity.number not in r.at.regions and self.effects.of(r, self.key)[1]
            for r in self.uses.by_name.get(name, ())
        )
        shared = self._arrays.by_point(data) or (keeps_value(self.routine, name) and self.routine.kind != "program")
        if shared:
            self.result.shared.append(name)
            self._arrays.check(name, data)
        elif outside or data.symbol.attributes & {"initialised"}:
            if not isinstance(self._arrays.unchanged(data), Proved):
                self._arrays.not_private(name, data, answer)
            self.result.firstprivate.append(name)
        else:
            self._arrays.not_private(name, data, answer)
            self._own(name, data)

    def _array_read_after(self, name: str, data: DataObject) -> bool:
        """Whether what is set in the region may be read after it: not by a region whose points set what they read."""
        entries = {
            statement: [e for e in listed if not (e[1] and self._sets_itself(e[0], name, data))]
            for statement, listed in self.uses.effects_of(name).items()
        }
        scan = FlowScan({s: listed for s, listed in entries.items() if listed}, self._holds)
        return name in scan.scan_behind(self.routine.body, self.body.construct).exposed

    def _read_in_next_call(self, name: str, data: DataObject) -> bool:
        """Whether the next call of the routine may read what is set in the region, which an array keeps until then."""
        if self.routine.kind == "program" or not keeps_value(self.routine, name) or is_own(name):
            return False
        here = self.body.identity.number
        entries = {
            statement: [e for e in listed if here not in e[0].at.regions and not self._sets_itself(e[0], name, data)]
            for statement, listed in self.uses.effects_of(name).items()
        }
        scan = FlowScan({s: listed for s, listed in entries.items() if listed}, self._holds)
        return name in scan.scan(self.routine.body).exposed

    def _sets_itself(self, reference: Reference, name: str, data: DataObject) -> bool:
        """Whether a reference is in another region, each of whose points sets what it reads of an array."""
        others = [n for n in reference.at.regions if n != self.body.identity.number]
        active = [n for n in others if RegionId(self.key, n) in self.facts.positions.regions]
        return any(self.uses.sets_itself(n, name, data) for n in active)

    def _own(self, name: str, data: DataObject) -> None:
        """Each thread gets its own array."""
        (self.result.heap if large_copy(data, self.body.macros, self._known()) else self.result.private).append(name)

    def _known(self) -> dict[str, int]:
        """The sizes whose values are known in the region."""
        if self._values is None:
            written = set(self.body.flow().written)
            self._values = known_values(self.facts, self.routine, self.body.construct, written)
        return self._values

    def sets_all(self, name: str) -> bool:
        """Whether each point sets all that it has of an array, and reads no element before."""
        data = self.facts.object(name, self.key)
        return data is not None and self._arrays.sets_all(data)

    # -- reductions

    def _check_reductions(self) -> None:
        for reduction in self.region.reductions:
            if self.facts.scopes.variable(reduction.name, self.key) is None:
                hint = "declare it in the routine"
                message = f"reduction variable '{reduction.name}' is not declared"
                self.result.found.append(error("HF300", message, self.region.place, hint))
            elif found := misuse(self.body, reduction):
                self.result.found.append(found)
