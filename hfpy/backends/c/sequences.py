"""Arrays as arguments of device routines: as they are, or their elements in the order in which they are stored, for a
dummy of another shape (Fortran 2018, 15.5.2.11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.uses import Reference
from hfpy.backends.c.dialect import Dialect, Picked
from hfpy.backends.c.values import CannotPrint, CVariable, extent, operand
from hfpy.model.expressions import Apply, Binary, Component, Expr, Keyword, Name, Paren, Range
from hfpy.model.extents import Dim
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.backends.c.expressions import Expressions

_SHAPE = "pass the array whole or as a section of the dummy's shape, or declare the dummy with ':'"


def array_argument(
    printer: Expressions, site: CallSite, dummy: DataObject, actual: Name | Apply | Component, variable: CVariable
) -> str:
    """An array as an actual argument, as C text. Raises CannotPrint where its shape is not the dummy's and its elements
    are not stored one after the other in the order in which they are declared.
    """
    facts, kinds, dialect = printer.body.facts, printer.body.kinds, printer.body.dialect
    picked = printer.section(actual, variable)
    whole = all(index.kind == "all" for index in picked)
    rank = sum(index.kind != "element" for index in picked)
    text = dialect.whole(variable) if whole else dialect.section(variable, picked)
    if not dummy.shaped:
        if rank != dummy.rank:
            raise _refused(f"an actual argument of rank {rank} for '{dummy.name}' of rank {dummy.rank}", actual)
        return text
    data = facts.object(printer.resolved(actual), printer.key)
    # Elements of objects lie apart from those of the same object.
    apart = _is_packed(printer, actual)
    joined = _is_joined(picked) and not _may_have_gaps(data) and not apart
    ordered = _is_ordered(printer, dummy, variable)
    alike = _alike(facts, kinds, site, dummy, _sizes(printer, actual, variable)) if rank == dummy.rank else None
    if rank == dummy.rank and (rank == 1 or alike or (alike is None and whole and not (joined and ordered))):
        if rank > 1 and not joined and passed_in_sequence(facts, kinds, site.callee, dummy.name):
            what = f"a section for '{dummy.name}', which '{site.name}' passes on in another shape,"
            raise _refused(what, actual)
        return text
    if not ordered:
        raise _refused(f"an array in another shape than '{dummy.name}' has, as it is stored in another order,", actual)
    if not joined:
        other = "another shape" if rank != dummy.rank or alike is False else "perhaps another shape"
        raise _refused(f"an array that may have gaps in {other} than '{dummy.name}' has", actual)
    lower = [variable.lower[d] for d in variable.storage]
    first = [low if index.kind == "all" else index.first for low, index in zip(lower, picked, strict=True)]
    return dialect.sequence(variable, [] if whole else first, dummy.rank)


def with_unknown_size(
    dialect: Dialect, dummy: DataObject, actual: str, bounds: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Lower and upper bounds of a dummy's dimensions, where the last one of unknown size is as large as the elements of
    the argument ``actual`` let it be.
    """
    if dummy.rank == 1 or not dummy.shaped or dummy.symbol.shape[-1].form != "star":
        return bounds
    others = [operand(extent(low, high, "1")) for low, high in bounds[:-1]]
    lower = bounds[-1][0]
    return [*bounds[:-1], (lower, f"{dialect.left(actual, dummy.rank - 1, others)} + {lower} - 1")]


def _refused(what: str, actual: Expr) -> CannotPrint:
    return CannotPrint(what, actual.start, actual.end, _SHAPE)


def _may_have_gaps(data: DataObject | None) -> bool:
    """Whether an array is what a caller gives, with all its gaps."""
    return data is not None and any(dim.form == "assumed" for dim in data.symbol.shape)


def _is_packed(printer: Expressions, actual: Name | Apply | Component) -> bool:
    """Whether an array belongs to elements of arrays of objects, all of which lie in one array."""
    base = actual.base if isinstance(actual, Apply) else actual
    return isinstance(base, Component) and bool(printer.on_the_way(base))


def _sizes(printer: Expressions, actual: Name | Apply | Component, variable: CVariable) -> list[int | object]:
    """The sizes of the dimensions of an array, or a section of one; None where one is not known."""
    kinds = printer.body.kinds
    data = printer.body.facts.object(printer.resolved(actual), printer.key)
    known = _Sizes(printer.body.facts, kinds, printer.key)
    found: list[int | object] = []
    items, stored = printer.items(actual, variable)
    for place, item in enumerate(items):
        if is_full_range(item) and stored:
            found.append(None)  # by a macro of the user, in another order than it is declared
        elif is_full_range(item) and data is not None:
            found.append(known.of(data.used[place].extent, printer.key, {}))
        elif is_full_range(item):
            found.append(_constant_size(variable.lower[place], variable.upper[place]))
        elif isinstance(item, Range):
            first, last = (item.lower, item.upper) if item.step is None else (None, None)
            found.append(known.between(first, last, printer.key, {}) if first is not None else None)
    return found


def _constant_size(lower: str, upper: str) -> int | None:
    """The size of a dimension whose bounds are printed as numbers."""
    try:
        return int(upper) - int(lower) + 1
    except ValueError:
        return None


def _is_joined(picked: Sequence[Picked]) -> bool:
    """Whether elements are next to each other: all of the first dimensions, a range of the next one, one index of the
    others.
    """
    kinds = [index.kind for index in picked]
    ranges = [index for index in picked if index.kind == "range"]
    in_order = kinds == sorted(kinds, key=("all", "range", "element").index)
    return in_order and len(ranges) < 2 and all(index.step == "1" for index in ranges)


def _is_ordered(printer: Expressions, dummy: DataObject, variable: CVariable) -> bool:
    """Whether elements of an array and its dummy are stored in the order in which they are declared."""
    stored = printer.body.facts.order(dummy).storage or tuple(range(dummy.rank))
    return all(order == tuple(range(len(order))) for order in (stored, variable.storage))


def passed_in_sequence(
    facts: Facts, kinds: Kinds, key: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()
) -> bool:
    """Whether a routine passes a dummy array on to one of another shape, which takes its elements to be next to each
    other.
    """
    for reference in facts.references.get(key, ()):
        if reference.name != name:
            continue
        for site, dummy in dummies_met(facts, key, reference):
            if dummy is None:
                return True
            if not dummy.rank or (site.callee, dummy.name) in seen:
                continue
            if dummy.shaped and not _keeps_shape(facts, kinds, site, dummy, reference):
                return True
            if passed_in_sequence(facts, kinds, site.callee, dummy.name, seen | {(key, name)}):
                return True
    return False


def _keeps_shape(facts: Facts, kinds: Kinds, site: CallSite, dummy: DataObject, reference: Reference) -> bool:
    """Whether an argument has the shape of its dummy: a section of one dimension, or the whole array."""
    if reference.indices is not None:
        return dummy.rank == 1 and any(isinstance(i, Range) for i in reference.indices)
    data = facts.object(reference.name, site.caller)
    alike = data is not None and data.rank == dummy.rank
    if not alike or data is None or dummy.rank == 1:
        return alike
    sizes = _Sizes(facts, kinds, site.caller)
    own = [sizes.of(dimension.extent, site.caller, {}) for dimension in data.used]
    return _alike(facts, kinds, site, dummy, own) is True


def _alike(facts: Facts, kinds: Kinds, site: CallSite, dummy: DataObject, sizes: Sequence[int | object]) -> bool | None:
    """Whether an array with some sizes and a dummy of the same rank have the same shape, but for the last dimension;
    None where this is not known.
    """
    routine = facts.application.routines[site.callee]
    given = {n: a for n, a in zip(routine.dummies, site.args, strict=False) if not isinstance(a, Keyword)}
    given |= {a.name: a.value for a in site.args if isinstance(a, Keyword)}
    wanted = (_Sizes(facts, kinds, site.caller).of(d.extent, site.callee, given) for d in dummy.used[:-1])
    pairs = list(zip(wanted, sizes[:-1], strict=True))
    if any(isinstance(own, int) and isinstance(other, int) and own != other for own, other in pairs):
        return False
    return True if all(own is not None and own == other for own, other in pairs) else None


@dataclass(frozen=True)
class _Sizes:
    """The sizes of dimensions in a form in which equal ones can be told: a number, or bounds of names and numbers."""

    facts: Facts
    kinds: Kinds
    caller: str

    def of(self, dim: Dim, key: str, given: Mapping[str, Expr]) -> int | object:
        """The size of a dimension; None if it is not known. ``given`` are the arguments for the dummies in it."""
        lower, upper = (bound.expr if bound is not None else None for bound in (dim.lower, dim.upper))
        return self.between(lower, upper, key, given)

    def between(self, lower: Expr | None, upper: Expr | None, key: str, given: Mapping[str, Expr]) -> int | object:
        """The number of indices from one to another; None if it is not known."""
        if upper is None:
            return None
        bounds = [self._meant(bound, key, given) if bound is not None else 1 for bound in (lower, upper)]
        low, high = bounds
        if isinstance(low, int) and isinstance(high, int):
            return high - low + 1
        return None if None in bounds else (low, high)

    def _meant(self, expr: Expr, key: str, given: Mapping[str, Expr]) -> int | object:
        value = self.kinds.value(expr, key)
        if value is not None:
            return value
        if isinstance(expr, Paren):
            return self._meant(expr.inner, key, given)
        if isinstance(expr, Binary):
            sides = [self._meant(side, key, given) for side in (expr.left, expr.right)]
            return None if None in sides else (expr.op, *sides)
        if not isinstance(expr, Name):
            return None
        if expr.name in given:
            return self._meant(given[expr.name], self.caller, {})
        data = self.facts.object(expr.name, key)
        fixed = data is not None and (data.home != key or data.symbol.intent == "in" or data.symbol.constant)
        return data.identity if data is not None and fixed and not data.rank else None
