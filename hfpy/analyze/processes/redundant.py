"""Whether each process can compute a region at points of its halo, too, as their owners do: ``halo(i:1)``
(distributed.md §3.2, "computing redundantly into the halo").

A process has all that the owner of a point has, if what the region reads is clean as far as it goes. So what counts
is that a point is computed from its fields alone, and not from where it is in the part, and that nothing but the fields
tells how many processes compute it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.processes.decomposed import Cut, without_place
from hfpy.analyze.processes.halodepths import FAR
from hfpy.analyze.processes.halospans import Fields, Index, Scope, index_of
from hfpy.analyze.processes.overlaps import Overlap, Refused
from hfpy.analyze.processes.regionhalos import Regions
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region, Width
from hfpy.model.expressions import Apply, Expr, Name, children
from hfpy.model.statements import Construct, Header, expressions, flatten
from hfpy.values import dataclass

_FIRST, _LAST = Index(False, 1), Index(True, 0)


@dataclass(frozen=True)
class Extension:
    """Points of the halo that a region computes along one of its iterators: those of a domain of the decomposition, by
    its number.
    """

    iterator: str
    number: int
    low: int
    high: int


@dataclass(frozen=True)
class Target:
    """A dimension of a field that a region sets in the halo. ``known`` tells whether its declaration shows that it
    reaches as far.
    """

    data: DataObject
    cut: Cut
    known: bool


def refusal(refused: Refused, file: str) -> Diagnostic:
    """As an error."""
    node = refused.node
    place = refused.line.place(file, *((node.start, node.end) if node is not None else ()))
    hint = "without halo(…) each process computes the points that it owns"
    return error("HF660", f"this region cannot be computed in the halo: {refused.message}", place, hint)


@dataclass
class Redundant:
    """One region, by its number in the routine of a key, that computes points of the halo of a decomposition: those
    that its directive says, or some other ones.
    """

    regions: Regions
    effects: Effects
    key: str
    number: int
    halo: tuple[Width, ...] | None = None

    def __post_init__(self) -> None:
        self.fields: Fields = self.regions.fields
        self.facts = self.fields.facts
        self.construct: Construct = self.facts.routine(self.key).regions[self.number]
        assert self.construct.region is not None
        own = self.construct.region
        self.region: Region = own if self.halo is None else replace(own, halo=self.halo)
        self.line = self.construct.header.line
        self.references = self.regions.references(RegionId(self.key, self.number))

    def extensions(self) -> tuple[Extension, ...]:
        """How far the region goes, in the order of its iterators. Raises :class:`Refused`."""
        self._region()
        found = {width.domain: self._extension(width) for width in self.region.halo}
        self._points()
        self._statements()
        self._writes()
        return tuple(found[name] for name in self.region.iterators if name in found)

    # -- the region and its points

    def _region(self) -> None:
        region, routine = self.region, self.facts.routine(self.key)
        if self.facts.positions.get(self.key).above:
            raise Refused("another region calls this routine", self.line)
        if {"pure", "elemental"} & set(routine.prefix):
            raise Refused("this routine is pure or elemental", self.line)
        if region.reductions:
            name = region.reductions[0].name
            raise Refused(f"the reduction of '{name}' would count points twice", self.line)
        if any(stride.text != "1" for stride in region.strides):
            raise Refused("it has a stride", self.line)

    def _extension(self, width: Width) -> Extension:
        """The width of one iterator as numbers."""
        domain = self._domain(width.domain)
        if not domain:
            name = self.fields.grid.what.name
            raise Refused(f"'{width.domain}' runs over no domain of the decomposition '{name}'", self.line)
        low, high = self.fields.number(width.low, self.key), self.fields.number(width.high, self.key)
        if low is None or high is None:
            raise Refused(f"its width in '{width.domain}' is no number that is known here", self.line)
        if low < 0 or high < 0:
            raise Refused(f"its width in '{width.domain}' is negative", self.line)
        widest = self.fields.halo(domain, self.key)
        if low > widest[0] or high > widest[1]:
            message = f"it is wider than the halo that @decomposition gives to '{domain}'"
            raise Refused(message, self.line)
        return Extension(width.domain, self.fields.grid.what.number(domain), low, high)

    def _domain(self, iterator: str) -> str:
        """The domain of the decomposition that an iterator of the region runs over; empty if it does not."""
        letters = self.fields.grid.letters_of(self.key)
        domain = next(d for d in self.region.domains if d.name == iterator)
        found = letters.of_name(domain.name) or letters.of_size(domain.extent)
        return found if found in self.fields.grid.what.domains else ""

    def _points(self) -> None:
        """Refuse regions over other points than those of the process: in its halo it cannot know which those are."""
        seen: set[str] = set()
        scope = Scope(self.key)
        for domain, start, end in zip(self.region.domains, self.region.starts, self.region.ends, strict=True):
            name = self._domain(domain.name)
            if not name:
                continue
            if name in seen:
                raise Refused(f"several of its iterators run over '{name}'", self.line)
            seen.add(name)
            cut = Cut(0, name, self.fields.grid.what.number(name), domain.extent)
            spans = [self.fields.span(bound.expr, cut, scope) for bound in (start, end)]
            if [span.first if span is not None else None for span in spans] != [_FIRST, _LAST]:
                message = (
                    f"it goes from {start.text} to {end.text} in '{domain.name}', and not over the points of a part"
                )
                raise Refused(message, self.line)

    # -- statements

    def _statements(self) -> None:
        """Refuse what does more than to compute points, and what depends on the part."""
        names = [self.facts.object(n, self.key) for r in self.references if (n := stands_for(r.name, r.at)[0])]
        fields = {d.identity: d for d in names if d is not None and self.fields.cuts(self.key, d)}
        plain = Overlap(
            self.facts, self.effects, self.fields.grid, self.key, self.construct, tuple(fields.values()), ()
        )
        plain.check_statements()
        plain.check_own_points(self.references, conforming=True)
        self._reads(plain)
        self._called()
        by_place = self.regions.of(RegionId(self.key, self.number)).by_place
        if by_place is not None:
            message = "this depends on where points are in the part of a process: write global(i), not i or onEdge"
            raise Refused(message, by_place.line)
        for part in self.construct.parts:
            for statement in flatten(part.body):
                own = isinstance(statement, Header) and statement.var in self.region.iterators and self.region.loops
                for top in () if own else expressions(statement):
                    for node in self._sizes_in(top):
                        raise Refused(f"'{node.name}' is the size of a part", statement.line, node)
        for reference in self.references:
            if reference.role == "inquiry" and reference.name in {d.name for d in fields.values()}:
                message = f"the size of '{reference.name}' is another one on other processes"
                raise Refused(message, reference.at.statement.line, reference.node)

    def _reads(self, plain: Overlap) -> None:
        """Refuse reads of points that are others in another part: all but neighbours at a fixed distance."""
        wide = {self.fields.grid.what.number(self._domain(w.domain)): w.domain for w in self.region.halo}
        for reference in self.references:
            name, whole = stands_for(reference.name, reference.at)
            data = self.facts.object(name, self.key) if name is not None and not reference.component else None
            if data is None or not self.effects.of(reference, self.key)[0]:
                continue
            for cut in self.fields.cuts(self.key, data):
                place = plain.place(reference, data, cut) if whole else None
                if cut.number in wide and (place is None or place[0] != wide[cut.number]):
                    message = f"which points of '{reference.name}' it reads may depend on the part"
                    raise Refused(message, reference.at.statement.line, reference.node)

    def _called(self) -> None:
        """Refuse calls of routines that work with fields: which points they mean may depend on the part."""
        sites = [s for s in self.facts.graph.below(self.key) if self.number in s.at.regions]
        seen: set[str] = set()
        for outer in sites:
            below = [outer.callee]
            while below:
                key = below.pop()
                if key in seen or key not in self.facts.application.routines:
                    continue
                seen.add(key)
                names = {r.name for r in self.facts.references.get(key, ())}
                arrays = (self.facts.object(name, key) for name in names)
                if any(data is not None and self.fields.cuts(key, data) for data in arrays):
                    message = f"'{outer.name}' works with fields of the grid"
                    raise Refused(message, outer.at.statement.line, outer.node)
                below += [site.callee for site in self.facts.graph.below(key)]

    def _sizes_in(self, expr: Expr) -> Iterator[Name]:
        """The local sizes in an expression, but for ``global(nx)``."""
        if isinstance(expr, Name):
            if self.fields.grid.number_of_size(expr.name, self.key) is not None:
                yield expr
            return
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name == "global":
            return
        for child in children(expr):
            yield from self._sizes_in(child)

    # -- what it sets

    def _writes(self) -> None:
        """Refuse regions that set what is no field, at other points, or for those after the region."""
        sharing = RoutineSharing(self.facts, self.effects, self.facts.routine(self.key)).region(self.number).place()
        own = {*sharing.private, *sharing.firstprivate, *sharing.heap, *self.region.iterators}
        wide = {self.fields.grid.what.number(self._domain(w.domain)): w.domain for w in self.region.halo}
        for reference in self.references:
            if not self.effects.of(reference, self.key)[1]:
                continue
            line, node = reference.at.statement.line, reference.node
            name, whole = stands_for(reference.name, reference.at)
            data = self.facts.object(name, self.key) if name is not None and not reference.component else None
            cuts = self.fields.cuts(self.key, data) if data is not None else ()
            if data is not None and name in own and not cuts:
                continue
            if data is None or not cuts:
                message = f"it sets '{reference.name}', which is no field, and may be read elsewhere"
                raise Refused(message, line, node)
            for cut in cuts:
                if cut.number in wide and not self._at_point(reference, data, cut, wide[cut.number], whole):
                    raise Refused(f"it may set other points of '{reference.name}' than its own", line, node)
            missing = [w for n, w in wide.items() if n not in {c.number for c in cuts}]
            if missing:
                message = f"it sets '{reference.name}', which has no dimension over '{missing[0]}'"
                raise Refused(message, line, node)

    def _at_point(self, reference: Reference, data: DataObject, cut: Cut, iterator: str, whole: bool) -> bool:
        """Whether the index of a dimension is that of the point."""
        given = reference.indices
        if data.full[cut.position].declared is None and (given is None or len(given) != len(data.full)):
            return not self.region.explicit
        index = index_of(reference, data, cut) if whole else None
        return isinstance(index, Name) and index.name == iterator

    def targets(self, extensions: Sequence[Extension]) -> tuple[Target, ...]:
        """The dimensions of fields that are set in the halo. Raises :class:`Refused` where one is too short."""
        widths = {e.number: (e.low, e.high) for e in extensions}
        found: dict[tuple[str, int], Target] = {}
        for reference in self.references:
            name = stands_for(reference.name, reference.at)[0]
            data = self.facts.object(name, self.key) if name is not None else None
            if data is None or not self.effects.of(reference, self.key)[1]:
                continue
            for cut in self.fields.cuts(self.key, data):
                if cut.number not in widths:
                    continue
                if without_place(cut):
                    message = f"'{data.name}' has assumed shape: which of its points are halo is not known here"
                    raise Refused(message, reference.at.statement.line, reference.node)
                known = self._reaches(data, cut, *widths[cut.number])
                if known is False:
                    message = f"'{data.name}' does not reach so far into the halo"
                    raise Refused(message, reference.at.statement.line, reference.node)
                found[data.name, cut.number] = Target(data, cut, known is True)
        return tuple(found.values())

    def _reaches(self, data: DataObject, cut: Cut, low: int, high: int) -> bool | None:
        """Whether an array reaches so far by its declaration; None where that is not known."""
        if cut.extent.form != "explicit" or cut.extent.upper is None:
            return None
        scope = Scope(data.routine)
        lower = self.fields.span(cut.extent.lower.expr, cut, scope) if cut.extent.lower is not None else None
        upper = self.fields.span(cut.extent.upper.expr, cut, scope)
        first = lower.first if lower is not None else _FIRST if cut.extent.lower is None else None
        if first is None or upper is None or first.from_last or not upper.last.from_last:
            return None
        widest = self.fields.halo(cut.domain, self.key)
        enough = first.number <= 1 - low and upper.last.number >= high
        return True if enough and FAR not in widest else None if enough else False
