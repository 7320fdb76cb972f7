"""Regions that compute points of the halo, too (``halo(i:1)``), as regions with bounds that are known when they run: a
process goes beyond its points where another process has those, or the other end of a periodic domain (distributed.md
§3.2, "computing redundantly into the halo"). At the boundary of the grid it keeps to its points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.processes.decomposed import Grid
from hfpy.analyze.processes.halos import Walk
from hfpy.analyze.processes.overlaps import Refused
from hfpy.analyze.processes.redundant import Extension, Redundant, Target, refusal
from hfpy.analyze.processes.widehalos import Sides, WideHalo
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.directives.directives import parse_directive
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.statements.nests import own_nest
from hfpy.transform.distributed.exchanges import bounds_of
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_range
from hfpy.values import dataclass


@dataclass(frozen=True)
class Extended:
    """A region with the bounds that it gets, and the statements that set the variables in them."""

    region: Region
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Depth:
    """How far a region goes, by the ``turns`` after an exchange that a variable counts, if it depends on them."""

    turns: Sequence[Sides] = ()
    counter: str = ""

    def text(self, extension: Extension, side: int) -> str:
        """As an expression."""
        if not self.turns:
            return str((extension.low, extension.high)[side])
        each = [sides[extension.number][side] for sides in self.turns]
        text = str(each[-1])
        for turn in range(len(each) - 1, 0, -1):
            if any(value != each[-1] for value in each[turn - 1 :]):
                text = f"merge({each[turn - 1]}, {text}, {self.counter} == {turn})"
        return text


def counter_of(names: Locals, wide: WideHalo) -> str:
    """The variable that counts the turns after an exchange."""
    return names.scalar(f"turn{wide.exchange.line.first}", "", "integer")


@dataclass
class RedundantRegions:
    """The regions of one routine that compute points of the halo; what is wrong is added to ``found``. ``walks`` are
    those of the decompositions that the routine can mean, by name.
    """

    facts: Facts
    effects: Effects
    routine: Routine
    index: FileIndex
    walks: Mapping[str, Walk]
    names: Locals
    found: list[Diagnostic]
    _placed: set[int] = field(default_factory=set)

    def edits(self) -> Iterator[Edit]:
        """The new bounds of all of them but those that have got theirs with an exchange that overlaps."""
        for number, construct in enumerate(self.routine.regions):
            if construct.region is None or id(construct) in self._placed:
                continue
            if not construct.region.halo and self._wide(number) is None:
                continue
            made = self._made(number, construct)
            if made is None:
                continue
            line = construct.header.line
            yield from with_bounds(construct, made.region)
            if made.rows:
                indent = " " * (6 if self.index.fixed else line.segments[0][2] - (1 if line.comment else 0))
                yield insert_lines(line.first, [indent + row for row in made.rows], 8, line.first)

    def of(self, construct: Construct) -> Extended | None:
        """One region, whose bounds come from elsewhere; None, with an error, if it cannot be."""
        self._placed.add(id(construct))
        number = next(n for n, c in enumerate(self.routine.regions) if c is construct)
        return self._made(number, construct)

    def refused(self) -> None:
        """Refuse them in a routine for the whole grid."""
        for construct in self.routine.regions:
            if construct.region is not None and construct.region.halo:
                message = "'halo' has no place in a routine for the whole grid"
                hint = "the whole grid has no neighbours"
                self.found.append(error("HF207", message, construct.region.place, hint))

    def _made(self, number: int, construct: Construct) -> Extended | None:
        region = construct.region
        assert region is not None
        if not region.active(self.facts.target):
            return Extended(replace(region, halo=()), ())
        if not self.walks:
            hint = "write @decomposition where the sizes of the grid are set"
            self.found.append(error("HF650", "there is no decomposition in the program", region.place, hint))
            return None
        wide = self._wide(number)
        if wide is not None:
            return self._in_turns(number, region, wide)
        grids = [walk for walk in self.walks.values() if self._runs_over(walk.grid, region)]
        if len(grids) > 1:
            both = " and ".join(f"'{walk.grid.what.name}'" for walk in grids)
            message = f"its domains are those of the decompositions {both}"
            self.found.append(refusal(Refused(message, construct.header.line), self.routine.file))
            return None
        walk = grids[0] if grids else next(iter(self.walks.values()))
        return self._checked(walk, Redundant(walk.regions, self.effects, self.routine.key, number))

    def _wide(self, number: int) -> WideHalo | None:
        """The exchange of every few turns for which a region goes into the halo."""
        wides = (wide for walk in self.walks.values() for wide in walk.wide.values())
        found = next((w for w in wides if w.key == self.routine.key and number in w.regions), None)
        return found if found is not None and any(any(s) for t in found.regions[number] for s in t) else None

    def _in_turns(self, number: int, region: Region, wide: WideHalo) -> Extended | None:
        """A region that goes farther in some turns of its loop than in others."""
        walk = next(walk for walk in self.walks.values() if wide in walk.wide.values())
        halo = wide.halo(region, number, walk.fields, last=False)
        return self._checked(walk, Redundant(walk.regions, self.effects, self.routine.key, number, halo), wide)

    def _checked(self, walk: Walk, work: Redundant, wide: WideHalo | None = None) -> Extended | None:
        try:
            extensions = work.extensions()
            targets = work.targets(extensions)
        except Refused as refused:
            self.found.append(refusal(refused, self.routine.file))
            return None
        turns = wide.regions[work.number] if wide is not None else ()
        counter = counter_of(self.names, wide) if wide is not None else ""
        return self._extended(walk.grid, work.region, extensions, targets, Depth(turns, counter))

    def _runs_over(self, grid: Grid, region: Region) -> bool:
        letters = grid.letters_of(self.routine.key)
        widths = {width.domain for width in region.halo}
        named = [letters.of_name(d.name) or letters.of_size(d.extent) for d in region.domains if d.name in widths]
        return any(name in grid.what.domains for name in named)

    def _extended(
        self, grid: Grid, region: Region, extensions: Sequence[Extension], targets: Sequence[Target], depth: Depth
    ) -> Extended:
        rows = []
        starts = dict(zip(region.iterators, region.starts, strict=True))
        ends = dict(zip(region.iterators, region.ends, strict=True))
        for extension in extensions:
            number = extension.number + 1
            at = f"'{grid.what.name}', {number}"
            low, high = self._variable("low", number), self._variable("high", number)
            rows.append(f"{low} = merge(0, {depth.text(extension, 0)}, hf_at_edge({at}, -1))")
            rows.append(f"{high} = merge(0, {depth.text(extension, 1)}, hf_at_edge({at}, 1))")
            starts[extension.iterator] = fragment(f"1 - {low}")
            ends[extension.iterator] = fragment(f"{ends[extension.iterator].text} + {high}")
        for target in targets:
            if not target.known:
                number = target.cut.number + 1
                there = ", ".join(bounds_of(target.data)[target.cut.position])
                low, high = self._variable("low", number), self._variable("high", number)
                at = f"'{grid.what.name}', {number}, '{target.data.name}'"
                rows.append(f"call hf_check_reach({at}, {there}, {low}, {high})")
        made = replace(
            region,
            starts=tuple(starts[i] for i in region.iterators),
            ends=tuple(ends[i] for i in region.iterators),
            halo=(),
        )
        return Extended(made, tuple(rows))

    def _variable(self, side: str, number: int) -> str:
        return self.names.scalar(f"halo_{side}{number}", "", "integer")


def with_bounds(construct: Construct, region: Region) -> Iterator[Edit]:
    """The edits that give a region the bounds of another one, and take away what it says of the halo."""
    line = construct.header.line
    directive, _ = parse_directive(line, "")
    assert directive is not None and construct.region is not None
    more = []
    for attribute, bounds in (("startAt", region.starts), ("endAt", region.ends)):
        text = f"{attribute}({', '.join(bound.text for bound in bounds)})"
        given = directive.get(attribute.lower())
        if given is not None:
            yield replace_range(line, given.start, given.end, text)
        elif not construct.region.loops:
            more.append(text)
    halo = directive.get("halo")
    if halo is None:
        if more:
            yield insert(line, directive.attributes[-1].end, f", {', '.join(more)}", 1)
    elif more:
        yield replace_range(line, halo.start, halo.end, ", ".join(more))
    else:
        yield _without(line, [(a.start, a.end) for a in directive.attributes], (halo.start, halo.end))
    for loop in own_nest(construct.body, region.iterators) if construct.region.loops else ():
        yield from _loop(loop, region)


def _without(line: LogicalLine, attributes: Sequence[tuple[int, int]], one: tuple[int, int]) -> Edit:
    """A directive without one attribute, and without a comma beside it."""
    place = next(number for number, attribute in enumerate(attributes) if attribute == one)
    if place:
        return replace_range(line, attributes[place - 1][1], one[1], "")
    return replace_range(line, one[0], attributes[1][0], "")


def _loop(loop: Construct, region: Region) -> Iterator[Edit]:
    """A loop that the user has written with the bounds of its iterator."""
    header = loop.header
    assert isinstance(header, Header)
    place = region.iterators.index(header.var)
    for expr, bound in zip(header.exprs, (region.starts[place], region.ends[place]), strict=False):
        yield replace_range(header.line, expr.start, expr.end, bound.text)
