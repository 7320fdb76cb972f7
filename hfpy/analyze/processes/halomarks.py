"""Reads of halos that may be stale, which is tested while the program runs (distributed.md §3.2).

A region reads the halo of a field that was set in a branch, or by another routine on some ways: whether an exchange is
missing depends on the way that the program takes. Then everything that happens to the field is noted beside it, by the
address of the array: that its points were set, that its halo was exchanged. Only fields are followed that nothing sets
in ways that hfpy does not understand, so that no right program ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import passed
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.allocations import known_size
from hfpy.analyze.processes.halos import Walk
from hfpy.analyze.processes.hosthalos import is_for_whole_grid
from hfpy.analyze.processes.regionhalos import Need, Setting
from hfpy.diagnostics import Place
from hfpy.model.distributed import Distributed
from hfpy.model.expressions import Name, base_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Jump, Memory, Node, OneLine, Specification, Statement, flatten
from hfpy.values import dataclass


@dataclass(frozen=True)
class Mark:
    """What is noted of an array, or tested. ``set``: a region has set all of its points, at ``place``. ``unknown``:
    something else has happened to it. ``needed``: the halo is read. It belongs after the line, or ``before`` it.
    """

    what: str
    name: str
    line: LogicalLine
    before: bool = False
    place: Place | None = None
    need: Need | None = None


@dataclass
class Marks:
    """The marks of a program's routines. ``objects`` is the memory that is followed."""

    walk: Walk
    objects: frozenset[Identity] = frozenset()
    by_routine: dict[str, list[Mark]] = field(default_factory=dict)
    _blurred: set[Identity] = field(default_factory=set)
    _allocated: dict[str, dict[int, list[Reference]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts, self.effects = self.walk.facts, self.walk.effects
        self.storage = self.facts.storage
        self.routines = [
            (key, routine)
            for key, routine in self.facts.application.routines.items()
            if routine.kind not in ("module", "submodule", "blockdata") and not is_for_whole_grid(routine)
        ]

    def all(self) -> Marks:
        """Of all reads that are not decided."""
        if not self.walk.undecided:
            return self
        for key, routine in self.routines:
            self._blur(key, routine.body)
        read = [need for listed in self.walk.undecided.values() for need in listed.values()]
        self.objects = frozenset(o for need in read for o in self._followed(need.identity)) & self._certainly_set()
        if self.objects:
            for key, routine in self.routines:
                self.by_routine[key] = [*self._fresh(key), *self._in(key, routine.body), *self._tests(key)]
        return self

    def follows(self, data: DataObject) -> bool:
        """Whether what happens to an array is noted."""
        return bool(self.objects) and self.storage.meet(self.storage.of_identity(data.identity), self.objects)

    # -- which fields are followed

    def _certainly_set(self) -> frozenset[Identity]:
        """The memory of fields of which some region certainly sets all points: no test of others can fail."""
        found: frozenset[Identity] = frozenset()
        for region in self.facts.positions.regions:
            for setting in self.walk.regions.of(region).settings:
                if _is_certain(setting):
                    found |= self.storage.of_identity(setting.identity)
        return found

    def _followed(self, identity: Identity) -> frozenset[Identity]:
        """The memory of a field, if all that happens to it is understood."""
        found = self.storage.of_identity(identity)
        hidden = any(self.storage.targetable(o) or self.storage.joint(o) is not None for o in found)
        known = not hidden and self.storage.joint(identity) is None and not self.storage.meet(found, self._blurred)
        return found if known else frozenset()

    def _blur(self, key: str, nodes: tuple[Node, ...]) -> None:
        """Note what a routine does to memory in ways that are not followed."""
        routine = self.facts.routine(key)
        if self.walk.exports.calls(routine):
            for dummy in routine.dummies:
                self._blurred |= self.storage.of_identity((key, dummy))
        for number, construct in enumerate(routine.regions):
            if (region := RegionId(key, number)) in self.facts.positions.regions:
                halos = self.walk.regions.of(region)
                self._blurred |= halos.forgotten
                if construct.end is None:
                    for setting in halos.settings:
                        self._blurred |= self.storage.of_identity(setting.identity)
        for statement in flatten(nodes):
            self._blurred |= self.walk.host.forgotten_by(key, statement)
            if isinstance(statement, Header):
                for data in self._set_by(key, statement):
                    self._blurred |= self.storage.of_identity(data.identity)
        for site in self.facts.graph.below(key):
            self._blur_call(key, site)
        for reference in self.facts.references.get(key, ()):
            if reference.role == "argument" and self.effects.of(reference, key)[1]:
                called = self.effects.site(reference, key)
                if called is None or called.callee not in self.facts.application.routines:
                    self._blurred |= self.storage.of_designator(reference.node, reference.at, key)

    def _blur_call(self, key: str, site: CallSite) -> None:
        """Note what a call changes otherwise than through whole fields, which have the same form there."""
        if site.callee not in self.facts.application.routines:
            return
        if site.chosen or is_for_whole_grid(self.facts.routine(site.callee)):
            self._blurred |= self.effects.changed_memory(site.callee)
        for dummy, value in passed(self.facts, site):
            name = base_name(value)
            meant, whole = stands_for(name, site.at) if name is not None else (None, False)
            data = self.facts.object(meant, key) if meant is not None else None
            there = self.facts.object(dummy, site.callee)
            if data is None or there is None or not data.rank:
                continue
            if not whole or site.chosen or not isinstance(value, Name) or not self._alike(key, data, site, there):
                self._blurred |= self.storage.of_identity(data.identity)

    def _alike(self, key: str, data: DataObject, site: CallSite, there: DataObject) -> bool:
        """Whether an argument and its dummy are cut alike, and have the same sizes in other dimensions."""
        here, inside = self.walk.fields.cuts(key, data), self.walk.fields.cuts(site.callee, there)
        if [(c.number, c.position) for c in here] != [(c.number, c.position) for c in inside]:
            return False
        cut = {c.position for c in here}
        places = [n for n, dim in enumerate(data.full) if n not in cut and dim.declared is not None]
        sizes = [(self._size(data, n), self._size(there, n)) for n in places]
        return all(one is not None and one == other for one, other in sizes)

    def _size(self, data: DataObject, position: int) -> tuple[int | str, ...] | None:
        """The bounds of a dimension as numbers or names; None where they are not known."""
        used = next((n for n, kept in enumerate(data.kept) if kept == position), None)
        size = known_size(self.facts, data, used) if used is not None else None
        if size is None:
            return None
        values = ((self.facts.domains.value(bound, data.routine), bound.text) for bound in size.bounds)
        return tuple(text if value is None else value for value, text in values)

    # -- what is noted

    def _fresh(self, key: str) -> Iterator[Mark]:
        """Variables of the routine, which begin anew with each call, where other arrays may have been. Where others
        are allocated is noted there.
        """
        routine = self.facts.routine(key)
        first = next((n for n in routine.body if not isinstance(n, Specification)), None)
        line = first.header.line if isinstance(first, Construct) else first.line if first is not None else None
        for symbol in routine.spec.symbols.values() if line is not None else ():
            data = self.facts.object(symbol.name, key)
            begins = data is not None and data.home == key and not data.dummy and "allocatable" not in symbol.attributes
            if begins and data is not None and line is not None and self._marks(data):
                yield Mark("unknown", data.name, line, before=True)

    def _marks(self, data: DataObject) -> bool:
        return bool(data.rank and self.walk.fields.cuts(data.routine, data)) and self.follows(data)

    def _in(self, key: str, nodes: Iterable[Node]) -> Iterator[Mark]:
        """What happens to fields in some statements."""
        for node in nodes:
            if not isinstance(node, Construct):
                yield from self._behind(key, node.line, [node])
            elif node.kind == "region":
                yield from self._region(key, node)
            elif node.end is not None and not self._is_followed_inside(key, node):
                yield from self._behind(key, node.end.line, list(flatten((node,))))
            else:
                for part in node.parts:
                    yield from self._in(key, part.body)

    def _is_followed_inside(self, key: str, node: Construct) -> bool:
        """Whether the marks of a construct belong to its statements: it is left early, or more happens in it."""
        rows = {row for routine, row in self.walk.undecided if routine == key}
        called = {id(site.at.statement) for site in self.facts.graph.below(key)}
        for statement in flatten((node,)):
            if isinstance(statement, Distributed) or id(statement) in called or statement.line.first in rows:
                return True
            if isinstance(statement, Jump) and statement.kind != "continue":
                return True
        return any(region.kind == "region" for region in _constructs(node))

    def _behind(self, key: str, line: LogicalLine, statements: list[Statement]) -> Iterator[Mark]:
        names = dict.fromkeys(d.name for s in statements for d in self._set_by(key, s) if self.follows(d))
        yield from (Mark("unknown", name, line) for name in names)

    def _set_by(self, key: str, statement: Statement) -> Iterator[DataObject]:
        """The fields that a statement outside of regions sets or allocates, or that it passes to a routine for the
        whole grid.
        """
        yield from self.walk.host.objects_set_by(key, statement)
        names = [r.name for r in self._memory(key).get(id(statement), ())]
        for site in self.facts.graph.below(key):
            callee = self.facts.application.routines.get(site.callee)
            if site.at.statement is statement and callee is not None and is_for_whole_grid(callee):
                names += [n for _, value in passed(self.facts, site) if (n := base_name(value)) is not None]
        yield from (data for name in names if (data := self.facts.object(name, key)) is not None)
        if isinstance(statement, OneLine):
            yield from self._set_by(key, statement.action)

    def _memory(self, key: str) -> Mapping[int, list[Reference]]:
        """By their statements, what is allocated."""
        if key not in self._allocated:
            found = self._allocated.setdefault(key, {})
            for reference in self.facts.references.get(key, ()):
                statement = reference.at.statement
                if reference.role == "allocate" and isinstance(statement, Memory) and statement.kind == "allocate":
                    found.setdefault(id(reference.at.statement), []).append(reference)
        return self._allocated[key]

    def _region(self, key: str, node: Construct) -> Iterator[Mark]:
        number = next(n for n, c in enumerate(self.facts.routine(key).regions) if c is node)
        region = RegionId(key, number)
        if region not in self.facts.positions.regions or node.region is None:
            for part in node.parts:
                yield from self._in(key, part.body)  # one for the other target around it
        elif node.end is not None:
            for setting in self.walk.regions.of(region).settings:
                if self.storage.meet(self.storage.of_identity(setting.identity), self.objects):
                    wide = _is_between_exchanges(self.walk, region)
                    yield Mark("unknown", setting.name, node.end.line) if wide else _of_setting(setting, node.end.line)

    # -- what is tested

    def _tests(self, key: str) -> Iterator[Mark]:
        """The reads of a routine that are not decided."""
        body = self.facts.routine(key).body
        conditional = {s.line.first for s in flatten(body) if isinstance(s, OneLine) or s.line.label}
        for (routine, row), needs in self.walk.undecided.items():
            for need in needs.values() if routine == key and row not in conditional else ():
                if self._followed(need.identity) & self.objects:
                    yield Mark("needed", need.name, need.line, before=True, need=need)


def certain_settings(walk: Walk, key: str) -> Iterator[tuple[Construct, list[Setting]]]:
    """The regions of a routine that certainly set all points of fields, and no others, with these fields."""
    for number, construct in enumerate(walk.facts.routine(key).regions):
        region = RegionId(key, number)
        known = region in walk.facts.positions.regions and construct.end is not None
        if known and not _is_between_exchanges(walk, region):
            settings = [setting for setting in walk.regions.of(region).settings if _is_certain(setting)]
            if settings:
                yield construct, settings


def _is_between_exchanges(walk: Walk, region: RegionId) -> bool:
    """Whether a region computes points of the halo between exchanges of every few turns."""
    return any(wide.key == region.routine and region.number in wide.regions for wide in walk.wide.values())


def _of_setting(setting: Setting, line: LogicalLine) -> Mark:
    what = "set" if _is_certain(setting) else "unknown"
    return Mark(what, setting.name, line, place=setting.stale.place if setting.stale is not None else None)


def _is_certain(setting: Setting) -> bool:
    """Whether all points of all levels that the process owns are set, and no others."""
    return setting.stale is not None and not setting.deep and all(level.whole for level in setting.stale.levels)


def _constructs(node: Construct) -> Iterator[Construct]:
    yield node
    for part in node.parts:
        for inner in part.body:
            if isinstance(inner, Construct):
                yield from _constructs(inner)
