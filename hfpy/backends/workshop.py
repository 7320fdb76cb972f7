"""The backends at work on one translation, and what they share while it lasts."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import replace
from typing import Any

from hfpy.analyze.device.arguments import check_arguments
from hfpy.analyze.device.asynchronous import check_asynchronous
from hfpy.analyze.device.callbacks import check_callbacks
from hfpy.analyze.device.families import check_families, common_backend, shares_across_families
from hfpy.analyze.device.finals import check_finals
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.backends.addresses import PROCEDURES
from hfpy.backends.base import Kernel, KernelWriter, PacksSections, WritesKernels
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.rewriter import KernelRewriter, refused
from hfpy.backends.c.values import Unprintable
from hfpy.backends.called import Called
from hfpy.backends.clones import Clones
from hfpy.backends.offload import OffloadRewriter
from hfpy.backends.registry import OFFLOAD_BACKENDS, backend
from hfpy.diagnostics import Diagnostic
from hfpy.model.kernel import Block, Slot
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.blocknames import rows_of
from hfpy.transform.device.datadialect import DataDialect, DataDirectives, RuntimeCalls, dialect_of
from hfpy.transform.device.devicedata import DeviceData
from hfpy.transform.device.twins import twins
from hfpy.transform.imports import Imports
from hfpy.transform.passes import Again
from hfpy.transform.plain.form import PlainForm, plain_form
from hfpy.transform.regions.regions import RegionRewriter
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.transform.workshop import Added
from hfpy.translation import ARRAYS_MODULE, Contents


def _writes_kernels(name: str) -> bool:
    return isinstance(backend(name), WritesKernels)


def _packs(name: str) -> bool:
    return isinstance(backend(name), PacksSections)


class Backends:
    """One for each translation (see :class:`hfpy.transform.workshop.Workshop`)."""

    def __init__(
        self, facts: Facts, effects: Effects, only: Collection[str] | None = None, again: Again | None = None
    ) -> None:
        """``only`` are the paths of the files that are written, where not all are; ``again`` gives the facts after a
        step to the plain form.
        """
        self.facts = facts
        self.effects = effects
        self.only = only
        self.again = again
        self.states = States(facts, effects)
        self.device = DeviceRoutines(facts, effects, Kinds(facts.scopes, facts.application.options.kinds))
        self._writers: dict[str, KernelWriter] = {}
        self.shared = shares_across_families(facts, self.states)
        self._common = common_backend(facts)
        self.imports = Imports(facts)
        self.called = Called(facts, effects, self.states, self.device, self.imports, self.shared)
        self.clones = Clones(facts, self.device, self.imports)
        self._plain: tuple[PlainForm, DeviceRoutines] | None = None
        self._families_checked = False
        self._kernels: dict[str, dict[str, list[Kernel]]] = {}
        self._holding: set[str] = set()
        self._sharing: dict[str, dict[str, None]] = {}
        self._current: KernelRewriter | OffloadRewriter | None = None
        self._own: dict[str, Any] = dict(facts.application.options.own_backends)

    def prepare(self) -> None:
        """Work out what all files with kernels share, before processes begin that write some of them each."""
        names = {self.facts.backend(region.routine) for region in self.facts.positions.regions}
        if any(map(_writes_kernels, names - self._own.keys())):
            self._plain_form()

    def rewriter(self, routine: Routine) -> RegionRewriter | None:
        """Who writes the regions of a routine."""
        name = self.facts.backend(routine.key)
        self._current = None
        if name in self._own:
            return RegionRewriter(self.facts, self.effects, routine, self._own[name])
        chosen = backend(name)
        if isinstance(chosen, WritesKernels):
            plain, device = self._plain_form()
            writer = self._writers.get(chosen.name) or chosen.writer(device)
            self._writers[chosen.name] = writer
            made = KernelRewriter(
                self.facts, self.effects, routine, chosen, plain, device, self.imports, writer, self._held
            )
            self._current = made
            return made
        if chosen.name in OFFLOAD_BACKENDS:
            made_of = self.facts, self.effects, routine, chosen, self.called, self.clones
            self._current = OffloadRewriter(*made_of, self.shared)
            return self._current
        return RegionRewriter(self.facts, self.effects, routine, chosen)

    def _held(self, key: str, slot: Slot) -> bool:
        """Whether a routine has an array of a module on the device, or may find it there. Those of common blocks are
        looked for when the program runs: a caller may have a part of the block there.
        """
        storage, scopes = self.facts.storage, self.facts.scopes
        if storage.meet(storage.of_identity(slot), self.states.resident(key)):
            return True
        found = ((name, scopes.variable(name, key)) for name in self.states.arrays(key))
        return any(f is not None and (f.home, f.symbol.name) == slot for _, f in found)

    def _plain_form(self) -> tuple[PlainForm, DeviceRoutines]:
        """The program in the form that kernels are printed from, and the routines that they call."""
        if self._plain is None:
            plain = plain_form(self.facts, self.effects, _writes_kernels, _packs, self.only, self.again)
            device = self.device
            if plain.facts is not self.facts:
                kinds = Kinds(plain.facts.scopes, plain.facts.application.options.kinds)
                device = DeviceRoutines(plain.facts, plain.effects, kinds)
            self._plain = plain, device
        return self._plain

    @property
    def steps(self) -> tuple[Facts, ...]:
        """The facts after each step to the plain form, where that was asked for."""
        return self._plain[0].steps if self._plain is not None else ()

    def data(self, routine: Routine, found: list[Diagnostic]) -> list[Edit]:
        """Copies and imports of a routine with device data."""
        current = self._current
        if current is None:
            return []
        dialect = self._dialect(routine)
        by_hand = twins(self.facts, routine, dialect)
        current.removed += [(s.line.first, s.line.last) for s in by_hand.statements]
        data = DeviceData(self.facts, self.effects, self.states, self.imports, routine, dialect, by_hand.statements)
        uses: list[str] = []
        own: list[Edit] = []
        if isinstance(dialect, DataDirectives):
            data.declared = frozenset(self.called.declared())
        data.arrays = [n for n in data.arrays if not current.only_own(n, self.states)]
        if isinstance(current, OffloadRewriter):
            current.check_data(data.arrays)
            imports = current.imports
            own = current.interfaces()
            blocks = current.blocks
            uses += current.uses
        else:
            if current.kernels:
                kept = self._kernels.setdefault(routine.file, {})
                kept.setdefault(current.backend.name, []).extend(current.kernels)
            imports = [i for k in current.kernels for i in k.spec.imports]
            blocks = [b for k in current.kernels for b in k.spec.blocks]
        edits = [*by_hand.edits, *data.edits(), *own]
        edits += self._blocks(routine, [*blocks, *data.blocks])
        found += [*by_hand.found, *data.found]
        imports = [*imports, *data.imports]
        uses += [f"use {i.module}, only: {i.local} => {i.name}" for i in imports]
        if isinstance(current, KernelRewriter):
            uses += self._launchers(routine, current)
            uses += self._runtime_use(routine, dialect.names | current.procedures)
        else:
            uses += self._runtime_use(routine, dialect.names | (PROCEDURES if current.contained else set()))
            if current.contained:
                self._sharing.setdefault(routine.file, {})[current.backend.name] = None
        if uses:
            margin = " " * (routine.header.segments[0][2] + 2)
            rows = [margin + use for use in dict.fromkeys(uses)]
            edits.append(insert_lines(routine.uses_row, rows, -20, routine.header.first))
        return edits

    def changes(self, index: FileIndex) -> bool:
        """Whether a file without directives changes all the same: it has host code around kernels that may have to keep
        arrays in step with the device, or what kernels call.
        """
        routines = self.facts.application.routines_in(index.path)
        states = self.states
        return any(
            states.reaches_device(r.key) and (states.arrays(r.key) or states.resident(r.key)) for r in routines
        ) or any(self.called.changes(r) for r in routines)

    def _dialect(self, routine: Routine) -> DataDialect:
        """How a routine brings arrays to the device: without kernels of its own, as those of others find them there."""
        kinds = self.facts.application.options.kinds
        if self.shared:
            return RuntimeCalls(kinds)
        own = self.facts.positions.get(routine.key).own
        return dialect_of(self._common if self._common and not own else self.facts.backend(routine.key), kinds)

    @staticmethod
    def _blocks(routine: Routine, blocks: list[Block]) -> list[Edit]:
        """The declarations of common blocks that a routine needs for what its regions call."""
        margin = " " * (routine.header.segments[0][2] + 2)
        rows = [margin + row for row in rows_of(blocks)]
        return [insert_lines(routine.spec_insert + 1, rows, 4, routine.header.first)] if rows else []

    @staticmethod
    def _launchers(routine: Routine, current: KernelRewriter) -> list[str]:
        """The module of what a routine calls in the places of its regions."""
        if not current.kernels:
            return []
        launchers = ", ".join(k.spec.launcher for k in current.kernels)
        return [f"use {current.writer.module(routine.file)}, only: {launchers}"]

    def _runtime_use(self, routine: Routine, names: Set[str]) -> list[str]:
        """The ``use`` of the runtime for the procedures that a routine calls."""
        if not names:
            return []
        self._holding.add(routine.file)
        return [f"use {ARRAYS_MODULE}, only: {', '.join([*sorted(names), 'hf_end'])}"]

    def known_on_device(self, routine: Routine) -> list[Edit]:
        """Directives by which a routine, or a module's variables, are known to kernels."""
        return list(self.called.lines(routine))

    def _from_source(self, added: Added, path: str) -> Added:
        """What kernels add to a file, with the lines of the program as it is that it stems from."""
        plain, _ = self._plain_form()
        beside = (replace(b, lines=tuple((text, plain.row(path, row)) for text, row in b.lines)) for b in added.beside)
        return replace(added, beside=tuple(beside)) if path in plain.rows else added

    def finish(self, index: FileIndex, found: list[Diagnostic]) -> Added:
        """What kernels add to a source file; and what states are contradictory."""
        found += self.states.found
        self.states.found = []
        if not self._families_checked:
            found += check_families(self.facts, self.states)
            found += check_arguments(self.facts, self.states)
            found += check_finals(self.facts, self.states)
            found += check_callbacks(self.facts, self.states)
            found += check_asynchronous(self.facts, self.states)
            self._families_checked = True
        uses = (ARRAYS_MODULE,) if index.path in self._holding else ()
        added = Added(contents=Contents(uses=uses, sharing=tuple(self._sharing.get(index.path, ()))))
        copies = self.clones.finished(index)
        added = replace(added, head=copies.head, contents=added.contents.with_added(copies.contents))
        for name, kernels in self._kernels.get(index.path, {}).items():
            try:
                more = self._writers[name].finished(index.path, kernels)
            except Unprintable as problem:
                assert problem.problems, "a routine that is refused without a reason"
                found += map(self._plain_form()[0].reported, refused(problem.problems))
                return added
            more = self._from_source(more, index.path)
            contents = added.contents.with_added(more.contents)
            added = Added((*added.head, *more.head), (*added.beside, *more.beside), contents)
        return added
