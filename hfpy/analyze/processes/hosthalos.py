"""What statements outside of regions read of the halos of fields, and what they set.

A loop outside of regions, or an array statement, reads a halo for certain where the variable of a loop, or a range,
takes an index beyond the points of the process. Other indices may be anything, as those of code for the boundary of the
grid: they ask for no exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.mpi import KEEPING, ONLY_READ, STARTING, procedure
from hfpy.analyze.language.uses import Reference, associated
from hfpy.analyze.processes.halodepths import depths_of
from hfpy.analyze.processes.halospans import Fields, Scope, index_of, loops
from hfpy.analyze.processes.regionhalos import Need
from hfpy.model.distributed import Distributed, WholeGrid
from hfpy.model.expressions import Component, Name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Statement, expressions, flatten
from hfpy.model.units import Routine
from hfpy.values import dataclass


def is_for_whole_grid(routine: Routine) -> bool:
    """Whether a routine runs on the first process, for all points."""
    return any(isinstance(s, Distributed) and isinstance(s.what, WholeGrid) for s in routine.body)


@dataclass
class HostStatements:
    """The statements outside of regions, of all routines."""

    fields: Fields
    effects: Effects
    _references: dict[str, Mapping[int, list[Reference]]] = field(default_factory=dict)
    _loops: dict[int, tuple[Need, ...]] = field(default_factory=dict)
    _received: frozenset[Identity] | None = None

    def _of(self, key: str, statement: Statement) -> list[Reference]:
        if key not in self._references:
            found: dict[int, list[Reference]] = {}
            for reference in self.fields.facts.references.get(key, ()):
                if not reference.at.regions and self.fields.facts.live(reference.at, key):
                    found.setdefault(id(reference.at.statement), []).append(reference)
            self._references[key] = found
        return self._references[key].get(id(statement), [])

    # -- reads

    def of_loop(self, key: str, loop: Construct) -> tuple[Need, ...]:
        """What a loop reads of halos, if its variable is in an index of a cut dimension."""
        if id(loop) not in self._loops:
            header = loop.header
            variables = frozenset({header.var} - {""}) if isinstance(header, Header) else frozenset[str]()
            read = [r for statement in flatten((loop,)) for r in self._of(key, statement) if r.role == "read"]
            over_points = any(variables & names for r in read for names in self._names_of_indices(key, r))
            self._loops[id(loop)] = self._needs(key, read, header.line) if over_points else ()
        return self._loops[id(loop)]

    def of_statement(self, key: str, statement: Statement) -> tuple[Need, ...]:
        """What an array statement reads of halos."""
        return self._needs(key, [r for r in self._of(key, statement) if r.role == "read"], statement.line)

    def _names_of_indices(self, key: str, reference: Reference) -> Iterable[frozenset[str]]:
        data = self.fields.facts.object(reference.name, key)
        for cut in self.fields.cuts(key, data) if data is not None else ():
            index = index_of(reference, data, cut) if data is not None else None
            if index is not None:
                yield frozenset(node.name for node in walk(index) if isinstance(node, Name))

    def _needs(self, key: str, references: Iterable[Reference], line: LogicalLine) -> tuple[Need, ...]:
        found: dict[str, Need] = {}
        for reference in references:
            name, whole = stands_for(reference.name, reference.at)
            data = self.fields.facts.object(name, key) if name is not None and whole else None
            scope = Scope(key, loops(reference.at.constructs))
            sides = {}
            for cut in self.fields.cuts(key, data) if data is not None else ():
                index = index_of(reference, data, cut) if data is not None else None
                span = self.fields.span(index, cut, scope) if index is not None else None
                depth = self.fields.depths(span, cut, key) if span is not None and span.by_loop else None
                sides[cut.number] = depth or (0, 0)
            depths = depths_of(sides, len(self.fields.grid.what.domains))
            if data is None or all(side == (0, 0) for side in sides.values()):
                continue
            levels = (self.fields.levels(reference, data, scope, True),)
            need = Need(data.name, data.identity, depths, reference, line, levels, in_region=False)
            found[data.name] = found[data.name].with_read(need) if data.name in found else need
        return tuple(found.values())

    # -- writes

    def set_by(self, key: str, statement: Statement) -> list[Identity]:
        """As :meth:`objects_set_by`."""
        return [data.identity for data in self.objects_set_by(key, statement)]

    def objects_set_by(self, key: str, statement: Statement) -> list[DataObject]:
        """The fields that a statement may set, or the pointers that it points elsewhere. What calls of known routines
        set is not among them.
        """
        found = []
        for reference in self._of(key, statement):
            name, _ = stands_for(reference.name, reference.at)
            data = self.fields.facts.object(name, key) if name is not None and not reference.component else None
            if data is None or not self.fields.cuts(key, data):
                continue
            if associated(reference) or self._sets(key, reference):
                found.append(data)
        return found

    def forgotten_by(self, key: str, statement: Statement) -> frozenset[Identity]:
        """The memory that a statement may set under names that are no fields: pointers, components; with calls of MPI
        what messages come to that the program has started before.
        """
        facts, found = self.fields.facts, frozenset[Identity]()
        if procedure(statement):
            found = self._messages_come_to()
        for reference in self._of(key, statement):
            if associated(reference) or not self._sets(key, reference):
                continue
            name, _ = stands_for(reference.name, reference.at)
            data = facts.object(name, key) if name is not None else None
            if reference.component:
                nodes = (n for top in expressions(statement) for n in walk(top))
                named = (n.name for n in nodes if isinstance(n, Component))
                found = found.union(*(facts.storage.of_identity(component_object(n)) for n in named))
            elif data is not None and data.symbol.shape and not self.fields.cuts(key, data):
                found |= facts.storage.of_identity(data.identity)
        return found

    def _messages_come_to(self) -> frozenset[Identity]:
        """The memory that the program has given to MPI for messages which come later: in any call of MPI, as far as is
        known here.
        """
        if self._received is None:
            self._received = frozenset()
            for key, listed in self.fields.facts.references.items():
                for reference in listed:
                    call = procedure(reference.at.statement) if reference.role == "argument" else ""
                    if call in STARTING - ONLY_READ or call in KEEPING:
                        memory = self.fields.facts.storage.of_designator(reference.node, reference.at, key)
                        self._received |= memory
        return self._received

    def _sets(self, key: str, reference: Reference) -> bool:
        if reference.role == "argument":
            site = self.effects.site(reference, key)
            routines = self.fields.facts.application.routines
            if site is not None and site.callee in routines and not site.chosen:
                return False
        return self.effects.of(reference, key)[1]
