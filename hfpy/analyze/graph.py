"""The call graph: which routine calls which, from where, with what (hybrid-fortran.md §4.1).

Calls of subroutines and of functions alike, in one-line ``if``s and nested in indices (B5, L1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from hfpy.analyze.context import Located, located
from hfpy.analyze.indirect import Candidates, by_procedure_variable
from hfpy.analyze.scopes import Scopes
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, walk, without_places
from hfpy.model.statements import Call, expressions
from hfpy.model.units import FType, Routine

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call. ``callee`` is a key, or empty for a procedure without source; ``node`` is the function reference
    or the designator of a ``call``; ``args`` are the actual arguments in the order of the text."""

    caller: str
    callee: str
    name: str
    args: tuple[Expr, ...]
    at: Located
    node: Expr
    function: bool


class CallGraph:
    """Call sites of every parsed routine, by caller and by callee."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes
        self.statements: dict[str, tuple[Located, ...]] = {}
        self.sites: dict[str, tuple[CallSite, ...]] = {}
        self.callers: dict[str, list[CallSite]] = {}
        for key, routine in application.routines.items():
            if routine.kind in ("module", "submodule", "blockdata"):
                continue
            self.statements[key] = located(routine)
            self.sites[key] = tuple(self._sites(key, routine))
            for site in self.sites[key]:
                self.callers.setdefault(site.callee, []).append(site)
        self.candidates = Candidates(application, scopes)
        self.indirect: dict[str, tuple[CallSite, ...]] = {}
        self._find_indirect()

    def _find_indirect(self) -> None:
        """A call site for each candidate of each indirect call, with an empty ``callee`` where there is none."""
        for key, statements in self.statements.items():
            self.candidates.take(key, statements)
        for key, statements in self.statements.items():
            found = [
                CallSite(key, callee, self._shown(node), self._given(callee, node, args), at, node, False)
                for at, node, args, callees in self.candidates.calls(key, statements)
                for callee in callees or ("",)
            ]
            self.indirect[key] = tuple(found)
            for site in found:
                self.callers.setdefault(site.callee, []).append(site)

    def _given(self, callee: str, node: Expr, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The arguments that a candidate gets: a procedure that is bound with ``nopass`` does not get the object."""
        routine = self.application.routines.get(callee)
        base = node.base if isinstance(node, Apply) else node
        passed = isinstance(base, Component)
        return args[1:] if passed and routine is not None and len(routine.dummies) < len(args) else args

    @staticmethod
    def _shown(node: Expr) -> str:
        base = node.base if isinstance(node, Apply) else node
        return base.name if isinstance(base, Name | Component) else "a defined operator"

    def below(self, key: str) -> tuple[CallSite, ...]:
        """All call sites of a routine: direct ones, and one for each candidate of indirect ones."""
        return (*self.sites.get(key, ()), *self.indirect.get(key, ()))

    def gathered(self, own: Mapping[str, frozenset[T]]) -> dict[str, frozenset[T]]:
        """What is known of each routine joined with what is known of all that it calls, directly or not, however they
        call each other.
        """
        found = dict(own)
        pending = [key for key, there in own.items() if there]
        while pending:
            key = pending.pop()
            for site in self.callers.get(key, ()):
                there = found.get(site.caller, frozenset())
                if not found[key] <= there:
                    found[site.caller] = there | found[key]
                    pending.append(site.caller)
        return found

    def site(self, key: str, at: Located, node: Expr | None) -> CallSite | None:
        """The call that a node of a routine's statement is: a function reference, or the designator of a ``call``."""
        if node is None:
            return None
        here = (s for s in self.sites.get(key, ()) if s.at.statement is at.statement)
        return next((s for s in here if s.node.start == node.start), None)

    def turn_to(self, application: Application, scopes: Scopes) -> None:
        """Go on with an application that differs in bodies only; those are to be given to ``read_again``."""
        self.application, self.scopes = application, scopes

    def read_again(self, routine: Routine) -> None:
        """Find the statements and calls of a routine whose body has changed; which routines it calls has not."""
        self.statements[routine.key] = located(routine)
        self.sites[routine.key] = tuple(self._sites(routine.key, routine))

    def _sites(self, key: str, routine: Routine) -> list[CallSite]:
        result: list[CallSite] = []
        for at in self.statements[key]:
            statement = at.statement
            if isinstance(statement, Call):
                result += self._calls(key, statement, at)
                inner: tuple[Expr, ...] = statement.args
            else:
                inner = expressions(statement)
            for expr in inner:
                for node in walk(expr):
                    if isinstance(node, Apply) and isinstance(node.base, Name):
                        result += self._references(key, node, at)
        return result

    def _calls(self, key: str, statement: Call, at: Located) -> list[CallSite]:
        designator = statement.designator
        name = designator.name if isinstance(designator, Name | Component) else ""
        # Procedures that are chosen at run time stay unknown here: see `indirect`.
        direct = isinstance(designator, Name) and not self._by_variable(name, key)
        keys = self.scopes.procedures(name, key) if direct else ()
        callee = self.choose(keys, statement.args, key)
        return [CallSite(key, callee, name, statement.args, at, designator, False)]

    def _by_variable(self, name: str, key: str) -> bool:
        return by_procedure_variable(name, self.application.routines[key], self.scopes)

    def _references(self, key: str, node: Apply, at: Located) -> list[CallSite]:
        assert isinstance(node.base, Name)
        name = node.base.name
        found = self.scopes.variable(name, key)
        if found is not None and (found.symbol.rank or found.symbol.type.base == "character"):
            return []
        keys = () if self._by_variable(name, key) else self.scopes.procedures(name, key)
        keys = tuple(k for k in keys if self.application.unit(k).kind in ("function", "procedure"))
        if not keys:
            return []
        callee = self.choose(keys, node.args, key)
        return [CallSite(key, callee, name, node.args, at, node, True)]

    def choose(self, keys: tuple[str, ...], args: tuple[Expr, ...], caller: str) -> str:
        """The specific routine of a generic call, told by number of arguments, types and ranks; empty if unknown."""
        if len(keys) <= 1:
            return keys[0] if keys else ""
        fitting = [k for k in keys if self._fits(k, args, caller)]
        return fitting[0] if len(fitting) == 1 else ""

    def _fits(self, key: str, args: tuple[Expr, ...], caller: str) -> bool:
        routine = self.application.routines.get(key)
        if routine is None or len(args) > len(routine.dummies):
            return False
        given: set[str] = set()
        for position, arg in enumerate(args):
            name = arg.name if isinstance(arg, Keyword) else routine.dummies[position]
            dummy = routine.spec.symbols.get(name)
            if dummy is None:
                return False
            given.add(name)
            if not self._compatible(dummy.type, arg.value if isinstance(arg, Keyword) else arg, caller):
                return False
        return all(
            d in given or "optional" in routine.spec.symbols[d].attributes
            for d in routine.dummies
            if d in routine.spec.symbols
        )

    def _compatible(self, dummy: FType, arg: Expr, caller: str) -> bool:
        from hfpy.analyze.types import type_of

        actual = type_of(arg, caller, self.scopes)
        if actual is None:
            return True
        if actual.base != dummy.base:
            return False
        kinds = [_kind(actual), _kind(dummy)]
        return None in kinds or kinds[0] == kinds[1]


def _kind(ftype: FType) -> Expr | str | None:
    """The kind of a type without regard to its spelling; None for the default kind."""
    return "double" if ftype.double else without_places(ftype.kind.expr) if ftype.kind is not None else None
