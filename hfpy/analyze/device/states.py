"""Device state: where the data of every array live, routine by routine (hybrid-fortran.md §7.1, design contract 4).

A routine either finds an array on the device (*present*), brings it there and takes it back (*transfer*), has it there
as a local (*local*), or knows it on the host only (*host*). Where directives say nothing, the nearest routine on the
way to a kernel that does not say ``present`` transfers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.listings import Listing
from hfpy.analyze.arrays.storage import ANYTHING, Identity
from hfpy.analyze.calls import chosen_dummies, dummy_of
from hfpy.analyze.device.copies import FirstUses
from hfpy.analyze.device.inquired import inquires
from hfpy.analyze.device.messages import Messages
from hfpy.analyze.device.packing import NEVER, VECTOR, gaps, packs
from hfpy.analyze.device.residence import Residence
from hfpy.analyze.devicefacts import DeviceFacts
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.members import Members
from hfpy.analyze.facts import Facts, keeps_value, stands_for
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.uses import Reference
from hfpy.backendtable import DEVICE_BACKENDS, of_kind
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.distributed import takes_buffer
from hfpy.values import dataclass

_KERNELS = of_kind("kernels")
PRESENT, TRANSFER, LOCAL, HOST = "present", "transfer", "local", "host"


@dataclass
class States:
    """Answers in which state an array is in a routine."""

    facts: Facts
    effects: Effects
    found: list[Diagnostic] = field(default_factory=list)
    _states: dict[tuple[str, str], str] = field(default_factory=dict)
    _device_uses: dict[str, dict[str, Reference]] = field(default_factory=dict)
    _held: dict[str, list[DataObject]] = field(default_factory=dict)
    _all_there: dict[str, frozenset[Identity]] = field(default_factory=dict)
    _read_first: dict[tuple[str, str], bool] = field(default_factory=dict)
    _first_uses: dict[str, FirstUses] = field(default_factory=dict)
    _objects: dict[str, Counter[Identity]] = field(default_factory=dict)
    _residence: Residence | None = None
    _messages: Messages | None = None
    _members: Members | None = None
    _here: frozenset[str] = frozenset()
    _brought: frozenset[Identity] | None = None
    _passed: frozenset[Identity] | None = None

    def known(self) -> DeviceFacts:
        """The answers for all routines, for facts that are kept without statements."""
        routines = self.facts.application.routines
        keys = self.facts.graph.with_statements()
        return DeviceFacts(
            {(key, name): self.decided(name, key) for key in keys for name in routines[key].dummies},
            {key: tuple(self.held(key)) for key in keys if self.reaches_device(key)},
            {key: self.resident(key) for key in keys},
            {key: self.residence.views(key) for key in keys},
            {key: self.messages.left_open(key) for key in keys},
            self.passed,
        )

    def _elsewhere(self, key: str) -> DeviceFacts | None:
        """What is known of a routine whose statements are not there; None for others."""
        if self.facts.device is None:
            return None
        if not self._here:
            self._here = frozenset(self.facts.graph.with_statements())
        return self.facts.device if key not in self._here else None

    @property
    def messages(self) -> Messages:
        """Which arrays belong to messages that are on their way."""
        if self._messages is None:
            self._messages = Messages(self.facts, self.effects)
        return self._messages

    @property
    def members(self) -> Members:
        """The members of common blocks."""
        if self._members is None:
            kinds = Kinds(self.facts.scopes, self.facts.application.options.kinds)
            self._members = Members(self.facts.application, self.facts.scopes, kinds)
        return self._members

    def of(self, name: str, key: str) -> str:
        """The state of an array in a routine; ``host`` for everything that is no array."""
        state = self.decided(name, key)
        return PRESENT if state == HOST and self._perhaps_there(name, key) else state

    def decided(self, name: str, key: str) -> str:
        """The state that a routine's own directives and kernels ask for, whatever its callers do."""
        slot = (key, name)
        elsewhere = self._elsewhere(key)
        if elsewhere is not None and slot in elsewhere.decided:
            return elsewhere.decided[slot]
        if slot not in self._states:
            self._states[slot] = HOST  # a recursive call adds nothing
            self._states[slot] = self._decide(name, key)
        return self._states[slot]

    def on_device(self, name: str, key: str) -> bool:
        """Whether the device holds the valid copy of an array while a routine runs."""
        return self.of(name, key) != HOST

    def arrays(self, key: str) -> list[str]:
        """The arrays of a routine that are on the device, by name."""
        references = self.facts.references.get(key, ())
        names: set[str | None] = {stands_for(r.name, r.at)[0] for r in references}
        names |= {read.name for r in references for read in self.effects.read_by_function(r, key)}
        names |= {*_transferred(self.facts.domains.listings(key))}
        return sorted(n for n in names if n is not None and self.on_device(n, key))

    # -- decisions

    def _decide(self, name: str, key: str) -> str:
        data = self.facts.object(name, key)
        if data is None or not data.rank or data.symbol.constant or not self.reaches_device(key):
            return HOST
        if data.symbol.type.base in ("type", "class") and self.facts.backend(key) in _KERNELS:
            return HOST  # components go to kernels by themselves
        own = self.facts.domains.listings(key).get(name)
        asked = own.state if own is not None else ""
        use = self.device_uses(key).get(name)
        if asked == "host":
            if use is not None:
                self._contradiction(data, key, use)
            return HOST
        if not asked and any(d.form == "star" for d in data.symbol.shape):
            return HOST  # of unknown size: regions bring as much as they use, each for itself
        if asked == "transferhere":
            return TRANSFER
        if asked == "present" and (self._called_from_host(key) if data.dummy else self._never_brought(data)):
            return TRANSFER
        made_here = any(routine == key for routine, _ in self.facts.allocations.get(data.identity, ()))
        if asked == "present" and not (data.local and (made_here or not data.symbol.dynamic)):
            return PRESENT
        if use is None and not asked:
            return HOST
        # What a local array keeps from one call to the next, or a function returns, goes with it, and what a pointer
        # means is not local.
        routine = self.facts.routine(key)
        returned = routine.kind == "function" and name == (routine.result or routine.name)
        lasting = returned or keeps_value(routine, name) or "pointer" in data.symbol.attributes
        return LOCAL if data.local and not lasting else TRANSFER

    def _called_from_host(self, key: str) -> bool:
        """Whether a routine for a backend without a device calls this one, with data of the host: then this routine
        brings them there itself, which does nothing where callers hold them on the device. The predecessor wrote the
        routine twice, once for the host (§9.2).
        """
        callers = self.facts.graph.callers_of(key)
        return any(self.facts.backend(caller) not in DEVICE_BACKENDS for caller in callers)

    def _never_brought(self, data: DataObject) -> bool:
        """Whether an array of a module is on the device for whoever names it, though no directive brings it there: the
        predecessor's twins of such arrays lie in the module (§7.3), so that routines may set them and leave them.
        """
        if data.local:
            return False
        if self._brought is None:
            routines, domains = self.facts.application.routines, self.facts.domains
            listed = ((key, name) for key in routines for name in _transferred(domains.listings(key)))
            found = (self.facts.object(name, key) for key, name in listed)
            self._brought = frozenset(d.identity for d in found if d is not None)
        return data.identity not in self._brought

    def _perhaps_there(self, name: str, key: str) -> bool:
        """Whether an array that a routine uses on the host may be on the device all the same, because a caller holds it
        there, or because this routine does by another name.
        """
        data = self.facts.object(name, key)
        if data is None or not data.rank or data.symbol.constant or not self.reaches_device(key):
            return False
        storage = self.facts.storage
        if storage.meet(storage.of_identity(data.identity), self.resident(key)):
            return True
        return any(storage.shared(data.name, held.name, key) for held in self.held(key) if held.name != data.name)

    def there(self, key: str) -> frozenset[Identity]:
        """The storage objects that may be on the device while a routine runs: its own and those of its callers."""
        if key not in self._all_there:
            held = (self.facts.storage.of_identity(d.identity) for d in self.held(key))
            self._all_there[key] = self.resident(key).union(*held)
        return self._all_there[key]

    def objects_held(self, keys: Iterable[str]) -> frozenset[Identity]:
        """The storage objects that some routines have on the device by themselves."""
        arrays = (data for key in keys if self.reaches_device(key) for data in self.held(key))
        return frozenset[Identity]().union(*(self.facts.storage.of_identity(data.identity) for data in arrays))

    def held(self, key: str) -> list[DataObject]:
        """The arrays that a routine has on the device by itself: used by its kernels, or listed."""
        elsewhere = self._elsewhere(key)
        if elsewhere is not None:
            return list(elsewhere.held.get(key, ()))
        if key not in self._held:
            names = sorted(set(self.device_uses(key)) | set(self.facts.domains.listings(key)))
            objects = (self.facts.object(n, key) for n in names if self.decided(n, key) != HOST)
            self._held[key] = [d for d in objects if d is not None]
        return self._held[key]

    @property
    def passed(self) -> frozenset[Identity]:
        """The objects that procedures without source get which may call procedures of the program."""
        if self.facts.device is not None:
            return self.facts.device.passed
        if self._passed is None:
            found: set[Identity] = set()
            for key, sites in self.facts.graph.indirect.items():
                hidden = {id(site.at.statement) for site in sites if site.hidden}
                for reference in self.facts.references.get(key, ()) if hidden else ():
                    if reference.role == "argument" and id(reference.at.statement) in hidden:
                        found |= self.facts.storage.objects(reference.name, key)
            self._passed = frozenset(found)
        return self._passed

    @property
    def residence(self) -> Residence:
        """What callers hold on the device, for the whole program."""
        if self._residence is None:
            self._residence = Residence(self.facts, self.effects, self)
        return self._residence

    def resident(self, key: str) -> frozenset[Identity]:
        """What may be on the device whenever a routine runs, since a caller holds it there."""
        return self.residence.of(key)

    def reaches_device(self, key: str) -> bool:
        """Whether a routine has kernels, or calls routines that do, and keeps its arrays in step with them."""
        position = self.facts.positions.get(key)
        within = position.own or position.below
        return bool(within) and not position.above and self.facts.backend(key) in DEVICE_BACKENDS

    def device_uses(self, key: str) -> dict[str, Reference]:
        """Arrays that a routine's own kernels use, or that it passes to a routine that expects them on the device."""
        if key not in self._device_uses:
            self._device_uses[key] = {}
            for name, reference in self._uses(key):
                self._device_uses[key].setdefault(name, reference)
        return self._device_uses[key]

    def _uses(self, key: str) -> Iterator[tuple[str, Reference]]:
        for reference in self.facts.references.get(key, ()):
            if not self.facts.live(reference.at, key):
                continue
            for read in self.effects.read_by_function(reference, key):
                found = self.facts.object(read.name, key)
                if found is not None and found.rank and self.in_kernel(reference, key):
                    yield read.name, read
            name = stands_for(reference.name, reference.at)[0]
            data = self.facts.object(name, key) if name is not None else None
            if name is None or data is None or not data.rank:
                continue
            in_kernel = self.in_kernel(reference, key) and not inquires(self.facts, self.effects, reference, key)
            if in_kernel or self._needed(reference, key):
                yield name, reference

    def in_kernel(self, reference: Reference, key: str) -> bool:
        """Whether a reference is in an active region of a backend with device data."""
        return self.facts.positions.active(key, reference.at) is not None

    def dummy(self, reference: Reference, key: str) -> DataObject | None:
        """The array dummy that a reference is passed to."""
        site = self.effects.site(reference, key) if reference.role == "argument" else None
        if site is None or not site.callee:
            return None
        return dummy_of(self.facts, site, reference.position)[1]

    def _needed(self, reference: Reference, key: str) -> bool:
        """Whether a reference is passed to a routine that says that it is on the device."""
        dummy = self.dummy(reference, key)
        found = [dummy] if dummy is not None else self.chosen(reference, key)
        return bool(found) and all(d is not None and self._says_present(d) for d in found)

    def _says_present(self, dummy: DataObject) -> bool:
        """Whether a directive says that a dummy is on the device. Only then its state is asked for, which then has
        nothing to do with what kernels use: that may be just what is being found out, in a routine that calls itself.
        """
        own = self.facts.domains.listings(dummy.routine).get(dummy.name)
        return own is not None and own.state == "present" and self.decided(dummy.name, dummy.routine) == PRESENT

    def stays_on_device(self, reference: Reference, key: str) -> bool:
        """Whether a reference leaves the data where they are: in a kernel, or handed to a routine that finds or brings
        them there."""
        if self.in_kernel(reference, key) or takes_buffer(reference.at.statement, reference.position):
            return True
        dummy = self.dummy(reference, key)
        found = [dummy] if dummy is not None else self.chosen(reference, key)
        return bool(found) and all(d is not None and self.on_device(d.name, d.routine) for d in found)

    def chosen(self, reference: Reference, key: str) -> list[DataObject | None]:
        """The array dummies that a reference may be passed to by a call whose procedure the run decides: one for each
        candidate, None for one that has no such dummy.
        """
        return [dummy for _, dummy in chosen_dummies(self.facts, key, reference)]

    def packed(self, reference: Reference, key: str) -> str:
        """Whether an argument that stays on the device comes there as a copy made by the compiler, at an address of its
        own: one of the words of :mod:`hfpy.analyze.device.packing`.
        """
        dummy = self.dummy(reference, key)
        if dummy is None or self.in_kernel(reference, key) or not self.on_device(dummy.name, dummy.routine):
            return NEVER
        name = stands_for(reference.name, reference.at)[0]
        entered = name is not None and self.decided(name, key) in (TRANSFER, LOCAL)
        found = gaps(self.facts, reference, key, entered)
        return found if found == VECTOR or packs(dummy.symbol) else NEVER

    def _contradiction(self, data: DataObject, key: str, use: Reference) -> None:
        routine = self.facts.routine(key)
        place = use.at.statement.line.place(routine.file, use.node.start, use.node.end)
        related = [Related(data.listed, "it is listed as host data here")] if data.listed is not None else []
        what = "used in a kernel" if self.in_kernel(use, key) else "given to a routine that expects it on the device"
        hint = "list it with attribute(transferHere), or with attribute(present) if a caller brings it to the device"
        self.found.append(error("HF600", f"'{data.name}' is host data, but {what}", place, hint, related))

    # -- copies

    def copies(self, name: str, key: str) -> tuple[bool, bool]:
        """Whether a transferring routine copies an array to the device at entry, and back at exit.

        ``intent(out)`` copies in too, where a kernel may write a part only (design §6).
        """
        data = self.facts.object(name, key)
        assert data is not None
        return self._values_matter(data, key), self._goes_back(data, key)

    def _values_matter(self, data: DataObject, key: str) -> bool:
        """Whether what an array holds on the host when a routine begins may be read on the device."""
        slot = (key, data.name)
        if slot not in self._read_first:
            storage = self.facts.storage
            known = storage.alone(data.identity) and not self._passed_twice(data, key)
            objects = storage.of_identity(data.identity)
            views = (v for v in self.residence.views(key) if v.root != data.identity or v.path) if known else ()
            same = (v.root[1] for v in views if storage.meet(objects, storage.of_identity(v.stands_for)))
            if key not in self._first_uses:
                self._first_uses[key] = FirstUses(self.facts, self.effects, key)
            self._read_first[slot] = not (known and self._first_uses[key].sets_whole(data, same))
        return self._read_first[slot]

    def _passed_twice(self, data: DataObject, key: str) -> bool:
        """Whether callers may pass an array under two names: programs do so where the standard forbids it, and each
        point reads before it writes.
        """
        storage = self.facts.storage
        if key not in self._objects:
            held = (storage.of_identity(d.identity) for d in self.held(key))
            self._objects[key] = Counter(identity for objects in held for identity in objects)
        counts, objects = self._objects[key], storage.of_identity(data.identity)
        unknown = counts[ANYTHING] - (ANYTHING in objects)
        return any(counts[o] > 1 for o in objects) or bool(unknown and storage.meet(objects, {ANYTHING}))

    def _goes_back(self, data: DataObject, key: str) -> bool:
        """Whether a routine may change an array on the device."""
        if data.dummy:
            return self.effects.intent(key, data.name) != "in"
        return data.local or self.written_below(data.identity, key) or self._written_otherwise(data, key)

    def as_on_host(self, name: str, key: str) -> bool:
        """Whether an array has the values on the device that the host has: a routine brings it there for kernels that
        only read it, and no caller holds it there. It may be a constant, in memory that nobody can write.
        """
        data = self.facts.object(name, key)
        if data is None or self.of(name, key) != TRANSFER:
            return False
        if self._goes_back(data, key) or self._written_otherwise(data, key):
            return False
        storage = self.facts.storage
        return not storage.meet(storage.of_identity(data.identity), self.resident(key))

    def _written_otherwise(self, data: DataObject, key: str) -> bool:
        """Whether a routine, or one that it calls, may write an array by a name that means the same storage."""
        storage = self.facts.storage
        objects = storage.of_identity(data.identity)
        views = (v for v in self.residence.views(key) if v.writes)
        return any(storage.meet(objects, storage.of_identity(v.stands_for)) for v in views)

    def written_below(self, identity: tuple[str, str], key: str) -> bool:
        """Whether a routine, or one that it calls, writes a variable by a name that means it."""
        for reference in self.facts.references.get(key, ()):
            found = self.facts.scopes.variable(reference.name, key)
            if found is not None and (found.home, found.symbol.name) == identity and self.effects.of(reference, key)[1]:
                return True
        return any(identity in self.effects.changed_memory(s.callee) for s in self.facts.graph.below(key) if s.callee)


def kept_there(facts: Facts, states: States, key: str, name: str) -> bool:
    """Whether an array has to be on the device whatever the routine's own regions do with it: it is none of the
    routine's own, or something outside of its regions leaves it there.
    """
    data = facts.object(name, key)
    outside = (r for r in facts.references[key] if r.name == name and facts.positions.active(key, r.at) is None)
    return data is None or not data.local or any(states.stays_on_device(r, key) for r in outside)


def _transferred(listings: Mapping[str, Listing]) -> Iterator[str]:
    """The names that directives of a unit bring to the device there."""
    return (name for name, listing in listings.items() if listing.state == "transferhere")
