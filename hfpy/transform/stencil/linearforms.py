"""Linear forms, as bounds and indices are kept, as trees again."""

from __future__ import annotations

from functools import lru_cache

from hfpy.analyze.language.sizes import Linear
from hfpy.model.building import binary, number, plus
from hfpy.model.expressions import NOWHERE, Expr, Unary, names_in, unplaced
from hfpy.model.printing import expression as printed
from hfpy.parse.expressions.expressions import expression


@lru_cache(maxsize=20_000)
def atom(text: str) -> Expr:
    """What a linear form or a pattern calls by its text, as a tree."""
    return unplaced(expression(text))


def bound(form: Linear, by: int = 0) -> Expr:
    """A linear form plus a number, the number last, as people write it."""
    terms = dict(form)
    terms[""] = terms.get("", 0) + by
    found: Expr | None = None
    for what, factor in sorted(terms.items(), key=lambda t: (not t[0], t[0])):
        if not what:
            found = number(factor) if found is None else plus(found, factor)
        elif factor:
            part = atom(what) if abs(factor) == 1 else binary(number(abs(factor)), "*", atom(what))
            if found is None:
                found = part if factor > 0 else Unary(NOWHERE, NOWHERE, "-", part)
            else:
                found = binary(found, "+" if factor > 0 else "-", part)
    assert found is not None
    return found


def shown(form: Linear) -> str:
    """A linear form as text."""
    return printed(bound(form), tight=True)


def names_of(*forms: Linear) -> set[str]:
    """The names that linear forms mention."""
    return {n for form in forms for what, _ in form if what for n in names_in(atom(what))}
