"""Integers of one kind as arguments of ``min``, ``max`` and ``modulo`` (Fortran 2018, 16.9): in text that hfpy makes,
sizes and iterators of the user are beside numbers and counters of default kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.typed import Types
from hfpy.model.building import apply, literal, number, quoted
from hfpy.model.expressions import Apply, Expr, Literal, Name, with_children
from hfpy.model.printing import expression
from hfpy.model.statements import Construct, Node, Part, map_expressions
from hfpy.parse.expressions.fragments import fragment

_OF_ONE_KIND = ("min", "max", "modulo")
CONVERSION = "int"  # the intrinsic function that makes them so


class SameKinds:
    """Makes them so in text for one routine. ``counters`` are hfpy's own integers, of default kind."""

    def __init__(self, facts: Facts, key: str, counters: Iterable[str] = ()) -> None:
        self.key = key
        self.default = facts.application.options.kinds.integer
        self._types = Types(facts.application, facts.scopes)
        self._meant: Mapping[str, Expr | None] = dict.fromkeys(counters, number(1))

    def node(self, made: Node) -> Node:
        """A statement or a construct with all that is in it."""
        if not isinstance(made, Construct):
            return map_expressions(made, self.expression)
        parts = (
            Part(map_expressions(p.header, self.expression), tuple(self.node(n) for n in p.body)) for p in made.parts
        )
        return replace(made, parts=tuple(parts))

    def expression(self, expr: Expr) -> Expr:
        """An expression with all that is in it."""
        expr = with_children(expr, self.expression)
        if not isinstance(expr, Apply) or not isinstance(expr.base, Name) or expr.base.name not in _OF_ONE_KIND:
            return expr
        kinds = [self._bytes(arg) for arg in expr.args]
        wanted = _wanted(kinds)
        if wanted is None:
            return expr
        args = (arg if kind == wanted else self._of(arg, wanted) for arg, kind in zip(expr.args, kinds, strict=True))
        return apply(expr.base.name, args)

    def call(self, function: str, *arguments: str) -> str:
        """A call of one of these functions, with arguments as they are written."""
        given = [fragment(text) for text in arguments]
        kinds = [self._bytes(g.expr) for g in given]
        wanted = _wanted(kinds)
        args = (
            quoted(g)
            if wanted is None or kind == wanted
            else self._of(g.expr if isinstance(g.expr, Literal) else quoted(g), wanted)
            for g, kind in zip(given, kinds, strict=True)
        )
        return expression(apply(function, args))

    def of_default(self, expr: Expr, like: Expr | None = None) -> Expr:
        """An integer as one of default kind; it has the kind of another one, if that is given."""
        return expr if self._bytes(like or expr) in (None, self.default) else apply(CONVERSION, (expr,))

    def _bytes(self, expr: Expr) -> int | None:
        found = self._types.expression(expr, self.key, self._meant)
        return found.bytes if found is not None and found.base == "integer" and not found.rank else None

    def _of(self, expr: Expr, kind: int) -> Expr:
        if isinstance(expr, Literal) and not expr.parameter:
            return literal("int", f"{expr.text}_{kind}")
        given = () if kind == self.default else (number(kind),)
        return apply(CONVERSION, (expr, *given))


def _wanted(kinds: Sequence[int | None]) -> int | None:
    """The kind in bytes that arguments of these kinds get: the largest one. None where they are of one kind, or where a
    kind is not known.
    """
    known = {kind for kind in kinds if kind is not None}
    return max(known) if None not in kinds and len(known) > 1 else None
