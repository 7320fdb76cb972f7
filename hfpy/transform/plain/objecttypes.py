"""What objects consist of, in plain form: components at any depth that are numbers or arrays of numbers."""

from __future__ import annotations

from dataclasses import replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.model.expressions import (
    Apply,
    Component,
    Expr,
    Name,
    Range,
    base_name,
    walk,
)
from hfpy.model.units import DerivedType, Symbol
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.constantvalues import ConstantValues
from hfpy.values import dataclass

Path = tuple[str, ...]
BASES = ("real", "integer", "logical", "complex")


@dataclass(frozen=True)
class Leaf:
    """A component that is a number or an array of numbers: the names that lead to it, its declaration, and its value at
    the beginning (None: it has one that is not known).
    """

    path: Path
    declared: str
    initial: str | None = ""
    array: bool = False


class ObjectTypes:
    """What objects consist of."""

    def __init__(self, facts: Facts, key: str) -> None:
        self.facts = facts
        self.key = key
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)

    def leaves(self, derived: str, key: str) -> list[Leaf] | None:
        """The components of a type, and of those of derived type theirs; None where there are other ones."""
        there = self.facts.scopes.type_at_home(derived, key)
        if there is None or there[1].extends or there[1].finals:
            return None
        found: list[Leaf] = []
        for component in there[1].components:
            made = self._of_component(component, there[0], there[1])
            if made is None:
                return None
            found += made
        return found

    def defaults(self, derived: str, key: str) -> list[Leaf] | None:
        """The components, at any depth, to which a type gives values: a dummy with ``intent(out)`` has them at the
        beginning (Fortran 2018, 8.5.10). None where these are not known, or where more is done to such a dummy:
        allocatable components are deallocated, final procedures are called.
        """
        found: list[Leaf] = []
        lineage = self.facts.scopes.lineage(derived, key)
        for home, definition in lineage:
            made = None if definition.finals else self._defaults_of(definition, home)
            if made is None:
                return None
            found += made
        return found if lineage else None

    def _defaults_of(self, definition: DerivedType, home: str) -> list[Leaf] | None:
        found: list[Leaf] = []
        for component in definition.components:
            if "pointer" in component.attributes and component.initial is None:
                continue
            if component.dynamic:
                return None
            if component.type.base in ("type", "class") and component.initial is None:
                inner = self.defaults(component.type.derived, home)
                if inner is None or (inner and component.rank):
                    return None
                found += [replace(leaf, path=(component.name, *leaf.path)) for leaf in inner]
            elif component.initial is not None:
                made = self._of_component(component, home, definition)
                if made is None or any(leaf.initial is None for leaf in made):
                    return None
                found += made
        return found

    def _of_component(self, component: Symbol, home: str, owner: DerivedType) -> list[Leaf] | None:
        if component.dynamic:
            return None
        if component.type.base == "type" and not component.rank and component.type.derived != owner.name:
            inner = self.leaves(component.type.derived, home)
            known = component.initial is None
            return inner and [
                replace(x, path=(component.name, *x.path), initial=x.initial if known else None) for x in inner
            ]
        scalar = self.kinds.scalar(component.type, home)
        bounds = [self._bounds(component, d, home) for d in range(component.rank)]
        if scalar is None or scalar.base not in BASES or None in bounds:
            return None
        shape = f", dimension({', '.join(map(str, bounds))})" if bounds else ""
        initial = ConstantValues(self.facts).text(component.initial.expr, home) if component.initial is not None else ""
        return [Leaf((component.name,), f"{scalar.base}({scalar.bytes}){shape}", initial, bool(bounds))]

    def _bounds(self, component: Symbol, dimension: int, home: str) -> str | None:
        dim = component.shape[dimension]
        lower = self.kinds.value((dim.lower or ONE).expr, home)
        upper = self.kinds.value(dim.upper.expr, home) if dim.upper is not None else None
        return None if lower is None or upper is None else f"{lower}:{upper}"

    def of_object(self, expr: Expr) -> Found | None:
        """The declaration of the object that a designator means, where it means a single one."""
        if isinstance(expr, Apply):
            found = self._declared(expr.base)
            single = found is not None and found.symbol.rank == len(expr.args) and all(map(self._single, expr.args))
            return found if single else None
        found = self._declared(expr)
        return found if found is not None and not found.symbol.rank else None

    def _declared(self, expr: Expr) -> Found | None:
        if isinstance(expr, Name):
            found = self.facts.scopes.variable(expr.name, self.key)
            return found if found is not None and found.symbol.type.base == "type" else None
        above = self.of_object(expr.base) if isinstance(expr, Component) else None
        there = self.facts.scopes.type_at_home(above.symbol.type.derived, above.home) if above is not None else None
        if there is None or not isinstance(expr, Component):
            return None
        symbol = next((c for c in there[1].components if c.name == expr.name and c.type.base == "type"), None)
        return Found(there[0], symbol) if symbol is not None else None

    def _single(self, index: Expr) -> bool:
        """Whether an index is one number, which may be worked out several times."""
        for node in walk(index):
            if isinstance(node, Range):
                return False
            name = base_name(node) if isinstance(node, (Apply, Name)) else None
            found = self.facts.scopes.variable(name, self.key) if name is not None else None
            if found is None and isinstance(node, Apply) and not self.facts.scopes.is_intrinsic(name or "", self.key):
                return False
        inside = {id(n.base) for n in walk(index) if isinstance(n, (Apply, Component))}
        plain = (n for n in walk(index) if isinstance(n, Name) and id(n) not in inside)
        return not any((f := self.facts.scopes.variable(n.name, self.key)) and f.symbol.rank for n in plain)
