"""The scope in which one kernel or device routine is printed: its variables, constants and helpers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from math import prod
from typing import Protocol

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.sizes import constant
from hfpy.backends.c.dialect import CUDA, Dialect
from hfpy.backends.c.expressions import Expressions
from hfpy.backends.c.intrinsics import convert
from hfpy.backends.c.rearranged import counted_by
from hfpy.backends.c.values import CannotPrint, CVariable, Follows, Refusals, Space, c_name, c_type
from hfpy.backends.refused import INTERNAL
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, ImpliedDo, Name, walk
from hfpy.model.extents import Dim
from hfpy.model.kernel import Slot
from hfpy.model.names import Names
from hfpy.model.scalars import Scalar
from hfpy.parse.declarations.declarations import stated_type
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.values import dataclass

#: A value of an array constructor, with the values of the variables of implied loops around it.
Turn = tuple[Expr, Mapping[str, CVariable]]
#: A device routine's key, and where each argument lies that it gets by its address.
Instance = tuple[str, tuple[Space, ...]]
_MOST_TURNS = 4096


class DeviceRoutines(Protocol):
    """What a body asks about the routines it calls."""

    facts: Facts

    def reached(self, keys: set[str]) -> list[str]:
        """The routines and all that they call, callees first."""

    def name(self, key: str) -> str:
        """The C name of a device routine."""

    def globals(self, key: str) -> tuple[Found, ...]:
        """The variables of modules and common blocks that a device routine, or one it calls, names: its further
        arguments.
        """

    def slot(self, found: Found) -> Slot:
        """The key of a variable of another unit or a common block, the same in a kernel and in all routines below."""

    def by_value(self, key: str, dummy: str) -> bool:
        """Whether a scalar dummy is passed by value (it is never written)."""

    def result_type(self, key: str) -> Scalar | None:
        """The type of a function's value."""

    def needs_space(self, key: str) -> bool:
        """Whether a routine needs a part of the kernel's workspace."""

    def scratch(self, key: str) -> tuple[Scratch, ...]:
        """The room that a routine's own array statements need."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Room for the values of an array statement that reads other elements of the array it sets.

    ``name`` is the array's, ``extents`` are those of its dimensions ``dimensions`` as C text.
    """

    name: str
    text: str
    type: Scalar
    dimensions: tuple[int, ...]
    extents: tuple[str, ...]

    @property
    def variable(self) -> CVariable:
        """It as an array whose indices count from zero."""
        lower, upper = ("0",) * len(self.extents), tuple(f"{e} - 1" for e in self.extents)
        storage = tuple(range(len(self.extents)))
        return CVariable(self.text, self.type, lower, upper, storage, data=f"{self.text}_data", space="global")


@dataclass
class Body:
    """Everything that the printers of one body share.

    ``variables`` are those of the routine ``key`` by Fortran name, ``globals`` module variables by home and name,
    ``turns`` variables of implied loops in values of constants of other units. Constants (with those that each needs),
    those asked for, temporaries and the lines to be before the current statement are collected on the way, and what is
    refused. ``names`` are those of hfpy's own in the body's scope.
    ``calls`` are the device routines that are called, with where their arguments lie.
    """

    facts: Facts
    effects: Effects
    kinds: Kinds
    key: str
    device: DeviceRoutines
    refusals: Refusals
    variables: Mapping[str, CVariable] = field(default_factory=dict)
    globals: Mapping[Slot, CVariable] = field(default_factory=dict)
    turns: Mapping[Slot, CVariable] = field(default_factory=dict)
    constants: dict[Slot, tuple[CVariable, list[str], set[Slot]]] = field(default_factory=dict)
    asked: set[Slot] = field(default_factory=set)
    temporaries: list[tuple[str, str]] = field(default_factory=list)
    prelude: list[str] = field(default_factory=list)
    scratch: list[Scratch] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    elements: bool = True
    dialect: Dialect = CUDA
    calls: list[Instance] = field(default_factory=list)

    def variable(self, name: str, key: str) -> CVariable | None:
        """What a name means; None for procedures and names that are unknown. Raises Follows for one that is refused."""
        if key == self.key and name in self.refusals.names:
            raise Follows(f"'{name}'")
        if key == self.key and name in self.variables:
            return self.variables[name]
        if (key, name) in self.turns:
            return self.turns[key, name]
        found = self.facts.scopes.variable(name, key)
        if found is None:
            return None
        if found.symbol.constant:
            return self._constant(found)
        slot = self.device.slot(found)
        if slot in self.refusals.names:
            raise Follows(f"'{name}'")
        return self.globals.get(slot)

    def is_scalar_constant(self, name: str, key: str) -> bool:
        """Whether a name means a named constant that is no array. Asking does not declare it, as ``variable`` does:
        many are kinds, which C has no use for.
        """
        if key == self.key and (name in self.refusals.names or name in self.variables):
            return False
        found = self.facts.scopes.variable(name, key)
        return found is not None and found.symbol.constant and not found.symbol.rank

    def with_variables(self, more: Mapping[str, CVariable], key: str) -> Body:
        """The same body with further variables of a unit, sharing what is collected."""
        if key == self.key:
            return replace(self, variables={**self.variables, **more})
        return replace(self, turns={**self.turns, **{(key, name): variable for name, variable in more.items()}})

    def iterator(self, name: str) -> str:
        """A loop variable of the region as C text."""
        variable = self.variables.get(name)
        return variable.text if variable is not None else c_name(name)

    def global_text(self, found: Found) -> str:
        """A variable of a module or a common block as an argument of a device routine."""
        variable = self.globals.get(self.device.slot(found))
        if self.device.slot(found) in self.refusals.names:
            raise Follows(f"the module variable '{found.symbol.name}'")
        if variable is None:
            owner = self.facts.routine(found.home)
            if owner.kind in ("subroutine", "function"):
                what = f"'{found.symbol.name}' of '{owner.name}', which an internal procedure uses,"
                raise CannotPrint(what, hint=INTERNAL)
            raise CannotPrint(f"the module variable '{found.symbol.name}'")
        return self.dialect.whole(variable) if variable.rank else variable.text

    def global_space(self, found: Found) -> Space | None:
        """Where such a variable lies that a device routine gets by its address."""
        variable = self.globals.get(self.device.slot(found))
        return variable.space if variable is not None and variable.rank else None

    def temporary(self, ctype: str, stem: str, count: int = 0) -> str:
        """A new variable for intermediate results, declared where the body begins; an array if there is a count."""
        name = f"{stem}{len(self.temporaries) + 1}"
        self.temporaries.append((ctype, f"{name}[{count}]" if count else name))
        return name

    # -- calls

    def callee(self, expr: Expr, key: str, at: Located | None) -> CallSite | None:
        """The call of a routine with source that a function reference or ``call`` is."""
        if at is None:
            return None
        place = (at.statement.line.key, expr.start, expr.end)
        for site in self.facts.graph.sites.get(key, ()):
            if (site.at.statement.line.key, site.node.start, site.node.end) == place and site.callee:
                return site
        return None

    def elemental(self, expr: Expr, key: str, at: Located | None) -> bool:
        """Whether a function reference means an elemental function of the program."""
        site = self.callee(expr, key, at)
        return site is not None and "elemental" in self.facts.routine(site.callee).prefix

    def statement_function(self, name: str, key: str) -> tuple[tuple[str, ...], Expr] | None:
        """Dummies and expression of a statement function."""
        for defined, dummies, value, _ in self.facts.routine(key).spec.statement_functions:
            if defined == name:
                return dummies, value
        return None

    # -- named constants

    def _constant(self, found: Found) -> CVariable:
        slot = (found.home, found.symbol.name)
        if slot not in self.constants:
            inner = replace(self, asked=set())
            made = (*inner._new_constant(found), inner.asked)
            self.constants.pop(slot, None)  # those that it needs come before it
            self.constants[slot] = made
        variable, _, needed = self.constants[slot]
        self.asked.update({slot, *needed})
        return variable

    def _new_constant(self, found: Found) -> tuple[CVariable, list[str]]:
        symbol = found.symbol
        scalar = self.kinds.scalar(symbol.type, found.home)
        if scalar is None or symbol.initial is None:
            raise CannotPrint(f"the named constant '{symbol.name}'")
        name = c_name(symbol.name)
        if name in {v.text for v, _, _ in self.constants.values()} | {v.text for v in self.variables.values()}:
            name = f"{name}_of_{self.facts.routine(found.home).name}"
        initial = expanded(symbol.initial, self.facts.application.macros_of(found.home)).expr
        if symbol.rank:
            return self._constant_array(found, name, scalar, initial)
        if scalar.base == "integer" and (value := self.kinds.value(initial, found.home)) is not None:
            return CVariable(name, scalar), [f"const {c_type(scalar)} {name} = {value};"]
        made = self._to_come(found, CVariable(name, scalar))
        shown = convert(self.dialect, Expressions(self, found.home, None).print(initial), scalar)
        return made, [f"const {c_type(scalar)} {name} = {shown.text};"]

    def _to_come(self, found: Found, made: CVariable) -> CVariable:
        """A constant whose value may ask what is declared of itself, as in ``4*epsilon(eps)``."""
        self.constants[found.home, found.symbol.name] = (made, [], set())
        return made

    def _constant_array(self, found: Found, name: str, scalar: Scalar, initial: Expr) -> tuple[CVariable, list[str]]:
        symbol = found.symbol
        items, sizes = self._constant_items(found, initial)
        lower, upper = [], []
        for dim, size in zip(symbol.shape, sizes, strict=True):
            first = constant((dim.lower or ONE).expr)
            lower.append((dim.lower or ONE).text)
            upper.append(f"{first + size - 1}" if first is not None else dim.upper.text if dim.upper else "")
        storage = tuple(range(symbol.rank))
        made = CVariable(name, scalar, tuple(lower), tuple(upper), storage, data=f"{name}_data")
        printer = Expressions(self, found.home, None)
        self._to_come(found, made)
        stated = self._stated(initial, found.home)
        shown = [printer.within(turn).print(item) for item, turn in items]
        shown = [convert(self.dialect, value, stated) for value in shown] if stated is not None else shown
        values = ", ".join(convert(self.dialect, value, scalar).text for value in shown)
        lines = [f"const {c_type(scalar)} {name}_data[] = {{{values}}};"]
        return made, [*lines, *self.dialect.view(made, symbol.name, True, made.data)]

    def _stated(self, initial: Expr, home: str) -> Scalar | None:
        """The type that the constructor of an array names, to which its values are converted first."""
        listed = next((n for n in walk(initial) if isinstance(n, ArrayConstructor)), None)
        spec = listed.type_spec if listed is not None else ""
        return self.kinds.scalar(stated_type(spec), home) if spec else None

    def _constant_items(self, found: Found, initial: Expr) -> tuple[list[Turn], list[int]]:
        """The values of an array of constants in their order, and its extents."""
        symbol = found.symbol
        reshaped = isinstance(initial, Apply) and isinstance(initial.base, Name) and initial.base.name == "reshape"
        listed = initial.args[0] if reshaped and isinstance(initial, Apply) and len(initial.args) == 2 else initial
        sizes = [self._constant_size(dim, found.home) for dim in symbol.shape]
        given = listed.items if isinstance(listed, ArrayConstructor) else ()
        items = [turn for item in given for turn in self._turns(item, found.home, {})]
        if symbol.rank == 1 and items:
            return items, [len(items)]
        count = prod(size for size in sizes if size is not None)
        if None in sizes or len(items) != count or not items:
            raise CannotPrint(f"the array of constants '{symbol.name}'")
        return items, [size for size in sizes if size is not None]

    def _turns(self, item: Expr, home: str, known: Mapping[str, CVariable]) -> list[Turn]:
        """A value of a constructor, or those of an implied loop, each with the values of the loop's variables."""
        if not isinstance(item, ImpliedDo):
            return [(item, known)]
        ends = [self.kinds.value(bound, home) for bound in item.bounds]
        first, last, step = ends[0], ends[1], ends[2] if len(ends) > 2 else 1
        if first is None or last is None or not step or abs(last - first) > _MOST_TURNS:
            raise CannotPrint("an implied loop whose bounds are no constants", item.start, item.end)
        found: list[Turn] = []
        for value in range(first, last + (1 if step > 0 else -1), step):
            text = str(value) if value >= 0 else f"({value})"
            inner = {**known, item.var: counted_by(self.kinds, home, item, text)}
            found += [turn for part in item.items for turn in self._turns(part, home, inner)]
        return found

    def _constant_size(self, dim: Dim, home: str) -> int | None:
        upper = self.kinds.value(dim.upper.expr, home) if dim.upper is not None else None
        lower = self.kinds.value((dim.lower or ONE).expr, home)
        return upper - lower + 1 if upper is not None and lower is not None else None

    def constant_lines(self, wanted: Collection[Slot] | None = None) -> list[str]:
        """The definitions of all constants that were named, or of those that are wanted."""
        slots = self.constants if wanted is None else [s for s in self.constants if s in wanted]
        return [line for slot in slots for line in self.constants[slot][1]]
