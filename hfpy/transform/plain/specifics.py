"""Calls by generic names in plain form: by the names of the procedures that they mean. Later steps change the types and
ranks of arguments, by which a generic name could mean another procedure then, or none (Fortran 2018, 15.5.5.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Expr, Name
from hfpy.model.names import plain_name, unit_name
from hfpy.model.units import Routine
from hfpy.transform.plain.functionforms import made_public
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_CHANGED = ("type", "class", "character")  # types of arguments that other steps change


def specific_edits(facts: Facts, _effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for such calls of some routines, wherever they are called."""
    made: dict[str, list[Edit]] = {}
    public: dict[str, Routine] = {}
    listed = listed_procedures(facts)
    wanted = [key for key in keys if unit_name(key) in listed]
    for caller in dict.fromkeys(caller for key in wanted for caller in facts.graph.callers_of(key)):
        routine = facts.routine(caller)
        found = list(_Calls(facts, routine, wanted, public).edits())
        if found:
            made.setdefault(routine.file, []).extend(found)
    for routine in public.values():
        made.setdefault(routine.file, []).extend(made_public(facts, routine, routine.name))
    return made


def listed_procedures(facts: Facts) -> frozenset[str]:
    """The names of procedures that generic names of the program may mean, by their own names."""
    specs = [routine.spec for routine in facts.application.routines.values()]
    blocks = [i for spec in specs for i in spec.interfaces if i.name]
    found = {name for block in blocks for name in (*block.procedures, *block.bodies)}
    uses = [use for spec in specs for use in spec.uses]
    renamed = {remote for use in uses for local, remote in (*(use.only or ()), *use.renames) if local in found}
    return frozenset(found | renamed)


def by_generic_name(facts: Facts, site: CallSite) -> bool:
    """Whether a call names several procedures, of which arguments that other steps change tell which is meant."""
    if not site.callee or not isinstance(_designator(site), Name):
        return False
    named = facts.scopes.named(site.name, site.caller).keys
    return len(named) > 1 and any(_has_changed(facts, key) for key in named)


def _has_changed(facts: Facts, key: str) -> bool:
    routine = facts.application.routines.get(key)
    symbols = [routine.spec.symbols.get(dummy) for dummy in routine.dummies] if routine is not None else [None]
    return any(s is None or s.type.base in _CHANGED for s in symbols)


def _designator(site: CallSite) -> Expr:
    return site.node.base if isinstance(site.node, Apply) else site.node


class _Calls:
    """The calls of one routine. ``public`` gets the routines whose modules have to make them public."""

    def __init__(self, facts: Facts, routine: Routine, wanted: Collection[str], public: dict[str, Routine]) -> None:
        self.facts = facts
        self.routine = routine
        self.wanted = wanted
        self.public = public
        self.imports: dict[str, tuple[str, Routine]] = {}

    def edits(self) -> Iterator[Edit]:
        """One edit for each call, and one for what they need from modules."""
        for site in self.facts.graph.sites.get(self.routine.key, ()):
            line, node = site.at.statement.line, _designator(site)
            generic = site.callee in self.wanted and not line.file and by_generic_name(self.facts, site)
            name = self._name(site) if generic else None
            if name is not None:
                yield replace_range(line, node.start, node.end, name)
        if self.imports:
            header = self.routine.header
            margin = " " * (header.segments[0][2] + 2)
            rows = [f"{margin}use {r.module}, only: {name} => {r.name}" for name, r in self.imports.values()]
            yield insert_lines(self.routine.uses_row, rows, -31, header.first)

    def _name(self, site: CallSite) -> str | None:
        """The name of the procedure that a call means; None where it has none in the routine and gets none."""
        callee, scopes = self.facts.routine(site.callee), self.facts.scopes
        hidden = site.at.renamed or scopes.variable(callee.name, self.routine.key) is not None
        if not hidden and scopes.procedures(callee.name, self.routine.key) == (callee.key,):
            return callee.name
        home = self.facts.application.routines.get(callee.module)
        if home is None or home.kind != "module" or callee.module == self.routine.module:
            return None
        if not home.spec.accessible(callee.name):
            self.public[callee.key] = callee
        return self.imports.setdefault(callee.key, (plain_name(callee.name, len(self.imports)), callee))[0]
