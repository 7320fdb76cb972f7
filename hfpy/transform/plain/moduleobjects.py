"""Objects of modules that routines called by kernels read, in plain form: as arguments of these routines.

A routine that reads ``rates(k)%pre`` of a module gets ``rates`` from its caller, and that one from its own, up to the
region. A later step takes the arguments apart (:mod:`hfpy.transform.plain.objectargs`). Kernels have no modules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply
from hfpy.model.names import cut, plain_name
from hfpy.model.statements import Call
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, list_behind, word_span
from hfpy.transform.plain.functionforms import public_in
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_Identity = tuple[str, str]  # of a variable: the key of its module, its name
_MODULES = ("module", "submodule")
_CHANGING = frozenset({"pointer", "allocatable", "volatile", "asynchronous"})


def module_object_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the objects of modules that the routines of ``keys`` read which regions call."""
    hidden: set[_Identity] = set()
    while True:
        needs = _Needs(facts, effects, keys, hidden)
        made: dict[str, list[Edit]] = {}
        for key in needs.concerned():
            routine = facts.routine(key)
            made.setdefault(routine.file, []).extend(_Edits(needs, routine).all())
        if needs.hidden <= hidden:
            break
        hidden |= needs.hidden
    for home, name in sorted(needs.public):
        unit = facts.routine(home)
        made.setdefault(unit.file, []).append(public_in(unit, name))
    return made


class _Needs:
    """What each of some called routines needs, without variables that are ``hidden``: routines with regions cannot name
    these. ``public`` gets what modules have to make public for the form, ``hidden`` grows.
    """

    def __init__(self, facts: Facts, effects: Effects, keys: Collection[str], hidden: Collection[_Identity]) -> None:
        self.facts = facts
        self.effects = effects
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.owners = frozenset(r.routine for r in facts.positions.regions)
        called = [key for key in keys if key not in self.owners]
        self.hidden = set(hidden)
        self.public: set[tuple[str, str]] = set()
        self.objects: dict[_Identity, Found] = {}
        own = {key: self._own(key) for key in called}
        changed = {identity for found in own.values() for identity, reads in found.items() if not reads}.union(hidden)
        reached = {key: {identity for identity in found if identity not in changed} for key, found in own.items()}
        pairs = [(k, s.callee) for k in called for s in facts.graph.sites.get(k, ()) if s.callee in reached]
        while more := [(key, callee) for key, callee in pairs if reached[callee] - reached[key]]:
            for key, callee in more:
                reached[key] |= reached[callee]
        refused = {key for key in called if reached[key] and not self._takes(key, reached[key])}
        self.of = {k: self._dummies(k, sorted(found)) for k, found in reached.items() if found and k not in refused}

    def _dummies(self, key: str, identities: Collection[_Identity]) -> dict[_Identity, str]:
        """The arguments for objects in a routine that needs these."""
        known = len(self.facts.routine(key).dummies)
        return {identity: plain_name(identity[1], number) for number, identity in enumerate(identities, known + 1)}

    def concerned(self) -> list[str]:
        """The routines that need objects, and those that call them."""
        callers = {caller for key in self.of for caller in self.facts.graph.callers_of(key)}
        return list({**dict.fromkeys(self.of), **dict.fromkeys(sorted(callers))})

    def _own(self, key: str) -> dict[_Identity, bool]:
        """The objects of modules that a routine itself uses, and whether it only reads them."""
        found: dict[_Identity, bool] = {}
        for reference in self.facts.references.get(key, ()):
            variable = self.facts.variable(reference.name, reference.at, key)
            if variable is not None and self._is_object(variable):
                identity = variable.home, variable.symbol.name
                self.objects[identity] = variable
                found[identity] = found.get(identity, True) and self._reads(reference, key)
        return found

    def _is_object(self, variable: Found) -> bool:
        """Whether a variable is an object of a module, or an array of objects with bounds that are constants."""
        symbol = variable.symbol
        of_module = self.facts.routine(variable.home).kind in _MODULES
        plain = symbol.type.base == "type" and not symbol.constant and not symbol.attributes & _CHANGING
        return of_module and plain and len(self.lower(variable)) == symbol.rank

    def lower(self, variable: Found) -> list[int]:
        """The lower bounds of an array of a module, as far as it has bounds that are constants."""
        found = []
        for dim in variable.symbol.shape:
            lower = self.kinds.value((dim.lower or ONE).expr, variable.home)
            upper = self.kinds.value(dim.upper.expr, variable.home) if dim.upper is not None else None
            found += [lower] if lower is not None and upper is not None else []
        return found

    def _reads(self, reference: Reference, key: str) -> bool:
        reads, writes = self.effects.of(reference, key)
        return reads and not writes and not reference.at.statement.line.file and reference.role != "pointer"

    def _takes(self, key: str, identities: Collection[_Identity]) -> bool:
        """Whether a routine can have more arguments: one of a module, all of whose calls are known."""
        facts, routine = self.facts, self.facts.routine(key)
        parent = facts.application.unit(key).parent
        inside = parent is not None and facts.application.file(key).units[parent].kind in _MODULES
        arrays = any(self.objects[i].symbol.rank for i in identities)
        if not inside or routine.header.file or (arrays and "elemental" in routine.prefix):
            return False
        calls = [(*facts.graph.sites.get(c, ()), *facts.graph.indirect.get(c, ())) for c in facts.graph.callers_of(key)]
        mine = [s for sites in calls for s in sites if s.callee == key or key in s.possible]
        return all(s.callee == key and not s.chosen and not s.at.statement.line.file for s in mine)


class _Edits:
    """The edits of one routine."""

    def __init__(self, needs: _Needs, routine: Routine) -> None:
        self.needs = needs
        self.facts = needs.facts
        self.routine = routine
        self.key = routine.key
        self.own = needs.of.get(routine.key, {})
        self.imports: dict[tuple[str, str], str] = {}

    def all(self) -> Iterator[Edit]:
        """Header, declarations, references, calls, and what comes from modules."""
        if self.own:
            yield from self._header()
            yield from self._references()
        for site in self.facts.graph.sites.get(self.key, ()):
            if site.callee in self.needs.of:
                yield self._call(site)
        if self.imports:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            rows = [f"{margin}use {home}, only: {own} => {name}" for (home, name), own in self.imports.items()]
            yield insert_lines(self.routine.uses_row, rows, -31, self.routine.header.first)

    def _header(self) -> Iterator[Edit]:
        line, routine = self.routine.header, self.routine
        span = list_behind(line.text, routine.name)
        end = word_span(line.text, routine.name)[1]
        yield replace_range(line, *(span or (end, end)), f"({', '.join([*routine.dummies, *self.own.values()])})")
        margin = " " * (line.segments[0][2] + 2)
        rows = []
        for identity, dummy in self.own.items():
            variable = self.needs.objects[identity]
            shape = f"({','.join(f'{lower}:' for lower in self.needs.lower(variable))})" if variable.symbol.rank else ""
            rows.append(f"{margin}type({self._type(variable)}), intent(in) :: {dummy}{shape}")
        yield insert_lines(routine.spec_insert + 1, rows, 4, line.first)

    def _type(self, variable: Found) -> str:
        """The name of an object's type in the routine."""
        name, scopes = variable.symbol.type.derived, self.facts.scopes
        meant = scopes.type_at_home(name, variable.home)
        if meant is None or scopes.type_at_home(name, self.key) == meant:
            return name
        home, definition = meant
        return self._imported(home, definition.name)

    def _imported(self, home: str, name: str) -> str:
        if not self.facts.routine(home).spec.accessible(name):
            self.needs.public.add((home, name))
        return self.imports.setdefault((home, name), self._local(home, name))

    def _local(self, home: str, name: str) -> str:
        """The name of what a routine imports, as in :mod:`hfpy.transform.imports`."""
        return cut(f"hf_{self.facts.routine(home).name}_{name}")

    def _references(self) -> Iterator[Edit]:
        for reference in self.facts.references.get(self.key, ()):
            variable = self.facts.variable(reference.name, reference.at, self.key)
            identity = (variable.home, variable.symbol.name) if variable is not None else ("", "")
            if identity in self.own:
                node = reference.node.base if isinstance(reference.node, Apply) else reference.node
                yield replace_range(reference.at.statement.line, node.start, node.end, self.own[identity])

    def _call(self, site: CallSite) -> Edit:
        given = ", ".join(f"{dummy}={self._here(i, site)}" for i, dummy in self.needs.of[site.callee].items())
        statement, line = site.at.statement, site.at.statement.line
        separator = ", " if site.args else ""
        if site.function or not isinstance(statement, Call):
            return replace_range(line, site.node.end - 1, site.node.end, f"{separator}{given})")
        if site.args:
            end = len(line.text)
            return replace_range(line, end - 1, end, f", {given})")
        return replace_range(line, statement.designator.end, len(line.text), f"({given})")

    def _here(self, identity: _Identity, site: CallSite) -> str:
        """The name of an object at a call."""
        if identity in self.own:
            return self.own[identity]
        home, name = identity
        found = self.facts.variable(name, site.at, self.key)
        if found is not None and (found.home, found.symbol.name) == identity:
            return name
        unit, local = self.facts.routine(home), self._local(home, name)
        taken = self.facts.scopes.variable(local, self.key) is not None
        if taken or (self.key in self.needs.owners and not (unit.kind == "module" and unit.spec.accessible(name))):
            self.needs.hidden.add(identity)
        return self._imported(home, name)
