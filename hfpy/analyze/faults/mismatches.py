"""Calls whose arguments do not fit: in number, keyword, type, kind or rank (Fortran 2018, 15.5.2); ``intent(in)``
arguments that are written (8.5.10).

Only calls with an explicit interface are looked at, that is of procedures of modules and internal ones, and only where
name, type and shape of both sides are certain. Of calls of other procedures the number of arguments is counted, though
compilers accept another one with their options for old code.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import argument_problem, dummy_name
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.types import component, has_vector
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.diagnostics import Diagnostic, Place, Related, error, warning
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, Paren, Range, Unary
from hfpy.model.statements import InputOutput
from hfpy.model.units import FType, Routine, Symbol
from hfpy.parse.outside import any_kind_fits
from hfpy.values import dataclass

_INTRINSIC = frozenset({"integer", "real", "complex", "logical", "character"})
_COUNTED = "the routine finds anything in the place of an argument that is missing"
_NUMERIC = frozenset({"integer", "real", "complex"})


@dataclass(frozen=True)
class _Actual:
    """What is certain of an actual argument: its base type, bytes (None: unknown), rank (None: unknown), whether its
    type is of the default kind, and whether it is one element of an array.
    """

    base: str
    bytes: int | None = None
    rank: int | None = None
    default: bool = False
    element: bool = False


class Mismatches:
    """Finds them. ``kinds_known`` tells that the sizes of types without a kind are those that the options say."""

    def __init__(self, facts: Facts, effects: Effects, kinds_known: bool) -> None:
        self.facts = facts
        self.effects = effects
        self.scopes = facts.scopes
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.kinds_known = kinds_known

    # -- arguments against dummies

    def found(self) -> Iterator[Diagnostic]:
        """One error for each argument that does not fit."""
        for key in self.facts.graph.with_statements():
            for site in self.facts.graph.sites[key]:
                if site.at.statement.line.file or not self.facts.live(site.at, key):
                    continue
                routine = self._explicit(site)
                if routine is None:
                    yield from self._counted(site)
                    continue
                problem = argument_problem(site, routine)
                if problem is None:
                    yield from self._arguments(site, routine)
                elif not self.facts.application.file(key).hybrid:  # others: hfpy.analyze.calls
                    place = self._place(site, site.node)
                    yield error("HF400", problem, place, "", [Related(routine.place(), f"'{routine.name}'")])

    def _explicit(self, site: CallSite) -> Routine | None:
        """The routine that a call certainly means, if the caller knows its interface."""
        routine = self.facts.application.routines.get(site.callee)
        if routine is None or not routine.host or routine.kind not in ("subroutine", "function"):
            return None
        return routine if self.scopes.procedures(site.name, site.caller) == (site.callee,) else None

    def _counted(self, site: CallSite) -> Iterator[Diagnostic]:
        """A warning for another number of arguments than a procedure outside of modules has."""
        routine = self.facts.application.routines.get(site.callee)
        caller = self.facts.routine(site.caller)
        if routine is None or routine.host or routine.kind not in ("subroutine", "function") or site.chosen:
            return
        if self.facts.application.file(site.caller).hybrid or self._otherwise_known(site.name, caller):
            return
        problem = argument_problem(site, routine)
        if problem is not None:
            related = [Related(routine.place(), f"'{routine.name}' is defined here")]
            yield warning("HF400", problem, self._place(site, site.node), _COUNTED, related)

    def _otherwise_known(self, name: str, routine: Routine) -> bool:
        """Whether a routine or a host of it says by an interface, or as a dummy procedure, what a name is."""
        current: Routine | None = routine
        while current is not None:
            if name in current.dummies or any(name in (i.name, *i.bodies) for i in current.spec.interfaces):
                return True
            current = self.facts.application.routines.get(current.host)
        return f"::{name}" not in self.facts.application.units

    def _place(self, site: CallSite, node: Expr) -> Place:
        return site.at.statement.line.place(self.facts.routine(site.caller).file, node.start, node.end)

    def _arguments(self, site: CallSite, routine: Routine) -> Iterator[Diagnostic]:
        for number, given in enumerate(site.args):
            name = dummy_name(self.facts, site, given.name if isinstance(given, Keyword) else number)
            value = given.value if isinstance(given, Keyword) else given
            dummy = routine.spec.symbols.get(name) if name is not None else None
            actual = self._actual(value, site)
            if dummy is None or actual is None or dummy.attributes & {"external", "intrinsic"}:
                continue
            problem = self._type_problem(actual, dummy, routine) or self._rank_problem(actual, dummy, site, routine)
            if problem and not any_kind_fits(self.facts.application.file(routine.key)):
                line = dummy.line or routine.header
                related = [Related(line.place(routine.file, *dummy.name_span), f"'{dummy.name}' is declared here")]
                message = f"{problem} for the argument '{dummy.name}' of '{routine.name}'"
                yield error("HF251", message, self._place(site, value), "", related)

    def _type_problem(self, actual: _Actual, dummy: Symbol, routine: Routine) -> str:
        base = dummy.type.base
        if base not in _INTRINSIC:
            plain = base == "type" and dummy.type.derived not in ("*", *_INTRINSIC) and actual.base in _INTRINSIC
            return f"a value of type {actual.base}, where type({dummy.type.derived}) is wanted," if plain else ""
        if actual.base != base:
            return f"a value of type {actual.base}, where {base} is wanted,"
        wanted = self.kinds.scalar(dummy.type, routine.key)
        if base == "character" or wanted is None or actual.bytes is None or wanted.bytes == actual.bytes:
            return ""
        if not self.kinds_known and (actual.default or dummy.type.kind is None):
            return ""
        return f"{base}({actual.bytes}), where {base}({wanted.bytes}) is wanted,"

    def _rank_problem(self, actual: _Actual, dummy: Symbol, site: CallSite, routine: Routine) -> str:
        """Ranks that do not fit. Where domains of regions play a role, ranks are those that hfpy gives."""
        if actual.rank is None or dummy.type.base == "character" or "elemental" in routine.prefix:
            return ""
        if not self._plain_ranks(site.caller, site) or not self._plain_ranks(routine.key):
            return ""
        if any(d.form not in ("explicit", "assumed", "deferred", "star") or d.text == ".." for d in dummy.shape):
            return ""
        as_declared = any(d.form in ("assumed", "deferred") for d in dummy.shape)
        fits = actual.rank == dummy.rank
        if dummy.rank and not as_declared:
            fits = actual.rank > 0 or actual.element  # elements go over in their order (15.5.2.11)
        return "" if fits else f"{_rank(actual.rank)}, where {_rank(dummy.rank)} is wanted,"

    def _plain_ranks(self, key: str, site: CallSite | None = None) -> bool:
        """Whether hfpy changes no rank in a routine."""
        above = self.facts.positions.get(key).above
        return not (self.facts.routine(key).spec.dependants or above or (site is not None and site.at.regions))

    # -- what an actual argument is

    def _actual(self, expr: Expr, site: CallSite) -> _Actual | None:
        match expr:
            case Literal(kind="char"):
                return _Actual("character", 1, 0)
            case Literal(kind="int" | "real" | "logical"):
                scalar = self.kinds.literal(expr, site.caller)
                return (
                    _Actual(scalar.base, scalar.bytes, 0, not (expr.parameter or expr.double or expr.quad))
                    if scalar
                    else None
                )
            case Paren(inner=inner):
                return self._actual(inner, site)
            case Unary(op="-" | "+", operand=operand):
                found = self._actual(operand, site)
                return found if found is not None and found.base in _NUMERIC else None
            case Name() | Apply(base=Name()):
                return self._variable(expr, site)
            case Component():
                symbol = component(expr, site.caller, self.scopes)
                known = symbol is not None and symbol.type.base in _INTRINSIC
                return _Actual(symbol.type.base) if symbol is not None and known else None
        return None

    def _variable(self, expr: Expr, site: CallSite) -> _Actual | None:
        name = expr.base if isinstance(expr, Apply) else expr
        assert isinstance(name, Name)
        found = self.scopes.variable(name.name, site.caller)
        if found is None or name.name in aliases_of(site.at) or self._a_macro(name.name, site.caller):
            return None
        symbol, ftype = found.symbol, found.symbol.type
        if ftype.base not in (*_INTRINSIC, "type") or symbol.attributes & {"external", "intrinsic", "procedure"}:
            return None
        if self._is_function(name.name, site.caller) or not symbol.line:
            return None
        data = self.facts.object(name.name, site.caller)
        rank: int | None = symbol.rank if data is not None and data.rank == symbol.rank else None
        if isinstance(expr, Apply):
            if not symbol.rank and ftype.base != "character":
                return None  # a reference of a function
            fitting = len(expr.args) == symbol.rank and not any(self._vector(a, site.caller) for a in expr.args)
            rank = sum(isinstance(a, Range) for a in expr.args) if fitting and rank is not None else None
        scalar = self._scalar(ftype, found.home)
        element = isinstance(expr, Apply) and symbol.rank > 0
        base = "type" if ftype.base == "type" else ftype.base
        return _Actual(base, scalar, rank, ftype.default, element)

    def _vector(self, index: Expr, key: str) -> bool:
        return not isinstance(index, Range) and has_vector(index, key, self.scopes)

    def _scalar(self, ftype: FType, home: str) -> int | None:
        scalar = self.kinds.scalar(ftype, home)
        return scalar.bytes if scalar is not None else None

    def _is_function(self, name: str, key: str) -> bool:
        """Whether a name is that of a function around: its result, or a call of it."""
        current: Routine | None = self.facts.routine(key)
        while current is not None:
            if current.kind == "function" and name in (current.name, current.result):
                return True
            current = self.facts.application.routines.get(current.host)
        return bool(self.scopes.procedures(name, key))

    def _a_macro(self, name: str, key: str) -> bool:
        application = self.facts.application
        return name in {m.lower() for m in (*application.macros_of(key), *application.file(key).macros)}

    # -- intent(in)

    def written(self) -> Iterator[Diagnostic]:
        """One error for each statement that writes an ``intent(in)`` argument."""
        for key in self.facts.graph.with_statements():
            routine = self.facts.routine(key)
            inputs = {
                s.name: s for s in routine.spec.symbols.values() if s.intent == "in" and s.name in routine.dummies
            }
            for reference in self.facts.references[key] if inputs else ():
                dummy = inputs.get(reference.name)
                if dummy is None or "pointer" in dummy.attributes or reference.at.statement.line.file:
                    continue
                if not self.facts.live(reference.at, key) or reference.name in aliases_of(reference.at):
                    continue
                how = self._how(reference, key)
                if how and not self._a_macro(reference.name, key):
                    node = reference.node
                    place = reference.at.statement.line.place(routine.file, node.start, node.end)
                    line = dummy.line or routine.header
                    related = [Related(line.place(routine.file, *dummy.name_span), f"'{dummy.name}' is declared here")]
                    yield error("HF252", f"'{dummy.name}' is intent(in), and {how}", place, "", related)

    def _how(self, reference: Reference, key: str) -> str:
        """How a reference changes a dummy; empty if it does not, or perhaps not."""
        statement = reference.at.statement
        if reference.component or (isinstance(statement, InputOutput) and statement.kind == "inquire"):
            return (
                ""  # a pointer on the way may lead out of the object; what is asked for is not known from the answers
            )
        if reference.writes or reference.role == "allocate":
            return {"input": "read into", "allocate": "allocated or freed"}.get(reference.role, "set here")
        site = self.effects.site(reference, key) if reference.role == "argument" else None
        routine = self._explicit(site) if site is not None else None
        if site is None or routine is None:
            return ""
        name = dummy_name(self.facts, site, reference.position)
        dummy = routine.spec.symbols.get(name) if name is not None else None
        if dummy is None or dummy.intent not in ("out", "inout") or "pointer" in dummy.attributes:
            return ""
        return f"passed as '{dummy.name}' of '{routine.name}', which is intent({dummy.intent})"


def _rank(number: int) -> str:
    return f"an array of {number} dimension{'s' if number > 1 else ''}" if number else "a scalar"
