"""What depends on the process that executes it: conditions that ask for the place of a process's part in the grid, or
for its number.

A variable depends on the process if a statement sets it from ``global(i)`` or ``onEdge(i, low)``, by a call of MPI or
of a procedure that is not here, from another such variable, or under such a condition. Only integers, logicals and
objects of derived types count: the numbers of a field are of its points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.mpi import procedure
from hfpy.model.expressions import Apply, Expr, Name, base_name, walk
from hfpy.model.statements import Assignment, Call, Construct, Header, Jump, OneLine, expressions
from hfpy.values import dataclass

_DECIDING = ("if", "select", "dowhile", "do", "where")
_ENDING = ("stop", "errorstop", "continue")


@dataclass
class ByProcess:
    """Asks of statements whether all processes execute them."""

    facts: Facts
    effects: Effects
    _variables: set[Identity] | None = None
    _asking: set[str] = field(default_factory=set)
    _sites: dict[int, list[CallSite]] = field(default_factory=dict)
    _one_line: dict[int, OneLine] = field(default_factory=dict)
    _constructs: dict[tuple[str, int], bool] = field(default_factory=dict)

    def is_sure(self, at: Located, key: str) -> bool:
        """Whether nothing around a statement, and no jump of its routine, makes it one of some processes only."""
        self._found()
        jumps = (s for s in self.facts.graph.statements.get(key, ()) if isinstance(s.statement, Jump))
        left = any(self._jumped(jump) and self._around(jump, key) for jump in jumps)
        return not left and not self._around(at, key)

    def depends(self, expr: Expr, at: Located, key: str) -> bool:
        """Whether the value of an expression may differ between processes, other than by the points that it is of."""
        self._found()
        return self._depends(expr, at, key)

    def _jumped(self, at: Located) -> bool:
        return isinstance(at.statement, Jump) and at.statement.kind not in _ENDING

    # -- conditions

    def _around(self, at: Located, key: str) -> bool:
        if any(self._decides(construct, at, key) for construct in at.constructs):
            return True
        line = self._one_line.get(id(at.statement))
        while line is not None:
            if any(self._depends(expr, at, key) for expr in line.control):
                return True
            line = self._one_line.get(id(line))
        return False

    def _decides(self, construct: Construct, at: Located, key: str) -> bool:
        if construct.kind not in _DECIDING:
            return False
        slot = key, id(construct)
        if not self._constructs.get(slot, False):
            headers = (expr for part in construct.parts for expr in expressions(part.header))
            self._constructs[slot] = any(self._depends(expr, at, key) for expr in headers)
        return self._constructs[slot]

    def _depends(self, expr: Expr, at: Located, key: str) -> bool:
        return any(self._node_depends(node, at, key) for node in walk(expr))

    def _node_depends(self, node: Expr, at: Located, key: str) -> bool:
        scopes = self.facts.scopes
        if isinstance(node, Name):
            found = self.facts.variable(node.name, at, key)
            return found is not None and (found.home, found.symbol.name) in self._known
        if not isinstance(node, Apply) or not isinstance(node.base, Name):
            return False
        name = node.base.name
        if scopes.variable(name, key) is not None or scopes.is_intrinsic(name, key):
            return False
        sites = self.facts.graph.called_at(key, at, node)
        routines = self.facts.application.routines
        return not sites or any(s.callee in self._asking or s.callee not in routines for s in sites)

    # -- variables

    @property
    def _known(self) -> set[Identity]:
        return self._variables if self._variables is not None else set()

    def _found(self) -> None:
        """Find the variables, until no statement adds one."""
        if self._variables is not None:
            return
        self._variables = set()
        statements = self.facts.graph.statements
        for key, listed in statements.items():
            for site in self.facts.graph.below(key):
                self._sites.setdefault(id(site.at.statement), []).append(site)
            lines = (at.statement for at in listed if isinstance(at.statement, OneLine))
            self._one_line |= {id(line.action): line for line in lines}
        before = -1
        while before < (before := len(self._variables) + len(self._asking)):
            for key, listed in statements.items():
                for at in listed:
                    self._statement(at, key)

    def _statement(self, at: Located, key: str) -> None:
        statement = at.statement
        dependent = any(self._depends(expr, at, key) for expr in expressions(statement))
        if dependent and self.facts.routine(key).kind == "function":
            self._asking.add(key)
        if isinstance(statement, Assignment) and (dependent or self._around(at, key)):
            self._mark(base_name(statement.target), at, key)
        elif isinstance(statement, Header) and statement.var and dependent:
            self._mark(statement.var, at, key)
        for name in self._set_outside(at, key):
            self._mark(name, at, key)
        self._arguments(at, key)

    def _set_outside(self, at: Located, key: str) -> Iterator[str | None]:
        """What a call of MPI, or of a procedure that is not here, may set."""
        statement = at.statement
        if not isinstance(statement, Call):
            return
        sites = self._sites.get(id(statement), [])
        is_here = all(site.callee in self.facts.application.routines for site in sites) and bool(sites)
        if isinstance(statement.designator, Name) and self.facts.scopes.is_intrinsic(statement.designator.name, key):
            return
        if procedure(statement) or not is_here:
            yield from (base_name(argument) for argument in statement.args)

    def _arguments(self, at: Located, key: str) -> None:
        """What calls pass in, and what comes back."""
        for site in self._sites.get(id(at.statement), ()):
            if site.callee not in self.facts.application.routines:
                continue
            for dummy, value in passed(self.facts, site):
                if self._depends(value, at, key):
                    self._mark(dummy, None, site.callee)
                if (site.callee, dummy) in self._known and self.effects.intent(site.callee, dummy) != "in":
                    self._mark(base_name(value), at, key)

    def _mark(self, name: str | None, at: Located | None, key: str) -> None:
        if name is None:
            return
        found = self.facts.variable(name, at, key) if at is not None else self.facts.scopes.variable(name, key)
        if found is not None and found.symbol.type.base not in ("real", "complex", "character"):
            self._known.add((found.home, found.symbol.name))
