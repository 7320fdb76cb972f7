"""The call graph: which routine calls which, from where, with what (hybrid-fortran.md §4.1).

Calls of subroutines and of functions alike, in one-line ``if``s and nested in indices (B5, L1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import networkx as nx

from hfpy.analyze.callgraph.generics import Generics
from hfpy.analyze.callgraph.indirect import Calling, Candidates, by_procedure_variable, calling
from hfpy.analyze.language.context import Located, located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Component, Expr, Name
from hfpy.model.source import LineKey
from hfpy.model.statements import Assignment, Call, Opaque
from hfpy.model.units import Routine
from hfpy.values import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call. ``callee`` is a key, or empty for a procedure that is not known; ``possible`` are those that a generic
    name may mean; ``chosen`` marks a candidate of a call that is not decided before the run; ``node`` is the function
    reference or the designator of a ``call``; ``args`` are the actual arguments in the order of the text.
    """

    caller: str
    callee: str
    name: str
    args: tuple[Expr, ...]
    at: Located
    node: Expr
    function: bool
    possible: tuple[str, ...] = ()
    chosen: bool = False

    @property
    def hidden(self) -> bool:
        """Whether the call is not written as one of the routine, so that its arguments are not known."""
        return self.node.start == self.node.end


class CallGraph:
    """Call sites of every parsed routine, by caller and by callee. ``whole`` is that of the same application with
    bodies, where the application has none; ``before`` one from which the routines in ``same`` are taken.
    """

    def __init__(
        self,
        application: Application,
        scopes: Scopes,
        whole: CallGraph | None = None,
        before: CallGraph | None = None,
        same: Collection[str] = (),
    ) -> None:
        self.application = application
        self.scopes = scopes
        self.statements: dict[str, tuple[Located, ...]] = {}
        self.sites: dict[str, tuple[CallSite, ...]] = {}
        self.callers: dict[str, list[CallSite]] = {}
        # Where facts were kept: routines whose text is not there, or there for the sake of others alone.
        self.absent: frozenset[str] = frozenset()
        self.generics = Generics(application, scopes)
        read: dict[str, tuple[Calling, ...]] = {}  # of the routines that `before` does not have
        for key, routine in application.routines.items():
            if routine.kind in ("module", "submodule", "blockdata"):
                continue
            if before is not None and key in same:
                self.statements[key], self.sites[key] = before.statements[key], before.sites[key]
            else:
                self.statements[key] = located(routine)
                read[key] = calling(self.statements[key])
                self.sites[key] = tuple(self._sites(key, read[key]))
            for site in self.sites[key]:
                self.callers.setdefault(site.callee, []).append(site)
        self.candidates = Candidates(application, scopes, self.generics)
        self._called: dict[str, frozenset[str]] = {}
        self._by_callee: dict[str, set[str]] | None = None
        if whole is not None:
            self.candidates.taken |= whole.candidates.taken
            self.candidates.given |= whole.candidates.given
            self._called = {key: whole.called(key) for key in whole.statements}
            self._by_callee = {}
            for caller, callees in self._called.items():
                for callee in callees:
                    self._by_callee.setdefault(callee, set()).add(caller)
        self.indirect: dict[str, tuple[CallSite, ...]] = {}
        self._by_place: dict[str, dict[tuple[LineKey, int, int], list[CallSite]]] = {}
        self._through: dict[str, dict[tuple[LineKey, int], int]] = {}
        self._find_indirect(read, before)

    def _find_indirect(self, read: Mapping[str, tuple[Calling, ...]], before: CallGraph | None) -> None:
        """A call site for each candidate of each indirect call, with an empty ``callee`` where there is none. Generic
        calls that cannot be resolved are among them. Routines that were not ``read`` are those of ``before``.
        """
        for key in self.statements:
            if key in read:
                self.candidates.take(key, read[key])
            elif before is not None:
                self.candidates.take_from(before.candidates, key)
        same = before is not None and self.candidates.same(before.candidates)
        for key, statements in self.statements.items():
            if before is not None and same and key not in read:
                self.indirect[key] = before.indirect[key]
            else:
                self.indirect[key] = tuple(self._indirect(key, read.get(key) or calling(statements)))
            for site in self.indirect[key]:
                self.callers.setdefault(site.callee, []).append(site)

    def _indirect(self, key: str, read: tuple[Calling, ...]) -> Iterator[CallSite]:
        for at, node, candidates in self.candidates.calls(key, read):
            for callee, args in candidates or (("", ()),):
                yield CallSite(key, callee, self._shown(node), args, at, node, False, chosen=True)
        for site in self.sites[key]:
            if not site.callee:
                yield from (replace(site, callee=callee, possible=(), chosen=True) for callee in site.possible)
        for at, nodes in read:
            if isinstance(at.statement, Opaque):
                yield from self._named(key, at, at.statement)
            for callee in self.candidates.hidden(key, at, nodes):
                yield _hidden(key, callee, self.application.unit(callee).name, at, len(at.statement.line.text))
        for at, nodes in read if self.scopes.entries else ():
            named = [at.statement.designator] if isinstance(at.statement, Call) else []
            for node in (*named, *(n.base for n in nodes if isinstance(n, Apply))):
                yield from self._entered(key, at, node)

    def _entered(self, key: str, at: Located, node: Expr) -> Iterator[CallSite]:
        """The routines that a call of an entry may execute parts of. The entry has arguments of its own: these sites
        have none, and begin where the name ends, so that no argument is taken for one of theirs.
        """
        if not isinstance(node, Name) or not self.scopes.is_entry(node.name, key):
            return
        found = self.scopes.variable(node.name, key)
        if not (found is not None and found.symbol.rank) and not self._by_variable(node.name, key, at):
            for home in self.scopes.entries[node.name]:
                yield _hidden(key, home, node.name, at, node.end)

    def _named(self, key: str, at: Located, statement: Opaque) -> Iterator[CallSite]:
        """The routines that a statement names which is not understood: it may call them, with whatever arguments."""
        for word in statement.words:
            for callee in self.scopes.procedures(word.name, key) if word.name not in aliases_of(at) else ():
                yield _hidden(key, callee, word.name, at, word.end)

    @staticmethod
    def _shown(node: Expr) -> str:
        base = node.base if isinstance(node, Apply) else node
        return base.name if isinstance(base, (Name, Component)) else "a defined operator"

    def below(self, key: str) -> tuple[CallSite, ...]:
        """All call sites of a routine: direct ones, and one for each candidate of indirect ones."""
        return (*self.sites.get(key, ()), *self.indirect.get(key, ()))

    def called(self, key: str) -> frozenset[str]:
        """The routines that a routine may call; an empty key means those that are not known."""
        return frozenset(site.callee for site in self.below(key))

    def with_statements(self) -> list[str]:
        """The routines whose statements are there; not all are where facts were kept without bodies."""
        return list(dict.keys(self.statements))

    def has(self, routine: Routine, files: Collection[str] | None) -> bool:
        """Whether a routine is one that is looked at, in some files, by their paths (None: in all)."""
        return files is None or (routine.file in files and routine.key not in self.absent)

    def is_called(self, key: str) -> bool:
        """Whether some routine may call a routine."""
        return key in (self.callers if self._by_callee is None else self._by_callee)

    def callers_of(self, key: str) -> set[str]:
        """The routines that may call a routine."""
        if self._by_callee is None:
            return {site.caller for site in self.callers.get(key, ())}
        return self._by_callee.get(key, set())

    def callers_above(self, keys: Iterable[str]) -> set[str]:
        """The routines that may call some routines, directly or not."""
        found: set[str] = set()
        pending = list(keys)
        while pending:
            new = self.callers_of(pending.pop()) - found
            found |= new
            pending += new
        return found

    def gathered(self, own: Mapping[str, frozenset[T]]) -> dict[str, frozenset[T]]:
        """What is known of each routine joined with what is known of all that it calls, directly or not, however they
        call each other.
        """
        found = dict(own)
        pending = [key for key, there in own.items() if there]
        above = nx.DiGraph()  # of those that know something, to what they call
        above.add_nodes_from(pending)
        while pending:
            key = pending.pop()
            callers = {site.caller for site in self.callers.get(key, ())}
            pending += [caller for caller in callers if caller not in above]
            above.add_edges_from((caller, key) for caller in callers)
        for circle in nx.strongly_connected_components(above):  # what is called comes first
            called = {callee for caller in circle for callee in above.successors(caller)} | circle
            parts = [found[key] for key in called if key in found]
            most = max(parts, key=len)
            joined = most if all(part <= most for part in parts) else most.union(*parts)
            found.update(dict.fromkeys(circle, joined))
        return found

    def site(self, key: str, at: Located, node: Expr | None) -> CallSite | None:
        """The call that a node of a routine's statement is: a function reference, or the designator of a ``call``."""
        if node is None:
            return None
        here = (s for s in self.sites.get(key, ()) if s.at.statement is at.statement)
        return next((s for s in here if s.node.start == node.start), None)

    def candidates_at(self, key: str, at: Located, call: Expr) -> tuple[CallSite, ...]:
        """The candidates of an indirect call of a routine; none for other calls."""
        return tuple(s for s in self.called_at(key, at, call) if s.chosen)

    def called_at(self, key: str, at: Located, call: Expr) -> tuple[CallSite, ...]:
        """The procedures that a call of a routine may mean: one, or the candidates of an indirect call."""
        if key not in self._by_place:
            places: dict[tuple[LineKey, int, int], list[CallSite]] = {}
            for site in self.below(key):
                if site.callee:
                    places.setdefault((site.at.statement.line.key, site.node.start, site.node.end), []).append(site)
            self._by_place[key] = places
        return tuple(self._by_place[key].get((at.statement.line.key, call.start, call.end), ()))

    def called_through(self, key: str, line: LineKey, start: int) -> int | None:
        """Where the call ends whose procedure is named by an object that begins at a place of a routine, as in
        ``o%total(n)``; None where no call begins.
        """
        if key not in self._through:
            sites = [s for s in self.indirect.get(key, ()) if _names_object(s)]
            self._through[key] = {(s.at.statement.line.key, s.node.start): s.node.end for s in sites}
        return self._through[key].get((line, start))

    def turn_to(self, application: Application, scopes: Scopes) -> None:
        """Go on with an application that differs in bodies only; those are to be given to ``read_again``."""
        self.application, self.scopes = application, scopes
        self.generics = Generics(application, scopes)
        self.candidates.turn_to(application, scopes, self.generics)

    def read_again(self, routine: Routine) -> bool:
        """Find the statements and calls of a routine whose body has changed; whether it calls what it called before."""
        before = self._called.pop(routine.key, None) or self.called(routine.key)
        self.statements[routine.key] = located(routine)
        read = calling(self.statements[routine.key])
        self.sites[routine.key] = tuple(self._sites(routine.key, read))
        self.indirect[routine.key] = tuple(self._indirect(routine.key, read))
        self._by_place.pop(routine.key, None)
        self._through.pop(routine.key, None)
        return before == self.called(routine.key)

    def _sites(self, key: str, read: tuple[Calling, ...]) -> list[CallSite]:
        result: list[CallSite] = []
        for at, nodes in read:
            if isinstance(at.statement, Call):
                result += self._calls(key, at.statement, at)
            for node in nodes:
                if isinstance(node, Apply) and isinstance(node.base, Name):
                    result += self._references(key, node, at)
        return result

    def _calls(self, key: str, statement: Call, at: Located) -> list[CallSite]:
        designator = statement.designator
        name = designator.name if isinstance(designator, (Name, Component)) else ""
        # Procedures that are chosen at run time stay unknown here: see `indirect`.
        direct = isinstance(designator, Name) and not self._by_variable(name, key, at)
        callee, possible = self.generics.resolved(name, statement.args, key, at) if direct else ("", ())
        return [CallSite(key, callee, name, statement.args, at, designator, False, possible)]

    def _by_variable(self, name: str, key: str, at: Located) -> bool:
        return by_procedure_variable(name, self.application.routines[key], self.scopes, at)

    def _references(self, key: str, node: Apply, at: Located) -> list[CallSite]:
        assert isinstance(node.base, Name)
        name = node.base.name
        found = self.scopes.variable(name, key)
        if found is not None and (found.symbol.rank or found.symbol.type.base == "character"):
            return []
        aliases = aliases_of(at)
        keys = () if name in aliases or self._by_variable(name, key, at) else self.scopes.procedures(name, key)
        if not any(self.application.unit(k).kind in ("function", "procedure") for k in keys):
            return []
        callee, possible = self.generics.resolved(name, node.args, key, at)
        if callee and self.application.unit(callee).kind not in ("function", "procedure"):
            return []
        if not possible and self.scopes.derived_type(name, key) is not None:
            return []  # the constructor of the type (Fortran 2018, 7.5.10)
        return [CallSite(key, callee, name, node.args, at, node, True, possible)]


def _hidden(caller: str, callee: str, name: str, at: Located, place: int) -> CallSite:
    """A hidden call. It has no length, so that no argument in the statement is taken for one of it."""
    return CallSite(caller, callee, name, (), at, Name(place, place, name), False, chosen=True)


def _names_object(site: CallSite) -> bool:
    """Whether an indirect call is written as one through an object; others are defined assignments and operators."""
    node = site.node.base if isinstance(site.node, Apply) else site.node
    statement = site.at.statement
    if isinstance(statement, Assignment) and site.args == (statement.target, statement.value):
        return False
    return isinstance(node, Component)
