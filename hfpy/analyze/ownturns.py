"""Serial loops around a region whose turns each point may run for itself: a kernel for all turns, instead of one for
each.

A turn must need of earlier ones only what its own point has set. The dependence engine answers that for two turns of
any loops in question, and the region must have no value that goes from a turn to the next one by the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from hfpy.analyze.dependence.again import by_each_point
from hfpy.analyze.dependence.answers import Proved
from hfpy.analyze.dependence.builder import build
from hfpy.analyze.dependence.model import Facts as Known
from hfpy.analyze.dependence.reading import name_of
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.positions import RegionId
from hfpy.analyze.sharing import RegionSharing, RoutineSharing, Sharing
from hfpy.analyze.uses import aliases_of
from hfpy.model.expressions import Apply, names_in, walk
from hfpy.model.source import SourceText
from hfpy.model.statements import LOOPS, Construct, Header, InputOutput, Jump, Node, Statement, constructs, flatten
from hfpy.model.units import Routine
from hfpy.parse.physical import physical


@dataclass(frozen=True)
class OwnTurns:
    """A region, and the loops around it, outermost first. ``against`` is why they stay there; empty if each point may
    run them for itself.
    """

    loops: tuple[Construct, ...]
    region: Construct
    against: str = ""


class Stays(Exception):
    """The loops stay around the region."""


def own_turns(facts: Facts, effects: Effects, routine: Routine) -> Iterator[OwnTurns]:
    """The regions of a routine that are all that is in a serial loop, with as many of the loops around them as each
    point may run for itself; with the innermost one and the reason where it may run none.
    """
    source = facts.application.file(routine.key).source
    sharing = RoutineSharing(facts, effects, routine)
    numbers = {id(c): n for n, c in enumerate(sharing.constructs)}
    for loops, region in _alone(routine.body, ()):
        number = numbers.get(id(region))
        if number is None or RegionId(routine.key, number) not in facts.positions.regions:
            continue
        found = OwnTurns(loops[-1:], region, "")
        try:
            judge = _Judge(facts, routine, source, sharing.region(number), region)
            for most in range(len(loops), 0, -1):
                try:
                    judge.check(loops[-most:])
                except Stays:
                    if most == 1:
                        raise
                    continue
                found = OwnTurns(loops[-most:], region)
                break
        except Stays as reason:
            found = OwnTurns(loops[-1:], region, str(reason))
        yield found


def _alone(nodes: tuple[Node, ...], loops: tuple[Construct, ...]) -> Iterator[tuple[tuple[Construct, ...], Construct]]:
    """The regions that are all that is in their loops, outside of other regions."""
    for node in nodes:
        if not isinstance(node, Construct):
            continue
        if node.kind == "region":
            if loops and len(nodes) == 1:
                yield loops, node
            continue
        around = loops if len(nodes) == 1 else ()
        for part in node.parts:
            yield from _alone(part.body, (*around, node) if node.kind == "do" else ())


class _Judge:
    """What is against loops around one region."""

    def __init__(
        self, facts: Facts, routine: Routine, source: SourceText, sharing: RegionSharing, region: Construct
    ) -> None:
        self.facts = facts
        self.routine = routine
        self.key = routine.key
        self.source = source
        self.sharing = sharing
        self.construct = region
        self._check_region()
        self.placed: Sharing = sharing.place()
        self.written = frozenset(sharing.body.flow().written)
        self._check_values()

    def check(self, loops: tuple[Construct, ...]) -> None:
        """Raise Stays if some of these loops have to stay around the region."""
        variables = [self._variable(loop) for loop in loops]
        if len(set(variables)) < len(variables):
            raise Stays("two loops have one variable")
        for loop in loops:
            self._check_loop(loop)
        self._check_text(loops)
        self._check_arrays(frozenset(variables))

    # -- the region

    def _check_region(self) -> None:
        region, body = self.construct.region, self.sharing.body
        assert region is not None
        if region.loops or region.line.comment:
            raise Stays("the region brings its own loops")
        if region.fusion == "no":
            raise Stays("fuse(no) says so")
        if region.reductions:
            raise Stays("the region has a reduction")
        if region.halo:
            raise Stays("the region has a halo")
        if any(c.region is not None for c in constructs(self.construct.body)):
            raise Stays("there is a region in the region")
        for statement in flatten(self.construct.body):
            if isinstance(statement, InputOutput):
                raise Stays("points read or write files")
            if isinstance(statement, Jump) and (
                statement.kind not in ("continue", "cycle", "exit") or statement.target
            ):
                raise Stays(f"'{statement.kind}' leaves the region")
        if any(_leaves(node) for node in self.construct.body):
            raise Stays("a jump leaves the region")
        sites = (s for s in self.facts.graph.below(self.key) if body.identity.number in s.at.regions)
        if any(self.facts.live(s.at, self.key) for s in sites):
            raise Stays("the region calls routines")

    def _check_values(self) -> None:
        """What the region hands on by the host, or what is not known of it."""
        placed = self.placed
        if not placed.complete or not placed.clean:
            raise Stays("not all that the region does is known")
        for name in (*placed.lastprivate, *placed.firstprivate):
            raise Stays(f"'{name}' has a value before or behind the region")
        if placed.flags:
            raise Stays("the region sets a flag")
        for reference in self.sharing.body.references:
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
        name, region = header.var, self.construct.region
        assert region is not None
        data = self.facts.object(name, self.key)
        plain = data is not None and data.local and data.symbol.type.base == "integer" and not data.rank
        if data is None or not plain or not self.facts.storage.alone(data.identity) or keeps_value(self.routine, name):
            raise Stays(f"'{name}' is no plain local variable")
        if any(r.host == self.key for r in self.facts.application.routines.values()):
            raise Stays("there are internal procedures")
        if name in region.iterators or name in self.written:
            raise Stays(f"the region sets '{name}'")
        sizes = {n for d in region.domains for b in (d.extent.lower, d.extent.upper) if b is not None for n in b.names}
        if name in region.bound_names | sizes:
            raise Stays(f"the bounds of the region depend on '{name}'")
        self._check_bounds(header)
        self._check_behind(name)

    def _check_bounds(self, header: Header) -> None:
        region = self.construct.region
        assert region is not None
        for expr in header.exprs:
            if any(isinstance(node, Apply) for node in walk(expr)):
                raise Stays("a bound of the loop is more than numbers and scalars")
            for name in names_in(expr):
                data = self.facts.object(name, self.key)
                if data is None or data.rank or name in self.written or name in region.iterators:
                    raise Stays(f"the region sets '{name}', a bound of the loop")

    def _check_behind(self, name: str) -> None:
        """The variable has no value behind the kernel: wherever it is read, it must be that of another loop."""
        for reference in self.facts.references[self.key]:
            if reference.name != name:
                continue
            if name in aliases_of(reference.at):
                raise Stays(f"'{name}' stands for something else")
            around = (c for c in reference.at.constructs if c.header is not reference.at.statement)
            counted = (c.kind == "do" and isinstance(c.header, Header) and c.header.var == name for c in around)
            if not any(counted) and not _heads(reference.at.statement, name):
                raise Stays(f"'{name}' is used outside of the loop")

    def _check_text(self, loops: tuple[Construct, ...]) -> None:
        """Nothing but comments may stand between the lines that change places."""
        assert self.construct.end is not None
        first, last = [*loops, self.construct], [self.construct, *reversed(loops)]
        ends = [c.end.line for c in last if c.end is not None]
        lines = [[c.header.line for c in first], ends]
        for listed in lines:
            if any(line.file for line in listed):
                raise Stays("the loop is in an included file")
            for one, other in pairwise(listed):
                between = self.source.lines[one.last + 1 : other.first]
                if other.first <= one.last or any(physical(row).kind not in ("blank", "comment") for row in between):
                    raise Stays("there are other lines between loop and region")

    # -- data

    def _check_arrays(self, variables: frozenset[str]) -> None:
        body = self.sharing.body
        nest = build(body, Known(), False)
        if nest is None:
            raise Stays("the region is too long")
        objects = [d for n in sorted(body.names()) if (d := self.facts.object(n, self.key)) is not None]
        still = (d for d in objects if not d.rank and d.symbol.name not in variables | self.written)
        asked = by_each_point(nest, frozenset(name_of(d, self.key) for d in still))
        own = {*self.placed.private, *self.placed.heap}
        assert self.construct.region is not None
        for name in sorted(self.written - own - {*self.construct.region.iterators}):
            data = self.facts.object(name, self.key)
            if data is None or not data.rank or data.symbol.type.base in ("type", "class"):
                raise Stays(f"the region sets '{name}'")
            answer = body.effects.engine.independent(asked, name_of(data, self.key))
            if not isinstance(answer, Proved):
                raise Stays(f"a point may need what another one sets of '{name}' in an earlier turn")


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
