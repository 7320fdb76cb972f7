"""Statement functions in kernels: the expression in the place of the reference, as a value of the function's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.backends.c.values import CannotPrint
from hfpy.model.expressions import Apply, Component, Expr, Name
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import respelled

_CONVERSIONS = {
    "real": "real({}, {})",
    "integer": "int({}, {})",
    "logical": "logical({}, {})",
    "complex": "cmplx({}, kind={})",
}
_Defined = tuple[str, tuple[str, ...], Expr, LogicalLine]


class StatementFunctions:
    """The statement functions of one routine."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._defined: dict[str, _Defined] = {f[0]: f for f in routine.spec.statement_functions}

    def __contains__(self, name: object) -> bool:
        """Whether a name is one of them."""
        return name in self._defined

    def text(self, name: str, arguments: Sequence[str]) -> str:
        """The value of a function for arguments that are printed. Raises CannotPrint."""
        _, dummies, value, line = self._defined[name]
        key = self.routine.key
        scalar = self.kinds.scalar(self.facts.scopes.statement_function_type(name, key), key)
        if scalar is None or scalar.base not in _CONVERSIONS or len(dummies) != len(arguments):
            raise CannotPrint(f"the statement function '{name}'")
        given = {dummy: f"({shown})" for dummy, shown in zip(dummies, arguments, strict=True)}
        return _CONVERSIONS[scalar.base].format(self._inner(value, line.text, given), scalar.bytes)

    def _inner(self, expr: Expr, text: str, given: Mapping[str, str]) -> str:
        if isinstance(expr, Name) and expr.name in given:
            return given[expr.name]
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in self:
            return self.text(expr.base.name, [self._inner(a, text, given) for a in expr.args])
        if isinstance(expr, Component) or (isinstance(expr, Name) and self._is_array(expr.name)):
            raise CannotPrint("a statement function that reads an array or a component")
        return respelled(expr, text, lambda child: self._inner(child, text, given))

    def _is_array(self, name: str) -> bool:
        found = self.facts.scopes.variable(name, self.routine.key)
        return found is not None and bool(found.symbol.rank) and not found.symbol.constant
