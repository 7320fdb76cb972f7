"""What may be on the device when a routine runs, since a caller holds it there.

Device memory belongs to addresses, not to names. So what one routine brings to the device is there under all its other
names, too, as long as that routine runs. :mod:`hfpy.analyze.arrays.storage` says which memory names mean; here the
objects that routines hold on the device spread to all that they call, directly or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Protocol

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import BLOCK, Identity, actual, component_object, designated, holds_address, sources
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.insides import objects_touched
from hfpy.analyze.effects.resultsset import results_set
from hfpy.analyze.facts import Facts, in_one_memory, stands_for
from hfpy.analyze.language.components import chains_from, path_of
from hfpy.analyze.language.namelists import listed_by
from hfpy.analyze.language.types import component, selector_of
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Name, base_name
from hfpy.model.source import LineKey
from hfpy.model.statements import InputOutput, Specification, Statement
from hfpy.model.units import Routine
from hfpy.parse.index import parse_use
from hfpy.values import dataclass

CallPlace = tuple[LineKey, int, int]  # the line of a call, its begin and its end

_LONGEST = 8  # components in the path of a view
_MOST = 8  # different paths of one component behind one variable in a routine


class Decisions(Protocol):
    """What :class:`hfpy.analyze.device.states.States` knows about single routines."""

    def held(self, key: str) -> list[DataObject]:
        """The arrays that a routine has on the device by itself."""


@dataclass(frozen=True)
class View:
    """A name by which a routine gets at an array: a variable (``root``: home unit and name there), or a component
    after it (``path``: the names on the way; None where there are indices or calls on the way).
    ``writes`` tells whether it is changed.
    """

    root: Identity
    path: tuple[str, ...] | None
    part: str
    writes: bool

    @property
    def stands_for(self) -> Identity:
        """What :class:`hfpy.analyze.arrays.storage.Storage` knows it as."""
        return component_object(self.part) if self.part else self.root


@dataclass
class _Seen:
    """The views of a routine. Where objects hold others of their kind, or routines call themselves with components of
    their arguments, one component has very many paths. Those that come after the first few are one view, without a
    path. The order of views is that of the text, so the same ones come first in each run.
    """

    views: dict[View, None] = field(default_factory=dict)
    paths: dict[tuple[Identity, str], set[tuple[str, ...]]] = field(default_factory=dict)

    def new(self, views: Iterable[View]) -> list[View]:
        """Those that were not there before, bounded."""
        added = []
        for view in map(self._bounded, views):
            if view not in self.views:
                self.views[view] = None
                added.append(view)
        return added

    def _bounded(self, view: View) -> View:
        if view.path is None:
            return view
        known = self.paths.setdefault((view.root, view.part), set())
        if view.path not in known and len(known) >= _MOST:
            return replace(view, path=None)
        known.add(view.path)
        return view


def common_block(facts: Facts, identity: Identity) -> Identity | None:
    """What represents the common block of a variable, if it is in one, by its own name or by an ``equivalence``."""
    home = facts.application.routines.get(identity[0])
    members = in_one_memory(home, identity[1]) if home is not None else set[str]()
    for group in home.spec.groups if home is not None else ():
        if group.kind == "common" and not members.isdisjoint(group.members):
            return "common", group.name
    return None


def namelist_members(facts: Facts, key: str, statement: Statement) -> list[DataObject]:
    """The arrays of the namelist that an input or output statement names, but for those that the routine knows by
    their own names: they have references.
    """
    if not isinstance(statement, InputOutput):
        return []
    found = listed_by(statement, key, facts.scopes)
    others = (f for f in found if facts.scopes.variable(f.symbol.name, key) != f)
    objects = (facts.object(f.symbol.name, f.home) for f in others)
    return [d for d in objects if d is not None and d.rank]


def block_variable(facts: Facts, reference: Reference, key: str) -> Identity | None:
    """What represents the variable of a ``block``, perhaps a pointer, that a reference reads or sets a part of; None
    for other references.
    """
    if not reference.at.renamed or reference.component or reference.role in ("pointer", "inquiry"):
        return None
    meant = designated(reference.node, reference.at, key, facts.scopes)
    return meant if meant is not None and meant[0] == BLOCK else None


def renamed_chains(reference: Reference) -> list[Component]:
    """The designators of components that a name of an ``associate`` means a part of, prefixes by themselves."""
    meant = selector_of(reference)
    found: list[Component] = []
    while isinstance(meant, (Component, Apply)):
        found += [meant] if isinstance(meant, Component) else []
        meant = meant.base
    return found


def used_in_block(facts: Facts, statement: Statement) -> Iterator[Identity]:
    """The arrays of modules that a ``use`` in a ``block`` gives names there: they are not followed."""
    if not isinstance(statement, Specification) or statement.kind != "use":
        return
    use = parse_use(statement.line)
    home = facts.scopes.modules.get(use.module) if use is not None else None
    routine = facts.application.routines.get(home) if home is not None else None
    if use is None or routine is None:
        return
    listed = [remote for _, remote in use.only] if use.only is not None else sorted(routine.spec.symbols)
    for name in listed:
        found = facts.scopes.exported(name, use.module)
        if found is not None and (found.symbol.rank or "pointer" in found.symbol.attributes):
            yield found.home, found.symbol.name


def address_given(facts: Facts, reference: Reference, key: str) -> Identity | None:
    """What represents the address that a procedure without source gets: it may set what is there."""
    if (
        reference.role != "argument"
        or reference.call is None
        or facts.graph.called_at(key, reference.at, reference.call)
    ):
        return None
    if facts.scopes.is_intrinsic(base_name(reference.call) or "", key):
        return None
    for expr in chains_from(reference) if reference.component else ():
        part = component(expr, key, facts.scopes)
        if part is not None and holds_address(part):
            return component_object(expr.name)
    found = None if reference.component else facts.variable(reference.name, reference.at, key)
    return (found.home, found.symbol.name) if found is not None and holds_address(found.symbol) else None


def value_of(facts: Facts, key: str) -> frozenset[Identity]:
    """The array that is the value of a function. Compilers may give it the memory of the variable that gets it, which a
    caller may have on the device; what is allocated has memory of its own.
    """
    routine = facts.routine(key)
    data = facts.object(routine.result or routine.name, key) if routine.kind == "function" else None
    if data is None or not data.rank or data.symbol.dynamic or data.symbol.type.base in ("type", "class"):
        return frozenset()
    return frozenset({data.identity})


class Residence:
    """Answers what callers hold on the device, and what routines may name of it, for the whole program at once."""

    def __init__(self, facts: Facts, effects: Effects, decisions: Decisions) -> None:
        self.facts = facts
        self.effects = effects
        self._found: dict[str, frozenset[Identity]] = {}
        self._views: dict[str, frozenset[View]] | None = None
        self._results: dict[str, dict[CallPlace, list[Identity]]] = {}
        if facts.device is not None:
            self._found, self._views = dict(facts.device.resident), dict(facts.device.views)
        else:
            self._spread(decisions)

    def of(self, key: str) -> frozenset[Identity]:
        """The objects that may be on the device whenever a routine runs."""
        return self._found.get(key, frozenset())

    def views(self, key: str) -> frozenset[View]:
        """The names by which a routine, or one it calls, may get at arrays, other than as arguments: variables of
        modules and of its host, pointers, common blocks, components of objects.
        """
        if self._views is None:
            self._views = self._all_views()
        return self._views.get(key, frozenset())

    def _all_views(self) -> dict[str, frozenset[View]]:
        """The views of each routine. Those that are new in a routine go on to its callers, until none is new."""
        found = {k: _Seen() for k in self.facts.graph.sites}
        pending = {k: made for k, seen in found.items() if (made := seen.new(self._own_views(k)))}
        while pending:
            callee, new = pending.popitem()
            for site in self.facts.graph.callers.get(callee, ()):
                more = found.setdefault(site.caller, _Seen()).new(self._seen(site, new))
                if more:
                    pending.setdefault(site.caller, []).extend(more)
        return {k: frozenset(seen.views) for k, seen in found.items()}

    def seen_from(self, site: CallSite) -> Iterator[View]:
        """The views of a called routine in words of the caller: what is behind a dummy is behind the actual argument.
        Locals of the called routine and dummies that are arrays themselves are left out, but for local pointers, those
        in objects, too: their targets are there for the caller as well.
        """
        return self._seen(site, self.views(site.callee))

    def _seen(self, site: CallSite, views: Iterable[View]) -> Iterator[View]:
        routine = self.facts.application.routines.get(site.callee)
        for view in views if routine is not None else ():
            if routine is None or view.root[0] != site.callee or self._leads_out(view, routine):
                yield view
            elif view.root[1] in routine.dummies and view.part:
                given = actual(site, routine.dummies, view.root[1])
                if given is not None:
                    yield self._through(given, view, site)

    def _leads_out(self, view: View, routine: Routine) -> bool:
        """Whether a local pointer, or a pointer in a local object, leads to what is there for the caller, too."""
        symbol = routine.spec.symbols.get(view.root[1])
        if symbol is None or view.root[1] in routine.dummies:
            return symbol is not None and not view.part and holds_address(symbol)
        lines = self.facts.scopes.lineage(symbol.type.derived, routine.key) if view.part else ()
        pointing = self.facts.scopes.parts.pointing
        if holds_address(symbol):
            return True
        pointers = {name for home, derived in lines for name in pointing.get((home, derived.name), ())}
        on_the_way = pointers if view.path is None else pointers.intersection(view.path)
        return "pointer" in symbol.attributes or bool(on_the_way)

    def _through(self, given: Expr, view: View, site: CallSite) -> View:
        path: tuple[str, ...] | None = ()
        while isinstance(given, (Component, Apply)):
            path = (given.name, *path) if isinstance(given, Component) and path is not None else None
            given = given.base
        name, plain = stands_for(given.name, site.at) if isinstance(given, Name) else (None, False)
        found = self.facts.scopes.variable(name, site.caller) if name is not None else None
        path = path if plain else None
        root = (found.home, found.symbol.name) if found is not None else ("", "")
        whole = (*path, *view.path) if path is not None and view.path is not None and found is not None else None
        # Routines that call themselves with components of their arguments would make ever longer ones.
        return View(root, whole if whole is None or len(whole) <= _LONGEST else None, view.part, view.writes)

    # -- what a routine names itself

    def _own_views(self, key: str) -> Iterator[View]:
        for reference in self.facts.references.get(key, ()):
            if not self.facts.live(reference.at, key):
                continue
            yield from self._in_function(reference, key)
            name = stands_for(reference.name, reference.at)[0]
            found = self.facts.scopes.variable(name, key) if name is not None else None
            if (address := address_given(self.facts, reference, key)) is not None:
                yield View(address, (), "", True)
            if (pointer := block_variable(self.facts, reference, key)) is not None:
                yield View(pointer, (), "", self.effects.of(reference, key)[1])
            if name is None or found is None:
                in_block = chains_from(reference) if reference.component else ()
                writes = self.effects.of(reference, key)[1]
                yield from (View((BLOCK, reference.name), None, part.name, writes) for part in in_block)
                continue
            root = (found.home, found.symbol.name)
            writes = self.effects.of(reference, key)[1]
            if reference.component or reference.at.renamed:
                yield from self._component_views(reference, key, root, writes)
            data = self.facts.object(name, key)
            # A scalar may be an element of what is an array elsewhere.
            element = "pointer" in found.symbol.attributes or self.facts.storage.joint(root) is not None
            if found.symbol.rank or element or (data is not None and data.rank):
                dummy = found.home == key and name in self.facts.routine(key).dummies
                to_target = "pointer" in found.symbol.attributes
                if not dummy:
                    yield View(root if to_target else common_block(self.facts, root) or root, (), "", writes)
            yield from self._inside(reference, key, root, writes)
        for result in self.set_results(key).values():
            yield from (View(identity, (), "", True) for identity in result)
        for at in self.facts.graph.statements.get(key, ()):
            for meant in used_in_block(self.facts, at.statement):
                yield View(common_block(self.facts, meant) or meant, (), "", True)
            for member in namelist_members(self.facts, key, at.statement):
                yield View(common_block(self.facts, member.identity) or member.identity, (), "", True)

    def _in_function(self, reference: Reference, key: str) -> Iterator[View]:
        """Arrays that a statement function reads where it is used."""
        for read in self.effects.read_by_function(reference, key):
            data = self.facts.object(read.name, key)
            if data is not None and data.rank and data.name not in self.facts.routine(key).dummies:
                yield View(common_block(self.facts, data.identity) or data.identity, (), "", False)

    def _component_views(self, reference: Reference, key: str, root: Identity, writes: bool) -> Iterator[View]:
        chains = list(chains_from(reference)) if reference.component else []
        for expr in (*chains, *renamed_chains(reference)):
            symbol = component(expr, key, self.facts.scopes)
            if symbol is None or symbol.rank:
                yield View(root, path_of(expr), expr.name, writes)

    def _inside(self, reference: Reference, key: str, root: Identity, writes: bool) -> Iterator[View]:
        """Arrays in an object that a reference names as a whole."""
        for whole, found in objects_touched(self.facts, reference, key):
            before = path_of(whole)
            for inside in found:
                path = (*before, *inside.path) if before is not None and inside.single else None
                yield View(root, path, inside.path[-1], writes)

    def set_results(self, key: str) -> dict[CallPlace, list[Identity]]:
        """The calls of a routine that set what a function points to, by line, begin and end, with the results."""
        if key not in self._results:
            found = self._results[key] = {}
            for reference, _, call in results_set(self.facts, self.effects, key):
                if self.facts.live(reference.at, key):
                    place = reference.at.statement.line.key, call.start, call.end
                    found[place] = sources(call, reference.at, key, self.facts.scopes, self.facts.graph)
        return self._results[key]

    # -- what is on the device

    def _spread(self, decisions: Decisions) -> None:
        graph, positions = self.facts.graph, self.facts.positions
        own = {
            key: frozenset[Identity]().union(*(self.facts.storage.of_identity(d.identity) for d in decisions.held(key)))
            for key in graph.sites
            if positions.get(key).own or positions.get(key).below
        }
        pending = [key for key, held in own.items() if held]
        while pending:
            key = pending.pop()
            here = own[key] | self.of(key)
            for site in graph.below(key):
                there = here | value_of(self.facts, site.callee) if site.callee in own else here
                if site.callee in own and not there <= self.of(site.callee):
                    self._found[site.callee] = self.of(site.callee) | there
                    pending.append(site.callee)
