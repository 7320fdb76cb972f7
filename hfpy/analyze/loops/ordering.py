"""What keeps the turns of a loop in their order whatever arrays they touch: output, several stops, procedures without
source.

Loops that nobody calls parallel are taken for regions only without any of it (automatic.md §1, the row on calls), in
the loop and in all that it calls. What the turns do to variables is not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

import networkx as nx

from hfpy.analyze.callgraph.graph import CallGraph, CallSite
from hfpy.analyze.callgraph.indirect import by_procedure_variable
from hfpy.analyze.effects.resized import may_allocate
from hfpy.analyze.facts import keeps_value
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.intrinsics import INTRINSICS, SUBROUTINES
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import (
    assigned_by_parts,
    finalized,
    finalizes,
    function_meant,
    is_internal,
    named_outside,
)
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.application import Application
from hfpy.model.expressions import (
    Apply,
    Binary,
    Component,
    Expr,
    Literal,
    Name,
    Paren,
    Unary,
    base_name,
    names_in,
    walk,
    without_places,
)
from hfpy.model.names import unit_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
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
from hfpy.model.units import Routine, Symbol
from hfpy.values import dataclass

_PURE_SUBROUTINES = frozenset({"mvbits"})
_STATEFUL_FUNCTIONS = frozenset({"etime"})
_STOPS = frozenset({"stop", "errorstop"})
_SYNCHRONISING = frozenset({"critical", "team"})

_OUTSIDE = "do it before or after the loop, with an array that holds the values of all iterations"
_BEHIND = "note in a variable that it happens, and do it after the loop"
_STOPPING = "it may end the program in several ways, whichever turn comes to one first"
_FINALIZED = "ends the life or the value of an object whose type has a final procedure"
_POINTED = "use a pointer that is set before the loop"
_SIZED = "allocate it before the loop, and assign to its elements, as in x(:) = …"
_SCALAR = "use a variable that is not allocatable"
_PARTS = "assign its components one by one"
_AGAIN = "loops in what it calls may be regions, if they are in routines of their own"
_OWN = "make a routine of its own of what is after the entry"
_BY_NAME = "call the procedure by its own name"


@dataclass(frozen=True)
class Ordered:
    """A reason why turns stay in their order: what the loop or a routine does, such as ``prints``, and where. ``cure``
    says what helps; ``kind`` is the reason in words that others in the same routine have, too, ``whole`` a sentence
    that all have which one cure would free.
    """

    does: str
    line: LogicalLine
    cure: str = ""
    kind: str = ""
    whole: str = ""

    @property
    def why(self) -> str:
        """The reason as a sentence about the loop."""
        return f"it {self.does}"

    @property
    def obstacle(self) -> Obstacle:
        """What is in the way, as other loops that one cure frees have it."""
        return Obstacle(self.whole or f"it {self.kind or self.does}", self.cure, said=self.why)

    def called(self, site: str, name: str, place: str) -> Ordered:
        """The same of a loop that calls ``site``, and in the end the routine of a name, which does it at a place."""
        does = f"calls '{site}', and '{name}' {self.does} ({place})"
        return replace(self, does=does, whole=self.whole or f"'{name}' {self.kind or self.does}")


@dataclass(frozen=True)
class Obstacle:
    """What is in the way of a loop as a region, in words that all loops share which the same ``cure`` would free; that
    is empty where nothing helps. ``code`` is that of a diagnostic, if it is one; ``said`` are the words for this loop.
    """

    text: str
    cure: str = field(default="", compare=False)
    code: str = ""
    said: str = field(default="", compare=False)


class Ordering:
    """Answers for the loops of an application; each routine is looked at once."""

    def __init__(self, application: Application, scopes: Scopes, graph: CallGraph) -> None:
        self.application = application
        self.scopes = scopes
        self.graph = graph
        self._kinds = Kinds(scopes)
        self._own: dict[str, Ordered | None] = {}
        self._all: dict[str, tuple[Ordered, ...]] = {}
        self._below: dict[str, frozenset[str]] = {}

    def reason(self, key: str, loop: Construct) -> Ordered | None:
        """Why the turns of a loop of a routine stay in their order, or None."""
        return self.reason_in(key, [loop])

    def reason_in(self, key: str, nodes: Sequence[Node]) -> Ordered | None:
        """Why turns that execute some nodes of a routine stay in their order, or None."""
        return next(self._reasons(key, nodes, self._first_in), None)

    def reasons(self, key: str, loop: Construct) -> tuple[Ordered, ...]:
        """All that keeps the turns of a loop of a routine in their order."""
        return tuple(self._reasons(key, [loop], self._all_in))

    def _reasons(
        self, key: str, nodes: Sequence[Node], within: Callable[[str], Iterable[Ordered]]
    ) -> Iterator[Ordered]:
        """The reasons in nodes of a routine; ``within`` has those in a routine that is called."""
        ids = {id(statement) for statement in flatten(list(nodes))}
        inside = [at for at in self.graph.statements[key] if id(at.statement) in ids]
        yield from self._statements(key, inside, True)
        for site in self.graph.below(key):
            if id(site.at.statement) in ids:
                yield from self._of_result(site)
                yield from self._called(site, within)
        if (found := self._stopping(key, inside)) is not None:
            yield found

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
        other = next((s for s in stops if self._ending(*s) != self._ending(*stops[0])), None)
        if other is None:
            return None
        line = other[1].line if id(other[1]) in here else inside[0].statement.line
        ways = (f"by {_shown(s)} ({self.application.shown_place(k, s.line)})" for k, s in (stops[0], other))
        does = f"may end the program {' or '.join(ways)}, whichever turn comes to one first"
        return Ordered(does, line, _BEHIND, whole=_STOPPING)

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

    def _called(self, site: CallSite, within: Callable[[str], Iterable[Ordered]]) -> Iterator[Ordered]:
        """What a call has against another order."""
        if not site.callee:
            if (found := self._unclear(site)) is not None:
                yield found
            return
        reached = {site.callee, *self.reached_from(site.callee)}
        if site.caller in reached:  # no region can go on in itself
            own = self.application.routines[site.caller].name
            direct = site.callee == site.caller
            does = f"calls '{site.name}', " + ("which it is in" if direct else f"which calls '{own}', which it is in")
            yield Ordered(does, site.at.statement.line, _AGAIN, "calls the routine which it is in")
        for callee in sorted(reached):
            routine = self.application.routines.get(callee)
            for found in within(callee):
                name, place = (
                    routine.name if routine is not None else callee,
                    self.application.shown_place(callee, found.line),
                )
                yield replace(found.called(site.name, name, place), line=site.at.statement.line)

    def _first_in(self, key: str) -> tuple[Ordered, ...]:
        """The first reason in a routine that is called in a loop."""
        if key not in self._own:
            self._own[key] = next(self._routine(key), None)
        found = self._own[key]
        return (found,) if found is not None else ()

    def _all_in(self, key: str) -> tuple[Ordered, ...]:
        """The reasons in a routine that is called in a loop, each once."""
        if key not in self._all:
            found: dict[Obstacle, Ordered] = {}
            for one in self._routine(key):
                found.setdefault(one.obstacle, one)
            self._all[key] = tuple(found.values())
        return self._all[key]

    def _routine(self, key: str) -> Iterator[Ordered]:
        """What a routine that is called in a loop has against another order of the turns."""
        if key not in self.graph.statements:
            unit = self.application.unit(key)
            line = self.application.file(key).lines[unit.first]
            yield Ordered("cannot be looked into", line)
            return
        yield from self._statements(key, self.graph.statements[key], False)
        if self._finalized_at_the_end(key):
            yield Ordered(_FINALIZED, self.application.routines[key].header)
        for site in self.graph.below(key):
            yield from self._of_result(site)
            if not site.callee and (found := self._unclear(site)) is not None:
                yield found

    def _statements(self, key: str, listed: list[Located] | tuple[Located, ...], turns: bool) -> Iterator[Ordered]:
        """Reasons in statements, which are the turns themselves or those of a routine that they call."""
        routine = self.application.routines[key]
        for at in listed:
            found = self._statement(routine, at, turns) or self._functions(key, at)
            if found is not None:
                yield found

    def _statement(self, routine: Routine, at: Located, turns: bool) -> Ordered | None:
        line = at.statement.line
        match at.statement:
            case InputOutput(kind=kind) as statement if not is_internal(
                statement, routine.key, self.scopes, aliases_of(at)
            ):
                does = "prints" if kind == "print" else f"does input or output ('{kind}')"
                return Ordered(does, line, _OUTSIDE, "does input or output")
            case Jump(kind=kind, exprs=codes) if kind in _STOPS and not all(self._fixed(c, routine, at) for c in codes):
                return Ordered("may stop the program with what belongs to a turn", line, _BEHIND)
            case Jump(kind="return") if turns:
                return Ordered("may return from the routine", line, _BEHIND)
            case Assignment(pointer=False) as statement:
                return (self._born(statement, routine, at) if turns else None) or self._assigned(statement, routine, at)
            case Memory(items=items) if any(finalizes(i, routine.key, self.scopes) for i in items):
                return Ordered(_FINALIZED, line)
            case Header(kind="block") if any(
                isinstance(s, Symbol) and finalized(s, routine.key, self.scopes) for s in _declared(at)
            ):
                return Ordered(_FINALIZED, line)
            case Memory(kind=kind, items=items) if turns or any(self._outlives(i, routine) for i in items):
                return _with_memory(kind, line)
            case Opaque(reason=reason, legal=legal):
                what = "of which it is not known what it does" if legal else "that hfpy does not understand"
                return Ordered(f"has a statement {what} ({reason})", line, "write it in another way")
            case Header(kind=kind) if kind in _SYNCHRONISING:
                return Ordered(f"has '{kind}'", line)
            case Specification(kind="entry"):
                return Ordered("has another entry", line, "make a routine of its own of it")
        return None

    def _outlives(self, item: Expr, routine: Routine) -> bool:
        """Whether what a designator means is known to others than one call of the routine."""
        name = base_name(item) or ""
        found = self.scopes.variable(name, routine.key)
        return found is not None and (found.home != routine.key or keeps_value(routine, name))

    def _born(self, statement: Assignment, routine: Routine, at: Located) -> Ordered | None:
        """Why an assignment to an allocatable scalar keeps turns in order: the first one may allocate it, where it does
        not read it.
        """
        target = statement.target
        if not isinstance(target, Name) or target.name in aliases_of(at):
            return None
        found = self.scopes.variable(target.name, routine.key)
        if found is None or found.symbol.rank or "allocatable" not in found.symbol.attributes:
            return None
        if _mentions(statement.value, target.name) or _is_allocated(routine, target.name, statement.line):
            return None
        return Ordered(f"may allocate '{target.name}' by an assignment", statement.line, _SCALAR)

    def _assigned(self, statement: Assignment, routine: Routine, at: Located) -> Ordered | None:
        """Why an assignment keeps turns in order: it calls a procedure, or allocates a variable whose size others may
        ask for, or what is assigned is not known.
        """
        line, target = statement.line, statement.target
        if assigned_by_parts(target, routine.key, self.scopes):
            return Ordered("assigns an object with components whose type defines the assignment", line, _PARTS)
        if finalizes(target, routine.key, self.scopes):
            return Ordered(_FINALIZED, line)
        name = base_name(target)
        aliases = aliases_of(at)
        if name is None or aliases.get(name, target) is None:
            return None
        if function_meant(named_outside(target, aliases), routine.key, self.scopes, self.graph.candidates.bound):
            return Ordered("assigns to what a function points to", line, _POINTED)
        if name in aliases:
            return None
        if self._outlives(target, routine) and may_allocate(at, target, statement.value, routine.key, self.scopes):
            does = f"may allocate '{name}', which others know, by an assignment"
            return Ordered(does, line, _SIZED, "allocates memory, or frees it")
        return None

    def _of_result(self, site: CallSite) -> Iterator[Ordered]:
        """Why the result of a known function keeps turns in order."""
        routine = self.application.routines.get(site.callee) if site.function else None
        result = routine.spec.symbols.get(routine.result or routine.name) if routine is not None else None
        if routine is None or result is None:
            return
        line = site.at.statement.line
        if "pointer" in result.attributes:
            does = f"uses what the result of '{site.name}' points to"
            yield Ordered(does, line, _POINTED, whole=f"the result of '{site.name}' is a pointer")
        elif finalized(result, routine.key, self.scopes):
            yield Ordered(_FINALIZED, line)

    def _finalized_at_the_end(self, key: str) -> bool:
        """Whether variables of a routine are finalized when it begins or ends."""
        routine = self.application.routines[key]
        for name, symbol in routine.spec.symbols.items() if self.scopes.parts.finalized else ():
            own = name not in routine.dummies and not keeps_value(routine, name)
            if (own or symbol.intent == "out") and finalized(symbol, key, self.scopes):
                return True
        return False

    def _fixed(self, code: Expr, routine: Routine, at: Located) -> bool:
        """Whether the code of a ``stop`` is written out, or of named constants."""
        for node in walk(code):
            if isinstance(node, Name):
                found = self.scopes.variable(node.name, routine.key)
                if found is None or not found.symbol.constant or node.name in aliases_of(at):
                    return False
            elif not isinstance(node, (Literal, Unary, Binary, Paren)):
                return False
        return True

    def _ending(self, key: str, stop: Jump) -> tuple[object, ...]:
        """How a statement ends the run: two of which this is the same do it in the same way."""
        codes = ((self._kinds.value(c, key), without_places(c), self._homes(c, key)) for c in stop.exprs)
        return stop.kind, *(code[:1] if code[0] is not None else code for code in codes)

    def _homes(self, code: Expr, key: str) -> tuple[str, ...]:
        """The units that declare the constants in a code."""
        found = (self.scopes.variable(name, key) for name in sorted(names_in(code)))
        return tuple(f.home for f in found if f is not None)

    def _functions(self, key: str, at: Located) -> Ordered | None:
        """Functions in a statement of which hfpy has no source, or that have a state."""
        listed = expressions(at.statement)
        if isinstance(at.statement, Call):
            listed = at.statement.args
        for expr in listed:
            for node in walk(expr):
                if isinstance(node, Name) and self._volatile(node.name, key, at):
                    return Ordered(f"uses '{node.name}', which is volatile", at.statement.line)
                called = node.base if isinstance(node, Apply) else None
                if isinstance(called, Name) and (said := self._function(called.name, key, at)) is not None:
                    return said
        return None

    def _volatile(self, name: str, key: str, at: Located) -> bool:
        found = self.scopes.variable(name, key) if name not in aliases_of(at) else None
        return found is not None and "volatile" in found.symbol.attributes

    def _function(self, name: str, key: str, at: Located) -> Ordered | None:
        scopes = self.scopes
        if name in aliases_of(at) or scopes.procedures(name, key) or scopes.statement_function(name, key):
            return None
        found = scopes.variable(name, key)
        if found is not None and (found.symbol.rank or found.symbol.type.base == "character"):
            return None
        if scopes.is_intrinsic(name, key) or (found is not None and "intrinsic" in found.symbol.attributes):
            return _with_state(name, at.statement.line) if name in _STATEFUL_FUNCTIONS | SUBROUTINES else None
        if scopes.derived_type(name, key) is not None:
            return None
        return _not_here(name, at.statement.line)

    def _unclear(self, site: CallSite) -> Ordered | None:
        """Why a call of which hfpy does not know what it means keeps turns in order. Those of generic names are looked
        at one by one, with all that they may mean.
        """
        if not site.possible:
            return self._without_source(site)
        free = site.function and site.name in INTRINSICS - SUBROUTINES - _STATEFUL_FUNCTIONS
        if free or isinstance(site.node, Component) or not self.scopes.named(site.name, site.caller).doubtful:
            return None
        does = f"calls '{site.name}', which may be the program's or an intrinsic procedure"
        whole = f"'{site.name}' may be the program's or an intrinsic procedure"
        return Ordered(does, site.at.statement.line, f"declare it: external {site.name}", whole)

    def _without_source(self, site: CallSite) -> Ordered | None:
        """Why a call keeps turns in order if hfpy has no source of the procedure, or does not know which one it is."""
        line = site.at.statement.line
        if isinstance(site.node, Component):
            return Ordered(
                f"calls '{site.name}' through an object, whose type decides which procedure is meant", line, _BY_NAME
            )
        if by_procedure_variable(site.name, self.application.routines[site.caller], self.scopes, site.at):
            return Ordered(f"calls '{site.name}', which is a dummy procedure or a procedure pointer", line, _BY_NAME)
        if self.scopes.is_entry(site.name, site.caller):
            own = unit_name(self.scopes.entries[site.name][0])
            return Ordered(
                f"calls '{site.name}', another entry of '{own}'", line, _OWN, "calls another entry of a routine"
            )
        if site.name in _PURE_SUBROUTINES and self.scopes.is_intrinsic(site.name, site.caller):
            return None
        if site.function and self.scopes.is_intrinsic(site.name, site.caller):
            return None
        if self.scopes.is_intrinsic(site.name, site.caller):
            return _with_memory(site.name, line) if site.name == "move_alloc" else _with_state(site.name, line)
        return _not_here(site.name, line)


def _declared(at: Located) -> tuple[object, ...]:
    """What the ``block`` declares that a statement begins."""
    return next((c.declarations for c in reversed(at.constructs) if c.header is at.statement), ())


def _mentions(expr: Expr, name: str) -> bool:
    return any(isinstance(node, Name) and node.name == name for node in walk(expr))


def _is_allocated(routine: Routine, name: str, line: LogicalLine) -> bool:
    """Whether a variable is certainly allocated at a line: by a statement on the way there, and nothing frees it."""
    done = False
    for statement in flatten(routine.body):
        match statement:
            case Memory(kind="allocate"):
                before = statement.line.first < line.first and statement in routine.body
                done = done or (before and any(_mentions(i, name) for i in statement.items))
            case Memory(items=items) if any(_mentions(i, name) for i in items):
                return False
            case Call(args=args) if any(_mentions(a, name) for a in args):
                return False
            case Jump(kind="goto"):
                return False
    return done


def _with_memory(word: str, line: LogicalLine) -> Ordered:
    cure = "allocate before the loop, and free the memory after it"
    return Ordered(f"has '{word}'", line, cure, "allocates memory, or frees it")


def _with_state(name: str, line: LogicalLine) -> Ordered:
    cure = "call it before the loop, and keep what it gives in an array"
    return Ordered(f"calls '{name}', which has a state", line, cure, whole=f"'{name}' has a state")


def _not_here(name: str, line: LogicalLine) -> Ordered:
    cure = f"give hfpy the file with '{name}', too"
    return Ordered(f"calls '{name}', whose source is not here", line, cure, whole=f"the source of '{name}' is not here")


def _shown(stop: Jump) -> str:
    """A statement that ends the run, in one spelling."""
    word = "stop" if stop.kind == "stop" else "error stop"
    return " ".join([word, *(stop.line.text[code.start : code.end] for code in stop.exprs)])
