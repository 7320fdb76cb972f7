"""Serial loops around regions whose turns each point may run for itself: one kernel for all turns and regions, instead
of one for each region in each turn.

A turn must need of earlier ones only what its own point has set, and a region of those before it in the turn, too. The
dependence engine answers that for two turns of any loops in question, with all that the regions do in them. Where it is
not so for all regions together, it may be for some: the loop becomes several, each a kernel, if no region needs what
a later one sets in an earlier turn. No value may go from a region to another one, or from a turn to the next one, by
the host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.dependence.again import beside, by_each_point
from hfpy.analyze.dependence.answers import Proved
from hfpy.analyze.dependence.model import Facts as Known
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.statementfunctions import with_functions
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import aliases_of
from hfpy.analyze.nests.apart import may_come_first
from hfpy.analyze.nests.builder import build
from hfpy.analyze.regions.callsinturns import against_calls
from hfpy.analyze.regions.sharing import RegionSharing, RoutineSharing, Sharing
from hfpy.model.directives import Reduction, Region
from hfpy.model.expressions import Apply, Fragment, names_in, walk
from hfpy.model.source import LogicalLine, SourceText
from hfpy.model.statements import LOOPS, Construct, Header, InputOutput, Jump, Node, Statement, constructs, flatten
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.parse.text.physical import physical
from hfpy.values import dataclass

# Reductions whose result does not depend on the order: of all numbers, and of integers alone, where a sum wraps around.
_ANY_ORDER = frozenset("max min iand ior ieor .and. .or. .eqv. .neqv.".split())
_EXACT = frozenset("+ - *".split())
_MOST_REGIONS = 8  # of a loop that becomes several


@dataclass(frozen=True)
class OwnTurns:
    """The regions in a loop in the order of the text, and the loops around them, outermost first. ``against`` is why
    they stay there; else there are ``kernels``: runs of these regions, with the loops in each.
    """

    loops: tuple[Construct, ...]
    regions: tuple[Construct, ...]
    against: str = ""
    kernels: tuple[tuple[Construct, ...], ...] = ()


class Stays(Exception):
    """The loops stay around the region."""


def own_turns(facts: Facts, effects: Effects, routine: Routine) -> Iterator[OwnTurns]:
    """The serial loops of a routine that hold regions and nothing else, with as many of the loops around as each point
    may run for itself; with the innermost one and the reason where it may run none. Loops that hold other statements
    beside regions stay.
    """
    source = facts.application.file(routine.key).source
    sharing = RoutineSharing(facts, effects, routine)
    numbers = {id(c): n for n, c in enumerate(sharing.constructs)}
    for loops, nodes in _with_regions(routine.body, ()):
        regions = tuple(n for n in nodes if isinstance(n, Construct) and n.kind == "region")
        listed = [n for region in regions if (n := numbers.get(id(region))) is not None]
        active = [n for n in listed if RegionId(routine.key, n) in facts.positions.regions]
        if not active:
            continue
        if len(active) < len(nodes):
            yield OwnTurns(loops[-1:], regions, "it holds other statements, too")
            continue
        yield _judged(_Judge(facts, routine, source, [sharing.region(n) for n in active]), loops, regions)


def _judged(judge: _Judge, loops: tuple[Construct, ...], regions: tuple[Construct, ...]) -> OwnTurns:
    """As many loops as each point may run."""
    try:
        judge.check_regions()
        for most in range(len(loops), 0, -1):
            try:
                ends = [0, *judge.check(loops[-most:])]
            except Stays:
                if most == 1:
                    raise
                continue
            return OwnTurns(loops[-most:], regions, "", tuple(regions[a:b] for a, b in pairwise(ends)))
    except Stays as reason:
        return OwnTurns(loops[-1:], regions, str(reason))
    raise AssertionError(loops)


def _with_regions(
    nodes: tuple[Node, ...], loops: tuple[Construct, ...]
) -> Iterator[tuple[tuple[Construct, ...], tuple[Node, ...]]]:
    """The bodies of loops with regions in them, and the loops around, of which each holds nothing but the next one."""
    if loops and any(isinstance(node, Construct) and node.kind == "region" for node in nodes):
        yield loops, nodes
    for node in nodes:
        if isinstance(node, Construct) and node.kind != "region":
            around = loops if len(nodes) == 1 else ()
            for part in node.parts:
                yield from _with_regions(part.body, (*around, node) if node.kind in ("do", "dowhile") else ())


class _Judge:
    """What is against loops around some regions."""

    def __init__(self, facts: Facts, routine: Routine, source: SourceText, regions: Sequence[RegionSharing]) -> None:
        self.facts = facts
        self.routine = routine
        self.key = routine.key
        self.source = source
        self.sharing = regions
        self.bodies = [one.body for one in regions]
        self.region = self.bodies[0].region
        self.names: list[set[str]] = []
        self.own: list[set[str]] = []  # what each point of a region has for itself
        self.written: frozenset[str] = frozenset()
        self.rows = Counter(row for s in flatten(routine.body) for row in {s.line.first, s.line.last})

    def check_regions(self) -> None:
        """Raise Stays if something in a region keeps all loops around them."""
        for body in self.bodies:
            self._check_region(body)
        placed = [one.place() for one in self.sharing]
        self.names = [body.names() for body in self.bodies]
        self.own = [{*one.private, *one.heap} for one in placed]
        self.written = frozenset(name for body in self.bodies for name in body.flow().written)
        for one, body in zip(placed, self.bodies, strict=True):
            self._check_values(one, body)
        shared = {name for names, own in zip(self.names, self.own, strict=True) for name in names - own}
        for name in sorted(shared.intersection(set[str]().union(*self.own))):
            raise Stays(f"'{name}' is each point's own in one region, and not in another one")

    def check(self, loops: tuple[Construct, ...]) -> tuple[int, ...]:
        """The numbers of the regions after which kernels end that have these loops within. Raises Stays if some of the
        loops have to stay around the regions.
        """
        variables = [self._variable(loop) for loop in loops]
        if len(set(variables)) < len(variables):
            raise Stays("two loops have one variable")
        for loop in loops:
            self._check_loop(loop)
        self._check_text(loops)
        return self._kernels(loops, frozenset(variables))

    # -- the regions

    def _check_region(self, body: RegionBody) -> None:
        region, construct = body.region, body.construct
        if region.fusion == "no":
            raise Stays("fuse(no) says so")
        for reduction in region.reductions:
            self._check_reduction(reduction)
        if region.halo:
            raise Stays("the region has a halo")
        if not _alike(region, self.region):
            raise Stays("its regions have other points, or other attributes")
        if any(c.region is not None for c in constructs(construct.body)):
            raise Stays("there is a region in the region")
        for loop in region_loops(construct):
            if (isinstance(loop.header, Header) and loop.header.label) or loop.end is None or loop.end.line.label:
                raise Stays("a loop of the region ends with a label")
        for statement in flatten(construct.body):
            if isinstance(statement, InputOutput):
                raise Stays("points read or write files")
            if isinstance(statement, Jump) and (
                statement.kind not in ("continue", "cycle", "exit") or statement.target
            ):
                raise Stays(f"'{statement.kind}' leaves the region")
        if any(_leaves(node) for node in innermost_body(construct, region)):
            raise Stays("a jump leaves the region")
        sites = [s for s in self.facts.graph.below(self.key) if body.identity.number in s.at.regions]
        if any(not s.callee for s in sites if self.facts.live(s.at, self.key)):
            raise Stays("the region calls what hfpy does not know")
        if body.callees and (against := against_calls(self.facts, body.effects, body.callees)):
            raise Stays(against)

    def _check_reduction(self, reduction: Reduction) -> None:
        """In one kernel the values of all turns are put together in another order."""
        data = self.facts.object(reduction.name, self.key)
        exact = data is not None and data.symbol.type.base == "integer" and reduction.op in _EXACT
        if data is None or data.rank or not self.facts.storage.alone(data.identity):
            raise Stays(f"'{reduction.name}' is no plain scalar")
        if not (exact or reduction.op in _ANY_ORDER):
            raise Stays(f"the reduction of '{reduction.name}' would be done in another order")

    def _check_values(self, placed: Sharing, body: RegionBody) -> None:
        """What a region hands on by the host, or to another one, or what is not known of it."""
        if not placed.complete or not placed.clean:
            raise Stays("not all that the region does is known")
        for name in (*placed.lastprivate, *placed.firstprivate):
            raise Stays(f"'{name}' has a value before or after the region")
        if placed.flags:
            raise Stays("the region sets a flag")
        for reference in body.references:
            if reference.component or reference.role in ("pointer", "allocate"):
                raise Stays(f"'{reference.name}' is an object or a pointer")

    # -- the loops

    def _variable(self, loop: Construct) -> str:
        header = loop.header
        if not isinstance(header, Header) or not header.var or header.label or loop.end is None or loop.end.line.label:
            raise Stays("the loop does not count, or ends with a label")
        return header.var

    def _check_loop(self, loop: Construct) -> None:
        header = loop.header
        assert isinstance(header, Header)
        name, region = header.var, self.region
        data = self.facts.object(name, self.key)
        plain = data is not None and data.local and data.symbol.type.base == "integer" and not data.rank
        if data is None or not plain or not self.facts.storage.alone(data.identity) or keeps_value(self.routine, name):
            raise Stays(f"'{name}' is no plain local variable")
        if self.facts.application.routines_of(self.key):
            raise Stays("there are internal procedures")
        if name in region.iterators or name in self.written:
            raise Stays(f"the region sets '{name}'")
        sizes = {n for d in region.domains for b in (d.extent.lower, d.extent.upper) if b is not None for n in b.names}
        if name in region.bound_names | sizes:
            raise Stays(f"the bounds of the region depend on '{name}'")
        for other in sorted((region.bound_names | sizes) & self.written):
            raise Stays(f"the region sets '{other}', on which its bounds depend")
        self._check_bounds(header)
        self._check_behind(name)

    def _check_bounds(self, header: Header) -> None:
        region = self.region
        for expr in header.exprs:
            if any(isinstance(node, Apply) for node in walk(expr)):
                raise Stays("a bound of the loop is more than numbers and scalars")
            for name in names_in(expr):
                data = self.facts.object(name, self.key)
                if data is None or data.rank or name in self.written or name in region.iterators:
                    raise Stays(f"the region sets '{name}', a bound of the loop")

    def _check_behind(self, name: str) -> None:
        """The variable has no value after the kernel: wherever it is read, it must be that of another loop."""
        for reference in with_functions(self.facts, self.facts.references[self.key], self.key):
            if reference.name != name:
                continue
            if name in aliases_of(reference.at):
                raise Stays(f"'{name}' means something else")
            around = (c for c in reference.at.constructs if c.header is not reference.at.statement)
            counted = (c.kind == "do" and isinstance(c.header, Header) and c.header.var == name for c in around)
            if not any(counted) and not _heads(reference.at.statement, name):
                raise Stays(f"'{name}' is used outside of the loop")

    def _check_text(self, loops: tuple[Construct, ...]) -> None:
        """Nothing but comments may be between the lines that change places, and those that go."""
        regions = [body.construct for body in self.bodies]
        behind = [[*closing(one), *opening(other)] for one, other in pairwise(regions)]
        before = [*(loop.header.line for loop in loops), *opening(regions[0])]
        last = [*closing(regions[-1]), *(loop.end.line for loop in reversed(loops) if loop.end is not None)]
        for listed in (before, *behind, last):
            if any(line.file for line in listed):
                raise Stays("the loop is in an included file")
            if any(self.rows[row] > 1 for line in listed for row in (line.first, line.last)):
                raise Stays("there are other statements on its lines")
            for one, other in pairwise(listed):
                between = self.source.lines[one.last + 1 : other.first]
                if other.first <= one.last or any(physical(row).kind not in ("blank", "comment") for row in between):
                    raise Stays("there are other lines between loop and region")

    # -- data

    def _kernels(self, loops: tuple[Construct, ...], variables: frozenset[str]) -> tuple[int, ...]:
        """After which regions kernels end. Raises Stays if some region cannot have the loops."""
        asked = _Arrays(self, variables)
        against = asked.against(0, len(self.bodies))
        if not against:
            return (len(self.bodies),)
        named = any(isinstance(loop.header, Header) and loop.header.construct_name for loop in loops)
        if not 1 < len(self.bodies) <= _MOST_REGIONS or named:
            raise Stays(against)
        ends = [n for n in range(1, len(self.bodies)) if asked.may_end(n)]
        kept: list[int] = []
        begin = 0
        for end, following in pairwise([*ends, len(self.bodies), len(self.bodies)]):
            if asked.against(begin, end):
                raise Stays(against)
            if end == len(self.bodies) or asked.against(begin, following):
                kept.append(end)
                begin = end
        return tuple(kept)


class _Arrays:
    """What the dependence engine says of the arrays that regions set, with loops over some variables around them."""

    def __init__(self, judge: _Judge, variables: frozenset[str]) -> None:
        self.facts, self.key, self.bodies = judge.facts, judge.key, judge.bodies
        self.engine = self.bodies[0].effects.engine
        built = (build(body, Known(), bool(body.callees)) for body in self.bodies)
        self.nests = [nest for nest in built if nest is not None]
        if len(self.nests) < len(self.bodies):
            raise Stays("the region is too long")
        if len(self.bodies) > 1 and any(nest.facts != Known() for nest in self.nests):
            raise Stays("one of several regions calls routines with vectors as subscripts")
        names, own = (set[str]().union(*each) for each in (judge.names, judge.own))
        objects = [d for n in sorted(names) if (d := self.facts.object(n, self.key)) is not None]
        still = (d for d in objects if not d.rank and d.symbol.name not in variables | judge.written)
        self.lasting = frozenset(d.name_in(self.key) for d in still)
        self.counters = frozenset(d.name_in(self.key) for d in objects if {d.symbol.name} == variables)
        reduced = {reduction.name for body in self.bodies for reduction in body.region.reductions}
        self.shared = sorted(judge.written - own - reduced - {*judge.region.iterators})
        for name in self.shared:
            data = self.facts.object(name, self.key)
            if data is None or not data.rank or data.symbol.type.base in ("type", "class"):
                raise Stays(f"the region sets '{name}'")
        below = [body.effects.mentioned_memory(callee) for body in self.bodies for callee in body.callees]
        for name in self.shared if below else ():
            if any(self.facts.storage.meet(self.facts.storage.objects(name, self.key), known) for known in below):
                raise Stays(f"a routine that is called may know '{name}' by itself")
        if len(self.bodies) > 1:  # within one region, its variables were looked at
            self._check_names({d.symbol.name for d in objects if d.rank})

    def _check_names(self, arrays: set[str]) -> None:
        """Arrays that one region sets may be the same memory as others that another one has."""
        for name in self.shared:
            for other in sorted(arrays - {name}):
                if self.facts.storage.shared(name, other, self.key):
                    raise Stays(f"'{name}' and '{other}' may be the same memory")

    def against(self, begin: int, end: int) -> str:
        """What is against loops within a kernel of some regions; empty if there is nothing."""
        asked = by_each_point(beside(self.nests[begin:end]), self.lasting)
        for name in self.shared:
            data = self.facts.object(name, self.key)
            if data is not None and not isinstance(self.engine.independent(asked, data.name_in(self.key)), Proved):
                where = "in an earlier turn" if len(self.bodies) == 1 else "in another region or an earlier turn"
                return f"a point may need what another one sets of '{name}' {where}"
        return ""

    def may_end(self, region: int) -> bool:
        """Whether a kernel may end before a region: all turns of those before may come before all of the others."""
        return may_come_first(self.engine.sets, self.nests, region, self.lasting, self.counters)


def region_loops(region: Construct) -> list[Construct]:
    """The loops that a region brings along, outermost first; none where it has none of its own."""
    made = region.region
    return own_nest(region.body, made.iterators) if made is not None and made.loops else []


def opening(region: Construct) -> list[LogicalLine]:
    """The lines before what a point does: the directive, and the loops that the region brings along."""
    return [region.header.line, *(loop.header.line for loop in region_loops(region))]


def closing(region: Construct) -> list[LogicalLine]:
    """The lines after what a point does."""
    ends = (*reversed(region_loops(region)), region)
    return [one.end.line for one in ends if one.end is not None]


def _alike(one: Region, other: Region) -> bool:
    """Whether regions have the same points and attributes, however they are written."""
    same = replace(one, line=other.line, place=other.place, applies_to=other.applies_to, stated=other.stated)
    same = replace(same, domains=other.domains, loops=other.loops)
    return same == other and _sizes(one) == _sizes(other)


def _sizes(region: Region) -> list[tuple[str, Fragment, Fragment]]:
    return [(domain.name, domain.extent.lower or ONE, domain.upper) for domain in region.domains]


def _heads(statement: Statement, name: str) -> bool:
    """Whether a statement begins a loop over a variable, and names it nowhere else."""
    return (
        isinstance(statement, Header)
        and statement.var == name
        and not any(name in names_in(e) for e in statement.exprs)
    )


def _leaves(node: Node) -> bool:
    """Whether a node has a ``cycle`` or ``exit`` that no loop in the region takes."""
    if isinstance(node, Construct):
        return node.kind not in LOOPS and any(_leaves(inner) for part in node.parts for inner in part.body)
    return any(isinstance(s, Jump) and s.kind in ("cycle", "exit") for s in flatten((node,)))
