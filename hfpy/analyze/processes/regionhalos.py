"""What a region reads of the halos of fields, and what it sets: by itself, whatever is clean when it is reached."""

from __future__ import annotations

from dataclasses import field, replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.processes.decomposed import Cut
from hfpy.analyze.processes.halodepths import FAR, Depths, Halo, deepest, depths_of, least, no_depths
from hfpy.analyze.processes.halolevels import Levels, Stale
from hfpy.analyze.processes.halospans import Fields, Scope, Span, index_of, place_of
from hfpy.model.directives import Region, Width
from hfpy.model.expressions import Apply, Component, Expr, Name, children, walk, without_places
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, Jump, OneLine, Statement, expressions, flatten
from hfpy.values import dataclass

_SURE = ("do", "region", "at_if")  # constructs whose statements are executed for certain
_DEEPEST_CALLS = 30


@dataclass(frozen=True)
class Need:
    """What is read of a field: how deep into the halo on each side of each domain, and one such read. ``line`` is that
    of the region or loop that reads. ``known`` tells whether all of its indices are understood, ``name`` is empty where
    a called routine reads what has no name here. ``levels`` are the indices of its reads in other dimensions,
    ``own`` how deep the region reads that computes no points of the halo (None: as deep).
    """

    name: str
    identity: Identity
    depths: Depths
    reference: Reference
    line: LogicalLine
    levels: tuple[Levels, ...]
    known: bool = True
    in_region: bool = True
    own: Depths | None = None

    def with_read(self, other: Need) -> Need:
        """What this and another read need together."""
        levels = tuple(dict.fromkeys((*self.levels, *other.levels)))
        return replace(self, depths=deepest(self.depths, other.depths), levels=levels, known=self.known and other.known)


@dataclass(frozen=True)
class Setting:
    """A field that a region sets: how deep into the halo it sets what the owners of the points set, if all that it
    reads is clean. ``stale`` is where it certainly sets all points that the process owns; ``deep`` tells whether it
    goes beyond them, ``whole`` whether it certainly sets all levels of each point, and ``redundant`` whether it keeps
    to the points of the grid where it goes beyond those of the process.
    """

    name: str
    identity: Identity
    clean: Depths
    stale: Stale | None
    deep: bool
    whole: bool = False
    redundant: bool = False

    def behind(self, before: Halo, inputs: bool) -> Halo:
        """The halo of the field after the region. ``inputs``: all that the region reads is clean."""
        none = no_depths(len(next(iter(self.clean))))
        stale = (self.stale,) if self.stale is not None and (inputs or not self.deep) else ()
        made = self.clean if inputs else none
        if not self.deep:
            return Halo(made, stale, beyond=before.beyond)
        clean = made if self.whole else least(made, before.clean)  # what it leaves is as it was
        return Halo(clean, stale, made, before.beyond if self.redundant else clean)


@dataclass(frozen=True)
class RegionHalos:
    """What one region does. ``forgotten`` is the memory that it may set in ways that are not understood, ``unclear``
    are reads of neighbours in arrays of which it is not known whether they are fields. ``by_place`` is a statement that
    depends on where points are in the process's part, if there is one.
    """

    needs: tuple[Need, ...] = ()
    settings: tuple[Setting, ...] = ()
    forgotten: frozenset[Identity] = frozenset()
    unclear: tuple[Reference, ...] = ()
    by_place: Statement | None = None


@dataclass
class Regions:
    """What the regions of a program do to the halos of a decomposition's fields."""

    fields: Fields
    effects: Effects
    _inside: dict[str, dict[int, list[Reference]]] = field(default_factory=dict)
    _found: dict[tuple[RegionId, tuple[Width, ...] | None], RegionHalos] = field(default_factory=dict)

    def of(self, region: RegionId, halo: tuple[Width, ...] | None = None) -> RegionHalos:
        """One region; with a ``halo`` of points that it computes, if that is not the one of its directive."""
        slot = region, halo
        if slot not in self._found:
            self._found[slot] = _Region(self, region, halo).found()
        return self._found[slot]

    def references(self, region: RegionId) -> list[Reference]:
        """The references in a region that this build does not drop."""
        facts, key = self.fields.facts, region.routine
        if key not in self._inside:
            inside = self._inside.setdefault(key, {})
            for reference in facts.references.get(key, ()):
                if facts.live(reference.at, key):
                    for number in reference.at.regions:
                        inside.setdefault(number, []).append(reference)
        return self._inside[key].get(region.number, [])


@dataclass
class _Region:
    """One region while it is looked at."""

    regions: Regions
    id: RegionId
    halo: tuple[Width, ...] | None = None
    needs: dict[str, Need] = field(default_factory=dict)
    settings: dict[Identity, Setting] = field(default_factory=dict)
    forgotten: set[Identity] = field(default_factory=set)
    unclear: list[Reference] = field(default_factory=list)
    written: list[tuple[Identity, Reference]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fields, self.effects = self.regions.fields, self.regions.effects
        self.facts = self.fields.facts
        self.key = self.id.routine
        self.construct = self.facts.routine(self.key).regions[self.id.number]
        assert self.construct.region is not None
        own = self.construct.region
        self.region: Region = own if self.halo is None else replace(own, halo=self.halo)
        statements = list(flatten([node for part in self.construct.parts for node in part.body]))
        self.conditional = {id(s.action) for s in statements if isinstance(s, OneLine)}
        self.jumps = any(isinstance(s, Jump) or isinstance(getattr(s, "action", None), Jump) for s in statements)
        self.none = no_depths(len(self.fields.grid.what.domains))

    def found(self) -> RegionHalos:
        references = self.regions.references(self.id)
        by_place = self._by_place()
        as_owners = by_place is None
        for reference in references:
            scope = self.fields.of_region(self.region, reference.at.constructs, self.key)
            reads, writes = self.effects.of(reference, self.key)
            meant = self._meant(reference, self.key)
            if meant is None:
                if writes:
                    self._forget(reference)
                continue
            data, whole = meant
            if reads and reference.role not in ("inquiry", "pointer"):
                self._read(reference, data, whole, scope, self._set_before(reference, data))
            if writes:
                self._set(reference, data, whole, scope, as_owners)
                self.written.append((data.identity, reference))
        for site in self.facts.graph.below(self.key):
            if self.id.number in site.at.regions and self.facts.live(site.at, self.key):
                scope = self.fields.of_region(self.region, site.at.constructs, self.key)
                self._called(site, scope, 0)
        needs, settings = tuple(self.needs.values()), tuple(self.settings.values())
        if self.region.halo:
            plain = {need.identity: need.depths for need in self.regions.of(self.id, ()).needs}
            needs = tuple(replace(need, own=plain.get(need.identity, self.none)) for need in needs)
        return RegionHalos(needs, settings, frozenset(self.forgotten), tuple(self.unclear), by_place)

    def _meant(self, reference: Reference, key: str) -> tuple[DataObject, bool] | None:
        """The array that a reference means, and whether its name means all of it; None if it means no array of
        numbers whose dimensions are known.
        """
        name, whole = stands_for(reference.name, reference.at)
        data = self.facts.object(name, key) if name is not None and not reference.component else None
        return (data, whole) if data is not None else None

    def _forget(self, reference: Reference) -> None:
        """What a reference may set without being understood: components are known by their names alone."""
        storage = self.facts.storage
        self.forgotten |= storage.of_designator(reference.node, reference.at, self.key)
        for node in (n for top in expressions(reference.at.statement) for n in walk(top)):
            if isinstance(node, Component):
                self.forgotten |= storage.of_identity(component_object(node.name))

    # -- reads

    def _read(self, reference: Reference, data: DataObject, whole: bool, scope: Scope, before: bool | None) -> None:
        """One read. ``before`` tells whether the region has set these points: True for certain, None perhaps."""
        cuts = self.fields.cuts(scope.key, data)
        if self._is_unclear(reference, data, cuts):
            self.unclear.append(reference)
        if before is not True:
            self._need(data.name, data, reference, scope, whole, surely_read=before is False)

    def _need(
        self, name: str, data: DataObject, reference: Reference, scope: Scope, whole: bool, surely_read: bool
    ) -> None:
        """What one read needs of the halo."""
        sides, known = {}, surely_read
        for cut in self.fields.cuts(scope.key, data):
            sides[cut.number], certain = self._depth(reference, data, cut, scope, whole)
            known = known and (certain or sides[cut.number] == (0, 0))
        depths = depths_of(sides, len(self.fields.grid.what.domains))
        if depths == self.none:
            return
        slot = name or "/".join(data.identity)
        levels = (self._levels(reference, data, scope, whole),)
        need = Need(name, data.identity, depths, reference, self.construct.header.line, levels, known)
        self.needs[slot] = self.needs[slot].with_read(need) if slot in self.needs else need

    def _depth(
        self, reference: Reference, data: DataObject, cut: Cut, scope: Scope, whole: bool
    ) -> tuple[tuple[int, int], bool]:
        """How far one read goes into the halo of a domain on each side, and whether that is certain."""
        span = self._span(reference, data, cut, scope) if whole else None
        depth = self.fields.depths(span, cut, scope.key) if span is not None else None
        if span is None or depth is None:
            return self.fields.halo(cut.domain, self.key), False
        return depth, span.by_loop

    def _levels(self, reference: Reference, data: DataObject, scope: Scope, whole: bool) -> Levels:
        """The indices in the other dimensions. Variables of loops around the region are one index each."""
        if scope.key == self.key:
            scope = self.fields.of_region(self.region, self._inner(reference), self.key)
        return self.fields.levels(reference, data, scope, whole)

    def _inner(self, reference: Reference) -> tuple[Construct, ...]:
        """The constructs around a reference, from the region inwards."""
        constructs = reference.at.constructs
        return constructs[next((n for n, c in enumerate(constructs) if c is self.construct), 0) :]

    def _span(self, reference: Reference, data: DataObject, cut: Cut, scope: Scope) -> Span | None:
        """The indices that a reference takes in a cut dimension. A dimension that hfpy inserts has those of the point;
        a name alone means all of what is declared.
        """
        if data.full[cut.position].declared is None and (
            reference.indices is None or len(reference.indices) != len(data.full)
        ):
            return self.fields.of_points(self.region, cut, Scope(self.key, scope.loops))
        index = index_of(reference, data, cut)
        return self.fields.span(index, cut, scope) if index is not None else None

    def _is_unclear(self, reference: Reference, data: DataObject, cuts: tuple[Cut, ...]) -> bool:
        """Whether it may be a neighbour in a field that is read: an index beside that of the point, in a dimension
        of which only the memory tells the size.
        """
        if cuts or reference.indices is None or len(reference.indices) != len(data.full):
            return False
        domains = self._iterators()
        for dimension, index in zip(data.full, reference.indices, strict=True):
            open_ended = dimension.extent.form in ("deferred", "assumed", "star") and not self._sizes_known(data)
            if open_ended and not isinstance(index, Name) and domains & _names(index):
                return True
        return False

    def _sizes_known(self, data: DataObject) -> bool:
        """Whether the statements that allocate an array tell its sizes."""
        return bool(self.facts.allocations.get(data.identity)) and "pointer" not in data.symbol.attributes

    def _iterators(self) -> frozenset[str]:
        """The iterators of the region over domains that are cut."""
        letters = self.fields.grid.letters_of(self.key)
        cut = self.fields.grid.what.domains
        return frozenset(
            d.name for d in self.region.domains if (letters.of_name(d.name) or letters.of_size(d.extent)) in cut
        )

    # -- writes

    def _set_before(self, reference: Reference, data: DataObject) -> bool | None:
        """Whether the same points of a field have been set before they are read: True for certain, None perhaps."""
        answer: bool | None = False
        for known, write in self.written:
            statement = write.at.statement
            if known != data.identity or statement is reference.at.statement or _points(write) != _points(reference):
                continue
            sure = all(c.kind in _SURE for c in self._inner(write)) and id(statement) not in self.conditional
            if sure and reference.at.constructs[: len(write.at.constructs)] == write.at.constructs:
                return True
            answer = None
        return answer

    def _set(self, reference: Reference, data: DataObject, whole: bool, scope: Scope, as_owners: bool) -> None:
        cuts = self.fields.cuts(scope.key, data)
        if not cuts:
            self.forgotten |= self.facts.storage.of_identity(data.identity)
            return
        made = self._setting(reference, data, whole, scope, as_owners)
        earlier = self.settings.get(data.identity)
        if earlier is not None:
            made = replace(
                made,
                clean=least(earlier.clean, made.clean),
                stale=earlier.stale or made.stale,
                deep=earlier.deep or made.deep,
                whole=earlier.whole or made.whole,
            )
        self.settings[data.identity] = made

    def _setting(self, reference: Reference, data: DataObject, whole: bool, scope: Scope, as_owners: bool) -> Setting:
        """What one reference sets of a field."""
        clean = [(FAR, FAR) for _ in self.fields.grid.what.domains]
        owned, deep = True, False
        for cut in self.fields.cuts(scope.key, data):
            span = self._span(reference, data, cut, scope) if whole else None
            depth = self.fields.depths(span, cut, scope.key) if span is not None else None
            if span is None or depth is None:
                return Setting(data.name, data.identity, self.none, None, True)
            owned = owned and span.owns_all
            deep = deep or depth != (0, 0)
            clean[cut.number] = depth if as_owners else (0, 0)
        certain = owned and all(c.kind in _SURE for c in self._inner(reference))
        certain = certain and id(reference.at.statement) not in self.conditional
        line = reference.at.statement.line
        place = line.place(self.facts.routine(self.key).file, reference.node.start, reference.node.end)
        levels = self._levels(reference, data, scope, whole)
        stale = Stale(place, levels) if certain else None
        sure = certain and reference.role == "write" and not self.jumps and self._has_turns(reference)
        all_levels = sure and all(level.whole for level in levels)
        depths = frozenset({tuple(clean)}) if owned else self.none
        return Setting(data.name, data.identity, depths, stale, deep, all_levels, bool(self.region.halo))

    def _has_turns(self, reference: Reference) -> bool:
        """Whether the loops around what is set have turns, if it has points: they run over its indices."""
        names = frozenset(name for index in reference.indices or () for name in _names(index))
        headers = (c.header for c in self._inner(reference) if c.kind == "do")
        return all(isinstance(header, Header) and header.var in names for header in headers)

    def _by_place(self) -> Statement | None:
        """A statement that computes points from where they are in the process's part: then a process may compute other
        values in its halo than the owners of the points.
        """
        iterators = self._iterators()
        body = [node for part in self.construct.parts for node in part.body]
        return next((s for s in flatten(body) for top in expressions(s) if self._tells_place(top, iterators)), None)

    def _tells_place(self, expr: Expr, iterators: frozenset[str]) -> bool:
        """Whether a part of an expression is an iterator, or asks for the boundary, other than as an index of a field
        or as what ``global`` is asked.
        """
        if isinstance(expr, Name):
            return expr.name in iterators
        if isinstance(expr, Apply) and isinstance(expr.base, Name):
            if expr.base.name == "global":
                return False
            if expr.base.name == "onedge":
                return True
            data = self.facts.object(expr.base.name, self.key)
            cuts = self.fields.cuts(self.key, data) if data is not None else ()
            places = {place_of(len(expr.args), data, cut.position) for cut in cuts if data is not None}
            rest = (arg for position, arg in enumerate(expr.args) if position not in places)
            return any(self._tells_place(arg, iterators) for arg in rest)
        return any(self._tells_place(child, iterators) for child in children(expr))

    # -- called routines

    def _called(self, site: CallSite, scope: Scope, depth: int) -> None:
        """What a routine that the region calls does to fields that it does not get as arguments."""
        callee = site.callee
        if callee not in self.facts.application.routines or depth > _DEEPEST_CALLS:
            return
        inner = Scope(callee, {}, {name: (value, scope) for name, value in passed(self.facts, site)})
        for reference in self.facts.references.get(callee, ()):
            meant = self._meant(reference, callee)
            if not self.facts.live(reference.at, callee) or meant is None or meant[0].home == callee:
                continue
            self._used_below(reference, *meant, inner, callee)
        for further in self.facts.graph.below(callee):
            self._called(further, inner, depth + 1)

    def _used_below(self, reference: Reference, data: DataObject, whole: bool, scope: Scope, callee: str) -> None:
        reads, writes = self.effects.of(reference, callee)
        name = self._name_here(data.identity)
        if reads and reference.role not in ("inquiry", "pointer"):
            self._need(name, data, reference, scope, whole, surely_read=False)
        if writes:
            self.forgotten |= self.facts.storage.of_identity(data.identity) | {data.identity}

    def _name_here(self, identity: Identity) -> str:
        """The name of a variable of another unit in the region's routine; empty if it has none."""
        found = self.facts.scopes.variable(identity[1], self.key)
        if found is not None and (found.home, found.symbol.name) == identity:
            return identity[1]
        return ""


def _points(reference: Reference) -> tuple[Expr, ...] | None:
    return tuple(without_places(index) for index in reference.indices) if reference.indices is not None else None


def _names(expr: Expr) -> frozenset[str]:
    return frozenset(node.name for node in walk(expr) if isinstance(node, Name))
