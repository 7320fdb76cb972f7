"""The shapes of expressions in a routine, as text in terms of its variables."""

from __future__ import annotations

from collections.abc import Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.sizes import constant, linear, sum_of
from hfpy.analyze.language.types import component
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    Fragment,
    ImpliedDo,
    Keyword,
    Name,
    Range,
    children,
    walk,
)
from hfpy.model.extents import Dim
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.functionforms import defined_operators


class Left(Exception):
    """A statement stays as it is."""


class Shapes:
    """Answers about the statement at which it is."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.key = routine.key
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._sites: dict[tuple[object, int, int], CallSite] = {}
        for site in (*facts.graph.sites.get(routine.key, ()), *defined_operators(facts, routine.key)):
            if site.callee:
                self._sites[site.at.statement.line.key, site.node.start, site.node.end] = site
        self._shapes: dict[tuple[object, int, int], list[str]] = {}
        self._line: object = None

    def _site(self, node: Expr) -> CallSite | None:
        return self._sites.get((self._line, node.start, node.end))

    def _items(self, expr: Expr, data: DataObject) -> tuple[Expr | str, ...] | None:
        """The indices of a reference in declared order; None where a macro of the user's has them."""
        plan = self.facts.plan_at(_key_of(self._line), expr, self.key)
        if plan is not None and plan.final:
            return None
        if plan is not None and (plan.items is not None or plan.changed):
            return plan.items or ()
        return expr.args if isinstance(expr, Apply) else (":",) * data.rank

    def _is_vector(self, index: Expr) -> bool:
        """Whether an index is a vector subscript."""
        if isinstance(index, Range):
            return False
        names = (index,) if isinstance(index, Name) else ()
        symbols = (self.facts.scopes.variable(n.name, self.key) for n in names)
        return isinstance(index, ArrayConstructor) or any(s is not None and s.symbol.rank == 1 for s in symbols)

    def _size(self, dim: Dim, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        """The extent of a function's value in terms of the caller. Raises Left."""
        if dim.form != "explicit" or dim.upper is None:
            raise Left
        high = self._from_callee(dim.upper, callee, given, text)
        low = self._from_callee(dim.lower or ONE, callee, given, text)
        return high if low == "1" else f"({high}) - ({low}) + 1"

    def _from_callee(self, found: Fragment, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        """An expression of a called routine with its arguments in the places of dummies. Raises Left."""
        value = self.kinds.value(found.expr, callee.key)
        return str(value) if value is not None else self._replaced(found.expr, found.text, callee, given, text)

    def _replaced(self, expr: Expr, own: str, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name == "size" and expr.args:
            first = expr.args[0]
            if not isinstance(first, Name) or first.name not in given:
                raise Left
            shape = self._shape(given[first.name], text)
            if len(expr.args) == 1:
                return shape[0] if len(shape) == 1 else "*".join(f"({s})" for s in shape)
            number = self.kinds.value(expr.args[1], callee.key)
            if number is None or not 1 <= number <= len(shape):
                raise Left
            return f"({shape[number - 1]})"
        if isinstance(expr, Name):
            if expr.name in given:
                actual = given[expr.name]
                return f"({text[actual.start : actual.end]})"
            constant = self.kinds.value(expr, callee.key)
            if constant is None:
                raise Left
            return str(constant)
        pieces: list[str] = []
        position = expr.start
        for child in sorted(children(expr), key=lambda c: c.start):
            skipped = isinstance(expr, Apply) and child is expr.base
            shown = own[child.start : child.end] if skipped else self._replaced(child, own, callee, given, text)
            pieces += [own[position : child.start], shown]
            position = child.end
        return "".join([*pieces, own[position : expr.end]])

    def _shape(self, expr: Expr, text: str) -> list[str]:
        """The extents of an expression as text; none for one value. Raises Left where they are not known."""
        known = self._shapes.get((self._line, expr.start, expr.end))
        if known is not None:
            return known
        base = expr.base if isinstance(expr, Apply) else expr
        if isinstance(base, Name) and self.facts.object(base.name, self.key) is not None:
            return self._of_variable(expr, base.name, text)
        if isinstance(base, Component):
            return self._of_component(expr, base, text)
        if isinstance(expr, ArrayConstructor):
            if any(isinstance(i, ImpliedDo) or self._shape(i, text) for i in expr.items):
                raise Left
            return [str(len(expr.items))]
        if isinstance(expr, Apply) and isinstance(base, Name):
            site = self._site(expr)
            elemental = (
                base.name in ELEMENTAL if site is None else "elemental" in self.facts.routine(site.callee).prefix
            )
            if not elemental:
                return []
        inner = expr.args if isinstance(expr, Apply) else children(expr)
        found = (self._shape(c.value if isinstance(c, Keyword) else c, text) for c in inner)
        return next((shape for shape in found if shape), [])

    def _of_variable(self, expr: Expr, name: str, text: str) -> list[str]:
        data = self.facts.object(name, self.key)
        assert data is not None
        items = self._items(expr, data)
        if items is None:
            raise Left
        if len(items) != data.rank:
            raise Left
        shape = []
        for place, item in enumerate(items):
            if not isinstance(item, (str, Range)):
                shape += self._shape(item, text) if self._is_vector(item) else []
                continue
            if isinstance(item, str) and item != ":":
                continue
            size = data.used[place]
            form = data.symbol.shape[size.declared] if size.declared is not None else size.extent
            explicit = form.form == "explicit" and size.extent.upper is not None
            low = (size.extent.lower or ONE).text if explicit else f"lbound({name},{place + 1})"
            high = size.extent.upper.text if explicit and size.extent.upper else f"ubound({name},{place + 1})"
            if not explicit and (item == ":" or (isinstance(item, Range) and item.lower is item.upper is None)):
                low, high = "1", f"size({name},{place + 1})"
            shape.append(self._extent(item, low, high, text))
        return shape

    @staticmethod
    def _extent(item: Expr | str, low: str, high: str, text: str) -> str:
        if isinstance(item, Range):
            if shorter := Shapes._of_range(item, text):
                return shorter
            low = text[item.lower.start : item.lower.end] if item.lower is not None else low
            high = text[item.upper.start : item.upper.end] if item.upper is not None else high
            if item.step is not None:
                step = text[item.step.start : item.step.end]
                return f"(({high}) - ({low}) + ({step}))/({step})"
        return high if low == "1" else f"({high}) - ({low}) + 1"

    @staticmethod
    def _of_range(item: Range, text: str) -> str:
        """The extent of a range, without what its ends have in common: ``i-h:i+h`` has one that does not depend on
        ``i``. Empty where more than names and numbers is left.
        """
        step = 1 if item.step is None else constant(item.step)
        if item.lower is None or item.upper is None or not step:
            return ""
        more = dict(linear(item.upper))
        for atom, factor in linear(item.lower):
            more[atom] = more.get(atom, 0) - factor
        spelled = {(n.name, text[n.start : n.end]) for n in walk(item) if isinstance(n, Name)}
        names = dict(spelled)
        left = sorted((atom, factor) for atom, factor in more.items() if factor)
        if len(names) < len(spelled) or not {atom for atom, _ in left if atom} <= names.keys():
            return ""  # names that differ by case alone: one may be a macro
        if all(not atom for atom, _ in left):
            return str(max(0, (more.get("", 0) + step) // step))
        shown = sum_of((atom and f"({names[atom]})", factor) for atom, factor in left)
        return f"({shown} + ({step}))/({step})" if step != 1 else f"{shown} + 1"

    def _of_component(self, expr: Expr, base: Component, text: str) -> list[str]:
        symbol = component(base, self.key, self.facts.scopes)
        if symbol is None:
            raise Left
        items: tuple[Expr | str, ...] = expr.args if isinstance(expr, Apply) else (":",) * symbol.rank
        shape = []
        for dim, item in zip(symbol.shape, items, strict=False):
            if item != ":" and not isinstance(item, Range):
                continue
            high = self.kinds.value(dim.upper.expr, self.key) if dim.upper is not None else None
            low = self.kinds.value((dim.lower or ONE).expr, self.key)
            if high is None or low is None:
                raise Left
            shape.append(self._extent(item, str(low), str(high), text))
        return shape


def _key_of(line: object) -> tuple[str, int, int]:
    assert isinstance(line, tuple)
    return line
