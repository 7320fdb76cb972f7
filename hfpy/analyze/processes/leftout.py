"""Bounds and indices that are meant for the whole grid, and are those of each process's part.

In a decomposed domain ``startAt(2)`` leaves out the first point of every process, not only that of the grid; so does a
loop outside of regions, and ``a(1) = 0`` sets the first point of every process. Only what is certain counts: bounds
that are constants or come from local sizes, at places that all processes reach. Indices of the halo are none of these:
there is redundant computation, or code for boundaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.exports import Exports
from hfpy.analyze.processes.byprocess import ByProcess
from hfpy.analyze.processes.decomposed import Cut
from hfpy.analyze.processes.halos import Walk
from hfpy.analyze.processes.halospans import Index, Scope, Span, index_of, loops
from hfpy.analyze.processes.hosthalos import is_for_whole_grid
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.model.directives import Region
from hfpy.model.expressions import Binary, Expr, Name, walk
from hfpy.model.statements import Construct, Header, OneLine, expressions
from hfpy.values import dataclass

_NOT_RUN = ("module", "submodule", "blockdata")
# Which points of a loop are on the two sides of a comparison with a number: the last one of the low side.
_LOW_SIDE = {"<": -1, ">=": -1, "<=": 0, ">": 0}
_HINT = "for a place in the grid ask global({0}) in a condition, or set the bound with onEdge({0}, low) or (high)"
_PERIODIC_HINT = "for a place in the grid ask global({0}) in a condition"


@dataclass
class _Group:
    """What one region, loop or statement sets of a field: references with the indices that they take in a domain, None
    where that is not known.
    """

    key: str
    cut: Cut
    construct: Construct | None
    found: list[tuple[Reference, Span | None]] = field(default_factory=list)

    def hull(self) -> Span | None:
        """All indices that are taken, from the first to the last; None where that is not known."""
        spans = [span for _, span in self.found]
        known = [span for span in spans if span is not None and not _in_halo(span)]
        if not known or len(known) < len([span for span in spans if span is None or not _in_halo(span)]):
            return None
        first = min((span.first for span in known), key=lambda index: (index.from_last, index.number))
        last = max((span.last for span in known), key=lambda index: (index.from_last, index.number))
        return Span(first, last, any(span.by_loop for span in known))


@dataclass
class LeftOut:
    """The places of a program where points are left out, or set, in the parts of all processes, for the decomposition
    of a :class:`Walk`.
    """

    walk: Walk
    by_process: ByProcess
    _seen: set[tuple[str, int, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.facts, self.fields, self.effects = self.walk.facts, self.walk.fields, self.walk.effects

    def all(self) -> Iterator[Diagnostic]:
        """Warnings, one for each loop and domain."""
        suspects = {key: list(self._of_routine(key)) for key in self.facts.references}
        if not any(suspects.values()):
            return
        reached = self._reached()
        for key, listed in suspects.items():
            for at, domain, found in listed if key in reached else ():
                slot = key, found.place.line, domain
                if slot not in self._seen and self.by_process.is_sure(at, key):
                    self._seen.add(slot)
                    yield found

    def _reached(self) -> set[str]:
        """The routines that all processes reach with their own parts."""
        graph, routines, exports = self.facts.graph, self.facts.application.routines, Exports(self.facts)
        pending = [
            key
            for key, routine in routines.items()
            if routine.kind not in _NOT_RUN and (not graph.is_called(key) or exports.calls(routine))
        ]
        found: set[str] = set()
        while pending:
            key = pending.pop()
            if key in found or key not in routines or is_for_whole_grid(routines[key]):
                continue
            found.add(key)
            pending += [site.callee for site in graph.below(key) if self.by_process.is_sure(site.at, key)]
        return found

    def _of_routine(self, key: str) -> Iterator[tuple[Located, str, Diagnostic]]:
        """What is wrong in a routine if all processes reach it: where, in which domain."""
        for group in self._groups(key):
            span = group.hull()
            if span is None or self._is_one_process(group.cut.domain, key):
                continue
            low, high = _leaves_out(span)
            if low or high:
                yield group.found[0][0].at, group.cut.domain, self._warning(group, span, low, high)
        yield from self._compared(key)

    def _is_one_process(self, domain: str, key: str) -> bool:
        """Whether the domain is not cut, as the decomposition says."""
        what = self.fields.grid.what
        number = what.number(domain)
        return number < len(what.grid) and self.fields.number(what.grid[number], key) == 1

    # -- loops and statements

    def _groups(self, key: str) -> Iterable[_Group]:
        groups: dict[tuple[int, Identity, str], _Group] = {}
        sums: dict[tuple[int, Identity, str], _Group] = {}
        setting: set[int] = set()
        for reference in self.facts.references.get(key, ()):
            meant = self._field(reference, key)
            if meant is None:
                continue
            data, cuts = meant
            reads, writes = self.effects.of(reference, key)
            region = self._region(reference, key)
            if not writes and (not reads or region is None or not _reduces(region)):
                continue
            for cut in cuts:
                known = reference.role != "argument"  # an element means those after it, too
                span = self._span(reference, data, cut, region, key) if known else None
                around = region or self._loop(reference, data, cuts)
                place = id(around or reference.at.statement)
                listed = groups if writes else sums
                group = listed.setdefault((place, data.identity, cut.domain), _Group(key, cut, around))
                group.found.append((reference, span))
                setting |= {place} if writes else set()
        return [*groups.values(), *_whole_regions(g for (place, *_), g in sums.items() if place not in setting)]

    def _field(self, reference: Reference, key: str) -> tuple[DataObject, tuple[Cut, ...]] | None:
        """The field that a reference means, with its dimensions that are cut."""
        if reference.component or reference.role in ("inquiry", "pointer", "allocate"):
            return None
        name, whole = stands_for(reference.name, reference.at)
        data = self.facts.object(name, key) if name is not None and whole else None
        if data is None or not self.facts.live(reference.at, key):
            return None
        cuts = self.fields.cuts(key, data)
        return (data, cuts) if cuts else None

    def _region(self, reference: Reference, key: str) -> Construct | None:
        """The region around a reference that has loops on this target."""
        routine = self.facts.routine(key)
        for number in reference.at.regions:
            construct = routine.regions[number]
            if construct.region is not None and construct.region.active(self.facts.target):
                return construct
        return None

    def _span(
        self, reference: Reference, data: DataObject, cut: Cut, region: Construct | None, key: str
    ) -> Span | None:
        """The indices that a reference takes in a cut dimension."""
        constructs = reference.at.constructs
        if region is None or region.region is None:
            index = index_of(reference, data, cut)
            return self.fields.span(index, cut, Scope(key, loops(constructs))) if index is not None else None
        scope = self.fields.of_region(region.region, constructs, key)
        plan = self.facts.plan_of(reference, key)
        planned = plan.items or () if plan is not None else ()
        by_position = dict(zip(data.kept, planned, strict=False))  # items are those of the dimensions in use
        item = by_position.get(cut.position) or index_of(reference, data, cut)
        if isinstance(item, str):
            iterators = (domain.name for domain in region.region.domains)
            item = next((Name(0, 0, name) for name in iterators if name == item), None)
        return self.fields.span(item, cut, scope) if item is not None else None

    def _loop(self, reference: Reference, data: DataObject, cuts: Iterable[Cut]) -> Construct | None:
        """The outermost loop that takes a reference over points of the grid."""
        indices = (index_of(reference, data, cut) for cut in cuts)
        names = {n.name for index in indices if index is not None for n in walk(index) if isinstance(n, Name)}
        for construct in reference.at.constructs:
            header = construct.header
            if construct.kind == "do" and isinstance(header, Header) and header.var in names:
                return construct
        return None

    def _warning(self, group: _Group, span: Span, low: bool, high: bool) -> Diagnostic:
        """What to say of a group."""
        domain = group.cut.domain
        file = self.facts.routine(group.key).file
        reference = group.found[0][0]
        line = reference.at.statement.line
        if group.construct is not None and span.by_loop:
            place = group.construct.header.line.place(file)
        else:
            place = line.place(file, reference.node.start, reference.node.end)
        if not span.by_loop:
            message = f"this sets a point in the part of each process, which '{reference.name}' has of the grid"
            return self._said(message, place, domain)
        which = " and ".join(word for word, out in (("first", low), ("last", high)) if out)
        message = f"the {which} points in '{domain}' of each process are left out, not only those of the grid"
        return self._said(message, place, domain)

    def _said(self, message: str, place: Place, domain: str) -> Diagnostic:
        hint = _PERIODIC_HINT if domain in self.fields.grid.what.periodic else _HINT
        return warning("HF662", message, place, hint.format(domain))

    # -- comparisons of iterators

    def _compared(self, key: str) -> Iterator[tuple[Located, str, Diagnostic]]:
        """Conditions in regions that ask for a point of the grid by the index of a process's part."""
        routine = self.facts.routine(key)
        for at in self.facts.graph.statements.get(key, ()):
            statement = at.statement
            if not at.regions or not isinstance(statement, (Header, OneLine)) or not self.facts.live(at, key):
                continue
            region = routine.regions[at.regions[0]].region
            if region is None or not region.active(self.facts.target):
                continue
            for condition in expressions(statement):
                for node in walk(condition):
                    domain = self._asked_of_part(node, region, at, key)
                    if domain and not self.by_process.depends(condition, at, key):
                        place = statement.line.place(routine.file, node.start, node.end)
                        yield at, domain, self._counted(domain, place)

    def _counted(self, domain: str, place: Place) -> Diagnostic:
        message = f"indices in '{domain}' count the points of each process: this is a point in each part of the grid"
        return self._said(message, place, domain)

    def _asked_of_part(self, node: Expr, region: Region, at: Located, key: str) -> str:
        """The domain in which a comparison tells points of a part from others; empty if it does not."""
        if not isinstance(node, Binary) or node.op not in (*_LOW_SIDE, "==", "/="):
            return ""
        op, left, right = node.op, node.left, node.right
        if not isinstance(left, Name) or left.name not in region.iterators:
            op, left, right = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(op, op), right, left
        for domain in region.domains:
            found = self.fields.grid.letters_of(key).of_size(domain.extent)
            if not isinstance(left, Name) or domain.name != left.name or found not in self.fields.grid.what.domains:
                continue
            cut = Cut(0, found, self.fields.grid.what.number(found), domain.extent)
            scope = self.fields.of_region(region, at.constructs, key)
            over = self.fields.span(left, cut, scope)
            other = self.fields.span(right, cut, scope)
            if over is None or other is None or other.by_loop or self._is_one_process(found, key):
                return ""
            return found if _divides(op, other.first) else ""
        return ""


def _whole_regions(groups: Iterable[_Group]) -> Iterator[_Group]:
    """What regions that set no field read for their sums, all fields of each together: points that none of them has
    are left out.
    """
    found: dict[tuple[int, str], _Group] = {}
    for group in groups:
        slot = id(group.construct), group.cut.domain
        found.setdefault(slot, _Group(group.key, group.cut, group.construct)).found.extend(group.found)
    yield from found.values()


def _reduces(construct: Construct) -> bool:
    return construct.region is not None and bool(construct.region.reductions)


def _in_halo(span: Span) -> bool:
    """Whether all indices are those of the halo."""
    below = not span.last.from_last and span.last.number < 1
    return below or (span.first.from_last and span.first.number > 0)


def _leaves_out(span: Span) -> tuple[bool, bool]:
    """Whether points are left out at the low side of a part, and at the high side."""
    low = span.first.from_last or span.first.number > 1
    return low, not span.last.from_last or span.last.number < 0


def _divides(op: str, index: Index) -> bool:
    """Whether a comparison with an index is true for some of a part's points, and false for others."""
    if op in ("==", "/="):
        return index.number <= 0 if index.from_last else index.number >= 1
    last_low = index.number + _LOW_SIDE[op]
    return last_low < 0 if index.from_last else last_low > 0
