"""Implied loops: a name in one may be its variable, which has nothing to do with what a scalar of that name holds.

The variable of an implied loop gets its values from the loop (Fortran 2018, 12.6.3 and 7.8). The items of the loop do
not read the value that the variable had before.
"""

from __future__ import annotations

from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, ImpliedDo, walk
from hfpy.model.statements import Assignment, InputOutput, Statement, expressions
from hfpy.parse.expressions.fragments import may_hold_constructor


class ImpliedLoops:
    """The implied loops of statements, each statement looked through once; ``likely`` looks into those only that are of
    the kinds in which implied loops are.
    """

    def __init__(self, likely: bool = False) -> None:
        self._likely = likely
        self._found: dict[int, tuple[ImpliedDo, ...]] = {}

    def bind(self, reference: Reference) -> bool:
        """Whether a name means the variable of an implied loop."""
        statement = reference.at.statement
        loops = self._found.get(id(statement))
        if loops is None:
            looked = not self._likely or _likely_to_hold(statement)
            loops = self._found[id(statement)] = implied_loops(statement) if looked else ()
        return any(loop.var == reference.name and within_items(loop, reference.node) for loop in loops)


def implied_loops(statement: Statement) -> tuple[ImpliedDo, ...]:
    """The implied loops of a statement, outer ones first."""
    if not isinstance(statement, InputOutput) and not may_hold_constructor(statement.line):
        return ()
    return tuple(n for e in expressions(statement) for n in walk(e) if isinstance(n, ImpliedDo))


def within_items(loop: ImpliedDo, node: Expr) -> bool:
    """Whether an expression is among the items of an implied loop, and not in its bounds."""
    return any(item.start <= node.start and node.end <= item.end for item in loop.items)


def _likely_to_hold(statement: Statement) -> bool:
    """Whether a statement is of the kinds in which implied loops are: input and output, and the assignment of a
    constructor, alone or as an argument.
    """
    if isinstance(statement, Assignment):
        value = statement.value
        listed = value.args if isinstance(value, Apply) else (value,)
        return any(isinstance(e, ArrayConstructor) for e in listed)
    return isinstance(statement, InputOutput)
