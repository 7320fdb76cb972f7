"""Integer expressions as polynomials over atoms: the indices, bounds and conditions that the dependence engine sees.

An atom is a loop index, a parameter (a value that does not change in the nest), the value of an unknown function
(an index array, a scalar that data decide), a quotient, a remainder, or an extreme. Forms are compared by value, and
two forms of one text are equal, so the text serves as a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from hfpy.analyze.language.sizes import sum_of
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Index:
    """The variable of a loop; names are unique in a nest."""

    name: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that is the same all over the nest; ``reported`` says whether messages name it."""

    name: str
    reported: bool = True


@dataclass(frozen=True, slots=True)
class Application:
    """The value of a function of which nothing is known but that equal arguments give equal values.

    An array that the nest does not set is one; so is a value that each iteration finds anew: its arguments are the
    indices of all loops around, and no fact can be stated of it (``anew``). ``truth`` marks conditions, whose value is
    0 or 1. ``shown`` is the text for messages.
    """

    name: str
    args: tuple[Form, ...]
    truth: bool = False
    shown: str = field(default="", compare=False)
    anew: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Quotient:
    """``of / by`` as Fortran divides: the result is cut towards zero; ``by`` is positive."""

    of: Form
    by: int


@dataclass(frozen=True, slots=True)
class Remainder:
    """``mod(of, by)``, which has the sign of ``of``; ``by`` is positive."""

    of: Form
    by: int


@dataclass(frozen=True, slots=True)
class Extreme:
    """``min`` or ``max`` of some forms; ``kind`` says which."""

    kind: str
    of: tuple[Form, ...]


Atom = Index | Parameter | Application | Quotient | Remainder | Extreme
Monomial = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A polynomial: sorted monomials with their factors, none of which is 0. ``text`` is its canonical spelling."""

    terms: tuple[tuple[Monomial, int], ...]
    text: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _text(self.terms))

    def __hash__(self) -> int:
        """That of the text, which Python works out once: forms are keys of many tables."""
        return hash(self.text)

    @property
    def constant(self) -> int | None:
        """The value of a form without atoms; None for others."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def __add__(self, other: Form) -> Form:
        return _sum(self, other, 1)

    def __sub__(self, other: Form) -> Form:
        return _sum(self, other, -1)

    def __mul__(self, other: Form) -> Form:
        found: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                monomial = tuple(sorted(left + right, key=spelled))
                found[monomial] = found.get(monomial, 0) + a * b
        return _form(found)

    def times(self, factor: int) -> Form:
        """The form multiplied by a number."""
        return _form({m: c * factor for m, c in self.terms})


def spelled(atom: Atom) -> str:
    """The canonical text of an atom; no two atoms of a nest share one."""
    if isinstance(atom, (Index, Parameter)):
        return atom.name
    match atom:
        case Application(name=name, args=args):
            return f"{name}({','.join(a.text for a in args)})"
        case Quotient(of=of, by=by):
            return f"({of.text})/{by}"
        case Remainder(of=of, by=by):
            return f"mod({of.text},{by})"
        case Extreme(kind=kind, of=forms):
            return f"{kind}({','.join(f.text for f in forms)})"


def number(value: int) -> Form:
    """A constant."""
    return Form((((), value),) if value else ())


def atom(item: Atom) -> Form:
    """An atom as a form."""
    return Form((((item,), 1),))


def quotient(of: Form, by: int) -> Form:
    """``of / by`` for any number but 0."""
    if by < 0:
        return quotient(of, -by).times(-1)
    if by == 1:
        return of
    value = of.constant
    if value is not None:
        return number(abs(value) // by * (1 if value >= 0 else -1))
    return atom(Quotient(of, by))


def remainder(of: Form, by: int) -> Form:
    """``mod(of, by)`` for any number but 0."""
    by = abs(by)
    value = of.constant
    if value is not None:
        return number(abs(value) % by * (1 if value >= 0 else -1))
    return number(0) if by == 1 else atom(Remainder(of, by))


def extreme(kind: str, forms: tuple[Form, ...]) -> Form:
    """``min`` or ``max`` of forms, of constants as a constant."""
    unique = tuple(sorted(set(forms), key=lambda f: f.text))
    values = [f.constant for f in unique]
    known = [v for v in values if v is not None]
    if len(known) == len(unique):
        return number(min(known) if kind == "min" else max(known))
    return unique[0] if len(unique) == 1 else atom(Extreme(kind, unique))


def computed_from(form: Form) -> set[Index]:
    """The indices in a form but those in the arguments of unknown functions."""
    found: set[Index] = set()
    for monomial, _ in form.terms:
        for item in monomial:
            match item:
                case Index():
                    found.add(item)
                case Quotient(of=inner) | Remainder(of=inner):
                    found |= computed_from(inner)
                case Extreme(of=forms):
                    found |= {i for f in forms for i in computed_from(f)}
    return found


def options(form: Form, kind: str) -> tuple[Form, ...]:
    """The forms that a form is the extreme of, or the form itself."""
    if len(form.terms) == 1 and len(form.terms[0][0]) == 1 and form.terms[0][1] == 1:
        item = form.terms[0][0][0]
        if isinstance(item, Extreme) and item.kind == kind:
            return item.of
    return (form,)


def behind_loop(low: Form, high: Form, step: Form) -> Form | None:
    """The value of a loop's variable after the loop; None where the step is no number."""
    by = step.constant
    if not by:
        return None
    length = (high - low if by > 0 else low - high) + number(abs(by))
    return low + quotient(extreme("max", (length, number(0))), abs(by)).times(by)


def atoms_of(form: Form) -> Iterator[Atom]:
    """All atoms of a form, those within other atoms included."""
    for monomial, _ in form.terms:
        for item in monomial:
            yield item
            yield from _inner(item)


def substituted(form: Form, values: dict[Atom, Form]) -> Form:
    """The form with atoms replaced, at any depth."""
    result = number(0)
    for monomial, factor in form.terms:
        product = number(factor)
        for item in monomial:
            product = product * _replaced(item, values)
        result = result + product
    return result


def _replaced(item: Atom, values: dict[Atom, Form]) -> Form:
    if item in values:
        return values[item]
    match item:
        case Application(name=name, args=args, truth=truth, shown=shown, anew=anew):
            return atom(Application(name, tuple(substituted(a, values) for a in args), truth, shown, anew))
        case Quotient(of=of, by=by):
            return quotient(substituted(of, values), by)
        case Remainder(of=of, by=by):
            return remainder(substituted(of, values), by)
        case Extreme(kind=kind, of=forms):
            return extreme(kind, tuple(substituted(f, values) for f in forms))
    return atom(item)


def _inner(item: Atom) -> Iterator[Atom]:
    match item:
        case Application(args=forms) | Extreme(of=forms):
            for form in forms:
                yield from atoms_of(form)
        case Quotient(of=form) | Remainder(of=form):
            yield from atoms_of(form)


def _sum(left: Form, right: Form, sign: int) -> Form:
    if not right.terms:
        return left
    found = dict(left.terms)
    for monomial, factor in right.terms:
        found[monomial] = found.get(monomial, 0) + sign * factor
    return _form(found)


def _form(found: dict[Monomial, int]) -> Form:
    terms = [(m, c) for m, c in found.items() if c]
    if len(terms) > 1:
        terms.sort(key=lambda t: _spelled_all(t[0]))
    return Form(tuple(terms))


def _spelled_all(monomial: Monomial) -> tuple[int, tuple[str, ...]]:
    return len(monomial), tuple(spelled(a) for a in monomial)


def _text(terms: tuple[tuple[Monomial, int], ...]) -> str:
    if len(terms) == 1:
        monomial, factor = terms[0]
        if not monomial:
            return str(factor)
        if factor == 1 and len(monomial) == 1:
            return spelled(monomial[0])
    return sum_of(("*".join(spelled(a) for a in monomial), factor) for monomial, factor in terms) or "0"
