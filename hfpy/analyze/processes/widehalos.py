"""Exchanges that are wide and seldom, ``every(m)``: in a loop the halo is exchanged with the m-fold width in each m-th
turn, and in between the regions of the loop compute as much of it as is read later (distributed.md §4, "wide halos").

How far a region goes is found backwards, from the last turn before the next exchange to the first: it computes of a
field what is read of it until it is set again, and reads for that as much more as its stencil is wide. In the last
turn nothing is needed for the next one, in which the exchange comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.processes.decomposed import Cut
from hfpy.analyze.processes.halodepths import FAR, sides_of
from hfpy.analyze.processes.halospans import Fields, Scope, index_of, loops
from hfpy.analyze.processes.hosthalos import is_for_whole_grid
from hfpy.analyze.processes.regionhalos import RegionHalos, Regions
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region, Width
from hfpy.model.distributed import Distributed, HaloExchange
from hfpy.model.expressions import Expr, base_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Jump, Node, Statement, flatten
from hfpy.parse.expressions.fragments import fragment
from hfpy.values import dataclass

#: Low and high by the number of the domain.
Sides = tuple[tuple[int, int], ...]
_MOST_TURNS = 16
_STOPS = frozenset({"stop", "errorstop", "continue"})


class NotWide(Exception):
    """Why an exchange cannot be one of every few turns, with the place."""

    def __init__(self, message: str, line: LogicalLine, node: Expr | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.node = node

    def diagnostic(self, file: str) -> Diagnostic:
        """As an error."""
        place = self.line.place(file, *((self.node.start, self.node.end) if self.node is not None else ()))
        hint = "without every(…) the halo is exchanged in each turn"
        return error("HF661", f"this halo cannot be exchanged in some turns only: {self.message}", place, hint)


@dataclass(frozen=True)
class WideHalo:
    """One such exchange: the loop around it, its turns, the widths that are exchanged, and for each region of the loop,
    by its number, how far it goes in each turn after an exchange. ``kept`` is how far the halos of its fields are
    clean at the least where it is, ``inside`` are all fields that it exchanges or that the loop sets.
    """

    key: str
    exchange: Distributed
    loop: Construct
    turns: int
    widths: Sides
    regions: Mapping[int, tuple[Sides, ...]]
    kept: Mapping[Identity, Sides]
    inside: frozenset[Identity]

    def halo(self, region: Region, number: int, fields: Fields, last: bool) -> tuple[Width, ...]:
        """How far a region goes in the turn where it goes least far, or farthest, as its ``halo`` would say."""
        turns = self.regions.get(number, ())
        chosen = _least(turns) if last else _deepest(turns)
        return halo_of(region, chosen, fields, self.key) if chosen else ()


def _least(turns: Sequence[Sides]) -> Sides:
    return turns[-1] if turns else ()


def _deepest(turns: Sequence[Sides]) -> Sides:
    made: Sides = ()
    for turn in turns:
        made = deeper(made, turn) if made else turn
    return made


def deeper(one: Sides, other: Sides) -> Sides:
    """The deeper one on each side."""
    return tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


def covered(clean: Sides, need: Sides) -> bool:
    """Whether what is clean is as deep on all sides."""
    return all(a >= c and b >= d for (a, b), (c, d) in zip(clean, need, strict=True))


def halo_of(region: Region, sides: Sides, fields: Fields, key: str) -> tuple[Width, ...]:
    """Some points of the halo as the ``halo`` of a region."""
    made = []
    letters = fields.grid.letters_of(key)
    for domain in region.domains:
        name = letters.of_name(domain.name) or letters.of_size(domain.extent)
        if name in fields.grid.what.domains:
            low, high = sides[fields.grid.what.number(name)]
            if low or high:
                made.append(Width(domain.name, fragment(str(low)), fragment(str(high))))
    return tuple(made)


@dataclass
class WideHalos:
    """The search for one exchange of the routine of a key."""

    fields: Fields
    effects: Effects
    regions: Regions
    key: str
    exchange: Distributed
    _need: dict[Identity, Sides] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = self.fields.facts
        assert isinstance(self.exchange.what, HaloExchange)
        self.what: HaloExchange = self.exchange.what
        self.line = self.exchange.line
        self.domains = self.fields.grid.what.domains
        self.none: Sides = ((0, 0),) * len(self.domains)

    def found(self) -> WideHalo:
        """How far each region of the loop goes. Raises :class:`NotWide`."""
        turns = self._turns()
        loop = self._loop()
        stages = self._stages(loop)
        numbers = [self._number(stage) for stage in stages if isinstance(stage, Construct)]
        exchanged = frozenset(self._identity(listed.name) for listed in self.what.fields)
        widths = self._widths(turns)
        reach: dict[int, list[Sides]] = {number: [] for number in numbers}
        kept: dict[Identity, Sides] = {}
        for turn in range(turns, 0, -1):
            for stage in reversed(stages):
                if isinstance(stage, Construct):
                    reach[self._number(stage)].insert(0, self._stage(stage))
                else:
                    self._exchanged(stage)
            if turn == turns:
                kept = {i: self._need.get(i, self.none) if turns > 1 else widths for i in exchanged}
        written = frozenset(s.identity for n in numbers for s in self._halos(n, self.none).settings)
        memory = self._memory(exchanged | written)
        for number in numbers:
            if self.facts.storage.meet(self._halos(number, self.none).forgotten, memory):
                line = self.facts.routine(self.key).regions[number].header.line
                raise NotWide("what a region sets is not known", line)
        self._enough(exchanged, written, widths)
        self._apart(exchanged | written)
        self._others(loop, exchanged | written)
        each = {number: tuple(found) for number, found in reach.items()}
        return WideHalo(self.key, self.exchange, loop, turns, widths, each, kept, exchanged | written)

    # -- the exchange

    def _turns(self) -> int:
        assert self.what.every is not None
        turns = self.fields.number(self.what.every, self.key)
        if turns is None or not 1 <= turns <= _MOST_TURNS:
            message = f"'{self.what.every.text}' is no number from 1 to {_MOST_TURNS} that is known here"
            raise NotWide(message, self.line)
        if self.what.overlap:
            raise NotWide("it overlaps with the region after it", self.line)
        if not self.what.corners:
            raise NotWide("what is computed in the halo needs its corners", self.line)
        return turns

    def _identity(self, name: str) -> Identity:
        data = self.facts.object(name, self.key)
        if data is None or not self.fields.cuts(self.key, data):
            raise NotWide(f"'{name}' is no field of the grid", self.line)
        return data.identity

    def _widths(self, turns: int) -> Sides:
        """The widths that are exchanged: those of one turn, as often as there are turns."""
        found = []
        for domain in self.domains:
            widest = self.fields.halo(domain, self.key)
            given = next((w for w in self.what.widths if w.domain == domain), None)
            if given is None:
                raise NotWide(f"it names no width in '{domain}'", self.line)
            sides = []
            for side, most in zip((given.low, given.high), widest, strict=True):
                number = self.fields.number(side, self.key)
                if number is None or number < 0:
                    raise NotWide(f"its width in '{domain}' is no number that is known here", self.line)
                if number * turns > most:
                    message = f"the halo in '{domain}' has {most} points, and {turns} turns need {number * turns}"
                    raise NotWide(message, self.line)
                sides.append(number * turns)
            found.append((sides[0], sides[1]))
        return tuple(found)

    def _exchanged(self, statement: Statement) -> None:
        """What is needed before another exchange of the loop: no field whose halo it makes clean so far."""
        assert isinstance(statement, Distributed)
        what = statement.what
        assert isinstance(what, HaloExchange)
        for listed in what.fields:
            data = self.facts.object(listed.name, self.key)
            need = self._need.get(data.identity) if data is not None else None
            if data is None or need is None or not what.corners:
                continue
            sides = []
            for domain in self.domains:
                given = next((w for w in what.widths if w.domain == domain), None)
                if given is not None:
                    low, high = self.fields.number(given.low, self.key), self.fields.number(given.high, self.key)
                    sides.append((low or 0, high or 0))
                else:
                    widest = self.fields.halo(domain, self.key)
                    sides.append(widest if not what.widths and FAR not in widest else (0, 0))
            if covered(tuple(sides), need):
                del self._need[data.identity]

    def _enough(self, exchanged: frozenset[Identity], written: frozenset[Identity], widths: Sides) -> None:
        """Refuse where more is read than is exchanged, or what is computed in the loop before the exchange."""
        for identity, need in self._need.items():
            if identity in exchanged:
                cuts = {c.number for c in self._cuts_of(identity)}
                deep = [n for n in cuts if not covered((widths[n],), (need[n],))]
                for number in deep:
                    low, high = need[number]
                    if FAR in (low, high) or low > FAR or high > FAR:
                        message = f"which points of '{identity[1]}' are read is not known"
                    else:
                        message = f"'{identity[1]}' is read {low} and {high} points deep in '{self.domains[number]}'"
                    raise NotWide(message, self.line)
            elif identity in written and need != self.none:
                message = f"the halo of '{identity[1]}', which the loop sets, is read a turn later: exchange it too"
                raise NotWide(message, self.line)

    def _cuts_of(self, identity: Identity) -> Sequence[Cut]:
        data = self.facts.object(identity[1], self.key)
        return self.fields.cuts(self.key, data) if data is not None else ()

    # -- the loop

    def _loop(self) -> Construct:
        """The innermost loop around the exchange, which it is in by itself."""
        around = _around(self.facts.routine(self.key).body, self.exchange)
        if not around or around[-1].kind not in ("do", "dowhile"):
            raise NotWide("it is in no loop, or in a branch of one", self.line)
        if around[-1].header.line.label:
            raise NotWide("jumps may lead to the loop", around[-1].header.line)
        return around[-1]

    def _stages(self, loop: Construct) -> list[Node]:
        """The regions of the loop and its other exchanges, in their order. The exchange comes first."""
        found: list[Node] = []
        begun = False
        for node in loop.body:
            if node is self.exchange:
                begun = True
            elif isinstance(node, Construct) and node.kind == "region":
                if not begun:
                    raise NotWide("a region is before it in the loop", node.header.line)
                assert node.region is not None
                if RegionId(self.key, self._number(node)) not in self.facts.positions.regions:
                    raise NotWide("a region of the loop is one on other targets only", node.header.line)
                if node.region.halo:
                    raise NotWide("a region has a halo of its own", node.header.line)
                found.append(node)
            elif isinstance(node, Distributed) and isinstance(node.what, HaloExchange):
                if node.what.every is not None:
                    raise NotWide("another exchange of the loop says 'every'", node.line)
                if node.what.overlap:
                    raise NotWide("another exchange overlaps with a region", node.line)
                if begun:
                    found.append(node)
            elif isinstance(node, Construct):
                self._plain(node)
            elif node.line.label:
                raise NotWide("jumps may lead here", node.line)
            elif isinstance(jump := getattr(node, "action", node), Jump) and jump.kind not in _STOPS:
                raise NotWide("some regions of a turn may be left out", node.line)
        return found

    def _plain(self, construct: Construct) -> None:
        """Refuse regions and exchanges in branches and loops within, and jumps out of them."""
        inner = list(flatten((construct,)))
        for statement in inner:
            if isinstance(statement, Distributed):
                raise NotWide("an exchange is in a branch, or in a loop within", statement.line)
            action = getattr(statement, "action", statement)
            if (isinstance(action, Jump) and action.kind not in (*_STOPS, "exit")) or statement.line.label:
                raise NotWide("some regions of a turn may be left out", statement.line)
        if any(node.kind == "region" for node in _constructs(construct)):
            raise NotWide("a region is in a branch, or in a loop within", construct.header.line)

    def _number(self, construct: Construct) -> int:
        numbered = enumerate(self.facts.routine(self.key).regions)
        return next(n for n, c in numbered if c is construct)

    # -- regions

    def _halos(self, number: int, sides: Sides) -> RegionHalos:
        region = self.facts.routine(self.key).regions[number].region
        assert region is not None
        return self.regions.of(RegionId(self.key, number), halo_of(region, sides, self.fields, self.key))

    def _stage(self, construct: Construct) -> Sides:
        """How far a region goes, by what is needed after it; then what is needed before it."""
        assert construct.region is not None
        number = self._number(construct)
        plain = self._halos(number, self.none)
        sides = self.none
        for setting in plain.settings:
            sides = deeper(sides, self._need.get(setting.identity, self.none))
        if any(low >= FAR or high >= FAR for low, high in sides):
            raise NotWide("which points a region reads is not known", construct.header.line)
        halos = self._halos(number, sides)
        for setting in halos.settings:
            if setting.whole:  # else what it leaves as it was is needed, too
                self._need.pop(setting.identity, None)
        for need in halos.needs:
            depths = tuple((min(low, FAR), min(high, FAR)) for low, high in sides_of(need.depths))
            self._need[need.identity] = deeper(self._need.get(need.identity, self.none), depths)
        return sides

    # -- everything else

    def _apart(self, inside: frozenset[Identity]) -> None:
        """Refuse fields of which two may be one."""
        storage = self.facts.storage
        listed = sorted(inside)
        for place, one in enumerate(listed):
            for other in listed[place + 1 :]:
                if storage.shared(one[1], other[1], self.key):
                    raise NotWide(f"'{one[1]}' and '{other[1]}' may be one array", self.line)

    def _memory(self, fields: frozenset[Identity]) -> frozenset[Identity]:
        storage = self.facts.storage
        return frozenset(o for identity in fields for o in (identity, *storage.of_identity(identity)))

    def _others(self, loop: Construct, inside: frozenset[Identity]) -> None:
        """Refuse statements outside of regions that may set fields, and calls that hfpy cannot see."""
        storage, memory = self.facts.storage, self._memory(inside)
        statements = {id(s) for s in flatten((loop,))}
        for reference in self.facts.references.get(self.key, ()):
            at = reference.at
            if id(at.statement) not in statements or at.regions or not self.facts.live(at, self.key):
                continue
            writes = self.effects.of(reference, self.key)[1] or reference.role == "pointer"
            own = storage.of_designator(reference.node, at, self.key)
            if writes and storage.meet(own, memory):
                raise NotWide(f"'{reference.name}' may be set outside of regions", at.statement.line, reference.node)
            if self._reads_halo(reference, inside):
                message = f"the halo of '{reference.name}' may be read outside of regions, in each turn"
                raise NotWide(message, at.statement.line, reference.node)
        for site in self.facts.graph.below(self.key):
            if id(site.at.statement) not in statements or site.at.regions or not self.facts.live(site.at, self.key):
                continue
            if site.callee not in self.facts.application.routines:
                raise NotWide(f"what '{site.name}' does is not known", site.at.statement.line, site.node)
            if storage.meet(self.effects.changed_memory(site.callee), memory):
                raise NotWide(f"'{site.name}' may set fields of the loop", site.at.statement.line, site.node)
            if not is_for_whole_grid(self.facts.routine(site.callee)) and self._gets(site, memory):
                raise NotWide(f"'{site.name}' may read the halo in any turn", site.at.statement.line, site.node)

    def _reads_halo(self, reference: Reference, inside: frozenset[Identity]) -> bool:
        """Whether a statement may read points of the halo of a field. What called routines read is seen elsewhere."""
        name, whole = stands_for(reference.name, reference.at)
        data = self.facts.object(name, self.key) if name is not None and not reference.component else None
        if data is None or data.identity not in inside or reference.role == "inquiry":
            return False
        site = self.effects.site(reference, self.key) if reference.role == "argument" else None
        if site is not None and site.callee in self.facts.application.routines:
            return False
        scope = Scope(self.key, loops(reference.at.constructs))
        for cut in self.fields.cuts(self.key, data):
            index = index_of(reference, data, cut) if whole else None
            span = self.fields.span(index, cut, scope) if index is not None else None
            if span is None or self.fields.depths(span, cut, self.key) != (0, 0):
                return True
        return False

    def _gets(self, site: CallSite, memory: frozenset[Identity]) -> bool:
        """Whether a routine gets, or knows, some of the fields."""
        storage = self.facts.storage
        names = [base_name(value) for _, value in passed(self.facts, site)]
        found = [self.facts.variable(name, site.at, self.key) for name in names if name is not None]
        given = frozenset(o for f in found if f for o in storage.of_identity((f.home, f.symbol.name)))
        return storage.meet(given | self.effects.mentioned_memory(site.callee), memory)


def _around(nodes: Sequence[Node], statement: Statement) -> list[Construct]:
    """The constructs around a statement, from the outermost one."""
    for node in nodes:
        if isinstance(node, Construct):
            for part in node.parts:
                if any(child is statement for child in part.body):
                    return [node]
                if inner := _around(part.body, statement):
                    return [node, *inner]
    return []


def _constructs(construct: Construct) -> Iterator[Construct]:
    """A construct and those within it."""
    yield construct
    for part in construct.parts:
        for node in part.body:
            if isinstance(node, Construct):
                yield from _constructs(node)
