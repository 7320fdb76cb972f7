"""Whether two views of one array have the same extents in memory, dimension by dimension.

The names that sizes are made of belong to scopes: two routines may call one size by two names, and two sizes by one. So
sizes are compared as linear forms over variables that are named with their homes; the dummy arguments of a called
routine mean what the call passes to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.arrays.orders import Edge, Node, wanted_macros
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummies_met, passed
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.sizes import Linear, linear
from hfpy.analyze.language.types import part_rank
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.allocations import known_size
from hfpy.model.expressions import Apply, Component, Expr, Fragment, Name, Range
from hfpy.model.statements import Assignment
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.macros import permutation
from hfpy.values import dataclass

Actuals = Mapping[str, Linear]
_NONE: Actuals = {}


@dataclass(frozen=True)
class Joint:
    """Two views that are one array: an array of the routine ``key`` with the dummy argument that a reference passes it
    to in a call, or a pointer with its target.
    """

    data: DataObject
    other: DataObject
    key: str
    reference: Reference | None = None
    site: CallSite | None = None


def joints(facts: Facts) -> Iterator[Joint]:
    """Every place that makes two views one array: whole arrays and their dummies, pointers and targets."""
    for key in facts.graph.sites:
        yield from arguments_joined(facts, key)
    for key, statements in facts.graph.statements.items():
        for at in statements:
            statement = at.statement
            if isinstance(statement, Assignment) and statement.pointer and isinstance(statement.value, Name):
                left = facts.object(statement.target.name, key) if isinstance(statement.target, Name) else None
                right = facts.object(statement.value.name, key)
                if left is not None and right is not None and left.rank == right.rank:
                    yield Joint(left, right, key)


def arguments_joined(facts: Facts, key: str, least: int = 2) -> Iterator[Joint]:
    """The whole arrays of at least some rank that a routine passes to others, with the dummy arguments. Storage order
    is a matter of those with two dimensions or more.
    """
    for reference in facts.references[key]:
        for site, dummy in dummies_met(facts, key, reference):
            data = _whole(facts, key, reference, dummy)
            if data is not None and dummy is not None and data.rank >= least:
                yield Joint(data, dummy, key, reference, site)


def _whole(facts: Facts, key: str, reference: Reference, dummy: DataObject | None) -> DataObject | None:
    """The array that a reference passes to a dummy argument; None where the dummy is not all of it."""
    name, _ = resolve_alias(reference.name, reference.at)
    data = facts.object(name, key) if name is not None else None
    if data is None or dummy is None or reference.component or not data.rank:
        return None
    made = facts.plan_of(reference, key)
    bare = reference.indices is None or (made is not None and made.changed)
    whole = bare and (made is None or made.items is None)
    if not whole and made is not None:
        items = made.items if made.items is not None else ()
        whole = bool(items) and made.section_rank == len(items)
    return data if whole and data.rank == dummy.rank else None


def edges_by_class(facts: Facts) -> dict[Node, list[Edge]]:
    """The joints between different views of each class, as its order is decided on."""
    found: dict[Node, list[Edge]] = {}
    for joint in joints(facts):
        if joint.data.identity != joint.other.identity:
            edge = Edge(joint.data.identity, joint.other.identity, Compared(facts, joint))
            found.setdefault(facts.classes.root(joint.data.identity), []).append(edge)
    return found


@dataclass(frozen=True)
class Compared:
    """The two views of a joint, to be compared."""

    facts: Facts
    joint: Joint

    def same_in_memory(self, first: Sequence[int], other: Sequence[int]) -> bool:
        """Whether the views, stored in these orders, certainly have the same extents at every place in memory."""
        return same_in_memory(*self._extents(), (first, other))

    def rearranged(self) -> bool:
        """Whether the second view certainly lists the extents of the first in another order."""
        return rearranged(*self._extents())

    def _extents(self) -> tuple[Extents, Extents]:
        joint = self.joint
        actuals = actuals_of(self.facts, joint.site)
        return extents_of(self.facts, joint.data), extents_of(self.facts, joint.other, actuals)


def turned_by_macros(facts: Facts, joint: Joint) -> bool:
    """Whether both views ask for macros of their own that make up for another list of dimensions in one of them."""
    macros = facts.application.macros
    wanted = [wanted_macros(data, macros) for data in (joint.data, joint.other)]
    if facts.application.options.layout or wanted[0] is None or wanted[1] is None:
        return False
    one, other = (permutation(w.access, joint.data.rank, macros) for w in wanted if w is not None)
    return one is not None and other is not None and Compared(facts, joint).same_in_memory(one, other)


@dataclass(frozen=True)
class Extents:
    """The extents of the dimensions of a view in use, in the terms of one routine; None where one is not written."""

    dimensions: tuple[Dimension, ...]
    sizes: tuple[Linear | None, ...]

    def named(self, place: int) -> str:
        """The domain of a dimension if a directive gives it, or empty."""
        dimension = self.dimensions[place]
        return "" if dimension.by_size or dimension.ambiguous else dimension.name


def extents_of(facts: Facts, data: DataObject, actuals: Actuals = _NONE) -> Extents:
    """The extents of a view; ``actuals`` are the values of its routine's dummy arguments in the terms of a caller."""
    return Extents(data.used, tuple(_extent(facts, data.routine, d, actuals) for d in data.used))


def actuals_of(facts: Facts, site: CallSite | None) -> Actuals:
    """What a call passes to the scalar dummy arguments of the called routine, in the caller's terms, by name."""
    if site is None or not site.callee:
        return _NONE
    found: dict[str, Linear] = {}
    for name, value in passed(facts, site):
        dummy = facts.object(name, site.callee)
        if dummy is not None and not dummy.symbol.shape:
            found[name] = _qualified(facts, linear(value), site.caller, _NONE)
    return found


def same_in_memory(first: Extents, second: Extents, orders: tuple[Sequence[int], Sequence[int]]) -> bool:
    """Whether two views that are stored in these orders certainly have the same extents at every place in memory. Where
    several dimensions have one extent their domains must tell them apart.
    """
    for one, other in zip(*orders, strict=True):
        size = first.sizes[one]
        names = first.named(one), second.named(other)
        if size is None or second.sizes[other] is None:
            if not names[0] or names[0] != names[1]:
                return False
        elif size != second.sizes[other] or (first.sizes.count(size) > 1 and (not names[0] or names[0] != names[1])):
            return False
    return True


def in_a_row(facts: Facts, value: Expr, at: Located, key: str) -> str:
    """An array of one dimension, or an element of it or of a component, in words; empty for other arguments."""
    base = value.base if isinstance(value, Apply) else value
    if isinstance(base, Component):
        return "a part of a component" if part_rank(value, key, facts.scopes) in (0, 1) else ""
    name = resolve_alias(base.name, at)[0] if isinstance(base, Name) else None
    data = facts.object(name, key) if name is not None else None
    return f"'{name}' with one dimension" if data is not None and data.rank == 1 else ""


def lists_otherwise(facts: Facts, data: DataObject, dummy: DataObject, site: CallSite) -> bool:
    """Whether a dummy argument certainly lists the extents of an array that a call passes in another order."""
    return rearranged(extents_of(facts, data), extents_of(facts, dummy, actuals_of(facts, site)))


def other_sizes(
    facts: Facts, data: DataObject, items: Sequence[Expr | str] | None, dummy: DataObject, site: CallSite, last: bool
) -> bool:
    """Whether a dummy argument may have other extents than the array, or the section of it, that a call passes: its
    elements are others then in another order. Those of the last dimension count unless it stays the ``last`` in memory.
    """
    wanted = extents_of(facts, dummy, actuals_of(facts, site)).sizes
    given = list(_section(facts, data, items, site.caller))
    if len(given) != len(wanted):
        return False
    pairs = list(zip(given, wanted, strict=True))[: -1 if last else None]
    return any(one and other is not None and other not in one for one, other in pairs)


def _section(
    facts: Facts, data: DataObject, items: Sequence[Expr | str] | None, key: str
) -> Iterator[tuple[Linear, ...]]:
    """The extents of a section, or of an array without indices, in the terms of the routine that names it: the ways to
    write each; none where it is not known.
    """
    for place, item in enumerate(items if items is not None else (":",) * data.rank):
        if not (isinstance(item, Range) or is_full_range(item)):
            continue
        known = known_size(facts, data, place) or data.used[place].extent
        low, high = (_of_bound(facts, bound, data.routine) for bound in (known.lower or ONE, known.upper))
        if isinstance(item, Range) and not is_full_range(item):
            low = _qualified(facts, linear(item.lower), key, _NONE) if item.lower is not None else low
            high = _qualified(facts, linear(item.upper), key, _NONE) if item.upper is not None else high
            yield (_distance(low, high),) if low is not None and high is not None and item.step is None else ()
        elif low is not None and high is not None:
            asked = f"{key}:size({data.name},{place + 1})"
            yield _distance(low, high), ((asked, 1),)
        else:
            yield ()


def rearranged(first: Extents, second: Extents) -> bool:
    """Whether the second view certainly lists the extents of the first in another order."""
    if None in first.sizes or None in second.sizes or first.sizes == second.sizes:
        return False
    return sorted(map(str, first.sizes)) == sorted(map(str, second.sizes))


def _extent(facts: Facts, key: str, dimension: Dimension, actuals: Actuals) -> Linear | None:
    bounds = dimension.extent.lower or ONE, dimension.extent.upper
    low, high = (_of_bound(facts, bound, key, actuals) for bound in bounds)
    return _distance(low, high) if low is not None and high is not None else None


def _distance(low: Linear, high: Linear) -> Linear:
    """The number of elements between two bounds."""
    terms: dict[str, int] = {"": 1}
    for form, factor in ((high, 1), (low, -1)):
        for atom, number in form:
            terms[atom] = terms.get(atom, 0) + factor * number
    return tuple(sorted((a, n) for a, n in terms.items() if n))


def _of_bound(facts: Facts, bound: Fragment | None, key: str, actuals: Actuals = _NONE) -> Linear | None:
    return _qualified(facts, linear(_expanded(facts, bound).expr), key, actuals) if bound is not None else None


def _expanded(facts: Facts, bound: Fragment) -> Fragment:
    try:
        return expanded(bound, facts.application.macros)
    except GrammarError:
        return bound


def _qualified(facts: Facts, form: Linear, key: str, actuals: Actuals) -> Linear:
    """A linear form over atoms that mean the same in all scopes."""
    terms: dict[str, int] = {}
    for atom, factor in form:
        for inner, number in _atom(facts, atom, key, actuals):
            terms[inner] = terms.get(inner, 0) + factor * number
    return tuple(sorted((a, n) for a, n in terms.items() if n))


def _atom(facts: Facts, atom: str, key: str, actuals: Actuals) -> Linear:
    if not atom or atom in actuals:
        return actuals[atom] if atom else (("", 1),)
    found = facts.scopes.variable(atom, key)
    if found is None:
        return ((f"{key}:{atom}", 1),)
    if found.symbol.constant and found.symbol.initial is not None:
        value = facts.domains.value(found.symbol.initial, found.home)
        if value is not None:
            return (("", value),)
    return ((f"{found.home}::{found.symbol.name}", 1),)
