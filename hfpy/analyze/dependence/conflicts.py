"""Whether two accesses of one array meet in an element at two different points."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hfpy.analyze.dependence.congruence import Point, find_with
from hfpy.analyze.dependence.encoding import Applied, Encoding, Linear, Scope
from hfpy.analyze.dependence.forms import (
    Application,
    Atom,
    Form,
    Index,
    Parameter,
    Remainder,
    atom,
    atoms_of,
    number,
    options,
    substituted,
)
from hfpy.analyze.dependence.model import (
    Access,
    Condition,
    Facts,
    Part,
    Section,
    Subscript,
    forms_of,
)
from hfpy.analyze.dependence.sets import Sets
from hfpy.analyze.dependence.splitting import is_product, splits
from hfpy.values import dataclass

_LARGE = 100


@dataclass(frozen=True, slots=True)
class Meeting:
    """A place where two accesses meet: the values of all names, and what the question was."""

    question: Question
    point: Point
    added: tuple[str, ...]


class Question:
    """Two accesses at two points, as constraints.

    ``bare`` leaves out the conditions that only data decide. ``same`` are loops of which both accesses are in one turn.
    With ``crossed`` there are two points' indices, and one access comes first in the turns of one, the other in those
    of the other. With ``ahead`` the first access is in an earlier turn of the one index than the second.
    """

    def __init__(
        self,
        sets: Sets,
        points: tuple[Index, ...],
        first: Access,
        second: Access,
        facts: Facts,
        bare: bool = False,
        same: frozenset[Index] = frozenset(),
        crossed: bool = False,
        ahead: bool = False,
    ) -> None:
        self.sets = sets
        self.points = points
        self.accesses = (first, second)
        self.facts = facts
        self.encoding = Encoding()
        one = self._instance(first, bare, {})
        common = {index: name for index, name in one.items() if index in same}
        self.scopes: tuple[Scope, Scope] = (one, self._instance(second, bare, common))
        for condition in facts.assumed:
            self.encoding.assume(condition, {})
        self.elements: list[tuple[Linear, Linear]] = []
        if crossed:
            self._crossed()
        elif ahead:
            self._ahead()
        else:
            self._different()
        self._meet()
        self._squares()

    def meeting(self, distinct: frozenset[str] | None = None) -> Meeting | None:
        """Where the accesses meet; None if they never do. Raises TooHardError."""
        known = self.facts.distinct if distinct is None else distinct
        ask = lambda extra: self.sets.point(self.encoding.system(extra))  # noqa: E731
        point, added = find_with(self.encoding, known, ask)
        return None if point is None else Meeting(self, point, added)

    def values_matter(self, meeting: Meeting) -> tuple[Application, ...]:
        """The unknown values on which the meeting depends. Raises TooHardError."""
        names = tuple(a.name for a in self.encoding.applied)
        used = self.sets.used(self.encoding.system(meeting.added), names)
        return tuple(a.function for a in self.encoding.applied if a.name in used)

    def certain(self, meeting: Meeting) -> Meeting | None:
        """A meeting that depends on no unknown value, where a value at one point is that at the other, since the
        arguments are equal; None if there is none. Raises TooHardError.
        """
        added, same = meeting.added, list[str]()
        for one, other in self._values_of_both():
            rows = [f"{a.text()} = {b.text()}" for a, b in zip(one.args, other.args, strict=True)]
            tied = (*added, f"{one.name} = {other.name}", *rows)
            if other.name not in same and self.sets.point(self.encoding.system(tied)) is not None:
                added = tied
                same.append(other.name)
        system = self.encoding.system(added)
        kept = tuple(a.name for a in self.encoding.applied if a.name not in same)
        point = self.sets.point(system) if same and not self.sets.used(system, kept, tuple(same)) else None
        return None if point is None else Meeting(self, point, added)

    def _values_of_both(self) -> Iterator[tuple[Applied, Applied]]:
        """Pairs of values of one function, the first found for the first access, the other after it."""
        for place, one in enumerate(self.encoding.applied):
            for other in self.encoding.applied[place + 1 :]:
                if one.function.name == other.function.name and len(one.args) == len(other.args):
                    yield one, other

    def missing(self, meeting: Meeting) -> str | None:
        """None if they meet for all large sizes; else when. Raises TooHardError."""
        return self.sets.missing(self.encoding.system(meeting.added), tuple(self._large()))

    # -- constraints

    def _instance(self, access: Access, bare: bool, scope: dict[Index, str]) -> Scope:
        guards = tuple(g for g in access.at.guards if not (bare and is_data(g)))
        return self.encoding.instance(access, scope, guards)

    def _different(self) -> None:
        """At least one index of the region differs, by a step or more."""
        one, other = self.scopes
        cases = []
        for loop in self.accesses[0].at.loops:
            if loop.index not in self.points:
                continue
            a, b = one[loop.index], other[loop.index]
            if loop.step.constant is not None:
                cases.append(f"{a} != {b}")
            else:
                step = self.encoding.linear(loop.step, {}).text()
                self.encoding.constraints.append(f"{step} >= 1")
                cases += [f"{a} + {step} <= {b}", f"{b} + {step} <= {a}"]
        self.encoding.constraints.append("(" + " or ".join(cases or ["1 = 0"]) + ")")

    def _crossed(self) -> None:
        """One access is in an earlier turn of the first loop and in a later one of the second."""
        one, other = self.scopes
        down = {loop.index for loop in self.accesses[0].at.loops if (loop.step.constant or 1) < 0}
        first, second = (("<>", "><")[index in down] for index in self.points)
        (a, b), (c, d) = ((one[index], other[index]) for index in self.points)
        cases = (f"{a} {x} {b} and {c} {y} {d}" for x, y in zip(first, reversed(second), strict=True))
        self.encoding.constraints.append("(" + " or ".join(f"({case})" for case in cases) + ")")

    def _ahead(self) -> None:
        """The first access is in an earlier turn of a loop than the second."""
        one, other = (scope[self.points[0]] for scope in self.scopes)
        steps = {loop.index: loop.step.constant for loop in self.accesses[0].at.loops}
        down = (steps[self.points[0]] or 1) < 0
        self.encoding.constraints.append(f"{one} {'>' if down else '<'} {other}")

    def _meet(self) -> None:
        one, other = (a.subscripts for a in self.accesses)
        for left, right in zip(one, other, strict=False):
            if isinstance(left, Part) or isinstance(right, Part):
                if not (isinstance(left, Part) and isinstance(right, Part)):
                    self.encoding.approximate = True
                    return
                if left != right:
                    self.encoding.constraints.append("1 = 0")
            elif isinstance(left, Section) or isinstance(right, Section):
                self._equal(self._place(left, 0), self._place(right, 1))
            else:
                self._same(left, right)
        rest = (*one[len(other) :], *other[len(one) :])
        if rest and not isinstance(rest[0], Part):
            self.encoding.approximate = True  # one view of the array has another shape

    def _place(self, subscript: Subscript, which: int) -> Linear:
        scope = self.scopes[which]
        if isinstance(subscript, Section):
            return self.encoding.section(subscript, scope)
        assert isinstance(subscript, Form)
        return self.encoding.linear(subscript, scope)

    def _equal(self, one: Linear, other: Linear) -> None:
        self.elements.append((one, other))
        self.encoding.constraints.append(f"{one.text()} = {other.text()}")

    def _same(self, one: Form, other: Form) -> None:
        """Two addresses are equal; taken apart where that is legal."""
        for split in splits(one, other):
            linear = self.encoding.linear
            if split.means is not None:
                meant = linear(atom(split.factor), {}).text()
                self.encoding.constraints.append(f"{meant} = {linear(split.means, {}).text()}")
            factor = linear(atom(split.factor).times(split.times), {}).text()
            first, second = linear(split.inner[0], self.scopes[0]), linear(split.inner[1], self.scopes[1])
            apart = (
                f"({first.text()}) - ({second.text()}) >= {factor} or ({second.text()}) - ({first.text()}) >= {factor}"
            )
            if self.sets.point(self.encoding.system((f"({apart})",))) is None:
                self._equal(first, second)
                self._same(*split.outer)
                return
        self._equal(self.encoding.linear(one, self.scopes[0]), self.encoding.linear(other, self.scopes[1]))

    def _squares(self) -> None:
        """What is linear of squares, which keeps rows of triangles apart, such as those of ``n*(n + 1)/2 + m``: for any
        ``y > x`` is ``y*y - x*x``, the product of ``y - x`` and ``y + x``, at least ``y + x`` where that is not
        negative, and at least ``y*y - (y - 1)*(y - 1)`` where ``x`` is not. The same holds of their negatives.
        """
        found = [a for a in self.encoding.applied if a.function.name == "*" and len(a.args) == 2]
        squares = [(a.args[0].text(), a.name) for a in found if a.args[0] == a.args[1]]
        for root, square in squares:
            self.encoding.constraints += [f"{square} >= {root}", f"{square} >= -({root})"]
        for one, other in combinations(squares, 2):
            ways = [f"{one[0]} = {other[0]}", *_greater(one, other), *_greater(other, one)]
            self.encoding.constraints.append("(" + " or ".join(ways) + ")")

    def _large(self) -> list[str]:
        """Every loop and section between parameters, and numbers that are small, is long, and what is assumed of
        parameters holds.
        """
        wanted = []
        for low, high, step in (r for a in self.accesses for r in _ranges(a)):
            first, last = (high, low) if step < 0 else (low, high)
            for length in (h - b for h in options(last, "min") for b in options(first, "max")):
                length = _without_remainders(length)
                if length.constant is None and _fixed(length):
                    wanted.append(f"{self.encoding.linear(length, {}).text()} >= {_LARGE * abs(step)}")
        for condition in self.facts.assumed:
            if all(map(_fixed, forms_of(condition))):  # the others are about values of arrays or components
                wanted.append(self.encoding.condition(condition, {}))
        return list(dict.fromkeys(wanted))


def _greater(one: tuple[str, str], other: tuple[str, str]) -> Iterator[str]:
    """The ways in which a number may be greater than another one, with what is known of their squares."""
    (x, xx), (y, yy) = one, other
    yield f"(0 <= {x} and {x} < {y} and {yy} - {xx} >= ({y}) + ({y}) - 1)"
    yield f"({x} < {y} and {y} <= 0 and {xx} - {yy} >= -({x}) - ({x}) - 1)"
    yield f"({x} < 0 and 0 < {y} and ({x}) + ({y}) >= 0 and {yy} - {xx} >= ({x}) + ({y}))"
    yield f"({x} < 0 and 0 < {y} and ({x}) + ({y}) <= 0 and {yy} - {xx} <= ({x}) + ({y}))"


def _ranges(access: Access) -> Iterator[tuple[Form, Form, int]]:
    """Lower and upper bound and step of the loops around an access and of its sections."""
    for loop in access.at.loops:
        yield loop.lower, loop.upper, loop.step.constant or 1
    for section in access.subscripts:
        if isinstance(section, Section) and section.lower is not None and section.upper is not None:
            yield section.lower, section.upper, section.step


def apart(one: Access, other: Access, points: frozenset[Index]) -> bool:
    """Whether two accesses obviously never meet at two points: they differ in a constant place, or each index of the
    region is alone, in the same form, in one of the places.
    """
    if len(one.subscripts) != len(other.subscripts) and not _parts(one, other):
        return False
    left = set(points)
    for first, second in zip(one.subscripts, other.subscripts, strict=False):
        if isinstance(first, Part) or isinstance(second, Part):
            if first != second:
                return isinstance(first, Part) and isinstance(second, Part)
            continue
        if isinstance(first, Section) or isinstance(second, Section):
            continue
        if first == second:
            left -= _alone(first)
        elif not left_over(first) and not left_over(second) and (first - second).constant:
            return True
    return not left


def _parts(one: Access, other: Access) -> bool:
    return any(isinstance(s, Part) for s in (*one.subscripts, *other.subscripts))


def left_over(form: Form) -> set[Index]:
    """The indices in a form."""
    return {a for a in atoms_of(form) if isinstance(a, Index)}


def _alone(form: Form) -> set[Index]:
    """The index that an equal value of the form fixes, if there is one."""
    inside = left_over(form)
    if len(inside) != 1:
        return set()
    (index,) = inside
    terms = [m for m, _ in form.terms if any(index in atoms_of(_single(a)) for a in m)]
    return inside if terms == [(index,)] else set()


def _single(item: object) -> Form:
    return Form((((item,), 1),))  # type: ignore[arg-type]


def _without_remainders(form: Form) -> Form:
    """A form with zero in the places of remainders, which are small."""
    small: dict[Atom, Form] = {a: number(0) for m, _ in form.terms for a in m if isinstance(a, Remainder)}
    return substituted(form, small) if small else form


def _fixed(form: Form) -> bool:
    """Whether a form is made of parameters alone."""
    return all(isinstance(a, Parameter) for a in atoms_of(form))


def is_data(condition: Condition) -> bool:
    """Whether data decide a condition: it asks for values that are not known, or for nothing that the loops change."""
    found = [a for f in forms_of(condition) for a in atoms_of(f)]
    data = any(isinstance(a, Application) for a in found)
    return data or (bool(found) and not any(isinstance(a, Index) for a in found))


def product_parameters(access: Access) -> set[Parameter]:
    """Parameters that are factors of something else than parameters."""
    forms = [s for s in access.subscripts if isinstance(s, Form)]
    return {a for f in forms for m, _ in f.terms if is_product(m) for a in m if isinstance(a, Parameter)}
