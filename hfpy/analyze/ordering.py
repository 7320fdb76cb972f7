"""What keeps the turns of a loop in their order whatever arrays they touch: output, several stops, procedures without
source.

Loops that nobody calls parallel are taken for regions only without any of it (automatic.md §1, the row on calls), in
the loop and in all that it calls. What the turns do to variables is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from hfpy.analyze.context import Located
from hfpy.analyze.graph import CallGraph, CallSite
from hfpy.analyze.indirect import by_procedure_variable
from hfpy.analyze.intrinsics import SUBROUTINES
from hfpy.analyze.scopes import Scopes
from hfpy.analyze.types import type_of
from hfpy.analyze.uses import aliases_of
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Call,
    Construct,
    Header,
    InputOutput,
    Jump,
    Memory,
    Node,
    Opaque,
    Specification,
    expressions,
    flatten,
)
from hfpy.model.units import Routine

_PURE_SUBROUTINES = frozenset({"mvbits"})
_STATEFUL_FUNCTIONS = frozenset({"etime"})
# Functions of the module ieee_arithmetic that depend on their arguments alone (Fortran 2018, 17.11).
_OF_ARGUMENTS = frozenset(
    "ieee_is_nan ieee_is_finite ieee_is_normal ieee_is_negative ieee_copy_sign ieee_value ieee_class ieee_unordered "
    "ieee_logb ieee_rem ieee_rint ieee_scalb ieee_next_after".split()
)
_STOPS = frozenset({"stop", "errorstop"})
_SYNCHRONISING = frozenset({"critical"})


@dataclass(frozen=True)
class Ordered:
    """A reason why turns stay in their order: what the loop or a routine does, such as ``prints``, and where."""

    does: str
    line: LogicalLine

    @property
    def why(self) -> str:
        """The reason as a sentence about the loop."""
        return f"it {self.does}"


class Ordering:
    """Answers for the loops of an application; each routine is looked at once."""

    def __init__(self, application: Application, scopes: Scopes, graph: CallGraph) -> None:
        self.application = application
        self.scopes = scopes
        self.graph = graph
        self._own: dict[str, Ordered | None] = {}
        self._below: dict[str, frozenset[str]] = {}

    def reason(self, key: str, loop: Construct) -> Ordered | None:
        """Why the turns of a loop of a routine stay in their order, or None."""
        return self.reason_in(key, [loop])

    def reason_in(self, key: str, nodes: Sequence[Node]) -> Ordered | None:
        """Why turns that execute some nodes of a routine stay in their order, or None."""
        ids = {id(statement) for statement in flatten(list(nodes))}
        inside = [at for at in self.graph.statements[key] if id(at.statement) in ids]
        if (found := next(self._statements(key, inside, True), None)) is not None:
            return found
        for site in self.graph.below(key):
            if id(site.at.statement) in ids and (why := self._called(site)):
                return Ordered(why, site.at.statement.line)
        return self._stopping(key, inside)

    def _stopping(self, key: str, inside: Sequence[Located]) -> Ordered | None:
        """Two statements that may stop the program with different codes: of those with the same code it does not matter
        which one does, nor in which turn.
        """
        here = {id(at.statement) for at in inside}
        called = {s.callee for s in self.graph.below(key) if id(s.at.statement) in here} - {""}
        reached = called.union(*map(self.reached_from, called))
        stops = [(key, at.statement) for at in inside if isinstance(at.statement, Jump) and at.statement.kind in _STOPS]
        for callee in sorted(reached):
            below = (at.statement for at in self.graph.statements.get(callee, ()))
            stops += [(callee, s) for s in below if isinstance(s, Jump) and s.kind in _STOPS]
        other = next((s for s in stops if _ending(s[1]) != _ending(stops[0][1])), None)
        if other is None:
            return None
        line = other[1].line if id(other[1]) in here else inside[0].statement.line
        ways = (f"by {_ending(s)} ({self.application.shown_place(k, s.line)})" for k, s in (stops[0], other))
        return Ordered(f"may end the program {' or '.join(ways)}, whichever turn comes to one first", line)

    def callees(self, key: str, loop: Construct) -> frozenset[str]:
        """The routines that a loop calls, directly or not."""
        called = {site.callee for site in self._sites(key, loop)} - {""}
        return frozenset(called.union(*map(self.reached_from, called)))

    def reached_from(self, key: str) -> frozenset[str]:
        """The routines that a routine calls, directly or not."""
        if key not in self._below:
            self._below[key] = frozenset(nx.descendants(self._net, key) if key in self._net else ())
        return self._below[key]

    @cached_property
    def _net(self) -> nx.DiGraph:
        pairs = ((key, callee) for key in self.graph.statements for callee in self.graph.called(key) if callee)
        return nx.DiGraph(list(pairs))

    def _sites(self, key: str, loop: Construct) -> Iterator[CallSite]:
        return (s for s in self.graph.below(key) if any(c is loop for c in s.at.constructs))

    def _called(self, site: CallSite) -> str:
        """What a call has against another order; empty if nothing."""
        if not site.callee:
            return "" if site.possible else self._without_source(site)
        for callee in sorted({site.callee, *self.reached_from(site.callee)}):
            if callee not in self._own:
                self._own[callee] = self._routine(callee)
            if (found := self._own[callee]) is not None:
                return f"calls '{site.name}', and {self._shown(callee, found)}"
        return ""

    def _shown(self, key: str, found: Ordered) -> str:
        routine = self.application.routines.get(key)
        name = routine.name if routine is not None else key
        return f"'{name}' {found.does} ({self.application.shown_place(key, found.line)})"

    def _routine(self, key: str) -> Ordered | None:
        """What a routine that is called in a loop has against another order of the turns."""
        if key not in self.graph.statements:
            unit = self.application.unit(key)
            line = self.application.file(key).lines[unit.first]
            return Ordered("cannot be looked into", line)
        if (found := next(self._statements(key, self.graph.statements[key], False), None)) is not None:
            return found
        sites = (s for s in self.graph.below(key) if not s.callee and not s.possible)
        return next((Ordered(why, s.at.statement.line) for s in sites if (why := self._without_source(s))), None)

    def _statements(self, key: str, listed: list[Located] | tuple[Located, ...], turns: bool) -> Iterator[Ordered]:
        """Reasons in statements, which are the turns themselves or those of a routine that they call."""
        routine = self.application.routines[key]
        for at in listed:
            why = self._statement(routine, at, turns) or self._functions(key, at)
            if why:
                yield Ordered(why, at.statement.line)

    def _statement(self, routine: Routine, at: Located, turns: bool) -> str:
        match at.statement:
            case InputOutput(kind=kind) as statement if not self._internal(routine, statement):
                return "prints" if kind == "print" else f"does input or output ('{kind}')"
            case Jump(kind=kind, exprs=codes) if kind in _STOPS and not all(isinstance(c, Literal) for c in codes):
                return "may stop the program with what belongs to a turn"
            case Jump(kind="return") if turns:
                return "may return from the routine"
            case Memory(kind=kind) if turns:
                return f"has '{kind}'"
            case Opaque(reason=reason):
                return f"has a statement that hfpy does not understand ({reason})"
            case Header(kind=kind) if kind in _SYNCHRONISING:
                return f"has '{kind}'"
            case Specification(kind="entry"):
                return "has another entry"
        return ""

    def _functions(self, key: str, at: Located) -> str:
        """Functions in a statement of which hfpy has no source, or that have a state."""
        listed = expressions(at.statement)
        if isinstance(at.statement, Call):
            listed = at.statement.args
        for expr in listed:
            for node in walk(expr):
                if isinstance(node, Name) and self._volatile(node.name, key, at):
                    return f"uses '{node.name}', which is volatile"
                called = node.base if isinstance(node, Apply) else None
                if isinstance(called, Name) and (why := self._function(called.name, key, at)):
                    return why
        return ""

    def _volatile(self, name: str, key: str, at: Located) -> bool:
        found = self.scopes.variable(name, key) if name not in aliases_of(at) else None
        return found is not None and "volatile" in found.symbol.attributes

    def _function(self, name: str, key: str, at: Located) -> str:
        scopes = self.scopes
        if name in aliases_of(at) or scopes.procedures(name, key) or scopes.statement_function(name, key):
            return ""
        found = scopes.variable(name, key)
        if found is not None and (found.symbol.rank or found.symbol.type.base == "character"):
            return ""
        if scopes.is_intrinsic(name, key) or (found is not None and "intrinsic" in found.symbol.attributes):
            return f"calls '{name}', which has a state" if name in _STATEFUL_FUNCTIONS | SUBROUTINES else ""
        if name in _OF_ARGUMENTS or scopes.derived_type(name, key) is not None or name in _CONVERTING:
            return ""
        return f"calls '{name}', whose source is not here"

    def _without_source(self, site: CallSite) -> str:
        """Why a call keeps turns in order if hfpy has no source of the procedure, or does not know which one it is."""
        if isinstance(site.node, Component):
            return f"calls '{site.name}' through an object, whose type decides which procedure is meant"
        if by_procedure_variable(site.name, self.application.routines[site.caller], self.scopes, site.at):
            return f"calls '{site.name}', which is a dummy procedure or a procedure pointer"
        if site.name in _PURE_SUBROUTINES and self.scopes.is_intrinsic(site.name, site.caller):
            return ""
        if site.function and self.scopes.is_intrinsic(site.name, site.caller):
            return ""
        if self.scopes.is_intrinsic(site.name, site.caller):
            return f"calls '{site.name}', which has a state"
        return f"calls '{site.name}', whose source is not here"

    def _internal(self, routine: Routine, statement: InputOutput) -> bool:
        """Whether a statement reads or writes a text, and no file."""
        if statement.kind not in ("read", "write"):
            return False
        units: list[Expr] = [c for c in statement.control[:1] if not isinstance(c, Keyword)]
        units += [c.value for c in statement.control if isinstance(c, Keyword) and c.name == "unit"]
        found = type_of(units[0], routine.key, self.scopes) if units else None
        return found is not None and found.base == "character"


def _ending(stop: Jump) -> str:
    """How a statement ends the run: two of which this is the same do it in the same way."""
    word = "stop" if stop.kind == "stop" else "error stop"
    return " ".join([word, *(stop.line.text[code.start : code.end] for code in stop.exprs)])


# Type names that expressions have as functions in old code, and conversions that are no intrinsics of the standard.
_CONVERTING = frozenset("dreal dimag zabs dconjg derf derfc".split())
