"""Internal procedures that kernels call, in plain form: the variables of the procedure around them that they use become
arguments with the same names (Fortran 2018, 19.5.1.4, says which these are).

That procedure is itself called in a kernel; variables of one that holds the region are known to the kernel as they are.
A procedure whose variables cannot all be arguments stays as it is, with all that is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from functools import cached_property

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Name
from hfpy.model.units import Routine, Symbol
from hfpy.parse.expressions.fragments import list_behind, word_span
from hfpy.transform.plain.aliased import values_of
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_range
from hfpy.values import dataclass

_PROCEDURES = ("subroutine", "function")
# Attributes with which variables can be arguments.
_ARGUMENTS = frozenset({"contiguous", "dimension", "intent", "target", "value"})
_TYPES = ("real", "integer", "logical", "complex", "type")


class _Left(Exception):
    """A procedure stays as it is, with those in it."""


def host_variable_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the internal procedures among some routines, and for those around them."""
    owners = {r.routine for r in facts.positions.regions}
    inside: dict[str, list[str]] = {}
    for key in keys:
        routine = facts.routine(key)
        if routine.host in keys and routine.host not in owners and routine.kind in _PROCEDURES:
            inside.setdefault(routine.host, []).append(key)
    made: dict[str, list[Edit]] = {}
    for host, internal in inside.items():
        try:
            edits = list(_Host(facts, effects, facts.routine(host), tuple(internal)).edits())
        except _Left:
            continue
        if edits:
            made.setdefault(facts.routine(host).file, []).extend(edits)
    return made


@dataclass
class _Host:
    """A procedure with internal ones. ``needed`` are, for each of these, the variables of the host that it uses, or one
    that it calls does, those first that shapes of others name.
    """

    facts: Facts
    effects: Effects
    routine: Routine
    internal: tuple[str, ...]
    needed: dict[str, dict[str, Symbol]] = field(default_factory=dict)

    def edits(self) -> Iterator[Edit]:
        """Headers, declarations and calls. Raises _Left."""
        self._find()
        for key, symbols in self.needed.items():
            if symbols:
                yield from self._header(self.facts.routine(key), symbols)
        if any(self.needed.values()):
            for key in self._units():
                for site in self.facts.graph.sites.get(key, ()):
                    if symbols := self.needed.get(site.callee, {}):
                        yield self._call(site, symbols)

    def _units(self) -> tuple[str, ...]:
        """The procedure, and all in it."""
        return (self.routine.key, *(r.key for r in self.facts.application.routines_of(self.routine.key)))

    # -- what is needed

    def _find(self) -> None:
        own = {key: self._direct(key) for key in self.internal}
        below = {key: {s.callee for s in self.facts.graph.sites.get(key, ())} & own.keys() for key in own}
        more = True
        while more:
            more = False
            for key, callees in below.items():
                for callee in callees:
                    new = own[callee].keys() - own[key].keys()
                    own[key] |= {name: own[callee][name] for name in own[callee] if name in new}
                    more = more or bool(new)
        for key, symbols in own.items():
            hidden = symbols.keys() & self.facts.routine(key).spec.symbols.keys()
            if hidden or any(self._known(key, name) != self._known(self.routine.key, name) for name in symbols):
                raise _Left
        self.needed = own

    def _direct(self, key: str) -> dict[str, Symbol]:
        """The variables of the host that a procedure itself uses, in its statements or its declarations."""
        routine, taken = self.facts.routine(key), dict[str, Symbol]()
        used = [n for symbol in routine.spec.symbols.values() for n in sorted(symbol.names)]
        for name in dict.fromkeys([*used, *(r.name for r in self.facts.references.get(key, ()))]):
            self._take(name, key, taken)
        if taken and any(at.renamed for at in self.facts.graph.statements[key]):
            raise _Left  # names of a block may be those of variables
        return taken

    def _take(self, name: str, key: str, taken: dict[str, Symbol]) -> None:
        """Add a name to those of variables of the host, after those that the shape of its variable names."""
        found = self.facts.scopes.variable(name, key)
        if found is None or found.home != self.routine.key or found.symbol.constant or name in taken:
            return
        if not self._can_be_argument(key, found.symbol):
            raise _Left
        for other in sorted(n for dim in found.symbol.shape for n in dim.names):
            self._take(other, key, taken)
        taken[name] = found.symbol

    def _can_be_argument(self, key: str, symbol: Symbol) -> bool:
        """Whether a variable can be an argument as it is declared, with the shape that it has."""
        plain = symbol.attributes <= _ARGUMENTS and symbol.type.base in _TYPES
        joint = self.facts.storage.joint((self.routine.key, symbol.name)) is not None
        forms = {dim.form for dim in symbol.shape} <= {"explicit", "assumed"}
        names = symbol.type.names.union(*(dim.names for dim in symbol.shape))
        same = all(self._known(key, n) == self._known(self.routine.key, n) for n in names)
        bounds = (bound.expr for dim in symbol.shape for bound in dim.bounds)
        values = set[str]().union(*(values_of(self.facts, self.routine.key, bound) for bound in bounds))
        return plain and forms and same and not joint and not values & self._changed

    def _known(self, key: str, name: str) -> tuple[str, str] | None:
        found = self.facts.scopes.variable(name, key)
        return (found.home, found.symbol.name) if found is not None else None

    @cached_property
    def _changed(self) -> frozenset[str]:
        """The names of variables of the host that may have another value than where its arrays got their shapes. Those
        of modules have not: kernels do not set them.
        """
        uses = (r for key in self._units() for r in self.facts.references.get(key, ()))
        changed = {r.name for r in uses if r.role not in ("read", "inquiry")}
        return frozenset(s.name for s in self.routine.spec.symbols.values() if s.intent != "in" and s.name in changed)

    # -- text

    def _header(self, routine: Routine, symbols: Mapping[str, Symbol]) -> Iterator[Edit]:
        line = routine.header
        if line.file or ("elemental" in routine.prefix and any(s.shape for s in symbols.values())):
            raise _Left
        span = list_behind(line.text, routine.name)
        listed = f"({', '.join([*routine.dummies, *symbols])})"
        end = word_span(line.text, routine.name)[1]
        yield replace_range(line, *span, listed) if span is not None else insert(line, end, listed)
        changed = self.effects.changed_memory(routine.key)
        margin = " " * (line.segments[0][2] + 2)
        rows = [f"{margin}{self._declared(s, (self.routine.key, s.name) in changed)}" for s in symbols.values()]
        yield insert_lines(routine.spec_insert + 1, rows, 3, line.first)

    def _declared(self, symbol: Symbol, changed: bool) -> str:
        shape = f"({','.join(dim.text for dim in symbol.shape)})" if symbol.shape else ""
        kind = f"type({symbol.type.derived})" if symbol.type.base == "type" else symbol.type.text
        return f"{kind}, intent({'inout' if changed else 'in'}) :: {symbol.name}{shape}"

    def _call(self, site: CallSite, symbols: Mapping[str, Symbol]) -> Edit:
        """The arguments of a call, by their names, after those that it has."""
        line, node = site.at.statement.line, site.node
        if line.file or site.hidden or not isinstance(node, Apply | Name):
            raise _Left
        given = ", ".join(f"{name}={name}" for name in symbols)
        if site.args:
            return insert(line, site.args[-1].end, f", {given}")
        if site.function:
            return insert(line, node.end - 1, given)
        return replace_range(line, node.end, len(line.text), f"({given})")
