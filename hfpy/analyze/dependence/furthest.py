"""The furthest element of an array that a nest touches, counted from the array's beginning.

Arrays of unknown size (``a(*)``, ``a(n,*)``) have as many elements as the program uses. What a nest touches is there,
and so is all that lies between the beginning and the furthest of it. The furthest element is given only where it is
certainly touched: memory after it may belong to another variable.

Subscripts are linear in the indices of loops, so that the largest is where each index is at one of its ends (a corner
of the loops). Where the bounds of a loop depend on indices of others, its turns at the corner have to be proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

from hfpy.analyze.dependence.forms import (
    Application,
    Atom,
    Form,
    Index,
    Monomial,
    atom,
    atoms_of,
    number,
    options,
    quotient,
    substituted,
)
from hfpy.analyze.dependence.model import Access, Compare, Condition, Loop, Section, always, forms_of
from hfpy.values import dataclass

_MOST_LOOPS = 6
_MOST_ENDS, _MOST = 12, 64


class NotTold(Exception):
    """The furthest element is not known because of an access; the text says why."""

    def __init__(self, access: Access, why: str) -> None:
        super().__init__(why)
        self.access = access
        self.why = why


@dataclass(frozen=True)
class Layout:
    """How an array of unknown size lies in memory: the lower bounds of its dimensions, and how many elements lie from
    one index of each to the next.
    """

    lower: tuple[Form, ...]
    strides: tuple[Form, ...]


@dataclass(frozen=True)
class End:
    """So many elements, from the array's beginning, where all conditions hold. ``strides`` are not negative."""

    elements: Form
    conditions: tuple[Condition, ...]
    strides: tuple[Form, ...] = ()

    @cached_property
    def known(self) -> _Known:
        """What holds where the end is there: its conditions, and that its loops' turns lie a stride apart."""
        strides = [s for s in self.strides if s.constant is None]
        turns = [c.form for c in self.conditions if isinstance(c, Compare) and c.op == ">="]
        ahead = (Compare(f, ">=") for s in strides for f in (s, *(s * turn for turn in turns)))
        return _Known((*self.conditions, *ahead))


def furthest(accesses: Sequence[Access], layout: Layout) -> tuple[End, ...]:
    """The ends of what accesses touch: the furthest element is the last of all ends whose conditions hold.

    Raises NotTold.
    """
    sure, maybe = _Furthest(), _Furthest()
    unique = {(a.subscripts, a.at.loops, a.at.guards, a.exact): a for a in accesses}
    for access in unique.values():
        certain, conditions = _conditions(access)
        place, loops = _placed(access, layout)
        known = _known_loops(place, loops)
        certain = certain and known == loops
        for end in _ends(access, place, known, conditions, layout.strides):
            (sure if certain else maybe).add(end, access)
    ends = [end for end, _ in sure.found.values()]
    if len(ends) + len(maybe.found) > _MOST:
        raise NotTold(accesses[0], "the elements that the region uses are too different")
    for end, access in maybe.found.values():
        if not any(_covers(other, end) for other in ends):
            raise NotTold(access, "whether this is executed for the last of its elements is not known")
    needed = [e for n, e in enumerate(ends) if not any(_replaces(ends, n, m) for m in range(len(ends)))]
    if len(needed) > _MOST_ENDS:
        raise NotTold(accesses[0], "the elements that the region uses are too different")
    return tuple(needed)


class _Furthest:
    """The furthest of all ends that differ by a number alone, with its access."""

    def __init__(self) -> None:
        self.found: dict[tuple[Form, tuple[Condition, ...]], tuple[End, Access]] = {}

    def add(self, end: End, access: Access) -> None:
        """Take another end."""
        known = dict(end.elements.terms).get((), 0)
        key = (end.elements - number(known), end.conditions)
        before = self.found.get(key)
        if before is None or dict(before[0].elements.terms).get((), 0) < known:
            self.found[key] = (end, access)


def _replaces(ends: Sequence[End], which: int, other: int) -> bool:
    """Whether an end makes another one needless; of two that do so to each other the first one stays."""
    if which == other or not _covers(ends[other], ends[which]):
        return False
    return other < which or not _covers(ends[which], ends[other])


def _covers(end: End, other: End) -> bool:
    """Whether an end is there, and at least as far, whenever another one is."""
    known = other.known
    return known.ahead(end.elements, other.elements) and all(map(known.implies, end.conditions))


class _Known:
    """Conditions that hold."""

    def __init__(self, conditions: Iterable[Condition]) -> None:
        self._listed = frozenset(conditions)
        self._forms = [dict(c.form.terms) for c in self._listed if isinstance(c, Compare) and c.op == ">="]
        self._forms.append({})
        self._least: dict[_Shape, int] = {}
        for form in self._forms:
            shape, value = _shape(form), form.get((), 0)
            self._least[shape] = min(self._least.get(shape, value), value)

    def implies(self, condition: Condition) -> bool:
        """Whether another condition certainly holds, too: it is one of them, or at least the sum of two."""
        if condition in self._listed or always(condition):
            return True
        if not isinstance(condition, Compare) or condition.op != ">=":
            return False
        return self.ahead(condition.form, _ZERO)

    def ahead(self, form: Form, other: Form) -> bool:
        """Whether a form is certainly at least another one: what it is more is one of those that are not negative, or
        the sum of two.
        """
        more = _less(dict(form.terms), other.terms)
        return any(self._reached(more, form) for form in self._forms)

    def _reached(self, more: dict[Monomial, int], one: dict[Monomial, int]) -> bool:
        """Whether terms are at least one of those that are not negative and another one of them."""
        rest = _less(dict(more), one.items())
        least = self._least.get(_shape(rest))
        return least is not None and rest.get((), 0) >= least


_ZERO = number(0)
_Shape = frozenset[tuple[Monomial, int]]


def _less(terms: dict[Monomial, int], others: Iterable[tuple[Monomial, int]]) -> dict[Monomial, int]:
    """Terms without others, which are taken away from them."""
    for monomial, factor in others:
        terms[monomial] = terms.get(monomial, 0) - factor
    return terms


def _shape(terms: dict[Monomial, int]) -> _Shape:
    """What a form is beside its constant."""
    return frozenset(term for term in terms.items() if term[0] and term[1])


def _conditions(access: Access) -> tuple[bool, tuple[Condition, ...]]:
    """The conditions of an access that do not depend on the turns of loops, and whether there are no others.

    Raises NotTold where it may touch other elements than its subscripts say.
    """
    if not access.exact:
        raise NotTold(access, access.why or "which of its elements are used is not known")
    guards = [g for g in access.at.guards if not always(g)]
    fixed = tuple(g for g in guards if all(_fixed(f) for f in forms_of(g)))
    return len(fixed) == len(guards), fixed


def _fixed(form: Form) -> bool:
    """Whether a form has the same value all over the nest, and one that can be worked out before it."""
    return not any(isinstance(a, (Index, Application)) for a in atoms_of(form))


def _known_loops(place: Form, loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """Loops without those of which it is not known how many turns they have: a loop that goes to some turn at most goes
    there instead, and a loop whose variable is not used is left out.
    """
    found: list[Loop] = []
    for loop in loops:
        up = (loop.step.constant or 1) > 0
        ends = [f for f in options(loop.upper, "min" if up else "max") if not _unknown(f)]
        if not _unknown(loop.lower) and not _unknown(loop.upper):
            found.append(loop)
        elif not _unknown(loop.lower) and ends:
            found.append(replace(loop, upper=ends[0]))
        elif _moves(loop.index, place, loops):
            found.append(loop)
    return tuple(found)


def _unknown(form: Form) -> bool:
    return any(isinstance(a, Application) for a in atoms_of(form))


def _ends(
    access: Access,
    place: Form,
    loops: tuple[Loop, ...],
    conditions: tuple[Condition, ...],
    strides: tuple[Form, ...],
) -> Iterator[End]:
    if len(loops) > _MOST_LOOPS:
        raise NotTold(access, "it is in too many loops")
    _check_linear(access, place, loops)
    free = tuple(_turns(loop, {}) for loop in loops if not _depends(loop))
    known = _Known(free)
    found: dict[Form, bool] = {}
    for choice in product(*(_turns_at_corners(loop, place, loops) for loop in loops)):
        values: dict[Atom, Form] = {}
        proved = True
        for loop, last in zip(loops, choice, strict=True):
            turns = _turns(loop, values)
            proved = proved and (not _depends(loop) or known.implies(turns))
            values[loop.index] = _last(loop, values) if last else substituted(loop.lower, values)
        elements = substituted(place, values) + number(1)
        found[elements] = found.get(elements, False) or proved
    ends = [End(elements, (*free, *conditions), strides) for elements in found]
    for end in ends:
        if not found[end.elements] and not any(_covers(o, end) for o in ends if found[o.elements]):
            raise NotTold(access, "how far its loops go is not known")
        if not _fixed(end.elements) or not all(_fixed(f) for c in end.conditions for f in forms_of(c)):
            raise NotTold(access, "its subscripts depend on values that only the region knows")
    yield from (end for end in ends if found[end.elements])


def _turns_at_corners(loop: Loop, place: Form, loops: Sequence[Loop]) -> tuple[bool, ...]:
    """In which turns of a loop a place may be largest: in the first one (False), in the last one."""
    if not _moves(loop.index, place, loops):
        return (False,)
    alone = not any(loop.index in _indices(f) for x in loops for f in (x.lower, x.upper))
    factors = [(monomial, factor) for monomial, factor in place.terms if loop.index in monomial]
    if alone and len(factors) == 1 and len(factors[0][0]) == 1:
        return ((factors[0][1] > 0) == ((loop.step.constant or 1) > 0),)
    return (False, True)


def _placed(access: Access, layout: Layout) -> tuple[Form, tuple[Loop, ...]]:
    """How many elements lie before an element that an access touches, and the loops that it is in, with one for each
    section.
    """
    if len(access.subscripts) != len(layout.lower):
        raise NotTold(access, "which of its elements are used is not known")
    place, loops = number(0), list(access.at.loops)
    for which, (subscript, low) in enumerate(zip(access.subscripts, layout.lower, strict=True)):
        if isinstance(subscript, Section):
            first, last = subscript.lower or low, subscript.upper
            if last is None:
                raise NotTold(access, "where its sections end is not known")
            index = Index(f"element {which}")
            loops.append(Loop(index, first, last, number(subscript.step)))
            subscript = atom(index)
        if not isinstance(subscript, Form):
            raise NotTold(access, "it is an array of objects")
        place = place + (subscript - low) * layout.strides[which]
    return place, tuple(loops)


def _check_linear(access: Access, place: Form, loops: Sequence[Loop]) -> None:
    """Raise NotTold unless the largest value of a place is at a corner of its loops."""
    around = {i for loop in loops for form in (loop.lower, loop.upper) for i in _indices(form)}
    for form in (place, *(f for loop in loops for f in (loop.lower, loop.upper))):
        for monomial, _ in form.terms:
            own = [a for a in monomial if isinstance(a, Index)]
            inner = [a for m in monomial if not isinstance(m, Index) for a in atoms_of(atom(m))]
            if len(set(own)) < len(own) or any(isinstance(a, Index) for a in inner):
                raise NotTold(access, "its subscripts are not linear in the loops")
            if len(own) > 1 and (around & set(own) or form is not place):
                raise NotTold(access, "its subscripts are not linear in the loops")
    for loop in loops:
        step = loop.step.constant
        if not step or (_depends(loop) and abs(step) != 1):
            raise NotTold(access, "which turns its loops have is not known")


def _indices(form: Form) -> set[Index]:
    return {a for a in atoms_of(form) if isinstance(a, Index)}


def _depends(loop: Loop) -> bool:
    """Whether other loops decide about the turns of a loop."""
    return bool(_indices(loop.lower) | _indices(loop.upper))


def _moves(index: Index, place: Form, loops: Sequence[Loop]) -> bool:
    """Whether a place may depend on an index."""
    return any(index in _indices(f) for f in (place, *(x for loop in loops for x in (loop.lower, loop.upper))))


def _turns(loop: Loop, values: Mapping[Atom, Form]) -> Compare:
    """That a loop has a turn, with values for the indices around it."""
    low, high = (substituted(form, dict(values)) for form in (loop.lower, loop.upper))
    return Compare(high - low if (loop.step.constant or 1) > 0 else low - high, ">=")


def _last(loop: Loop, values: Mapping[Atom, Form]) -> Form:
    """The value of a loop's variable in its last turn."""
    low, high = (substituted(form, dict(values)) for form in (loop.lower, loop.upper))
    step = loop.step.constant or 1
    if abs(step) == 1:
        return high
    return low + quotient(high - low if step > 0 else low - high, abs(step)).times(step)
