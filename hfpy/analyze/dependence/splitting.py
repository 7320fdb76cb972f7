"""Linear addresses taken apart: ``n*(j-1) + i`` meets itself only where both ``j`` and ``i`` are equal.

A sum ``n*outer + inner`` is two dimensions if no two values of ``inner`` differ by ``n`` or more. What the factor is
follows from the products in the sum; whether the split is legal is a question for the sets. With several elements for
a pair, such as ``3*(n*(j-1) + i) + 1``, the factor is a multiple: ``3*n``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from hfpy.analyze.dependence.forms import Atom, Form, Monomial, Parameter, atom, number, substituted
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Split:
    """Two addresses as ``times*factor*outer + inner``; ``means`` is what the factor means, where it is a sum."""

    outer: tuple[Form, Form]
    inner: tuple[Form, Form]
    factor: Parameter
    means: Form | None = None
    times: int = 1


def splits(one: Form, other: Form) -> list[Split]:
    """The ways to take two addresses apart by a factor of all their products; none if there are no products."""
    found: list[Split] = []
    products = [m for f in (one, other) for m, _ in f.terms if is_product(m)]
    if not products:
        return []
    factors = [a for a in dict.fromkeys(products[0]) if isinstance(a, Parameter) and all(a in m for m in products)]
    for factor in factors:
        found += _each(one, other, factor, None)
        shift = _shift(one, factor) or _shift(other, factor)
        if shift:
            sum_ = Parameter(f"{factor.name}{shift:+d}")
            values: dict[Atom, Form] = {factor: atom(sum_) - number(shift)}
            shifted = (substituted(one, values), substituted(other, values))
            found += _each(*shifted, sum_, atom(factor) + number(shift))
    return found


def is_product(monomial: Monomial) -> bool:
    """Whether a monomial is a product that has something else than parameters in it."""
    return len(monomial) > 1 and not all(isinstance(a, Parameter) for a in monomial)


def _each(one: Form, other: Form, factor: Parameter, means: Form | None) -> Iterator[Split]:
    """The splits by the largest multiple of a factor, and by the factor itself."""
    counts = [count for f in (one, other) for m, count in f.terms if factor in m and len(m) > 1]
    for times in dict.fromkeys((gcd(*counts) or 1, 1)):
        (a, b), (c, d) = _by(one, factor, times), _by(other, factor, times)
        yield Split((a, c), (b, d), factor, means, times)


def _by(form: Form, factor: Parameter, times: int) -> tuple[Form, Form]:
    outer, inner = number(0), number(0)
    for monomial, count in form.terms:
        if factor in monomial and count % times == 0:
            place = monomial.index(factor)
            outer = outer + Form((((*monomial[:place], *monomial[place + 1 :]), count // times),))
        else:
            inner = inner + Form(((monomial, count),))
    return outer, inner


def _shift(form: Form, factor: Parameter) -> int:
    """The c of ``(n + c)*j + …``, where the sum was multiplied out."""
    terms = dict(form.terms)
    for monomial, count in form.terms:
        if len(monomial) == 2 and factor in monomial and is_product(monomial):
            rest = tuple(a for a in monomial if a != factor)
            alone = terms.get(rest, 0)
            if alone and alone % count == 0:
                return alone // count
    return 0
