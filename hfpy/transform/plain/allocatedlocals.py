"""Allocatable local arrays of routines that kernels call, in plain form: arrays with bounds, where one statement
allocates them whatever happens, with bounds that are the same all through the routine (Fortran 2018, 9.7.1.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.memory import done_to
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren, Range, Unary, base_name
from hfpy.model.source import LineKey
from hfpy.model.statements import Memory, OneLine
from hfpy.model.units import Routine, Symbol
from hfpy.transform.plain.declarations import without
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_TYPES = ("real", "integer", "logical", "complex")
_OWN = frozenset({"allocatable", "dimension"})  # attributes of such a local array
_INQUIRIES = frozenset({"size", "ubound", "lbound"})


def allocated_local_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for such arrays of those of some routines that hold no regions."""
    owners = {r.routine for r in facts.positions.regions}
    made: dict[str, list[Edit]] = {}
    for key in keys:
        routine = facts.routine(key)
        named = {s.name: s for s in routine.spec.symbols.values() if "allocatable" in s.attributes}
        if key in owners or not named:
            continue
        edits = list(_Locals(facts, effects, routine).edits(named.values()))
        if edits:
            made.setdefault(routine.file, []).extend(edits)
    return made


class _Locals:
    """The allocatable local arrays of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.units = (routine.key, *(r.key for r in facts.application.routines_of(routine.key)))
        statements = facts.graph.statements[routine.key]
        self.conditional = {at.statement.line.key for at in statements if isinstance(at.statement, OneLine)}
        self.sites: dict[tuple[LineKey, int, int], list[CallSite]] = {}
        for site in (s for unit in self.units for s in facts.graph.sites.get(unit, ())):
            self.sites.setdefault((site.at.statement.line.key, site.node.start, site.node.end), []).append(site)

    def edits(self, symbols: Collection[Symbol]) -> Iterator[Edit]:
        """Declarations, and statements that allocate and free."""
        bounds = {s.name: shape for s in symbols if (shape := self._bounds(s)) is not None}
        by_line = {s.line.key: s.line for s in symbols if s.line is not None and s.name in bounds}
        for line in by_line.values():
            yield without(self.routine, line, bounds)
        margin = " " * (self.routine.header.segments[0][2] + 2)
        listed = (s for s in symbols if s.name in bounds)
        rows = [f"{margin}{s.type.text} :: {s.name}({bounds[s.name]})" for s in listed]
        if rows:
            yield insert_lines(self.routine.spec_insert + 1, rows, 3, self.routine.header.first)
        for at in self.facts.graph.statements[self.key]:
            statement = at.statement
            if isinstance(statement, Memory) and any(base_name(item) in bounds for item in statement.items):
                text, line = statement.line.text, statement.line
                left = [text[item.start : item.end] for item in statement.items if base_name(item) not in bounds]
                yield replace_range(line, 0, len(text), f"{statement.kind}({', '.join(left)})" if left else "continue")

    def _bounds(self, symbol: Symbol) -> str | None:
        """The bounds that a local array always has, as text; None where it is none of those."""
        own = symbol.attributes <= _OWN and symbol.type.base in _TYPES and symbol.rank > 0
        result = self.routine.result or self.routine.name
        if not own or symbol.name in (*self.routine.dummies, result) or symbol.line is None or symbol.line.file:
            return None
        if self.facts.storage.joint((self.key, symbol.name)) is not None:
            return None
        uses = list(self._uses(symbol, self.key))
        internal = [r for unit in self.units[1:] for r in self._uses(symbol, unit)]
        if not all(map(self._stays, (*uses, *internal))) or any(r.role == "allocate" for r in internal):
            return None
        allocated = [r for r in uses if done_to(r, self.key, self.facts) == "allocate"]
        node = allocated[0].node if len(allocated) == 1 else None
        if not isinstance(node, Apply) or not all(map(self._is_known, node.args)):
            return None
        return allocated[0].at.statement.line.text[node.open + 1 : node.end - 1]

    def _uses(self, symbol: Symbol, unit: str) -> Iterator[Reference]:
        for reference in self.facts.references.get(unit, ()):
            found = self.facts.scopes.variable(reference.name, unit)
            if found is not None and (found.home, found.symbol.name) == (self.key, symbol.name):
                yield reference

    def _stays(self, reference: Reference) -> bool:
        """Whether a use is none by which the array might get other bounds, or that asks for its memory."""
        at = reference.at
        if at.renamed:
            return False
        done = done_to(reference, self.key, self.facts)
        if done in ("allocate", "deallocate"):
            return self._is_plain(at)
        if done or reference.role in ("io", "pointer"):
            return False
        call = reference.call
        if isinstance(call, Apply) and base_name(call) == "allocated":
            return False
        return reference.role != "argument" or self._given(reference)

    def _is_plain(self, at: Located) -> bool:
        """Whether nothing is around a statement that allocates or frees."""
        statement = at.statement
        around = at.constructs or at.conditions or statement.line.key in self.conditional
        alone = not around and not statement.line.file
        return alone and isinstance(statement, Memory) and not statement.options

    def _given(self, reference: Reference) -> bool:
        """Whether an argument is for an intrinsic function, or for a dummy that is not allocatable and no pointer."""
        call = reference.call
        if isinstance(call, Apply) and self.facts.scopes.is_intrinsic(base_name(call) or "", self.key):
            return True
        place = (reference.at.statement.line.key, call.start, call.end) if call is not None else None
        sites = self.sites.get(place, ()) if place is not None else ()
        dummies = [dummy_of(self.facts, site, reference.position)[1] for site in sites]
        return bool(dummies) and all(d is not None and not d.symbol.dynamic for d in dummies)

    def _is_known(self, bound: Expr) -> bool:
        """Whether a bound has one value all through the routine, and can be worked out where it begins."""
        match bound:
            case Range(lower=lower, upper=upper, step=None):
                return all(e is not None and self._is_known(e) for e in (lower, upper))
            case Literal(kind="int"):
                return True
            case Paren(inner=inner) | Unary(op="+" | "-", operand=inner):
                return self._is_known(inner)
            case Binary(op="+" | "-" | "*", left=left, right=right):
                return self._is_known(left) and self._is_known(right)
            case Apply(base=Name(name=name), args=(Name(name=array), *rest)) if name in _INQUIRIES:
                intrinsic = self.facts.scopes.is_intrinsic(name, self.key)
                dummy = array in self.routine.dummies and not self._is_dynamic(array)
                return intrinsic and dummy and all(map(self._is_known, rest))
            case Name(name=name):
                return self._keeps(name)
        return False

    def _symbol(self, name: str) -> Symbol | None:
        found = self.facts.scopes.variable(name, self.key)
        return found.symbol if found is not None else None

    def _is_dynamic(self, name: str) -> bool:
        symbol = self._symbol(name)
        return symbol is None or symbol.dynamic or "optional" in symbol.attributes

    def _keeps(self, name: str) -> bool:
        """Whether a name means an integer that nothing in the routine changes."""
        found = self.facts.scopes.variable(name, self.key)
        if found is None or found.symbol.type.base != "integer" or found.symbol.rank:
            return False
        symbol = found.symbol
        if symbol.constant:
            return True
        if symbol.dynamic or symbol.attributes & {"optional", "target"}:
            return False
        if found.home != self.key:
            return (found.home, symbol.name) not in self.effects.changed_memory(self.key)
        uses = (r for unit in self.units for r in self._uses(symbol, unit))
        dummy = symbol.name in self.routine.dummies
        return dummy and (symbol.intent == "in" or all(r.role in ("read", "inquiry") for r in uses))
