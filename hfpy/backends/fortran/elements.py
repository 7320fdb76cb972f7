"""Masked assignments in CUDA Fortran, which has no ``where`` in device code: loops over the elements.

Fortran works out the mask for all elements first, then one assignment after the other (Fortran 2018, 10.2.3.2). A loop
over the elements gives the same as every element is made of elements at the same place; anything else is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.accesses import Plan
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.language.intrinsics import ELEMENTAL, REDUCING
from hfpy.analyze.language.sizes import constant
from hfpy.backends.c.values import CannotPrint, component_name, packed_name
from hfpy.backends.fortran.components import ComponentText
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Range,
    base_name,
    children,
    names_in,
    walk,
)
from hfpy.model.names import element_counter
from hfpy.model.statements import Assignment
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.accesses import Entries, Entry
from hfpy.values import dataclass

_SCALAR = REDUCING - {"maxloc", "minloc", "findloc"}
_INQUIRY = frozenset("size lbound ubound present kind huge tiny epsilon".split())


@dataclass(frozen=True, slots=True)
class Ranges:
    """The dimensions of a reference that are ranges, each with its first index and step as text; ``name`` is the
    array's, ``node`` the reference.
    """

    name: str
    node: Expr
    dimensions: tuple[tuple[int, str, str], ...]


class ElementText(ComponentText):
    """References as elements: with ``lanes``, counters from one for the dimensions of an array expression."""

    lanes: tuple[str, ...] = ()
    threaded_first: dict[str, bool]

    # -- what a backend knows

    def call_at(self, expr: Expr) -> CallSite | None:
        """The call of a routine with source that an expression of the current statement is."""
        raise NotImplementedError

    def places(self, name: str, inner: str) -> str:
        """The index list of an array, with the thread's own index where all threads share one."""
        raise NotImplementedError

    # -- elements

    def element(self, expr: Name | Apply | Component, text: str, planned: Entries) -> str | None:
        """A reference of an array as its element at the current turn; None for what has no ranges, and for no array."""
        items = self.indices(expr, planned)
        if items is None or not any(_ranged(i) for i in items):
            return None
        if sum(map(_ranged, items)) != len(self.lanes):
            raise CannotPrint("an array of another rank in a 'where'", expr.start, expr.end)
        lanes, shown = iter(self.lanes), []
        for place, item in enumerate(items):
            if _ranged(item):
                first, step = self._first(expr, item, place, text, planned)
                shown.append(_index(next(lanes), first, step))
            else:
                shown.append(item if isinstance(item, str) else self.scalar(item, text, planned))
        entry = planned.get((expr.start, expr.end))
        if entry is not None:
            reference, data, _, order = entry
            made = self._list(expr, (reference, data, Plan(tuple(shown), True), order), text, planned)
            assert made is not None
            inner = made.text
        else:
            inner = ",".join(shown)
        base = expr.base if isinstance(expr, Apply) else expr
        if isinstance(base, Component):
            inner = ",".join(shown[d] for d in self.stored(base, len(shown)))
        name = self.parameter_of(base)[0] if isinstance(base, Component) else text[base.start : base.end]
        return f"{name}({self.places(base.name, inner) if isinstance(base, Name) else inner})"

    def scalar(self, expr: Expr, text: str, planned: Entries) -> str:
        """An index, which is the same for all elements."""
        if any(self._has_ranges(node, planned) for node in _outside_calls(expr)):
            raise CannotPrint("a vector subscript in a 'where'", expr.start, expr.end)
        return self.whole(expr, text, planned)

    def whole(self, expr: Expr, text: str, planned: Entries) -> str:
        """What is worked out for whole arrays."""
        lanes, self.lanes = self.lanes, ()
        shown = self._render(expr, text, planned)
        self.lanes = lanes
        return shown

    def indices(self, expr: Expr, planned: Entries) -> tuple[Expr | str, ...] | None:
        """The indices of a reference in declared order, ``:`` for whole dimensions; None for what is no array."""
        entry = planned.get((expr.start, expr.end))
        if entry is not None:
            _, _, made, _ = entry
            return () if made.changed and made.items is None else tuple(self._items(expr, entry))
        rank = self._rank(expr.base if isinstance(expr, Apply) else expr)
        if not rank:
            return None
        base = expr.base if isinstance(expr, Apply) else expr
        before = self.parameter_of(base)[1] if isinstance(base, Component) else ()
        found = (*before, *(expr.args if isinstance(expr, Apply) else (":",) * (rank - len(before))))
        if len(found) != rank:
            raise CannotPrint("indices in a macro in a 'where'", expr.start, expr.end)
        return tuple(found)

    def _rank(self, base: Expr) -> int:
        if isinstance(base, Component):
            return self.component_rank(self.parameter_of(base)[0])
        data = self.facts.object(base.name, self.routine.key) if isinstance(base, Name) else None
        return data.rank if data is not None else 0

    def _has_ranges(self, node: Expr, planned: Entries) -> bool:
        if isinstance(node, ArrayConstructor):
            return True
        items = self.indices(node, planned) if isinstance(node, (Name, Apply, Component)) else None
        return any(map(_ranged, items or ()))

    # -- bounds

    def _first(self, expr: Expr, item: Expr | str, place: int, text: str, planned: Entries) -> tuple[str, str]:
        """The first index of a range, and its step."""
        first, step = "", "1"
        if isinstance(item, Range):
            first = self.scalar(item.lower, text, planned) if item.lower is not None else ""
            step = self.scalar(item.step, text, planned) if item.step is not None else "1"
        return first or self._edge(expr, place, planned, 0), step

    def _edge(self, expr: Expr, dimension: int, planned: Entries, side: int) -> str:
        """The lower or upper bound of a dimension."""
        base = expr.base if isinstance(expr, Apply) else expr
        if isinstance(base, Component):
            name = self.parameter_of(base)[0]
            stored = self.stored(base, self.component_rank(name))
            return f"{('lbound', 'ubound')[side]}({name},{stored.index(dimension) + 1})"
        assert isinstance(base, Name)
        data = self.facts.object(base.name, self.routine.key)
        assert data is not None
        known = _declared(data, dimension) if side == 0 else None
        if known is not None:
            return str(known)
        entry: Entry | None = planned.get((expr.start, expr.end))
        if entry is not None and dimension in entry[3].blocks:
            return self._limits(base.name, data, dimension, entry[3])[side]
        place = entry[3].place(dimension) + 1 if entry is not None else dimension + 1
        return f"{('lbound', 'ubound')[side]}({base.name},{place + self.threaded_first.get(base.name, False)})"

    def counts(self, target: Expr, text: str, planned: Entries) -> list[str]:
        """The number of elements of each range of a reference."""
        found = []
        for place, item in enumerate(self.indices(target, planned) or ()):
            if not _ranged(item):
                continue
            first, step = self._first(target, item, place, text, planned)
            upper = item.upper if isinstance(item, Range) else None
            last = self.scalar(upper, text, planned) if upper is not None else self._edge(target, place, planned, 1)
            if step != "1":
                found.append(f"({last} - ({first}) + ({step})) / ({step})")
            else:
                found.append(last if first == "1" else f"{last} - ({first}) + 1")
        return found

    # -- what elements are made of

    def ranges(self, node: Expr, text: str, planned: Entries) -> Ranges | None:
        """The ranges of a reference, to compare them with others; None for what is no variable."""
        base = node.base if isinstance(node, Apply) else node
        name = base.name if isinstance(base, Name) else ""
        if isinstance(base, Component):
            packed = packed_name(base) if self.parameter_of(base)[1] else None
            name = component_name(base) if packed is None else packed[0]
        items = self.indices(node, planned)
        if not name or (items is None and isinstance(node, Apply)):
            return None
        found = ((d, *self._first(node, i, d, text, planned)) for d, i in enumerate(items or ()) if _ranged(i))
        return Ranges(name, node, tuple(found))

    def reads(self, expr: Expr, text: str, planned: Entries) -> Iterator[Ranges]:
        """The variables in an expression, as they are read for one element. What a function gets that is worked out
        for whole arrays, and what is in indices, is read at other places.
        """
        if isinstance(expr, (Name, Apply, Component)):
            found = self.ranges(expr, text, planned)
            if found is not None:
                yield found
                for argument in expr.args if isinstance(expr, Apply) else ():
                    yield from (Ranges(name, argument, ()) for name in names_in(argument))
                return
        if isinstance(expr, Apply) and not self.by_element(expr):
            yield from (Ranges(name, a, ()) for a in expr.args for name in names_in(a))
            return
        for child in expr.args if isinstance(expr, Apply) else children(expr):
            yield from self.reads(child, text, planned)

    def by_element(self, expr: Apply) -> bool:
        """Whether a function works element by element. Raises CannotPrint for one whose value is an array."""
        site = self.call_at(expr)
        if site is not None:
            return "elemental" in self.facts.routine(site.callee).prefix
        name = expr.base.name if isinstance(expr.base, Name) else ""
        if name in ELEMENTAL or self.facts.scopes.statement_function(name, self.routine.key):
            return True
        along = name in REDUCING and self._along_dimension(expr)
        if name not in _SCALAR | _INQUIRY or along:
            raise CannotPrint(f"'{name}' in a 'where'", expr.start, expr.end)
        return False

    def _along_dimension(self, expr: Apply) -> bool:
        """Whether a reduction has a dimension, and may give an array."""
        if any(isinstance(a, Keyword) and a.name == "dim" for a in expr.args):
            return True
        array, *more = (a for a in expr.args if not isinstance(a, Keyword))
        number = bool(more) and isinstance(more[0], (Literal, Name)) and not self._rank(more[0])
        if not number:
            return False
        listed = sum(isinstance(a, Range) for a in array.args) if isinstance(array, Apply) else self._rank(array)
        return listed > 1

    def check_apart(self, targets: Sequence[Ranges], used: Sequence[Ranges]) -> None:
        """Refuse what reads or sets other elements of an array than are set at the same turn."""
        for target in targets:
            for other in used:
                same = other.name == target.name
                if same and other.dimensions != target.dimensions:
                    what = f"a 'where' that reads other elements of '{target.name}' than it sets"
                    raise CannotPrint(what, other.node.start, other.node.end)
                if not same and self.facts.storage.shared(_root(target), _root(other), self.routine.key):
                    what = f"a 'where' with '{target.name}' and '{other.name}', which may be one array,"
                    raise CannotPrint(what, other.node.start, other.node.end)

    def check_memory(self, statement: Assignment, text: str, planned: Entries) -> None:
        """Refuse an array assignment that reads memory under another name than it sets it by: the arguments of kernels
        are no pointers or targets, so that the compiler would not work out the right-hand side first.
        """
        name = base_name(statement.target) or ""
        data = self.facts.object(name, self.routine.key)
        named = (n for n in walk(statement.value) if isinstance(n, Name))
        shared = [n for n in named if self.facts.storage.shared(name, n.name, self.routine.key)]
        if data is None or not data.rank or not shared:
            return
        target = self.ranges(statement.target, text, planned)
        if target is not None and (target.dimensions or isinstance(target.node, Name)):
            what = f"an array assignment with '{name}' and '{shared[0].name}', which may be one array,"
            raise CannotPrint(what, shared[0].start, shared[0].end)


def counters_of(rank: int) -> tuple[str, ...]:
    """The names of the counters of loops over the elements."""
    return tuple(element_counter(d) for d in range(rank))


def _root(ranges: Ranges) -> str:
    return base_name(ranges.node) or ranges.name


def _ranged(item: Expr | str) -> bool:
    return item == ":" or isinstance(item, Range)


def _outside_calls(expr: Expr) -> Iterator[Expr]:
    """The expression and what is below it, but the name before a list."""
    bases = {id(n.base) for n in walk(expr) if isinstance(n, Apply)}
    return (n for n in walk(expr) if id(n) not in bases)


def _declared(data: DataObject, dimension: int) -> int | None:
    """The lower bound of a dimension that is declared with its bounds, where that is a number."""
    size = data.used[dimension]
    form = data.symbol.shape[size.declared].form if size.declared is not None else "explicit"
    return constant((size.extent.lower or ONE).expr) if form == "explicit" else None


def _index(lane: str, first: str, step: str) -> str:
    if step != "1":
        return f"{first}+({step})*({lane}-1)"
    number = int(first) - 1 if first.isdigit() else None
    if number is None:
        return f"{first}+{lane}-1"
    return f"{lane}+{number}" if number > 0 else f"{lane}-1" if number < 0 else lane
