"""Local arrays that need no dimension for the columns where each column has its own: ``qs(i,k)`` becomes ``qs(k)``; and
statements that set whole arrays for all columns, as what they do for one.

An array loses the dimension if every reference of it is in the stretch, names the column there, or is all columns
in an assignment element by element (Fortran 2018, 10.2.1.3), whose other arrays have the same extent there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from hfpy.analyze.facts import keeps_value
from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.loops.loopregions import World
from hfpy.analyze.loops.stretches import Columns, Stretch, once_for_all
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Expr, Keyword, Name, Range, walk, without_places
from hfpy.model.extents import Dim
from hfpy.model.statements import Assignment, Header, Statement, all_names, expressions, flatten
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE
from hfpy.values import dataclass

_PLAIN = frozenset({"dimension", "automatic"})


@dataclass(frozen=True)
class Indexed:
    """A reference for one column. ``places`` are, by dimension, the iterator that it gets there, or None where the
    dimension goes; ``rank`` is that of its array.
    """

    reference: Reference
    places: Mapping[int, str | None]
    rank: int


Plan = list[Indexed]


@dataclass(frozen=True)
class OneColumn:
    """How a stretch reads for one column: ``arrays`` lose these dimensions; ``references`` of them, and of arrays in
    assignments for all columns, get other indices.
    """

    arrays: Mapping[str, tuple[int, ...]]
    references: Sequence[Indexed] = field(default=())


def one_column(application: Application, world: World, columns: Columns, stretch: Stretch) -> OneColumn:
    """What becomes of arrays. Raises NoColumns where an assignment for all columns is none for one."""
    return _Contraction(application, world, columns, stretch).made()


class _Contraction:
    def __init__(self, application: Application, world: World, columns: Columns, stretch: Stretch) -> None:
        self.application = application
        self.world = world
        self.columns = columns
        self.statements = list(flatten(list(stretch.nodes)))
        inside = {id(s) for s in self.statements}
        self.here = [r for r in world.references if id(r.at.statement) in inside]
        self.elsewhere = {r.name for r in world.references if id(r.at.statement) not in inside}
        self.iterators = stretch.iterators

    def made(self) -> OneColumn:
        dims = {name: found for name in self._locals() if (found := self._dims(name)) is not None}
        while True:
            whole = list(self._whole(dims))
            plans = {id(s): self._plan(s, dims) for s in whole}
            lost = {r.name for r in self.here if plans.get(id(r.at.statement), ()) is None and r.name in dims}
            if not lost:
                break
            dims = {name: found for name, found in dims.items() if name not in lost}
        for reference in (r for s in whole if plans[id(s)] is None for r in self.here if r.at.statement is s):
            if reference.writes and not self.columns.local(reference):
                raise once_for_all(reference)
        references: Plan = []
        for reference in self.here:
            if id(reference.at.statement) not in plans and reference.name in dims:
                rank = self.world.routine.spec.symbols[reference.name].rank
                references.append(Indexed(reference, dict.fromkeys(dims[reference.name].values()), rank))
        for plan in plans.values():
            references += plan or ()
        return OneColumn({name: tuple(sorted(found.values())) for name, found in dims.items()}, references)

    # -- arrays of the routine alone

    def _locals(self) -> Iterator[str]:
        routine = self.world.routine
        inner = self.application.routines_of(routine.key)
        seen = {name for r in inner for name in all_names(r.body) | _declared(r.spec.symbols.values())}
        asked = _declared(routine.spec.symbols.values())
        grouped = {m for g in routine.spec.groups for m in g.members} | routine.spec.storage
        grouped |= {s.name for s in routine.spec.repeated}
        listed = {x.name for block in routine.spec.dependants for x in block.names}
        for name, symbol in routine.spec.symbols.items():
            local = name not in (*routine.dummies, routine.result, routine.name) and not keeps_value(routine, name)
            known = name not in seen | asked | grouped | listed | self.elsewhere
            plain = symbol.attributes <= _PLAIN and all(d.form == "explicit" for d in symbol.shape)
            shaped = symbol.shape_span is not None or symbol.shared_shape is not None
            placed = symbol.line is not None and not symbol.line.file and shaped and bool(symbol.type.text)
            if symbol.rank and local and known and plain and placed:
                yield name

    def _dims(self, name: str) -> dict[str, int] | None:
        """The dimension of an array for each iterator, if every reference of it allows that it goes."""
        possible: dict[str, set[int]] | None = None
        for reference in (r for r in self.here if r.name == name):
            if name in aliases_of(reference.at) or reference.role == "inquiry" or reference.component:
                return None
            if not self.columns.in_loop(reference):
                if not isinstance(reference.at.statement, Assignment):
                    return None
                continue
            found = self._named(reference)
            passed = reference.role == "argument" and self.columns.may_set(reference)
            if found is None or (passed and not self._element(reference)):
                return None
            possible = found if possible is None else {i: possible[i] & found[i] for i in found}
        if possible is None or not all(possible.values()):
            return None
        chosen = {iterator: min(dims) for iterator, dims in possible.items()}
        return chosen if len(set(chosen.values())) == len(chosen) else None

    def _named(self, reference: Reference) -> dict[str, set[int]] | None:
        """For each iterator the dimensions that it indexes by itself."""
        indices = reference.indices
        rank = self.world.routine.spec.symbols[reference.name].rank
        if indices is None or len(indices) != rank or any(isinstance(i, Keyword) for i in indices):
            return None
        found: dict[str, set[int]] = {iterator: set() for iterator in self.iterators}
        for place, index in enumerate(indices):
            if isinstance(index, Name) and index.name in found:
                found[index.name].add(place)
        return found

    def _element(self, reference: Reference) -> bool:
        """Whether an argument is a section, or an element for a scalar: an array there would begin at it."""
        if any(isinstance(i, Range) for i in reference.indices or ()):
            return True
        designator = reference.call.base if isinstance(reference.call, Apply) else reference.call
        if not isinstance(designator, Name):
            return False
        keys = self.world.scopes.procedures(designator.name, self.world.routine.key)
        if not keys:
            return designator.name in ELEMENTAL and self.world.scopes.is_intrinsic(
                designator.name, self.world.routine.key
            )
        return all(self._scalar_dummy(key, reference.position) for key in keys)

    def _scalar_dummy(self, key: str, position: int | str) -> bool:
        routine = self.application.routines.get(key)
        if routine is None:
            return False
        names = routine.dummies
        name = position if isinstance(position, str) else names[position] if position < len(names) else ""
        symbol = routine.spec.symbols.get(name)
        return symbol is not None and not symbol.rank and symbol.type.base != "procedure"

    # -- assignments for all columns

    def _whole(self, dims: Collection[str]) -> Iterator[Statement]:
        """Assignments outside of the loops over columns with arrays that are written, or that lose a dimension."""
        written = {r.name for r in self.here if self.columns.may_set(r)}.union(dims)
        for statement in self.statements:
            outside = [r for r in self.here if r.at.statement is statement and not self.columns.in_loop(r)]
            arrays = {r.name for r in outside if (s := self._symbol(r)) is not None and s.rank}
            if isinstance(statement, Assignment) and arrays & written:
                yield statement

    def _symbol(self, reference: Reference) -> Symbol | None:
        if reference.name in aliases_of(reference.at):
            return None
        found = self.world.scopes.variable(reference.name, self.world.routine.key)
        return found.symbol if found is not None else None

    def _plan(self, statement: Statement, dims: Mapping[str, Mapping[str, int]]) -> Plan | None:
        """The indices of arrays in an assignment for one column, None if it is none element by element."""
        assert isinstance(statement, Assignment)
        references = [r for r in self.here if r.at.statement is statement]
        target = next((r for r in references if r.writes), None)
        if target is None or not all(map(self._elemental, expressions(statement))):
            return None
        ranges = self._ranges(target)
        if ranges is None:
            return None
        places = self._places(target, ranges, dims.get(target.name))
        if places is None:
            return None
        extents = {i: self._dim(target, ranges[place]) for i, place in places.items()}
        plan: Plan = []
        for reference in references:
            symbol = self._symbol(reference)
            if symbol is None and self._function(reference):
                continue
            if symbol is None:
                return None
            if not symbol.rank or self._element_of(reference):
                if reference.name in dims:
                    return None
                continue
            own = self._ranges(reference)
            if own is None or len(own) != len(ranges):
                return None
            taken = {i: own[place] for i, place in places.items()}
            lost = dims.get(reference.name)
            if lost is not None and lost != taken:
                return None
            same = all(_same_extent(self._dim(reference, d), extents[i]) for i, d in taken.items())
            if not same or not all(self._full(reference, d) for d in taken.values()):
                return None
            given = {d: None if lost is not None else i for i, d in taken.items()}
            plan.append(Indexed(reference, given, symbol.rank))
        return plan

    def _places(
        self, target: Reference, ranges: Sequence[int], lost: Mapping[str, int] | None
    ) -> dict[str, int] | None:
        """For each iterator which of the sections of the target is that of the columns."""
        if lost is not None:
            found = {i: ranges.index(d) for i, d in lost.items() if d in ranges}
            return found if len(found) == len(lost) else None
        found = {}
        for loop in self.columns.model:
            header = loop.header
            assert isinstance(header, Header)
            extents = (n for n, d in enumerate(ranges) if n not in found.values() and self._covers(target, d, header))
            place = next(extents, None)
            if place is None:
                return None
            found[header.var] = place
        return found

    def _covers(self, reference: Reference, dim: int, header: Header) -> bool:
        """Whether the loop over columns goes over all of a dimension."""
        extent = self._dim(reference, dim)
        if extent is None or extent.upper is None or len(header.exprs) != 2:
            return False
        lower = extent.lower if extent.lower is not None else ONE
        pairs = zip((lower.expr, extent.upper.expr), header.exprs, strict=True)
        return all(without_places(a) == without_places(b) for a, b in pairs)

    def _ranges(self, reference: Reference) -> list[int] | None:
        """The dimensions of an array in which a reference has sections: all of those of a bare name."""
        symbol = self._symbol(reference)
        if symbol is None or reference.component:
            return None
        if reference.indices is None:
            return list(range(symbol.rank))
        if len(reference.indices) != symbol.rank or any(isinstance(i, Keyword) for i in reference.indices):
            return None
        return [n for n, i in enumerate(reference.indices) if isinstance(i, Range)]

    def _element_of(self, reference: Reference) -> bool:
        """Whether a reference is one element: its indices, and none of them a section or an array."""
        indices = reference.indices
        return indices is not None and not any(isinstance(i, Range) for i in indices) and self._scalars(indices)

    def _scalars(self, indices: Sequence[Expr]) -> bool:
        names = {n.name for i in indices for n in walk(i) if isinstance(n, Name)}
        found = (self.world.scopes.variable(n, self.world.routine.key) for n in names)
        return all(f is not None and not f.symbol.rank for f in found)

    def _full(self, reference: Reference, dim: int) -> bool:
        if reference.indices is None:
            return True
        index = reference.indices[dim]
        return isinstance(index, Range) and index.lower is index.upper is index.step is None

    def _dim(self, reference: Reference, dim: int) -> Dim | None:
        symbol = self._symbol(reference)
        return symbol.shape[dim] if symbol is not None and symbol.shape[dim].form == "explicit" else None

    def _function(self, reference: Reference) -> bool:
        """Whether a name is that of an elemental function of the language."""
        known = reference.name in ELEMENTAL and reference.name not in aliases_of(reference.at)
        return known and self.world.scopes.is_intrinsic(reference.name, self.world.routine.key)

    def _elemental(self, expr: Expr) -> bool:
        """Whether an expression has no functions but elemental ones of the language."""
        key = self.world.routine.key
        for node in walk(expr):
            if isinstance(node, Apply) and isinstance(node.base, Name):
                variable = self.world.scopes.variable(node.base.name, key)
                function = node.base.name in ELEMENTAL and self.world.scopes.is_intrinsic(node.base.name, key)
                if (variable is None or not variable.symbol.rank) and not function:
                    return False
            elif isinstance(node, Apply):
                return False
        return True


def _declared(symbols: Iterable[Symbol]) -> set[str]:
    """All names that declarations mention."""
    return {name for symbol in symbols for name in symbol.names}


def _same_extent(one: Dim | None, other: Dim | None) -> bool:
    if one is None or other is None or one.upper is None or other.upper is None:
        return False
    first, second = (d.lower if d.lower is not None else ONE for d in (one, other))
    return without_places(first.expr) == without_places(second.expr) and (
        without_places(one.upper.expr) == without_places(other.upper.expr)
    )
