"""Which halos have what the owners of their points have: from main programs through all calls, statement by statement.

Each field has a *clean depth* for each side of a domain that is cut (distributed.md §3.2): so many points of its halo
are as their owners have them. A region that sets points that processes own makes it 0; an exchange makes it the width
of the exchange; a region that computes into the halo, from fields that are clean where it reads, makes it as far as it
goes. What is not understood makes it 0, without blame: only where a region has certainly set points since the last
exchange is a missing exchange certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.sizes import canonical
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.exports import Exports
from hfpy.analyze.processes.decomposed import Cut, Grid
from hfpy.analyze.processes.halodepths import (
    FAR,
    Halo,
    State,
    covers,
    deepest,
    exchanged,
    has_corners,
    joined,
    no_depths,
    sides_of,
)
from hfpy.analyze.processes.halolevels import Stale
from hfpy.analyze.processes.halospans import Fields
from hfpy.analyze.processes.hosthalos import HostStatements, is_for_whole_grid
from hfpy.analyze.processes.regionhalos import Need, Regions
from hfpy.analyze.processes.widehalos import WideHalo
from hfpy.diagnostics import Place
from hfpy.model.directives import Region
from hfpy.model.distributed import Distributed, HaloExchange, WholeGrid
from hfpy.model.expressions import Fragment, Name, base_name
from hfpy.model.statements import Construct, Header, Jump, Node, OneLine, Specification, Statement, flatten
from hfpy.values import dataclass

_ROUNDS = 4
_MOST_CALLS = 20_000
_LOOPS = ("do", "dowhile", "doconcurrent")


@dataclass(frozen=True)
class Missing:
    """Something that certainly reads a stale halo: its routine, what it reads, and where the points were set."""

    key: str
    need: Need
    stale: Place


@dataclass
class Walk:
    """The way through a program. ``known`` are all decompositions, ``setters`` the routines that make them.

    What it finds: ``missing`` are reads of stale halos, ``exchanges`` those of the program, by their statements, with
    whether they change anything; ``wanted`` is what is read and not certainly clean, by routine and line,
    ``undecided`` what of it is not certainly stale either, though it is known what is read; ``unclear`` are reads of
    which it is not known whether they need an exchange, ``doubtful`` those of regions that compute halos where it is
    not certain that what they read is clean. ``wide`` are exchanges of every few turns, by their statements.
    """

    facts: Facts
    effects: Effects
    grid: Grid
    known: Mapping[str, Grid] = field(default_factory=dict)
    setters: Mapping[str, str] = field(default_factory=dict)
    missing: dict[tuple[str, str, int], Missing] = field(default_factory=dict)
    exchanges: dict[int, tuple[str, Distributed, bool]] = field(default_factory=dict)
    wanted: dict[tuple[str, int], dict[str, Need]] = field(default_factory=dict)
    undecided: dict[tuple[str, int], dict[str, Need]] = field(default_factory=dict)
    unclear: dict[int, tuple[str, Reference]] = field(default_factory=dict)
    doubtful: dict[tuple[str, str, int], tuple[str, Need]] = field(default_factory=dict)
    wide: dict[int, WideHalo] = field(default_factory=dict)
    _behind: dict[tuple[str, tuple[tuple[Identity, Halo], ...]], State] = field(default_factory=dict)
    _visited: set[str] = field(default_factory=set)
    _aliases: dict[tuple[Identity, Identity], bool] = field(default_factory=dict)
    _in_nest: bool = False

    def __post_init__(self) -> None:
        self.fields = Fields(self.facts, self.grid, self.known, self.setters)
        self.regions = Regions(self.fields, self.effects)
        self.host = HostStatements(self.fields, self.effects)
        self.exports = Exports(self.facts)
        self.nothing = no_depths(len(self.grid.what.domains))

    def program(self) -> Walk:
        """From each main program, from what code outside calls, and from all that is not reached from there."""
        graph, routines = self.facts.graph, self.facts.application.routines
        executed = [k for k, r in routines.items() if r.kind not in ("module", "submodule", "blockdata")]
        for key in executed:
            if not graph.is_called(key) or self.exports.calls(routines[key]):
                self.routine(key, {})
        for key in executed:
            if key not in self._visited and not self.facts.positions.get(key).above:
                self.routine(key, {})
        return self

    def _of(self, state: State, identity: Identity) -> Halo:
        return state.get(identity, Halo(self.nothing))

    def routine(self, key: str, state: State) -> State:
        """The state after a routine that is reached in another one."""
        if len(self._behind) > _MOST_CALLS:
            state = {}  # too many ways lead here to follow each by itself
        asked = key, tuple(sorted(state.items(), key=lambda item: item[0]))
        if asked not in self._behind:
            self._behind[asked] = {}  # what a recursive call finds
            self._visited.add(key)
            body = self.facts.routine(key).body
            if is_for_whole_grid(self.facts.routine(key)):
                return {}  # its fields have no neighbours
            outer, self._in_nest = self._in_nest, False
            behind = self._nodes(key, body, state)
            self._in_nest = outer
            early = any(isinstance(s, Jump) and s.kind == "return" for s in flatten(body[:-1]))
            self._behind[asked] = {} if early else behind
        return self._behind[asked]

    # -- statements

    def _nodes(self, key: str, nodes: Iterable[Node], state: State) -> State:
        for node in nodes:
            first = node.header if isinstance(node, Construct) else node
            if first.line.label and not isinstance(first, Specification):
                state = {}  # statements that are not followed may jump here
            state = self._construct(key, node, state) if isinstance(node, Construct) else self._one(key, node, state)
        return state

    def _construct(self, key: str, node: Construct, state: State) -> State:
        if node.kind == "region":
            return self._region(key, node, state)
        if node.kind == "at_if" and node.condition is not None and not self.facts.holds(node.condition, key):
            return state
        if node.kind in _LOOPS and not self._in_nest:
            needs = self.host.of_loop(key, node)
            if needs:
                for need in needs:
                    state = self._asked(key, need, state)
                self._in_nest = True
                state = self._followed(key, node, state)
                self._in_nest = False
                return state
        return self._followed(key, node, state)

    def _followed(self, key: str, node: Construct, state: State) -> State:
        """The state after a construct that is no region."""
        if any(isinstance(s, Jump) and s.kind != "continue" for s in flatten((node,))):
            return self._touched(key, node)
        if node.kind in _LOOPS:
            return self._loop(key, node, self._header(key, node.header, state))
        ways = []
        for part in node.parts:
            state = self._header(key, part.header, state)
            ways.append(self._nodes(key, part.body, state))
        whole = node.kind in ("block", "associate", "critical", "at_if") and len(ways) == 1
        certain = whole or any(getattr(p.header, "kind", "") == "else" for p in node.parts)
        return joined(ways if certain else [state, *ways])

    def _header(self, key: str, header: Statement, state: State) -> State:
        variable = header.var if isinstance(header, Header) else ""
        state = {i: h.with_stale(lambda stale: stale.turned(variable)) for i, h in state.items()} if variable else state
        return self._changed_by(key, header, self._calls_in(key, header, state))

    def _loop(self, key: str, node: Construct, state: State) -> State:
        """A loop that has some turns, as most have: what the second finds counts, too."""

        def turn(before: State) -> State:
            return self._header(key, node.header, self._nodes(key, node.body, before))

        behind = turn(turn(state))
        for _ in range(_ROUNDS):
            both = joined([state, behind])
            if both == state:
                break
            state, behind = both, turn(both)
        else:
            state = {}
        turned = turn(behind)
        return {
            i: replace(halo, clean=self._of(state, i).clean, perhaps=halo.perhaps or halo.clean)
            for i, halo in turned.items()
        }

    def _touched(self, key: str, node: Construct) -> State:
        """A construct with ways that are not followed: what is known inside is known by itself, nothing after it."""
        for part in node.parts:
            self._header(key, part.header, {})
            self._nodes(key, part.body, {})
        return {}

    def _one(self, key: str, statement: Statement, state: State) -> State:
        if isinstance(statement, Distributed):
            return self._directive(key, statement, state)
        state = self._calls_in(key, statement, state)
        if isinstance(statement, OneLine):
            return joined([state, self._one(key, statement.action, state)])
        for need in () if self._in_nest else self.host.of_statement(key, statement):
            state = self._asked(key, need, state)
        return self._changed_by(key, statement, state)

    def _changed_by(self, key: str, statement: Statement, state: State) -> State:
        """What a statement outside of regions sets is not followed: its halo is neither clean nor stale."""
        if not state:
            return state
        state = {i: h.with_stale(Stale.later) for i, h in state.items()}
        for identity in self.host.set_by(key, statement):
            state = self._without(state, identity)
        return self._forgotten(state, self.host.forgotten_by(key, statement))

    # -- memory under other names

    def _without(self, state: State, identity: Identity) -> State:
        """The state without what may be the memory of one field."""
        return {i: h for i, h in state.items() if i != identity and not self._is_alias(identity, i)}

    def _forgotten(self, state: State, objects: frozenset[Identity]) -> State:
        """The state without what may be one of some storage objects."""
        if not objects:
            return state
        storage = self.facts.storage
        return {i: h for i, h in state.items() if not storage.meet(storage.of_identity(i), objects)}

    def _is_alias(self, one: Identity, other: Identity) -> bool:
        """Whether two variables may be the same memory while the first is set."""
        slot = one, other
        if slot not in self._aliases:
            self._aliases[slot] = self._may_be_alias(one, other)
        return self._aliases[slot]

    def _may_be_alias(self, one: Identity, other: Identity) -> bool:
        storage = self.facts.storage
        if one[0] == other[0]:
            return storage.shared(one[1], other[1], one[0])
        block = storage.joint(one)
        if block is not None and block == storage.joint(other):
            return True
        first, second = storage.of_identity(one), storage.of_identity(other)
        pointed = all(any(storage.targetable(o) for o in (i, *found)) for i, found in ((one, first), (other, second)))
        return pointed and storage.meet(first, second)

    # -- directives

    def _directive(self, key: str, statement: Distributed, state: State) -> State:
        what = statement.what
        if not isinstance(what, HaloExchange):
            return {} if isinstance(what, WholeGrid) else state
        if what.every is not None:
            return self._wide(key, statement, what, state)
        needed = False
        for listed in what.fields:
            data = self.facts.object(listed.name, key)
            if data is None or not self.fields.cuts(key, data):
                needed = True  # another message tells what is wrong
                continue
            before = self._of(state, data.identity)
            made, needless = self._exchanged(key, what, data, before)
            needed = needed or not needless
            state = {**self._without(state, data.identity), data.identity: made}
        seen = self.exchanges.get(id(statement))
        self.exchanges[id(statement)] = key, statement, needed or (seen is not None and seen[2])
        return state

    def _wide(self, key: str, statement: Distributed, what: HaloExchange, state: State) -> State:
        """The state after an exchange of every few turns: what is clean in the last of them."""
        wide = self.wide.get(id(statement))
        for listed in what.fields if wide is not None else ():
            data = self.facts.object(listed.name, key)
            if data is None or wide is None or data.identity not in wide.kept:
                continue
            cuts = {c.number for c in self.fields.cuts(key, data)}
            kept, sent = (
                frozenset({tuple(each if n in cuts else (0, 0) for n, each in enumerate(sides))})
                for sides in (wide.kept[data.identity], wide.widths)
            )
            before = self._of(state, data.identity)
            deep = before.beyond is not None and covers(before.beyond, sent)
            made = Halo(kept, before.stale, sent, before.beyond if deep else sent)
            state = {**self._without(state, data.identity), data.identity: made}
        return state

    def _exchanged(self, key: str, what: HaloExchange, data: DataObject, before: Halo) -> tuple[Halo, bool]:
        """The halo after an exchange, and whether all that it exchanges is clean before. A width that is not known may
        be 0.
        """
        sure: dict[int, tuple[int, int]] = {}
        perhaps: dict[int, tuple[int, int]] = {}
        cuts = self.fields.cuts(key, data)
        for cut in cuts:
            widths = self._widths(key, what, cut)
            if widths is not None:
                sure[cut.number] = (widths[0] or 0, widths[1] or 0)
                perhaps[cut.number] = (_or_far(widths[0]), _or_far(widths[1]))
        whole = what.corners and len(sure) == len(cuts)
        numbers = range(len(self.grid.what.domains))
        made = [exchanged(tuple(sides.get(n, (0, 0)) for n in numbers), whole) for sides in (sure, perhaps)]
        halo = replace(
            before,  # what is beyond is as stale as before
            clean=deepest(before.clean, made[0]),
            perhaps=deepest(before.perhaps or before.clean, made[1]),
            beyond=deepest(before.beyond or self.nothing, made[0]),
        )
        return halo, sure == perhaps and covers(before.clean, made[0])

    def _widths(self, key: str, what: HaloExchange, cut: Cut) -> tuple[int | None, int | None] | None:
        """How wide an exchange is on the sides of a domain; None for a width that is not known, and where the domain
        takes no part.
        """
        halo = self.fields.width(cut.domain)
        given = next((w for w in what.widths if w.domain == cut.domain), None) if what.widths else halo
        if given is None:
            return None
        if halo is None:
            return self.fields.number(given.low, key), self.fields.number(given.high, key)
        return self._width(key, given.low, halo.low), self._width(key, given.high, halo.high)

    def _width(self, key: str, given: Fragment, widest: Fragment) -> int | None:
        number = self.fields.number(given, key)
        return FAR if number is None and canonical(given) == canonical(widest) else number

    # -- calls

    def _calls_in(self, key: str, statement: Statement, state: State) -> State:
        for site in self.facts.graph.below(key):
            if site.at.statement is statement and not site.at.regions:
                state = self._called(key, site, state)
        return state

    def _called(self, key: str, site: CallSite, state: State) -> State:
        """The state after a call. What a routine that is not known may set is seen with the statement."""
        if not site.callee:
            return state
        if site.callee not in self.facts.application.routines:
            return {}
        if site.chosen:
            self.routine(site.callee, {})
            return self._forgotten(state, self.effects.changed_memory(site.callee))
        whole, parts = self._passed(key, site)
        if is_for_whole_grid(self.facts.routine(site.callee)):
            state = self._handed_out(site.callee, whole, state)
        else:
            state = self._inside(site.callee, whole, state)
        for dummy, identity in parts:
            if self.effects.intent(site.callee, dummy) != "in":
                state = self._without(state, identity)
        return state

    def _passed(self, key: str, site: CallSite) -> tuple[dict[str, Identity], list[tuple[str, Identity]]]:
        """The fields that a call passes, by dummy arguments: whole ones, and those of which it passes parts."""
        whole, parts = {}, []
        for dummy, value in passed(self.facts, site):
            name = base_name(value)
            meant, all_of_it = stands_for(name, site.at) if name is not None else (None, False)
            data = self.facts.object(meant, key) if meant is not None else None
            if data is None or not self.fields.cuts(key, data):
                continue
            if isinstance(value, Name) and all_of_it:
                whole[dummy] = data.identity
            else:
                parts.append((dummy, data.identity))
        return whole, parts

    def _handed_out(self, callee: str, whole: Mapping[str, Identity], state: State) -> State:
        """The state after a routine for the whole grid: what it sets is handed out with all of the halo."""
        written = {i for dummy, i in whole.items() if self.effects.intent(callee, dummy) != "in"}
        written |= self.effects.changed(callee)
        for identity in written:
            state = self._without(state, identity)
        everything = frozenset({((FAR, FAR),) * len(self.grid.what.domains)})
        return {**state, **{i: Halo(everything, beyond=everything) for i in written}}

    def _inside(self, callee: str, whole: Mapping[str, Identity], state: State) -> State:
        """The state after a routine that gets some fields as arguments."""
        inner = {i: h.with_stale(Stale.elsewhere) for i, h in state.items() if i not in whole.values()}
        for dummy, identity in whole.items():
            inner[callee, dummy] = self._of(state, identity).with_stale(Stale.renamed)
        behind = self.routine(callee, inner)
        changed = {i: h.with_stale(Stale.elsewhere) for i, h in behind.items() if i[0] != callee}
        for dummy, identity in whole.items():
            halo = self._of(behind, (callee, dummy)).with_stale(Stale.renamed)
            changed[identity] = changed[identity].joined(halo) if identity in changed else halo
        return changed

    # -- regions

    def _region(self, key: str, node: Construct, state: State) -> State:
        numbers = {id(c): n for n, c in enumerate(self.facts.routine(key).regions)}
        identity = RegionId(key, numbers.get(id(node), -1))
        if identity not in self.facts.positions.regions or node.region is None:
            inner = [n for part in node.parts for n in part.body]
            return self._nodes(key, inner, state)  # one for the other target around it
        wide = next((w for w in self.wide.values() if w.key == key and identity.number in w.regions), None)
        halo = wide.halo(node.region, identity.number, self.fields, last=True) if wide is not None else None
        halos = self.regions.of(identity, halo)
        if wide is not None:
            state = self._deepest(key, wide, node.region, identity, state)
        self.unclear |= {id(r.node): (key, r) for r in halos.unclear}
        doubtful = [n for n in halos.needs if not self._is_clean(self._of(state, n.identity), n)]
        if (node.region.halo or halo) and not self.grid.what.automatic:
            self.doubtful |= {(key, n.name, n.line.first): (key, n) for n in doubtful}
        inputs = not doubtful
        for need in halos.needs:
            state = self._asked(key, need, state)
        inputs = inputs or self.grid.what.automatic
        state = self._forgotten(state, halos.forgotten)
        for setting in halos.settings:
            made = setting.behind(self._of(state, setting.identity), inputs)
            state = {**self._without(state, setting.identity), setting.identity: made}
        return state

    def _is_clean(self, halo: Halo, need: Need) -> bool:
        """Whether all is certainly clean that is read, points beyond the boundary of the grid too."""
        if not covers(halo.clean, need.depths):
            return False
        return not self._reads_beyond(need) or (halo.beyond is not None and covers(halo.beyond, need.depths))

    def _reads_beyond(self, need: Need) -> bool:
        """Whether points beyond the boundary of the grid are read that are in the halo of another domain: those beside
        a point at the boundary, along a domain that is not periodic.
        """
        if not has_corners(need.depths):
            return False
        own = sides_of(need.own if need.own is not None else need.depths)
        deep = sides_of(need.depths)
        for number, domain in enumerate(self.grid.what.domains):
            others = (sides for place, sides in enumerate(deep) if place != number)
            if domain not in self.grid.what.periodic and any(own[number]) and any(any(sides) for sides in others):
                return True
        return False

    def _deepest(self, key: str, wide: WideHalo, region: Region, identity: RegionId, state: State) -> State:
        """What a region between two exchanges reads in the turn in which it goes farthest: of fields that the loop
        leaves alone, and of points beyond the boundary of the grid.
        """
        halo = wide.halo(region, identity.number, self.fields, last=False)
        if not halo:
            return state
        for need in self.regions.of(identity, halo).needs:
            if need.identity not in wide.inside:
                if not self._is_clean(self._of(state, need.identity), need) and not self.grid.what.automatic:
                    self.doubtful[key, need.name, need.line.first] = key, need
                state = self._asked(key, need, state)
            elif need.identity not in wide.kept and self._reads_beyond(need):
                beyond = self._of(state, need.identity).beyond
                if beyond is None or not covers(beyond, need.depths):
                    self.doubtful[key, need.name, need.line.first] = key, need
        return state

    def _asked(self, key: str, need: Need, state: State) -> State:
        """What is read, against what is clean; with automatic exchanges all of it is clean afterwards."""
        halo = self._of(state, need.identity)
        if self._is_clean(halo, need):
            return state
        row = need.line.first
        if need.known and halo.certainly_stale(need.depths, need.levels):
            self.missing.setdefault((key, need.name, row), Missing(key, need, halo.stale[0].place))
        elif need.known and need.name:
            known = self.undecided.setdefault((key, row), {})
            known[need.name] = known[need.name].with_read(need) if need.name in known else need
        listed = self.wanted.setdefault((key, row), {})
        slot = need.name or "/".join(need.identity)
        before = listed.get(slot)
        listed[slot] = need if before is None else replace(need, depths=deepest(before.depths, need.depths))
        if not self.grid.what.automatic:
            return state
        placed = exchanged(sides_of(need.depths), has_corners(need.depths))
        made = Halo(deepest(halo.clean, placed), beyond=deepest(halo.beyond or self.nothing, placed))
        return {**self._without(state, need.identity), need.identity: made}


def _or_far(width: int | None) -> int:
    return FAR if width is None else width
