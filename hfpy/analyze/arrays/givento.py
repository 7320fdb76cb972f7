"""What pointers and arguments get, by the text: whether it may have gaps in memory, and which argument is which."""

from __future__ import annotations

from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import part_rank
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, Range
from hfpy.model.units import Symbol

_DUMMIES = {"move_alloc": ("from", "to"), "c_f_pointer": ("cptr", "fptr", "shape")}


def in_order(args: tuple[Expr, ...], procedure: str) -> list[Expr]:
    """The values of arguments, those with keywords where the dummies of an intrinsic procedure are."""
    places = {name: place for place, name in enumerate(_DUMMIES.get(procedure, ()))}
    listed = ((places.get(a.name, n), a.value) if isinstance(a, Keyword) else (n, a) for n, a in enumerate(args))
    return [value for _, value in sorted(listed, key=lambda each: each[0])]


def is_null(value: Expr) -> bool:
    """Whether a value is that of a pointer without target."""
    return isinstance(value, Apply) and isinstance(value.base, Name) and value.base.name == "null"


def has_gaps(expr: Expr, key: str, scopes: Scopes) -> bool:
    """Whether a designator may be a section that has gaps in memory, by its text."""
    if isinstance(expr, Component):
        return bool(part_rank(expr.base, key, scopes))
    if not isinstance(expr, Apply):
        return False
    ranges = [isinstance(a, Range) for a in expr.args]
    partial = [isinstance(a, Range) and (a.lower or a.upper or a.step) is not None for a in expr.args]
    strided = any(isinstance(a, Range) and a.step is not None for a in expr.args)
    after = any(second and (not one or part) for one, part, second in zip(ranges, partial, ranges[1:], strict=False))
    return strided or after or (isinstance(expr.base, Component) and has_gaps(expr.base, key, scopes))


def as_it_lies(symbol: Symbol) -> bool:
    """Whether a variable or component takes memory as it lies, with gaps or not."""
    views = "pointer" in symbol.attributes or any(d.form == "assumed" for d in symbol.shape)
    return views and "contiguous" not in symbol.attributes
