"""Integers of one kind as arguments of ``min``, ``max`` and ``modulo`` (Fortran 2018, 16.9): in text that hfpy makes,
sizes and iterators of the user are beside numbers and counters of default kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.typed import Types
from hfpy.model.building import apply, literal, number
from hfpy.model.expressions import Apply, Expr, Literal, Name, with_children
from hfpy.model.statements import Construct, Node, Part, map_expressions

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
        known = [kind for kind in kinds if kind is not None]
        if len(known) < len(kinds) or len(set(known)) < 2:
            return expr
        args = (
            arg if kind == max(known) else self._of(arg, max(known)) for arg, kind in zip(expr.args, kinds, strict=True)
        )
        return apply(expr.base.name, args)

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
