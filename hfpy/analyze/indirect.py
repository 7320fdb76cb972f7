"""Calls whose procedure is chosen when the program runs: by a procedure pointer or dummy procedure, by the type of an
object, by defined operators and assignment.

Each such call may be one of several procedures, its *candidates*: all whose address the program takes, all that types
bind to the name, all that define the operator (Fortran 2018, 15.4.3.4, 15.5.6, 7.5.5). They are found by name, so there
may be too many, but none is missing among those that hfpy sees.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.context import Located
from hfpy.analyze.scopes import Scopes
from hfpy.analyze.types import component, type_of
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Binary, Component, Expr, Fragment, Keyword, Name, Unary, walk
from hfpy.model.names import is_operator
from hfpy.model.statements import Assignment, Call, expressions
from hfpy.model.units import Routine

# One indirect call: where, with which designator or operator, its arguments, and the keys of its candidates.
Found = tuple[Located, Expr, tuple[Expr, ...], tuple[str, ...]]


def by_procedure_variable(name: str, routine: Routine, scopes: Scopes) -> bool:
    """Whether a called name is a dummy procedure or a procedure pointer."""
    if name in routine.dummies:
        return True
    found = scopes.variable(name, routine.key)
    return found is not None and found.symbol.type.base == "procedure"


class Candidates:
    """The procedures that indirect calls of a program may call."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes
        self.bound: dict[str, set[str]] = {}
        self.defined: dict[str, set[str]] = {}
        self.finals: set[str] = set()
        self.taken: set[str] = set()
        for routine in application.routines.values():
            self._of_types(routine)
            self._of_interfaces(routine)

    def take(self, key: str, statements: tuple[Located, ...]) -> None:
        """Note the procedures whose address a routine takes: as an argument, or as the target of a pointer."""
        for at in statements:
            match at.statement:
                case Assignment(value=value, pointer=True):
                    self._take(value, key)
                case Call(args=args):
                    self._arguments(args, key)
            for top in expressions(at.statement):
                for node in walk(top):
                    if isinstance(node, Apply):
                        self._arguments(node.args, key)

    def calls(self, key: str, statements: tuple[Located, ...]) -> Iterator[Found]:
        """The indirect calls of a routine."""
        for at in statements:
            yield from self._statement(key, at)
            for top in expressions(at.statement):
                for node in walk(top):
                    if isinstance(node, Apply) or (self.defined and isinstance(node, Binary | Unary)):
                        yield from self._expression(key, at, node)

    # -- what may be called

    def _of_types(self, routine: Routine) -> None:
        for derived in routine.spec.types.values():
            named = dict(derived.bindings)
            for name, target in derived.bindings:
                keys = self.scopes.procedures(named.get(target, target) if name != target else target, routine.key)
                place = self.defined if is_operator(name) else self.bound
                place.setdefault(name, set()).update(keys)
            for name in derived.finals:
                self.finals.update(self.scopes.procedures(name, routine.key))
            for part in derived.components:
                if part.type.base == "procedure":
                    self._initial(part.initial, routine.key)
        for symbol in routine.spec.symbols.values():
            if symbol.type.base == "procedure":
                self._initial(symbol.initial, routine.key)

    def _initial(self, given: Fragment | None, key: str) -> None:
        if given is not None and isinstance(given.expr, Name):
            self.taken.update(self.scopes.procedures(given.expr.name, key))

    def _of_interfaces(self, routine: Routine) -> None:
        for interface in routine.spec.interfaces:
            if is_operator(interface.name):
                for name in interface.procedures:
                    defined = self.defined.setdefault(interface.name, set())
                    defined.update(self.scopes.procedures(name, routine.key))

    def _arguments(self, args: tuple[Expr, ...], key: str) -> None:
        for arg in args:
            self._take(arg.value if isinstance(arg, Keyword) else arg, key)

    def _take(self, value: Expr, key: str) -> None:
        if isinstance(value, Name) and self.scopes.variable(value.name, key) is None:
            self.taken.update(self.scopes.procedures(value.name, key))

    # -- calls

    def _statement(self, key: str, at: Located) -> Iterator[Found]:
        routine = self.application.routines[key]
        match at.statement:
            case Call(designator=Name(name=name) as designator, args=args):
                if by_procedure_variable(name, routine, self.scopes):
                    yield at, designator, args, self._of_kind(self.taken, "subroutine")
            case Call(designator=Component(base=base, name=name) as designator, args=args):
                keys = self._of_kind(self.bound.get(name, set()) | self.taken, "subroutine")
                yield at, designator, (base, *args), keys
            case Assignment(target=target, value=value, pointer=False):
                keys = tuple(sorted(self.defined.get("assignment(=)", ())))
                if keys and (self._perhaps_derived(target, key) or self._perhaps_derived(value, key)):
                    yield at, target, (target, value), keys

    def _expression(self, key: str, at: Located, node: Expr) -> Iterator[Found]:
        match node:
            case Apply(base=Name(name=name), args=args):
                if self._function_variable(name, key):
                    yield at, node, args, self._of_kind(self.taken, "function")
            case Apply(base=Component(base=base, name=name) as designator, args=args):
                symbol = component(designator, key, self.scopes)
                if symbol is None or symbol.type.base == "procedure":
                    keys = self._of_kind(self.bound.get(name, set()) | self.taken, "function")
                    if keys and (symbol is not None or name in self.bound):
                        yield at, node, (base, *args), keys
            case Binary(op=op, left=left, right=right):
                yield from self._operator(op, (left, right), node, at, key)
            case Unary(op=op, operand=operand):
                yield from self._operator(op, (operand,), node, at, key)

    def _operator(self, op: str, operands: tuple[Expr, ...], node: Expr, at: Located, key: str) -> Iterator[Found]:
        keys = tuple(sorted(self.defined.get(f"operator({op})", ())))
        if keys and any(self._perhaps_derived(o, key) for o in operands):
            yield at, node, operands, keys

    def _function_variable(self, name: str, key: str) -> bool:
        found = self.scopes.variable(name, key)
        blocks = self.application.routines[key].spec.dependants
        if any(listed.name == name for block in blocks for listed in block.names):
            return False  # it gets dimensions
        if found is None:
            return name in self.application.routines[key].dummies
        symbol = found.symbol
        pointed = symbol.type.base == "procedure"
        dummy = found.home == key and name in self.application.routines[key].dummies
        return pointed or (dummy and not symbol.rank and symbol.type.base != "character")

    def _perhaps_derived(self, expr: Expr, key: str) -> bool:
        """Whether an operand may be of a derived type, for which operators and assignment can be defined."""
        while isinstance(expr, Apply) and isinstance(expr.base, Component):
            expr = expr.base
        if isinstance(expr, Component):
            symbol = component(expr, key, self.scopes)
            return symbol is None or symbol.type.base in ("type", "class")
        found = type_of(expr, key, self.scopes)
        return found is None or found.base in ("type", "class")

    def _of_kind(self, keys: set[str], kind: str) -> tuple[str, ...]:
        routines = self.application.routines
        return tuple(sorted(k for k in keys if k in routines and routines[k].kind == kind))
