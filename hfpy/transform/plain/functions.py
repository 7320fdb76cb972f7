"""Statement functions in plain form: those that read components are put in the places of their references, as values of
the function's type. Objects in arguments can be taken apart then; other statement functions are printed as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.model.expressions import Apply, Component, Expr, Name, children, walk
from hfpy.model.statements import expressions, flatten
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import respelled
from hfpy.transform.text.edits import Edit, replace_range

_CONVERSIONS = {
    "real": "real({}, {})",
    "integer": "int({}, {})",
    "logical": "logical({}, {})",
    "complex": "cmplx({}, kind={})",
}


class _Left(Exception):
    """A routine stays as it is."""


def function_edits(facts: Facts, _effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines, for those with statement functions that read components."""
    made: dict[str, list[Edit]] = {}
    for key in keys:
        routine = facts.routine(key)
        functions = _Functions(facts, routine)
        if not functions.reads_components():
            continue
        try:
            found = list(functions.edits())
        except _Left:
            continue
        made.setdefault(routine.file, []).extend(found)
    return made


class _Functions:
    """The statement functions of one routine."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.routine = routine
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.defined = {f[0]: f for f in routine.spec.statement_functions}

    def reads_components(self) -> bool:
        """Whether one of them reads a component of an object."""
        return any(isinstance(e, Component) for _, _, value, _ in self.defined.values() for e in walk(value))

    def edits(self) -> Iterator[Edit]:
        """All references replaced. Raises _Left."""
        for statement in flatten(self.routine.body):
            for expr in expressions(statement):
                for node in self._outermost(expr):
                    if statement.line.file:
                        raise _Left
                    text = self._shown(node, statement.line.text, {})
                    yield replace_range(statement.line, node.start, node.end, text)

    def _outermost(self, expr: Expr) -> Iterator[Apply]:
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in self.defined:
            yield expr
            return
        for child in children(expr):
            yield from self._outermost(child)

    def _value(self, name: str, arguments: Sequence[str]) -> str:
        _, dummies, value, line = self.defined[name]
        symbol = self.routine.spec.symbols.get(name)
        scalar = self.kinds.scalar(symbol.type, self.routine.key) if symbol is not None else None
        if scalar is None or scalar.base not in _CONVERSIONS or len(dummies) != len(arguments):
            raise _Left
        given = {dummy: f"({shown})" for dummy, shown in zip(dummies, arguments, strict=True)}
        return _CONVERSIONS[scalar.base].format(self._shown(value, line.text, given), scalar.bytes)

    def _shown(self, expr: Expr, text: str, given: Mapping[str, str]) -> str:
        """An expression with its dummies replaced by the arguments, and its functions by their values."""
        if isinstance(expr, Name) and expr.name in given:
            return given[expr.name]
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in self.defined:
            return self._value(expr.base.name, [self._shown(a, text, given) for a in expr.args])
        return respelled(expr, text, lambda child: self._shown(child, text, given))
