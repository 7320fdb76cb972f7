"""Comparisons of integers, and the cases of a ``select case``, as conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Compare, Condition, Every, Some, holds
from hfpy.analyze.nests.shown import show
from hfpy.model.expressions import Expr, Range

if TYPE_CHECKING:
    from hfpy.analyze.nests.reading import Reading


def compared(op: str, left: Form, right: Form) -> Condition:
    """``left op right`` for integers."""
    difference = left - right
    match op:
        case "==":
            return Compare(difference, "=")
        case "/=":
            return Compare(difference, "!=")
        case ">=":
            return Compare(difference, ">=")
        case ">":
            return Compare(difference - number(1), ">=")
        case "<=":
            return Compare(difference.times(-1), ">=")
    return Compare(difference.times(-1) - number(1), ">=")


def case(selector: Expr, values: tuple[Expr, ...], there: Reading, here: Reading) -> Condition:
    """``case (1, 3:5)``."""
    ends = [e for v in values for e in ((v.lower, v.upper) if isinstance(v, Range) else (v,)) if e is not None]
    if not there.is_integer(selector) or not all(here.is_integer(e) for e in ends):
        return holds(f"?case {', '.join(show(v) for v in values)}", (there.form(selector),), show(selector))
    form = there.form(selector)
    cases: list[Condition] = []
    for value in values:
        if not isinstance(value, Range):
            cases.append(compared("==", form, here.form(value)))
            continue
        low = [compared(">=", form, here.form(value.lower))] if value.lower is not None else []
        high = [compared("<=", form, here.form(value.upper))] if value.upper is not None else []
        cases.append(Every((*low, *high)))
    return Some(tuple(cases))
