"""Whether a region can be computed in two parts while halos are exchanged: first the points that read none of them,
then the others (distributed.md §3.3).

The region's points may be computed in any order, as those of every region. So what counts is that nothing is sent or
received that it sets, and that it is certain for each point which halos it reads: by its index in the region alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.sizes import linear
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.processes.decomposed import Cut, Grid
from hfpy.analyze.processes.halospans import index_of
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Expr, Name, base_name, walk, without_places
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    DirectiveLine,
    End,
    Header,
    Jump,
    Node,
    OneLine,
    Specification,
    Statement,
    expressions,
    flatten,
)
from hfpy.values import dataclass

_WORDS = frozenset({"global", "onedge"})  # questions that become variables
_JUMPS = frozenset({"cycle", "exit", "continue"})


@dataclass(frozen=True)
class Reach:
    """Which halos the points of a region read along one of its iterators: those in a domain of the decomposition, by
    its number, from the point ``low`` below to the point ``high`` above.
    """

    iterator: str
    number: int
    low: int
    high: int


class Refused(Exception):
    """Why a region cannot be computed in two parts, with the place."""

    def __init__(self, message: str, line: LogicalLine, node: Expr | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.node = node

    def diagnostic(self, file: str) -> Diagnostic:
        """As an error."""
        place = self.line.place(file, *((self.node.start, self.node.end) if self.node is not None else ()))
        hint = "without mode(overlap) the exchange ends before the region begins"
        return error("HF659", f"the exchange cannot overlap with this region: {self.message}", place, hint)


@dataclass
class Overlap:
    """One region after an exchange of some ``fields`` along some domains, by their numbers."""

    facts: Facts
    effects: Effects
    grid: Grid
    key: str
    construct: Construct
    fields: Sequence[DataObject]
    numbers: Sequence[int]
    _low: dict[str, int] = field(default_factory=dict)
    _high: dict[str, int] = field(default_factory=dict)
    _number: dict[str, int] = field(default_factory=dict)

    def reaches(self) -> tuple[Reach, ...]:
        """What is read of the halos, in the order of the region's iterators. Raises :class:`Refused`."""
        self._plain(self.region)
        self.check_statements()
        references = [r for r in self.facts.references.get(self.key, ()) if self._inside(r)]
        for reference in references:
            self._reference(reference)
        self.check_own_points(references)
        if not self._number:
            raise Refused("it reads none of the fields", self.construct.header.line)
        named = ((i, self._number[i]) for i in self.region.iterators if i in self._number)
        return tuple(Reach(i, number, self._low[i], self._high[i]) for i, number in named)

    def arrays(self) -> int:
        """How many arrays of the grid the region reads or sets."""
        references = (r for r in self.facts.references.get(self.key, ()) if self._inside(r))
        names = {name for r in references if (name := stands_for(r.name, r.at)[0]) is not None}
        found = (self.facts.object(name, self.key) for name in names)
        return sum(data is not None and bool(self.grid.cuts(data)) for data in found)

    @property
    def region(self) -> Region:
        """The region as its directive says."""
        assert self.construct.region is not None
        return self.construct.region

    def _plain(self, region: Region) -> None:
        """Refuse regions that are not loops over points, each by itself."""
        line = self.construct.header.line
        if not region.active(self.facts.target):
            raise Refused("it is a region on other targets only", line)
        if region.loops:
            raise Refused("it has loops of its own", line)
        if region.reductions:
            raise Refused("it has a reduction", line)
        if any(stride.text != "1" for stride in region.strides):
            raise Refused("it has a stride", line)
        if len(set(region.iterators)) < len(region.iterators):
            raise Refused("an iterator is named twice", line)

    # -- statements and calls

    def check_statements(self) -> None:
        """Refuse statements and calls that may do more than to compute points, or get more of the fields than that."""
        self._statements()
        self._calls()

    def _statements(self) -> None:
        for part in self.construct.parts:
            for statement in flatten(part.body):
                if not self._harmless(statement):
                    raise Refused("what this statement does is not known to be the point's own", statement.line)
            for node in part.body:
                if isinstance(node, Construct) and _has_region(node):
                    raise Refused("it has another region within", node.header.line)

    def _harmless(self, statement: Statement) -> bool:
        match statement:
            case Assignment(pointer=pointer):
                return not pointer
            case Jump(kind=kind):
                return kind in _JUMPS
        return isinstance(statement, (Header, End, Call, OneLine, Specification, DirectiveLine))

    def _calls(self) -> None:
        """Refuse calls that may read neighbours, or do more than to compute."""
        sites = [s for s in self.facts.graph.sites.get(self.key, ()) if self._here(s.at.regions)]
        known = {(s.at.statement.line.key, s.node.start) for s in sites}
        for site in sites:
            self._call(site)
        for part in self.construct.parts:
            for statement in flatten(part.body):
                for top in expressions(statement):
                    for node in walk(top):
                        if self._is_unknown(node) and (statement.line.key, node.start) not in known:
                            raise Refused("what is called here is not known", statement.line, node)

    def _call(self, site: CallSite) -> None:
        routine = self.facts.application.routines.get(site.callee)
        line = site.at.statement.line
        if routine is None or site.chosen:
            raise Refused(f"what '{site.name}' does is not known", line, site.node)
        if not {"pure", "elemental"} & set(routine.prefix):
            raise Refused(f"'{site.name}' is not pure", line, site.node)
        if self._meets(self.effects.mentioned_memory(site.callee)):
            raise Refused(f"'{site.name}' works with a field of the exchange", line, site.node)
        for dummy, value in passed(self.facts, site):
            base = base_name(value)
            found = self.facts.variable(base, site.at, self.key) if base is not None else None
            memory = self.facts.storage.of_identity((found.home, found.symbol.name)) if found is not None else ()
            data = self.facts.object(dummy, site.callee)
            if self._meets(memory) and (data is None or data.rank):
                raise Refused(f"'{site.name}' gets more than one point of '{base}'", line, value)

    def _is_unknown(self, node: Expr) -> bool:
        """Whether it may be a call of a function that is not here."""
        if not isinstance(node, Apply) or not isinstance(node.base, Name) or node.base.name in _WORDS:
            return False
        name, scopes = node.base.name, self.facts.scopes
        data = self.facts.object(name, self.key)
        if data is not None:
            return not data.rank and data.symbol.type.base != "character"
        if any(name == macro.lower() for macro in self.facts.application.macros_of(self.key)):
            return False
        return scopes.variable(name, self.key) is not None or not scopes.is_intrinsic(name, self.key)

    # -- references

    def _inside(self, reference: Reference) -> bool:
        return self._here(reference.at.regions) and self.facts.live(reference.at, self.key)

    def _here(self, regions: tuple[int, ...]) -> bool:
        numbered = self.facts.routine(self.key).regions
        return any(numbered[number] is self.construct for number in regions)

    def _meets(self, memory: frozenset[Identity] | tuple[Identity, ...]) -> bool:
        """Whether memory may be that of a field of the exchange."""
        storage = self.facts.storage
        return any(storage.meet(memory, storage.of_identity(data.identity)) for data in self.fields)

    def _reference(self, reference: Reference) -> None:
        """Refuse what the exchange may change or send, and note which points of its fields are read."""
        line, node = reference.at.statement.line, reference.node
        name, whole = stands_for(reference.name, reference.at)
        reads, writes = self.effects.of(reference, self.key)
        data = self.facts.object(name, self.key) if name is not None and not reference.component else None
        if data is None:
            if self._meets(self.facts.storage.of_designator(node, reference.at, self.key)):
                raise Refused(f"'{reference.name}' may be a field of the exchange", line, node)
            return
        is_field = any(data.identity == field.identity for field in self.fields)
        shared = any(self.facts.storage.shared(data.name, field.name, self.key) for field in self.fields)
        if writes and (is_field or shared or self._meets(self.facts.storage.of_identity(data.identity))):
            raise Refused(f"it sets '{reference.name}', which may be under way", line, node)
        if reference.role == "pointer":
            raise Refused(f"it may keep a pointer to '{reference.name}'", line, node)
        if is_field and reads and reference.role != "inquiry":
            self._read(reference, data, whole and name == reference.name)
        elif reads and not is_field and self._meets(self.facts.storage.of_identity(data.identity)):
            raise Refused(f"'{reference.name}' may be a field of the exchange", line, node)

    def _read(self, reference: Reference, data: DataObject, whole: bool) -> None:
        for cut in self.grid.cuts(data):
            if cut.number not in self.numbers:
                continue
            place = self.place(reference, data, cut) if whole else None
            if place is None:
                message = f"which points of '{reference.name}' it reads is not known by the region's indices alone"
                raise Refused(message, reference.at.statement.line, reference.node)
            iterator, distance = place
            if self._number.setdefault(iterator, cut.number) != cut.number or any(
                number == cut.number and other != iterator for other, number in self._number.items()
            ):
                message = f"'{iterator}' is the index of several domains"
                raise Refused(message, reference.at.statement.line, reference.node)
            self._low[iterator] = max(self._low.get(iterator, 0), -distance)
            self._high[iterator] = max(self._high.get(iterator, 0), distance)

    def place(self, reference: Reference, data: DataObject, cut: Cut) -> tuple[str, int] | None:
        """The iterator that an index follows, and how far away it is; None where it does not."""
        given = reference.indices
        if data.full[cut.position].declared is None and (given is None or len(given) != len(data.full)):
            letters = self.grid.letters_of(self.key)
            named = [
                d for d in self.region.domains if (letters.of_name(d.name) or letters.of_size(d.extent)) == cut.domain
            ]
            return (named[0].name, 0) if len(named) == 1 and not self.region.explicit else None
        index = index_of(reference, data, cut)
        if index is None or _names(index) & set(aliases_of(reference.at)):
            return None
        iterator, distance = "", 0
        for atom, factor in linear(index):
            value = 1 if not atom else self._constant(atom)
            if atom in self.region.iterators and factor == 1 and not iterator:
                iterator = atom
            elif value is None or atom in self.region.iterators:
                return None
            else:
                distance += factor * value
        return (iterator, distance) if iterator else None

    def _constant(self, name: str) -> int | None:
        found = self.facts.scopes.variable(name, self.key)
        if found is None or not found.symbol.constant or found.symbol.initial is None:
            return None
        return self.facts.domains.value(found.symbol.initial, found.home)

    # -- what the region sets

    def check_own_points(self, references: Sequence[Reference], conforming: bool = False) -> None:
        """Refuse regions that read what they set at other points, and those that set what all points share.
        ``conforming``: no call passes one array for two arguments of which the routine sets one.
        """
        storage = self.facts.storage
        written: dict[tuple[str, frozenset[Identity]], set[tuple[tuple[int, Expr], ...]]] = {}
        for reference in references:
            if not self.effects.of(reference, self.key)[1]:
                continue
            memory = self.facts.storage.of_designator(reference.node, reference.at, self.key)
            points = self._points(reference)
            name, _ = stands_for(reference.name, reference.at)
            data = self.facts.object(name, self.key) if name is not None else None
            if data is not None and not data.rank and (data.dummy or self.effects.lasts(data.identity)):
                message = f"it sets '{reference.name}', which all points share"
                raise Refused(message, reference.at.statement.line, reference.node)
            written.setdefault((self._array_of(data), memory), set()).add(points)
        for reference in references:
            if not self.effects.of(reference, self.key)[0] or reference.role == "inquiry":
                continue
            memory = self.facts.storage.of_designator(reference.node, reference.at, self.key)
            name, _ = stands_for(reference.name, reference.at)
            array = self._array_of(self.facts.object(name, self.key)) if name is not None else ""
            for (written_array, set_there), there in written.items():
                own = {self._points(reference)} | there
                known = conforming and array and written_array and not reference.component
                apart = known and array != written_array and not storage.shared(array, written_array, self.key)
                if len(own) > 1 and not apart and storage.meet(memory, set_there):
                    message = f"it reads '{reference.name}', which other points may set"
                    raise Refused(message, reference.at.statement.line, reference.node)

    def _array_of(self, data: DataObject | None) -> str:
        """The name of an array of which it is known with which others it may share memory: an argument."""
        return data.name if data is not None and data.dummy and "pointer" not in data.symbol.attributes else ""

    def _points(self, reference: Reference) -> tuple[tuple[int, Expr], ...]:
        """The indices that tell the points of the region, with their places."""
        indices = enumerate(reference.indices or ())
        iterators = frozenset(self.region.iterators)
        return tuple((n, without_places(index)) for n, index in indices if _names(index) & iterators)


def _names(expr: Expr) -> frozenset[str]:
    return frozenset(node.name for node in walk(expr) if isinstance(node, Name))


def _has_region(node: Construct) -> bool:
    return node.kind == "region" or any(_has_region(n) for p in node.parts for n in p.body if isinstance(n, Construct))


def bounds(region: Region) -> Mapping[str, tuple[str, str]]:
    """The first and the last index of each iterator, as texts."""
    spans = zip(region.iterators, region.starts, region.ends, strict=True)
    return {name: (start.text, end.text) for name, start, end in spans}


def region_behind(nodes: Sequence[Node], line: LogicalLine) -> Construct | None:
    """The region that comes next after a statement in the same block; None where something else does."""
    for number, node in enumerate(nodes):
        if isinstance(node, Construct):
            for part in node.parts:
                if (found := region_behind(part.body, line)) is not None:
                    return found
        elif node.line is line:
            after = nodes[number + 1] if number + 1 < len(nodes) else None
            return after if isinstance(after, Construct) and after.kind == "region" else None
    return None
