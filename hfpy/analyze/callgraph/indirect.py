"""Calls whose procedure is chosen when the program runs: by a procedure pointer or dummy procedure, by the type of an
object, by defined operators and assignment.

Each such call may be one of several procedures, its *candidates*: all whose address the program takes, all that types
bind to the name, all that define the operator (Fortran 2018, 15.4.3.4, 15.5.6, 7.5.5). They are found by name, so there
may be too many, but none is missing among those that hfpy sees.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.generics import Actuals, Generics
from hfpy.analyze.callgraph.hidden import calls_unseen, given_to_unseen, transferring
from hfpy.analyze.callgraph.interfaces import NO_NAME, Interfaces, corresponding
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.typed import Typed
from hfpy.analyze.language.types import component, object_type
from hfpy.analyze.language.uses import aliases_of, declared_in_block
from hfpy.model.application import Application
from hfpy.model.expressions import (
    Apply,
    Binary,
    Component,
    Expr,
    Fragment,
    Keyword,
    Name,
    Paren,
    Unary,
    base_name,
    walk,
)
from hfpy.model.names import is_operator
from hfpy.model.statements import Assignment, Call, InputOutput, Opaque, expressions
from hfpy.model.units import Routine, Symbol

# One indirect call: where, with which designator or operator, and its candidates, each with the arguments that it gets.
Candidate = tuple[str, tuple[Expr, ...]]
Found = tuple[Located, Expr, tuple[Candidate, ...]]


_OPERATIONS = frozenset({Apply, Binary, Unary})

# A statement that calls something, or may, with its references and operators, from left to right.
Calling = tuple[Located, tuple[Expr, ...]]


def calling(statements: tuple[Located, ...]) -> tuple[Calling, ...]:
    """The statements that may call something or take the address of a procedure."""
    found: list[Calling] = []
    for at in statements:
        nodes = tuple([n for top in expressions(at.statement) for n in walk(top) if n.__class__ in _OPERATIONS])
        if nodes or isinstance(at.statement, (Call, Assignment, InputOutput, Opaque)):
            found.append((at, nodes))
    return tuple(found)


def by_procedure_variable(name: str, routine: Routine, scopes: Scopes, at: Located) -> bool:
    """Whether a called name is a dummy procedure or a procedure pointer."""
    if (own := declared_in_block(name, at)) is not None:
        return own.type.base == "procedure"
    if name in routine.dummies:
        return True
    found = scopes.variable(name, routine.key)
    return found is not None and found.symbol.type.base == "procedure"


class Candidates:
    """The procedures that indirect calls of a program may call."""

    def __init__(self, application: Application, scopes: Scopes, generics: Generics) -> None:
        self.application = application
        self.scopes = scopes
        self.generics = generics
        self.interfaces = Interfaces(application, scopes)
        self.bound: dict[str, set[str]] = {}
        self.defined: dict[str, set[str]] = {}
        self.finals: set[str] = set()
        self.taken: set[str] = set()
        self.taken_by: dict[str, frozenset[str]] = {}
        self.given: set[str] = set()  # of these, what procedures without source get
        self.given_by: dict[str, frozenset[str]] = {}
        self.overloaded: set[str] = set()
        self._by_type: dict[tuple[str, str, str], set[str] | None] = {}
        self._defining_for: dict[tuple[str | Typed | None, ...], tuple[str, ...]] = {}
        for routine in application.routines.values():
            self._of_types(routine)
            self._of_interfaces(routine)

    def turn_to(self, application: Application, scopes: Scopes, generics: Generics) -> None:
        """Go on with an application that differs in bodies only."""
        self.application, self.scopes, self.generics = application, scopes, generics
        self.interfaces = Interfaces(application, scopes)

    def same(self, other: Candidates) -> bool:
        """Whether another program has the same candidates."""
        mine, theirs = (vars(c) for c in (self, other))
        names = ("bound", "defined", "finals", "taken", "given", "overloaded")
        return all(mine[name] == theirs[name] for name in names)

    def take(self, key: str, read: tuple[Calling, ...]) -> None:
        """Note the procedures whose address a routine takes: as an argument, or as the target of a pointer."""
        self.taken_by[key] = taken = self._taken_in(key, read)
        self.taken |= taken
        if taken:
            self.given_by[key] = given_to_unseen(read, key, self.scopes, lambda value: self._named(value, key))
            self.given |= self.given_by[key]

    def take_from(self, other: Candidates, key: str) -> None:
        """The same for a routine of which another program has noted them."""
        self.taken_by[key] = other.taken_by[key]
        self.taken |= self.taken_by[key]
        if key in other.given_by:
            self.given_by[key] = other.given_by[key]
            self.given |= self.given_by[key]

    def hidden(self, key: str, at: Located, nodes: tuple[Expr, ...]) -> tuple[str, ...]:
        """The procedures that a statement may call without their names (:mod:`hfpy.analyze.callgraph.hidden`)."""
        if isinstance(at.statement, InputOutput):
            return transferring(at.statement, self.defined, lambda item: self.operand(item, at, key))
        return tuple(sorted(self.given)) if self.given and calls_unseen(at, nodes, key, self.scopes) else ()

    def _taken_in(self, key: str, read: tuple[Calling, ...]) -> frozenset[str]:
        """The procedures whose address a routine takes."""
        blocks = {id(c): c for at, _ in read if at.renamed for c in at.constructs if c.kind == "block"}
        declared = (d for c in blocks.values() for d in c.declarations if isinstance(d, Symbol))
        initial = (d.initial for d in declared if d.type.base == "procedure")
        found = {k for given in initial for k in self._initial(given, key)}
        return frozenset(found.union(*(self._named(value, key) for value in _given(read))))

    def calls(self, key: str, read: tuple[Calling, ...]) -> Iterator[Found]:
        """The indirect calls of a routine."""
        for at, nodes in read:
            yield from self._statement(key, at)
            for node in nodes:
                if self.defined or isinstance(node, Apply):
                    yield from self._expression(key, at, node)

    # -- what may be called

    def _of_types(self, routine: Routine) -> None:
        for derived in routine.spec.types.values():
            named = dict(derived.bindings)
            for name, target in derived.bindings:
                if target in named and target != name:
                    self.overloaded.add(name)
                keys = self.scopes.procedures(named.get(target, target) if name != target else target, routine.key)
                place = self.defined if is_operator(name) else self.bound
                place.setdefault(name, set()).update(keys)
            for name in derived.finals:
                self.finals.update(self.scopes.procedures(name, routine.key))
            for part in derived.components:
                if part.type.base == "procedure":
                    self.taken.update(self._initial(part.initial, routine.key))
        for symbol in routine.spec.symbols.values():
            if symbol.type.base == "procedure":
                self.taken.update(self._initial(symbol.initial, routine.key))

    def _initial(self, given: Fragment | None, key: str) -> tuple[str, ...]:
        """The procedures that a pointer is declared to point to."""
        named = given.expr if given is not None else None
        return tuple(self.scopes.procedures(named.name, key)) if isinstance(named, Name) else ()

    def _of_interfaces(self, routine: Routine) -> None:
        for interface in routine.spec.interfaces:
            if is_operator(interface.name):
                for name in interface.procedures:
                    defined = self.defined.setdefault(interface.name, set())
                    defined.update(self.scopes.procedures(name, routine.key))

    def _named(self, value: Expr, key: str) -> tuple[str, ...]:
        """The procedures that a name means which is no variable's."""
        if not isinstance(value, Name) or self.scopes.variable(value.name, key) is not None:
            return ()
        return tuple(self.scopes.procedures(value.name, key))

    # -- calls

    def _statement(self, key: str, at: Located) -> Iterator[Found]:
        routine = self.application.routines[key]
        match at.statement:
            case Call(designator=Name(name=name) as designator, args=args):
                if by_procedure_variable(name, routine, self.scopes, at):
                    yield at, designator, self._pointed(name, "subroutine", args, at, key)
            case Call(designator=Component() as designator, args=args):
                keys = self._of_kind(self._through(designator, key, at), "subroutine")
                yield at, designator, self._called(keys, args, at, key, designator)
            case Assignment(target=target, value=value, pointer=False):
                keys = self._defining("assignment(=)", (target, value), at, key)
                if keys:
                    yield at, target, tuple((k, (target, value)) for k in keys)

    def _expression(self, key: str, at: Located, node: Expr) -> Iterator[Found]:
        match node:
            case Apply(base=Name(name=name), args=args):
                if self._function_variable(name, key, at):
                    yield at, node, self._pointed(name, "function", args, at, key)
            case Apply(base=Component(name=name) as designator, args=args):
                symbol = component(designator, key, self.scopes)
                if symbol is None or symbol.type.base == "procedure":
                    keys = self._of_kind(self._through(designator, key, at), "function")
                    if keys and (symbol is not None or name in self.bound):
                        yield at, node, self._called(keys, args, at, key, designator)
            case Binary(op=op, left=left, right=right):
                yield from self._operator(op, (left, right), node, at, key)
            case Unary(op=op, operand=operand):
                yield from self._operator(op, (operand,), node, at, key)

    def _operator(self, op: str, operands: tuple[Expr, ...], node: Expr, at: Located, key: str) -> Iterator[Found]:
        keys = self._defining(f"operator({op})", operands, at, key)
        if keys:
            yield at, node, tuple((k, operands) for k in keys)

    def _through(self, designator: Component, key: str, at: Located) -> set[str]:
        """The procedures that a call through an object may mean: those that the object's type, or one that extends it,
        binds to the name; where that is not known all that any type binds to it, and all whose address is taken.
        """
        first = base_name(designator)
        plain = first is not None and first not in aliases_of(at)
        found = object_type(designator.base, key, self.scopes) if plain else None
        there = self.scopes.type_at_home(found[0].derived, found[1]) if found is not None else None
        if there is None:
            return self.bound.get(designator.name, set()) | self.taken
        slot = (there[0], there[1].name, designator.name)
        if slot not in self._by_type:
            self._by_type[slot] = self._bound_by(*slot)
        bound = self._by_type[slot]
        return bound if bound is not None else self.bound.get(designator.name, set()) | self.taken

    def _bound_by(self, home: str, derived: str, name: str) -> set[str] | None:
        """The procedures that a type and those that extend it bind to a name, a generic one too; None for a name that
        is none of their bindings.
        """
        types = (*self.scopes.lineage(derived, home), *self.scopes.extensions(derived, home))
        bindings = [(unit, *pair) for unit, kind in types for pair in kind.bindings]
        names = {name}
        while more := {target for _, bound, target in bindings if bound in names} - names:
            names |= more
        pairs = [(unit, target) for unit, bound, target in bindings if bound in names]
        return {k for unit, target in pairs for k in self.scopes.procedures(target, unit)} if pairs else None

    def _pointed(self, name: str, kind: str, args: tuple[Expr, ...], at: Located, key: str) -> tuple[Candidate, ...]:
        """The procedures that may be called by a dummy procedure or a procedure pointer with some arguments."""
        given: dict[str, tuple[Expr, ...]] = {}
        named = any(isinstance(a, Keyword) for a in args)
        interface = self.interfaces.of_variable(name, key, at) if named else None
        for k in self._of_kind(self.taken, kind):
            form = self._received(k, args, interface) if named else args
            if self._fits(k, form, key, at, ranks=False):
                given[k] = form
        return tuple(given.items())

    def _called(
        self, keys: tuple[str, ...], args: tuple[Expr, ...], at: Located, key: str, designator: Component
    ) -> tuple[Candidate, ...]:
        """The procedures that may be called through an object with some arguments, and which of them get the object
        before the ``%``, and where (Fortran 2018, 7.5.4.5: the first argument, or another that is named in ``pass``, or
        none). Procedures that are bound to a type have the names of arguments that those have which they override
        (7.5.7.3), others need not have those of the interface.
        """
        passed, ranks = designator.base, designator.name in self.overloaded
        first = next((n for n, arg in enumerate(args) if isinstance(arg, Keyword)), len(args))
        named = first < len(args)
        interface = self.interfaces.of_component(designator, key) if named else None
        bound = self.bound.get(designator.name, set())
        forms = [(*args[:place], passed, *args[place:]) for place in range(first + 1)]
        found: list[Candidate] = []
        known: Actuals = {}
        for k in keys:
            plain = not named or (interface is None and k in bound)
            tried = [*forms, args] if plain else [self._received(k, f, interface) for f in (*forms, args)]
            form = next((f for f in tried if self._fits(k, f, key, at, ranks, passed, known)), None)
            found += [(k, form)] if form is not None else []
        return tuple(found)

    def _received(self, called: str, args: tuple[Expr, ...], interface: tuple[str, ...] | None) -> tuple[Expr, ...]:
        """The arguments of a call with the names that the procedure has for them."""
        return corresponding(args, interface, self.application.routines[called].dummies)

    def _fits(
        self,
        called: str,
        args: tuple[Expr, ...],
        key: str,
        at: Located,
        ranks: bool,
        passed: Expr | None = None,
        known: Actuals | None = None,
    ) -> bool:
        """Whether a procedure may be called with some arguments. Those of which it is not known which they are tell by
        their number alone.
        """
        if any(isinstance(a, Keyword) and a.name == NO_NAME for a in args):
            return len(args) <= len(self.application.routines[called].dummies)
        return self.generics.fits(called, args, key, at, ranks, passed, known) is not False

    def _defining(
        self,
        name: str,
        operands: tuple[Expr, ...],
        at: Located,
        key: str,
        of: list[Typed | None] | None = None,
    ) -> tuple[str, ...]:
        """The procedures that may define an operator or the assignment for some operands: what the operands are is all
        that counts (``of``, where that is known already), and most are of few intrinsic types.
        """
        if name not in self.defined:
            return ()
        types = of or [self.operand(operand, at, key) for operand in operands]
        slot = (name, *types) if all(t is None or t.derived is None for t in types) else None
        if slot is not None and slot in self._defining_for:
            return self._defining_for[slot]
        known = {id(operand): typed for operand, typed in zip(operands, types, strict=True)}
        fits = self.generics.fitting(sorted(self.defined[name]), operands, key, at, known=known)
        found = tuple(k for k, fit in fits.items() if fit is not False)
        if slot is not None:
            self._defining_for[slot] = found
        return found

    def operand(self, value: Expr, at: Located, key: str) -> Typed | None:
        """What an operand is; None where nothing is known."""
        return self.generics.actual(value, key, at) or self._operated(value, at, key)

    def _operated(self, value: Expr, at: Located, key: str) -> Typed | None:
        """What an expression is whose operator the program defines for objects; None where that is not known."""
        match value:
            case Paren(inner=inner):
                return self._operated(inner, at, key)
            case Binary(op=op, left=left, right=right):
                operands: tuple[Expr, ...] = (left, right)
            case Unary(op=op, operand=operand):
                operands = (operand,)
            case _:
                return None
        types = [self.operand(operand, at, key) for operand in operands]
        if not any(t is not None and t.derived is not None for t in types):
            return None
        keys = self._defining(f"operator({op})", operands, at, key, types)
        results = [self.generics.types.result(self.application.routines[k]) for k in keys]
        return results[0] if results and all(r == results[0] for r in results) else None

    def _function_variable(self, name: str, key: str, at: Located) -> bool:
        if (own := declared_in_block(name, at)) is not None:
            return own.type.base == "procedure"
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

    def _of_kind(self, keys: set[str], kind: str) -> tuple[str, ...]:
        routines = self.application.routines
        return tuple(sorted(k for k in keys if k in routines and routines[k].kind == kind))


def _given(read: tuple[Calling, ...]) -> Iterator[Expr]:
    """What may be the name of a procedure whose address is taken: arguments, and targets of pointers."""
    for at, nodes in read:
        if isinstance(at.statement, Assignment) and at.statement.pointer:
            yield at.statement.value
        references = (node.args for node in nodes if isinstance(node, Apply))
        called = (at.statement.args,) if isinstance(at.statement, Call) else ()
        for args in (*called, *references):
            yield from (a.value if isinstance(a, Keyword) else a for a in args)
