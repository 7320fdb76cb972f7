"""Where the indices of cut dimensions lie: how far the points that a reference means go into the halo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.sizes import Linear, constant, linear
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.processes.decomposed import Cut, Grid, seen_from
from hfpy.analyze.processes.halodepths import FAR
from hfpy.analyze.processes.halolevels import Level, Levels, added
from hfpy.model.building import binary
from hfpy.model.directives import Region, Width
from hfpy.model.expressions import Expr, Fragment, Name, Range
from hfpy.model.extents import Dim
from hfpy.model.statements import Construct, Header
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.values import dataclass


@dataclass(frozen=True)
class Index:
    """An index of a cut dimension. The first point that the process owns has 1; ``from_last`` counts from the last one,
    which has 0.
    """

    from_last: bool
    number: int

    def shifted(self, by: int) -> Index:
        """The index of another point."""
        return Index(self.from_last, self.number + by)


@dataclass(frozen=True)
class Span:
    """The first and the last index that a reference takes; ``by_loop`` tells whether loops take it from one to the
    other.
    """

    first: Index
    last: Index
    by_loop: bool

    @property
    def owns_all(self) -> bool:
        """Whether all points that the process owns are among them."""
        return not self.first.from_last and self.first.number <= 1 and self.last.from_last and self.last.number >= 0


@dataclass(frozen=True)
class Scope:
    """What the names in an index mean: the bounds of ``loops`` by their variables, and for dummy arguments what is
    ``given`` with the scope of the caller.
    """

    key: str
    loops: Mapping[str, tuple[Expr, Expr]] = field(default_factory=dict)
    given: Mapping[str, tuple[Expr, Scope]] = field(default_factory=dict)


@dataclass
class Fields:
    """The arrays of a decomposition. ``known`` are all decompositions, ``setters`` the routines that make them."""

    facts: Facts
    grid: Grid
    known: Mapping[str, Grid]
    setters: Mapping[str, str]
    _sees: dict[str, bool] = field(default_factory=dict)

    def cuts(self, key: str, data: DataObject) -> tuple[Cut, ...]:
        """The dimensions of an array that this decomposition cuts; none in routines that mean another one."""
        if key not in self._sees:
            self._sees[key] = self.grid.what.name in seen_from(self.facts, self.known, self.setters, key)
        return self.grid.cuts(data) if self._sees[key] else ()

    def number(self, width: Fragment, key: str) -> int | None:
        """A width as a number; None where it is not known."""
        return self.facts.domains.value(width, key)

    def halo(self, domain: str, key: str) -> tuple[int, int]:
        """How wide the halo of a domain is at most on each side."""
        found = self.width(domain)
        if found is None:
            return 0, 0
        low, high = self.number(found.low, key), self.number(found.high, key)
        return FAR if low is None else low, FAR if high is None else high

    def width(self, domain: str) -> Width | None:
        """The halo of a domain as the decomposition has it."""
        return next((w for w in self.grid.what.halos if w.domain == domain), None)

    def least(self, cut: Cut, key: str) -> int:
        """How many points of a domain each process has at least: a part is not smaller than its halo is wide."""
        return max(1, *(0 if width == FAR else width for width in self.halo(cut.domain, key)))

    # -- loops

    def of_region(self, region: Region, constructs: Iterable[Construct], key: str) -> Scope:
        """The scope of a statement in a region, with the loops around it, and the regions with ``vector`` in it."""
        macros = self.facts.application.macros
        around = tuple(constructs)
        own = self._points(region)
        inner: dict[str, tuple[Expr, Expr]] = {}
        for construct in around:
            if construct.region not in (None, region) and construct.region.turns_on(self.facts.target):
                inner |= self._points(construct.region)
        for width in region.halo:
            (start, end), low, high = own[width.domain], expanded(width.low, macros), expanded(width.high, macros)
            own[width.domain] = binary(start, "-", low.expr), binary(end, "+", high.expr)
        return Scope(key, {**loops(around), **inner, **own})

    def _points(self, region: Region) -> dict[str, tuple[Expr, Expr]]:
        """The bounds of a region by its iterators."""
        macros = self.facts.application.macros
        strides = region.strides or (ONE,) * len(region.domains)
        bounds = zip(region.domains, region.starts, region.ends, strides, strict=True)
        return {d.name: _ends(*(expanded(f, macros).expr for f in found)) for d, *found in bounds}

    def of_points(self, region: Region, cut: Cut, scope: Scope) -> Span | None:
        """The points of a region in a domain; None where it does not run over them."""
        letters = self.grid.letters_of(scope.key)
        for domain in region.domains:
            if (letters.of_name(domain.name) or letters.of_size(domain.extent)) == cut.domain:
                return self.span(Name(0, 0, domain.name), cut, scope)
        return None

    # -- indices

    def span(self, index: Expr, cut: Cut, scope: Scope) -> Span | None:
        """The indices that an expression takes in a cut dimension; None where they are not known."""
        if isinstance(index, Range):
            return self._range(index, cut, scope)
        total, base = 0, None
        for atom, factor in linear(index):
            if not atom:
                total += factor
                continue
            base_here = self._named(atom, cut, scope)
            value = self._constant(atom, scope.key) if base_here is None else None
            if value is not None:
                total += factor * value
            elif base_here is None or base is not None or factor != 1:
                return None
            else:
                base = base_here
        if base is None:
            base = Span(Index(False, 0), Index(False, 0), False)
        return Span(base.first.shifted(total), base.last.shifted(total), base.by_loop)

    def _range(self, index: Range, cut: Cut, scope: Scope) -> Span | None:
        if index.lower is None or index.upper is None or index.step is not None:
            return None
        return self._between(index.lower, index.upper, cut, scope)

    def _between(self, start: Expr, end: Expr, cut: Cut, scope: Scope) -> Span | None:
        first, last = (self.span(bound, cut, scope) for bound in (start, end))
        return Span(first.first, last.last, True) if first is not None and last is not None else None

    def _named(self, name: str, cut: Cut, scope: Scope) -> Span | None:
        """What a name in an index means: a loop's variable, an argument, or the number of points."""
        if name in scope.loops:
            return self._between(*scope.loops[name], cut, Scope(scope.key, {}, scope.given))
        if name in scope.given:
            value, outer = scope.given[name]
            return self.span(value, cut, outer)
        sizes = self.grid.letters_of(scope.key).sizes.get(cut.domain, ())
        if any(size.upper is not None and _name(size.upper) == name for size in sizes):
            return Span(Index(True, 0), Index(True, 0), False)
        return None

    def _constant(self, name: str, key: str) -> int | None:
        found = self.facts.scopes.variable(name, key)
        if found is None or not found.symbol.constant or found.symbol.initial is None:
            return None
        return self.facts.domains.value(found.symbol.initial, found.home)

    # -- other dimensions

    def levels(self, reference: Reference, data: DataObject, scope: Scope, whole: bool) -> Levels:
        """The indices of a reference in the dimensions that are not cut; ``whole``: its name means all of the array."""
        cut = {c.position for c in self.cuts(scope.key, data)}
        rest = [(n, d.extent) for n, d in enumerate(data.full) if n not in cut]
        if not whole:
            return tuple(Level(known=False) for _ in rest)
        return tuple(self._level(_index_at(reference, data, n), extent, scope) for n, extent in rest)

    def _level(self, index: Expr | None, extent: Dim, scope: Scope) -> Level:
        if index is None:  # the array as a whole, or a dimension that hfpy inserts
            return Level(whole=True)
        found = self._range_of(index, scope)
        if found.first is None or found.last is None or extent.upper is None:
            return found
        lower = (("", 1),) if extent.lower is None else self._resolved(extent.lower.expr, scope.key)
        bounds = lower, self._resolved(extent.upper.expr, scope.key)
        return Level(whole=True) if (found.first, found.last) == bounds else found

    def _range_of(self, index: Expr, scope: Scope) -> Level:
        """The indices that an expression takes in the loops around it."""
        if isinstance(index, Range):
            if index.lower is None and index.upper is None and index.step is None:
                return Level(whole=True)
            if index.lower is None or index.upper is None or index.step is not None:
                return Level()
            return Level(self._resolved(index.lower, scope.key), self._resolved(index.upper, scope.key))
        terms = self._resolved(index, scope.key)
        looped = [term for term in terms if term[0] in scope.loops]
        if not looped:
            plain = all(atom.isidentifier() for atom, _ in terms if atom)
            return Level(terms, terms, single=True) if plain else Level(known=False)
        ends = scope.loops[looped[0][0]]
        if len(looped) > 1 or looped[0][1] != 1 or _UNKNOWN in ends:
            return Level()
        rest = tuple(term for term in terms if term not in looped)
        first, last = (added(self._resolved(end, scope.key), rest) for end in ends)
        return Level(first, last)

    def _resolved(self, expr: Expr, key: str) -> Linear:
        """The linear form of an expression, with the values of named constants."""
        found: Linear = ()
        for atom, factor in linear(expr):
            value = self._constant(atom, key) if atom else None
            found = added(found, ((atom, factor),) if value is None else (("", factor * value),))
        return found

    def depths(self, span: Span, cut: Cut, key: str) -> tuple[int, int] | None:
        """How deep into the halo some indices go on each side; None where that is not known."""
        least = self.least(cut, key)
        low = high = 0
        if not span.first.from_last:
            low = max(0, 1 - span.first.number)
        elif span.first.number < 1 - least:
            return None
        if span.last.from_last:
            high = max(0, span.last.number)
        elif span.last.number > least:
            return None
        return low, high


def loops(constructs: Iterable[Construct]) -> dict[str, tuple[Expr, Expr]]:
    """The bounds of ``do`` loops by their variables; those that do not go up by one, or whose variables name several of
    the loops, are not known.
    """
    found: dict[str, tuple[Expr, Expr]] = {}
    for construct in constructs:
        header = construct.header
        if construct.kind == "do" and isinstance(header, Header) and header.var:
            upwards = len(header.exprs) == 2 and header.var not in found
            found[header.var] = (header.exprs[0], header.exprs[1]) if upwards else (_UNKNOWN, _UNKNOWN)
    return found


_UNKNOWN = Range(0, 0, None, None, None)


def _ends(start: Expr, end: Expr, stride: Expr) -> tuple[Expr, Expr]:
    """The lowest and the highest index of a region's loop, or what is beyond."""
    by = constant(stride)
    if by is None:
        return _UNKNOWN, _UNKNOWN
    return (start, end) if by > 0 else (end, start)


def index_of(reference: Reference, data: DataObject, cut: Cut) -> Expr | None:
    """The index of a reference in a dimension; None where it has none."""
    return _index_at(reference, data, cut.position)


def _index_at(reference: Reference, data: DataObject, position: int) -> Expr | None:
    given = reference.indices
    place = place_of(len(given), data, position) if given is not None else None
    return given[place] if given is not None and place is not None else None


def place_of(indices: int, data: DataObject, position: int) -> int | None:
    """Which of so many indices is that of a dimension, by its position in the full list; None if none is."""
    if indices == len(data.full):
        return position
    declared = data.full[position].declared
    return declared if declared is not None and declared < indices else None


def _name(size: Fragment) -> str:
    return size.expr.name if isinstance(size.expr, Name) else ""
