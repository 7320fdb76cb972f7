"""Which halos have what the owners of their points have: from main programs through all calls, statement by statement.

Each field has a *clean depth* for each side of a domain that is cut (distributed.md §3.2): so many points of its halo
are as their owners have them. A region that sets points that processes own makes it 0; an exchange makes it the width
of the exchange; a region that computes into the halo, from fields that are clean where it reads, makes it as far as it
goes. What is not understood makes it 0, without blame: only where a region has certainly set points since the last
exchange is a missing exchange certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.decomposed import Cut, Grid, seen_from
from hfpy.analyze.domains import DataObject
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.graph import CallSite
from hfpy.analyze.positions import RegionId
from hfpy.analyze.sizes import linear
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Place
from hfpy.model.directives import Region
from hfpy.model.distributed import Distributed, HaloExchange, WholeGrid
from hfpy.model.expressions import Expr, Fragment, Name, base_name
from hfpy.model.statements import Construct, Jump, Node, OneLine, Statement, flatten

Identity = tuple[str, str]
Depths = tuple[tuple[int, int], ...]  # low and high, by the number of the domain
FAR = 1_000  # a width that is not known: as wide as the user says
_ROUNDS = 4
_MOST_CALLS = 20_000


@dataclass(frozen=True)
class Halo:
    """What is certain of a field's halo: its clean depths, and where its points were set, if what is beyond the depths
    ``perhaps`` has been stale since (None: that of ``clean``).
    """

    clean: Depths
    stale: Place | None = None
    perhaps: Depths | None = None

    def joined(self, other: Halo) -> Halo:
        """What is certain on two ways."""
        both = tuple((min(a, c), min(b, d)) for (a, b), (c, d) in zip(self.clean, other.clean, strict=True))
        stale = self.stale if self.stale is not None and other.stale is not None else None
        return Halo(both, stale, _deepest(self.perhaps or self.clean, other.perhaps or other.clean))

    def certainly_stale(self, depths: Depths) -> bool:
        """Whether what goes so deep certainly meets points that are stale."""
        return self.stale is not None and not _covers(self.perhaps or self.clean, depths)


State = Mapping[Identity, Halo]


@dataclass(frozen=True)
class Need:
    """What a region reads of a field: how deep into the halo on each side of each domain, and one such read.
    ``known`` tells whether all of its indices are understood.
    """

    name: str
    identity: Identity
    depths: Depths
    reference: Reference
    known: bool = True


@dataclass(frozen=True)
class Missing:
    """A region that certainly reads a stale halo: its routine, what it reads, and where the points were set."""

    key: str
    need: Need
    stale: Place


@dataclass
class Walk:
    """The way through a program. ``missing`` are reads of stale halos, ``needless`` exchanges of what is clean already
    whenever they are reached (by their statements), ``wanted`` what regions need that is not certainly clean. ``known``
    are all decompositions, ``setters`` the routines that make them.
    """

    facts: Facts
    effects: Effects
    grid: Grid
    missing: dict[tuple[str, str, int], Missing] = field(default_factory=dict)
    exchanges: dict[int, tuple[str, Distributed, bool]] = field(default_factory=dict)
    wanted: dict[RegionId, dict[str, Need]] = field(default_factory=dict)
    known: Mapping[str, Grid] = field(default_factory=dict)
    setters: Mapping[str, str] = field(default_factory=dict)
    _sees: dict[str, bool] = field(default_factory=dict)
    _known: dict[tuple[str, tuple[tuple[Identity, Halo], ...]], State] = field(default_factory=dict)
    _calls: int = 0

    def program(self) -> Walk:
        """From each main program, and from routines that nothing calls."""
        graph = self.facts.graph
        for key, routine in self.facts.application.routines.items():
            if routine.kind in ("module", "submodule", "blockdata") or graph.is_called(key):
                continue
            self.routine(key, {})
        return self

    def _cuts(self, key: str, data: DataObject) -> tuple[Cut, ...]:
        """The dimensions of an array that this decomposition cuts; none in routines that mean another one."""
        if key not in self._sees:
            self._sees[key] = self.grid.what.name in seen_from(self.facts, self.known, self.setters, key)
        return self.grid.cuts(data) if self._sees[key] else ()

    @property
    def _nothing(self) -> Depths:
        return tuple((0, 0) for _ in self.grid.what.domains)

    def _of(self, state: State, identity: Identity) -> Halo:
        return state.get(identity, Halo(self._nothing))

    def routine(self, key: str, state: State) -> State:
        """The state behind a routine that is reached in another one."""
        asked = key, tuple(sorted(state.items(), key=lambda item: item[0]))
        if asked not in self._known:
            self._calls += 1
            if self._calls > _MOST_CALLS:
                return {}
            self._known[asked] = {}  # what a recursive call finds
            body = self.facts.routine(key).body
            if any(isinstance(s, Distributed) and isinstance(s.what, WholeGrid) for s in body):
                return {}  # its fields have no neighbours
            behind = self._nodes(key, body, state)
            early = any(isinstance(s, Jump) and s.kind == "return" for s in flatten(body[:-1]))
            self._known[asked] = {} if early else behind
        return self._known[asked]

    # -- statements

    def _nodes(self, key: str, nodes: Iterable[Node], state: State) -> State:
        for node in nodes:
            state = self._construct(key, node, state) if isinstance(node, Construct) else self._one(key, node, state)
        return state

    def _construct(self, key: str, node: Construct, state: State) -> State:
        if node.kind == "region":
            return self._region(key, node, state)
        if any(isinstance(s, Jump) and s.kind != "continue" for s in flatten((node,))):
            return self._touched(key, node, state)
        if node.kind in ("do", "dowhile", "doconcurrent"):
            return self._loop(key, node, self._calls_in(key, node.header, state))
        state = self._calls_in(key, node.header, state)
        ways = [self._nodes(key, part.body, state) for part in node.parts]
        whole = node.kind in ("block", "associate", "critical", "at_if") and len(ways) == 1
        certain = whole or any(getattr(p.header, "kind", "") == "else" for p in node.parts)
        return _joined(ways if certain else [state, *ways])

    def _loop(self, key: str, node: Construct, state: State) -> State:
        """A loop that has some turns, as most have: what the second finds counts, too."""
        behind = self._nodes(key, node.body, self._nodes(key, node.body, state))
        for _ in range(_ROUNDS):
            joined = _joined([state, behind])
            if joined == state:
                break
            state, behind = joined, self._nodes(key, node.body, joined)
        else:
            state = {}
        turned = self._nodes(key, node.body, behind)
        return {
            i: replace(halo, clean=self._of(state, i).clean, perhaps=halo.perhaps or halo.clean)
            for i, halo in turned.items()
        }

    def _touched(self, key: str, node: Construct, state: State) -> State:
        """A construct with ways that are not followed: what is known inside is known by itself, nothing behind it."""
        for part in node.parts:
            self._nodes(key, part.body, {})
        return {}

    def _one(self, key: str, statement: Statement, state: State) -> State:
        if isinstance(statement, Distributed):
            return self._directive(key, statement, state)
        if isinstance(statement, OneLine) and statement.kind == "if":
            return _joined([state, self._one(key, statement.action, state)])
        state = self._calls_in(key, statement, state)
        return self._written_on_host(key, statement, state)

    def _written_on_host(self, key: str, statement: Statement, state: State) -> State:
        """What a statement outside of regions sets is not followed: its halo is neither clean nor stale."""
        changed = dict(state)
        for reference in self._by_statement(key).get(id(statement), ()):
            data = self.facts.object(reference.name, key)
            if data is None or reference.role == "argument" or not self.effects.of(reference, key)[1]:
                continue
            if self._cuts(key, data):
                changed.pop(data.identity, None)
        return changed

    def _by_statement(self, key: str) -> Mapping[int, list[Reference]]:
        return self._indexed(key)[0]

    def _indexed(self, key: str) -> tuple[Mapping[int, list[Reference]], Mapping[int, list[Reference]]]:
        """The references of a routine outside of regions by statement, and those in regions by region."""
        if key not in self._references:
            outside: dict[int, list[Reference]] = {}
            inside: dict[int, list[Reference]] = {}
            for reference in self.facts.references.get(key, ()):
                for number in reference.at.regions:
                    inside.setdefault(number, []).append(reference)
                if not reference.at.regions:
                    outside.setdefault(id(reference.at.statement), []).append(reference)
            self._references[key] = outside, inside
        return self._references[key]

    _references: dict[str, tuple[Mapping[int, list[Reference]], Mapping[int, list[Reference]]]] = field(
        default_factory=dict
    )

    def _directive(self, key: str, statement: Distributed, state: State) -> State:
        what = statement.what
        if not isinstance(what, HaloExchange):
            return {} if isinstance(what, WholeGrid) else state
        changed, needed = dict(state), False
        for listed in what.fields:
            data = self.facts.object(listed.name, key)
            if data is None or not self._cuts(key, data):
                needed = True  # another message tells what is wrong
                continue
            before = self._of(state, data.identity)
            made = self._exchanged(key, what, data, before)
            needed = needed or made.clean != before.clean
            changed[data.identity] = made
        seen = self.exchanges.get(id(statement))
        self.exchanges[id(statement)] = key, statement, needed or (seen is not None and seen[2])
        return changed

    def _exchanged(self, key: str, what: HaloExchange, data: DataObject, before: Halo) -> Halo:
        clean, perhaps = list(before.clean), list(before.perhaps or before.clean)
        halos = {w.domain: w for w in self.grid.what.halos}
        for cut in self._cuts(key, data):
            widths = {w.domain: w for w in what.widths} if what.widths else halos
            width = widths.get(cut.domain)
            if width is not None:
                low, high = self._number(width.low, key), self._number(width.high, key)
                old = before.clean[cut.number]
                clean[cut.number] = max(low, old[0]), max(high, old[1])
                perhaps[cut.number] = max(low, perhaps[cut.number][0]), max(high, perhaps[cut.number][1])
        return replace(before, clean=tuple(clean), perhaps=tuple(perhaps))  # what is beyond is as stale as before

    def _number(self, width: Fragment, key: str) -> int:
        value = self.facts.domains.value(width, key)
        return FAR if value is None else value

    # -- calls

    def _calls_in(self, key: str, statement: Statement, state: State) -> State:
        for site in self.facts.graph.below(key):
            if site.at.statement is statement and not site.at.regions:
                state = self._called(key, site, state)
        return state

    def _called(self, key: str, site: CallSite, state: State) -> State:
        if site.callee not in self.facts.application.routines or site.chosen:
            return self._unknown(key, site, state)
        callee, actuals = self.facts.routine(site.callee), {}
        for position, value in enumerate(site.args):
            dummy, name = dummy_name(self.facts, site, position), _whole_name(value)
            data = self.facts.object(name, key) if name else None
            if dummy is not None and data is not None and self._cuts(key, data):
                actuals[dummy] = data.identity
        if any(isinstance(s, Distributed) and isinstance(s.what, WholeGrid) for s in callee.body):
            written = {a for d, a in actuals.items() if self.effects.intent(site.callee, d) != "in"}
            written |= self.effects.changed(site.callee)
            return {i: h for i, h in state.items() if i not in written} | {i: self._everything() for i in written}
        inner = {i: h for i, h in state.items() if i not in actuals.values()}
        inner |= {(site.callee, dummy): self._of(state, identity) for dummy, identity in actuals.items()}
        behind = self.routine(site.callee, inner)
        changed = {i: h for i, h in behind.items() if i[0] != site.callee}
        for dummy, identity in actuals.items():
            changed[identity] = self._of(behind, (site.callee, dummy))
        return changed

    def _everything(self) -> Halo:
        """What is handed out from the whole grid is right in all of the halo."""
        return Halo(tuple((FAR, FAR) for _ in self.grid.what.domains))

    def _unknown(self, key: str, site: CallSite, state: State) -> State:
        """A call of which nothing is known: what it gets may be set, the halo by hand."""
        changed = dict(state)
        for value in site.args:
            name = base_name(value)
            data = self.facts.object(name, key) if name else None
            if data is not None:
                changed.pop(data.identity, None)
        return changed

    # -- regions

    def _region(self, key: str, node: Construct, state: State) -> State:
        numbers = {id(c): n for n, c in enumerate(self.facts.routine(key).regions)}
        number = numbers.get(id(node), -1)
        identity = RegionId(key, number)
        if identity not in self.facts.positions.regions or node.region is None:
            inner = [n for part in node.parts for n in part.body]
            return self._nodes(key, inner, state)  # one for the other target around it
        references = self._indexed(key)[1].get(number, ())
        needs = list(self._needs(key, node.region, references))
        for need in needs:
            state = self._asked(key, identity, need, state)
        return self._set(key, node.region, references, needs, state)

    def _asked(self, key: str, region: RegionId, need: Need, state: State) -> State:
        """What a region reads, against what is clean; with automatic exchanges all of it is clean afterwards."""
        halo = self._of(state, need.identity)
        if _covers(halo.clean, need.depths):
            return state
        if halo.stale is not None and need.known and halo.certainly_stale(need.depths):
            self.missing.setdefault((key, need.name, region.number), Missing(key, need, halo.stale))
        known = self.wanted.setdefault(region, {})
        before = known.get(need.name)
        known[need.name] = need if before is None else replace(need, depths=_deepest(before.depths, need.depths))
        if not self.grid.what.automatic:
            return state
        return {**state, need.identity: Halo(_deepest(halo.clean, need.depths))}

    def _needs(self, key: str, region: Region, references: Iterable[Reference]) -> Iterator[Need]:
        """What a region reads of the halos of fields."""
        found: dict[str, Need] = {}
        for reference in references:
            data = self.facts.object(reference.name, key)
            if data is None or reference.role == "inquiry" or not self.effects.of(reference, key)[0]:
                continue
            for cut in self._cuts(key, data):
                depth, known = self._depth(key, region, reference, data, cut)
                if depth == (0, 0):
                    continue
                depths = tuple(depth if n == cut.number else (0, 0) for n in range(len(self._nothing)))
                before = found.get(reference.name)
                if before is None:
                    found[reference.name] = Need(reference.name, data.identity, depths, reference, known)
                else:
                    deeper = _deepest(before.depths, depths)
                    found[reference.name] = replace(before, depths=deeper, known=before.known and known)
        return iter(found.values())

    def _depth(
        self, key: str, region: Region, reference: Reference, data: DataObject, cut: Cut
    ) -> tuple[tuple[int, int], bool]:
        """How far one reference goes into the halo of a domain on each side, and whether that is certain."""
        span = self._span(key, region, reference, data, cut)
        if span is None:
            halo = next((w for w in self.grid.what.halos if w.domain == cut.domain), None)
            if halo is None:
                return (0, 0), False
            return (self._number(halo.low, key), self._number(halo.high, key)), False
        return (max(0, 1 - span[0]), max(0, span[1])), True

    def _span(
        self, key: str, region: Region, reference: Reference, data: DataObject, cut: Cut
    ) -> tuple[int, int] | None:
        """The first index that a reference takes in a cut dimension, and how far the last is beyond the local size."""
        index = self._index(reference, data, cut, key)
        for domain, start, end in zip(region.domains, region.starts, region.ends, strict=True):
            letter = self.grid.letters.of_name(domain.name) or self.grid.letters.of_size(domain.extent)
            if letter != cut.domain:
                continue
            offset = _offset(index, domain.name) if index is not None else 0
            first, last = self._constant(start, key), self._beyond(end, cut, key)
            if offset is None or first is None or last is None:
                return None
            return first + offset, last + offset
        return None

    def _index(self, reference: Reference, data: DataObject, cut: Cut, key: str) -> Expr | None:
        """The index of a reference in a dimension; None where that is inserted, or the whole dimension is meant."""
        given = reference.indices
        if given is None:
            return None
        if len(given) == len(data.full):
            return given[cut.position]
        declared = data.full[cut.position].declared
        return given[declared] if declared is not None and declared < len(given) else None

    def _constant(self, bound: Fragment, key: str) -> int | None:
        return self.facts.domains.value(bound, key)

    def _beyond(self, end: Fragment, cut: Cut, key: str) -> int | None:
        """How far a bound is beyond the local size of a domain."""
        terms = dict(linear(end.expr))
        total = terms.pop("", 0)
        sizes = {_name(s.upper) for s in self.grid.letters.sizes.get(cut.domain, ())}
        own = [name for name in terms if name in sizes and terms[name] == 1]
        if len(own) != 1:
            return None
        del terms[own[0]]
        for name, factor in terms.items():
            found = self.facts.scopes.variable(name, key)
            if found is None or not found.symbol.constant or found.symbol.initial is None:
                return None
            value = self.facts.domains.value(found.symbol.initial, found.home)
            if value is None:
                return None
            total += factor * value
        return total

    def _set(
        self, key: str, region: Region, references: Iterable[Reference], needs: Iterable[Need], state: State
    ) -> State:
        """What a region sets: how deep it goes into the halo, or that the halo is stale."""
        inputs = all(_covers(self._of(state, n.identity).clean, n.depths) for n in needs)
        made: dict[Identity, Halo] = {}
        for reference in references:
            data = self.facts.object(reference.name, key)
            if data is None or not self.effects.of(reference, key)[1]:
                continue
            cuts = self._cuts(key, data)
            if not cuts:
                continue
            halo = self._after(key, region, reference, data, cuts, inputs)
            made[data.identity] = made[data.identity].joined(halo) if data.identity in made else halo
        return {**state, **made}

    def _after(
        self, key: str, region: Region, reference: Reference, data: DataObject, cuts: Iterable[Cut], inputs: bool
    ) -> Halo:
        """The halo of a field behind a reference that sets it."""
        clean = [(FAR, FAR)] * len(self._nothing)
        owned, deep = True, False
        for cut in cuts:
            span = self._span(key, region, reference, data, cut)
            if span is None:
                return Halo(self._nothing)
            owned = owned and span[0] <= 1 and span[1] >= 0
            deep = deep or span[0] < 1 or span[1] > 0
            clean[cut.number] = (max(0, 1 - span[0]), max(0, span[1])) if inputs and owned else (0, 0)
        certain = owned and not any(c.kind not in ("do", "region", "at_if") for c in reference.at.constructs)
        line = reference.at.statement.line
        place = line.place(self.facts.routine(key).file, reference.node.start, reference.node.end)
        one_line = isinstance(reference.at.statement, OneLine)
        return Halo(tuple(clean), place if certain and not one_line and (inputs or not deep) else None)


def _joined(states: list[State]) -> State:
    """What is certain on all ways."""
    first = states[0]
    shared = set(first).intersection(*states[1:])
    found = {}
    for identity in shared:
        halo = first[identity]
        for other in states[1:]:
            halo = halo.joined(other[identity])
        found[identity] = halo
    return found


def _covers(clean: Depths, depths: Depths) -> bool:
    return all(a >= c and b >= d for (a, b), (c, d) in zip(clean, depths, strict=True))


def _deepest(one: Depths, other: Depths) -> Depths:
    return tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


def _offset(index: Expr, iterator: str) -> int | None:
    """What is added to an iterator in an index; None where it is no iterator plus a number."""
    terms = dict(linear(index))
    if terms.pop(iterator, 0) != 1:
        return None
    number = terms.pop("", 0)
    return None if terms else number


def _name(size: Fragment | None) -> str:
    return size.expr.name if size is not None and isinstance(size.expr, Name) else ""


def _whole_name(value: Expr) -> str:
    return value.name if isinstance(value, Name) else ""
