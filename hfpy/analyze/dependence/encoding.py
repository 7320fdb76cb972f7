"""Forms as linear constraints over generated names, which is what isl takes.

What is not linear gets a dimension of its own: a quotient with the constraints that make it one, a value of an unknown
function as it is. That equal arguments give equal values is left out here and added where a point violates it
(:mod:`congruence`), since few pairs of values matter. All names come from one counter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hfpy.analyze.dependence.forms import (
    Application,
    Atom,
    Extreme,
    Form,
    Index,
    Monomial,
    Parameter,
    Quotient,
    Remainder,
    atom,
    options,
)
from hfpy.analyze.dependence.model import Access, Compare, Condition, Every, Loop, Section
from hfpy.analyze.dependence.sets import System
from hfpy.values import dataclass

Scope = Mapping[Index, str]


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of names with factors, and a constant."""

    terms: tuple[tuple[str, int], ...]
    constant: int

    def text(self) -> str:
        """The sum in isl's notation."""
        first, *rest = (*((c, n) for n, c in self.terms), (self.constant, ""))
        return f"{first[0]}{first[1]}" + "".join(f" {'-' if c < 0 else '+'} {abs(c)}{n}" for c, n in rest)

    def value(self, point: Mapping[str, int]) -> int:
        """Its value at a point."""
        return self.constant + sum(c * point[n] for n, c in self.terms)

    def names(self) -> set[str]:
        """The names in it."""
        return {n for n, _ in self.terms}


@dataclass(frozen=True, slots=True)
class Applied:
    """One value of an unknown function: its arguments, and the dimension that holds it."""

    function: Application
    args: tuple[Linear, ...]
    name: str


class Encoding:
    """Collects the names and constraints of one question.

    ``inside`` is the encoding of what surrounds a part that is to be taken away (:meth:`part`).
    """

    def __init__(self, inside: Encoding | None = None) -> None:
        self.inside = inside
        self.root: Encoding = inside.root if inside else self
        self.parameters: dict[Monomial, str] = {}
        self.dimensions: list[str] = []
        self.constraints: list[str] = []
        self.applied: list[Applied] = []
        self.approximate = False
        self.products: set[Monomial] = set()
        self._helpers: dict[tuple[object, ...], str] = {}
        self._count = 0

    def part(self) -> Encoding:
        """An encoding of something whose dimensions are its own, within this one's names."""
        return Encoding(self)

    def copy(self) -> Encoding:
        """The same collection, to which something may be added that the other does not get."""
        other = Encoding()
        other.parameters, other._helpers = dict(self.parameters), dict(self._helpers)
        other.dimensions, other.constraints = list(self.dimensions), list(self.constraints)
        other.applied, other.products = list(self.applied), set(self.products)
        other._count = self._count
        return other

    def fresh(self, kind: str) -> str:
        """A name that nothing else has."""
        self.root._count += 1
        return f"{kind}{self.root._count}"

    def system(self, extra: Iterable[str] = ()) -> System:
        """Everything collected, with more constraints."""
        return System(tuple(self.parameters.values()), tuple(self.dimensions), tuple(self.constraints), tuple(extra))

    def dimension(self) -> str:
        """A new dimension."""
        name = self.fresh("d")
        self.dimensions.append(name)
        return name

    def parameter(self, monomial: Monomial) -> str:
        """The name of a parameter, or of a product of parameters."""
        names = self.root.parameters
        if monomial not in names:
            names[monomial] = self.fresh("p")
        return names[monomial]

    # -- forms

    def linear(self, form: Form, scope: Scope) -> Linear:
        """A form as a sum of names."""
        found: dict[str, int] = {}
        constant = 0
        for monomial, factor in form.terms:
            if not monomial:
                constant = factor
                continue
            name = self._name(monomial, scope)
            found[name] = found.get(name, 0) + factor
        return Linear(tuple(sorted((n, c) for n, c in found.items() if c)), constant)

    def _name(self, monomial: Monomial, scope: Scope) -> str:
        if all(isinstance(a, Parameter) for a in monomial):
            return self.parameter(monomial)
        if len(monomial) == 1:
            return self._atom(monomial[0], scope)
        self.root.products.add(monomial)
        return self._atom(Application("*", tuple(atom(a) for a in monomial)), scope)

    def _atom(self, item: Atom, scope: Scope) -> str:
        match item:
            case Index():
                return scope[item]
            case Application():
                return self.value(item, tuple(self.linear(a, scope) for a in item.args))
            case Quotient(of=of, by=by):
                return self._division("quotient", self.linear(of, scope), by)
            case Remainder(of=of, by=by):
                return self._division("remainder", self.linear(of, scope), by)
            case Extreme(kind=kind, of=forms):
                return self._extreme(kind, tuple(self.linear(f, scope) for f in forms))
        return self.parameter((item,))

    def _division(self, kind: str, whole: Linear, by: int) -> str:
        """Fortran cuts towards zero: one case for each sign."""
        if self.inside is not None and not self._own(whole):
            return self.inside._division(kind, whole, by)
        key = ("quotient", whole, by)
        if key not in self._helpers:
            name = self._helpers[key] = self.dimension()
            e = whole.text()
            up = f"({e} >= 0 and {by}{name} <= {e} and {e} < {by}{name} + {by})"
            down = f"({e} < 0 and {by}{name} >= {e} and {e} > {by}{name} - {by})"
            self.constraints.append(f"({up} or {down})")
        if kind == "quotient":
            return self._helpers[key]
        rest = ("remainder", whole, by)
        if rest not in self._helpers:
            self._helpers[rest] = self.dimension()
            self.constraints.append(f"{self._helpers[rest]} = {whole.text()} - {by}{self._helpers[key]}")
        return self._helpers[rest]

    def _extreme(self, kind: str, wholes: tuple[Linear, ...]) -> str:
        if self.inside is not None and not any(self._own(w) for w in wholes):
            return self.inside._extreme(kind, wholes)
        key = (kind, wholes)
        if key not in self._helpers:
            name = self._helpers[key] = self.dimension()
            op = "<=" if kind == "min" else ">="
            self.constraints.append("(" + " or ".join(f"{name} = {w.text()}" for w in wholes) + ")")
            self.constraints += [f"{name} {op} {w.text()}" for w in wholes]
        return self._helpers[key]

    def value(self, item: Application, args: tuple[Linear, ...]) -> str:
        """The dimension that holds a function's value for some arguments."""
        if self.inside is not None and not any(self._own(a) for a in args):
            return self.inside.value(item, args)
        key = (item.name, item.truth, args)
        if key not in self._helpers:
            name = self._helpers[key] = self.dimension()
            self.applied.append(Applied(item, args, name))
            if item.truth:
                self.constraints.append(f"0 <= {name} <= 1")
        return self._helpers[key]

    def _own(self, linear: Linear) -> bool:
        """Whether a sum has a dimension of this part."""
        return not linear.names().isdisjoint(self.dimensions)

    # -- conditions and loops

    def condition(self, condition: Condition, scope: Scope) -> str:
        """A condition as text."""
        if isinstance(condition, Compare):
            return f"{self.linear(condition.form, scope).text()} {condition.op} 0"
        word = " and " if isinstance(condition, Every) else " or "
        if not condition.of:
            return "1 = 1" if isinstance(condition, Every) else "1 = 0"
        return "(" + word.join(self.condition(c, scope) for c in condition.of) + ")"

    def assume(self, condition: Condition, scope: Scope) -> None:
        """Add a condition."""
        self.constraints.append(self.condition(condition, scope))

    def loop(self, loop: Loop, name: str, scope: Scope) -> None:
        """Add the bounds of a loop whose variable has a name."""
        step = loop.step.constant
        if step is None:
            self.approximate = True
        down = step is not None and step < 0
        low, high = (loop.upper, loop.lower) if down else (loop.lower, loop.upper)
        self.constraints += [f"{self.linear(f, scope).text()} <= {name}" for f in options(low, "max")]
        self.constraints += [f"{name} <= {self.linear(f, scope).text()}" for f in options(high, "min")]
        if step is not None and abs(step) > 1:
            self.constraints.append(f"{name} = {self.linear(loop.lower, scope).text()} + {step}{self.dimension()}")

    def instance(self, access: Access, scope: dict[Index, str], guards: tuple[Condition, ...]) -> Scope:
        """Add the loops and conditions of an access; indices that ``scope`` has already are shared."""
        for loop in access.at.loops:
            if loop.index in scope:
                continue
            name = self.dimension()
            self.loop(loop, name, scope)
            scope[loop.index] = name
        for guard in guards:
            self.assume(guard, scope)
        return scope

    def section(self, section: Section, scope: Scope) -> Linear:
        """A new dimension that takes every place of a section."""
        name = self.dimension()
        step = section.step
        low = self.linear(section.lower, scope).text() if section.lower is not None else ""
        high = self.linear(section.upper, scope).text() if section.upper is not None else ""
        first = low
        if step < 0:
            low, high = high, low
        if low:
            self.constraints.append(f"{low} <= {name}")
        if high:
            self.constraints.append(f"{name} <= {high}")
        if abs(step) > 1:
            if first:
                self.constraints.append(f"{name} = {first} + {step}{self.dimension()}")
            else:
                self.approximate = True
        return Linear(((name, 1),), 0)
