"""The column optimiser as a pass over an application: new texts of files with regions in blocks of columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from hfpy.analyze.arrays.orders import Node
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.internal import named_inside
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.beside import beside, worth_two
from hfpy.model.expressions import Expr
from hfpy.model.statements import Construct
from hfpy.model.statements import Node as Statements
from hfpy.model.units import Routine
from hfpy.parse.text.physical import physical, preprocessed
from hfpy.transform.columns.blocks import RegionBlocks
from hfpy.transform.columns.clones import Clones, Form, State
from hfpy.transform.columns.common import RULE, Instance, column_positions
from hfpy.transform.columns.home import width_of_blocks
from hfpy.transform.columns.varying import Varying
from hfpy.transform.columns.worth import gain, pays, worth_blocks
from hfpy.transform.passes import Made, Refusal, Refused, edited_files
from hfpy.transform.regions.rowregions import straight_rows
from hfpy.transform.stencil.fusion import against
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.optimise import names_of
from hfpy.transform.stencil.removal import removable, removals
from hfpy.transform.stencil.runs import MOST_REGIONS
from hfpy.transform.text.edits import Edit, insert_lines, insert_rows, replace_rows
from hfpy.transform.text.remade import remade
from hfpy.values import dataclass

BACKENDS = frozenset({"sequential", "openmp"})
WIDTH = 32


@dataclass(frozen=True)
class Blocked:
    """Regions in blocks: the line of the first, how many columns a block has, how many regions there were, the
    routines with blocked forms, and the new region.
    """

    line: int
    width: int
    regions: int
    routines: tuple[str, ...]
    region: Construct


@dataclass(frozen=True)
class Lost:
    """A region that is not in blocks, though these would make it ``factor`` times as fast: the routine that it is
    in, and why.
    """

    routine: str
    refusal: Refusal
    factor: float


@dataclass(frozen=True)
class InBlocks(Made):
    """What the pass made: regions in blocks by routine; arrays, by their home and name there, that are used in the
    blocks that they have in memory; blocked forms of routines.
    """

    blocked: Mapping[str, tuple[Blocked, ...]] = field(default_factory=dict)
    in_place: frozenset[Node] = frozenset()
    lost: tuple[Lost, ...] = ()
    forms: tuple[Form, ...] = ()

    def only(self, accepted: Collection[str], facts: Facts) -> InBlocks:
        """Nothing, unless all is accepted."""
        return replace(super().only(accepted, facts), blocked={}, in_place=frozenset(), forms=())

    def holds(self, facts: Facts) -> bool:
        """Whether all arrays that are used in their blocks still have them."""
        orders = (facts.orders.get(facts.classes.root(node)) for node in self.in_place)
        return all(order is not None and bool(order.blocks) for order in orders)


@dataclass(frozen=True)
class Columns:
    """The pass that puts column physics in blocks of columns, on the CPU. Blocked forms of routines in one file are
    called from others: all of its texts are accepted, or none.
    """

    name: str = "columns"
    needs: frozenset[str] = frozenset({"fuse"})
    whole: bool = True

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """Why regions stay as they are, by routine."""
        return self.apply(facts, effects).refusals

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> InBlocks:
        """New texts with regions in blocks, where that pays."""
        return put_in_blocks(facts, effects, only)

    def explain(self, made: Made, facts: Facts, key: str) -> Iterator[str]:
        """The regions of a routine that are in blocks."""
        index = facts.application.file(key)
        for blocked in made.blocked.get(key, ()) if isinstance(made, InBlocks) else ():
            with_forms = f", with blocked forms of {', '.join(blocked.routines)}" if blocked.routines else ""
            several = f"{blocked.regions} regions as one, " if blocked.regions > 1 else ""
            line = index.user_line(blocked.line - 1)
            yield f"  line {line}: {several}in blocks of {blocked.width} columns{with_forms}"


@dataclass
class _Work:
    """What has been decided so far. ``asked`` has for each of the new regions the blocked forms that no region before
    it asked for.
    """

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    blocked: dict[str, tuple[Blocked, ...]] = field(default_factory=dict)
    asked: dict[str, tuple[tuple[Instance, ...], ...]] = field(default_factory=dict)
    refusals: dict[str, tuple[Refusal, ...]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    in_place: set[Node] = field(default_factory=set)
    lost: list[Lost] = field(default_factory=list)

    def add(self, later: _Work) -> None:
        """Add what was decided of later routines by themselves."""
        for path, edits in later.edits.items():
            self.edits.setdefault(path, []).extend(edits)
        self.blocked |= later.blocked
        self.asked |= later.asked
        self.refusals |= later.refusals
        self.declared |= later.declared
        self.in_place |= later.in_place
        self.lost += later.lost

    def blocked_by(self, facts: Facts) -> dict[str, tuple[Blocked, ...]]:
        """The new regions, each with the names of the routines whose blocked forms it is the first to ask for."""
        known: set[Instance] = set()
        found: dict[str, tuple[Blocked, ...]] = {}
        for key, regions in self.blocked.items():
            named = []
            for blocked, asked in zip(regions, self.asked[key], strict=True):
                named.append(
                    replace(blocked, routines=tuple(facts.routine(i.key).name for i in asked if i not in known))
                )
                known.update(asked)
            found[key] = tuple(named)
        return found


def put_in_blocks(facts: Facts, effects: Effects, only: Collection[str] | None = None) -> InBlocks:
    """Put the regions of the application, or of some files, in blocks where that pays: on the CPU."""
    if facts.target != "cpu":
        return InBlocks({}, {})
    routines = [
        routine
        for key, routine in facts.application.routines.items()
        if facts.graph.has(routine, only)
        and facts.hybrid(key)
        and facts.positions.get(key).own
        and facts.backend(key) in BACKENDS
    ]
    work, clones = _decided(facts, effects, routines, only is None)
    _put_clones(facts, clones, work)
    return InBlocks(
        edited_files(facts, work.edits),
        work.refusals,
        declared=frozenset(work.declared),
        blocked=work.blocked_by(facts),
        in_place=frozenset(work.in_place),
        lost=tuple(work.lost),
        forms=clones.forms(),
    )


def _decided(facts: Facts, effects: Effects, routines: Sequence[Routine], whole: bool) -> tuple[_Work, Clones]:
    """What becomes of some routines, in large programs that are translated as a ``whole`` of the second half of them in
    a second process.
    """
    options, lines = facts.application.options, sum(len(f.source.lines) for f in facts.application.files)
    first, second = routines[: len(routines) // 2], routines[len(routines) // 2 :]
    with beside(partial(_by_themselves, facts, effects, second), whole and worth_two(options.jobs, lines)) as pending:
        work, clones = _in_order(facts, effects, first if pending.elsewhere else routines)
        if not pending.elsewhere:
            return work, clones
        later, forms, looked = pending.result()
    effects.looked |= looked
    if clones.add(forms):
        work.add(later)
    else:
        _in_order(facts, effects, second, work, clones)
    return work, clones


def _by_themselves(
    facts: Facts, effects: Effects, routines: Sequence[Routine]
) -> tuple[_Work, State, set[tuple[str, str]]]:
    work, clones = _in_order(facts, effects, routines)
    return work, clones.state(), effects.looked


def _in_order(
    facts: Facts,
    effects: Effects,
    routines: Sequence[Routine],
    work: _Work | None = None,
    clones: Clones | None = None,
) -> tuple[_Work, Clones]:
    """What becomes of some routines, after what was decided of others."""
    analysis = Varying(facts, effects) if clones is None else clones.analysis
    clones = clones or Clones(analysis, width_of_blocks(facts) or WIDTH)
    work = work or _Work()
    for routine in routines:
        _routine(facts, effects, analysis, clones, routine, work)
    return work, clones


def _routine(facts: Facts, effects: Effects, analysis: Varying, clones: Clones, routine: Routine, work: _Work) -> None:
    key = routine.key
    index = facts.application.file(key)
    sharing = RoutineSharing(facts, effects, routine)
    names = Locals.of(index, routine)
    constructs = regions_of(routine)
    replaced: set[int] = set()
    found: list[Blocked] = []
    asked: list[tuple[Instance, ...]] = []
    refusals: list[Refusal] = []
    edits: list[Edit] = []
    used: set[str] = set()
    for numbers in _neighbours(facts, routine):
        if all(straight_rows(facts, effects, routine, constructs[n], n) for n in numbers):
            continue
        before = clones.state()
        end = constructs[numbers[-1]].end
        assert end is not None
        span = constructs[numbers[0]].header.line.first, end.line.last
        blocks: RegionBlocks | None = None
        try:
            blocks = RegionBlocks(analysis, sharing, numbers, clones, names)
            if not worth_blocks(analysis, blocks):
                continue
            region = blocks.write()
            if not pays(analysis, blocks):
                clones.back_to(before)
                refusals.append(Refusal(RULE, "moving its columns costs more than blocks gain", blocks.region.place))
                continue
            clones.write()
        except Refused as refused:
            clones.back_to(before)
            refusals.append(refused.refusal)
            if blocks is not None and blocks.wanted():
                work.lost.append(Lost(routine.name, refused.refusal, gain(analysis, blocks)))
            continue
        indent = " " * constructs[numbers[0]].header.line.segments[0][2]
        edits.append(replace_rows(*span, remade(index, (region,), indent, *span)))
        work.in_place |= {data.identity for n in blocks.in_place if (data := facts.object(n, key)) is not None}
        replaced |= set(numbers)
        asked.append(tuple(i for i in clones.names if i not in before[0]))
        found.append(Blocked(span[0] + 1, blocks.width, len(numbers), (), region))
        here = names_of(region)
        used |= here
        work.declared |= {f"{key}::{n}" for n in names.arrays & here}
    if found:
        gone = _vanished(facts, routine, replaced, used)
        edits += [*_declarations(routine, names, clones, used), *removals(routine, gone)]
        work.edits.setdefault(routine.file, []).extend(edits)
        work.blocked[key], work.asked[key] = tuple(found), tuple(asked)
    if refusals:
        work.refusals[key] = tuple(refusals)


def _vanished(facts: Facts, routine: Routine, replaced: set[int], used: set[str]) -> set[str]:
    """Local variables of the replaced regions that nothing mentions any more."""
    references = facts.references[routine.key]
    rest = {r.name for r in references if not replaced & set(r.at.regions)} | used
    rest |= {n for s in routine.spec.symbols.values() for d in s.shape for n in d.names}
    names = {n for n in {r.name for r in references} - rest if not named_inside(facts, routine.key, n)}
    return {n for n in names if (data := facts.object(n, routine.key)) and data.local and removable(routine, n)}


def _neighbours(facts: Facts, routine: Routine) -> Iterator[tuple[int, ...]]:
    """The active regions of a routine, those next to each other over the same points together."""
    index = facts.application.file(routine.key)
    constructs = regions_of(routine)
    numbers = {id(c): n for n, c in enumerate(constructs)}

    def fits(construct: Construct) -> bool:
        if RegionId(routine.key, numbers[id(construct)]) not in facts.positions.regions or construct.end is None:
            return False
        rows = index.source.lines[construct.header.line.first : construct.end.line.last + 1]
        return not index.fixed and not preprocessed(rows)

    def joined(one: int, other: Construct) -> bool:
        before, after = constructs[one], other
        assert before.end is not None and before.region is not None and after.region is not None
        rows = index.source.lines[before.end.line.last + 1 : after.header.line.first]
        regions = (before.region, after.region)
        one_space, other_space = ((r.iterators, r.starts, r.ends, r.hints, r.applies_to) for r in regions)
        one_way, other_way = ((r.schedule, r.collapse) for r in regions)
        same = one_space == other_space and one_way == other_way and not against(regions)
        one_scope, other_scope = (routine.scope(c.header.line) for c in (before, after))
        apart = one_scope != other_scope or (one_scope is not None and one_scope.fuse == "none")
        return same and not apart and all(physical(row).apart for row in rows)

    def visit(nodes: tuple[Statements, ...]) -> Iterator[tuple[int, ...]]:
        current: list[int] = []
        for node in nodes:
            region = isinstance(node, Construct) and node.kind == "region"
            if current and not (isinstance(node, Construct) and region and fits(node) and joined(current[-1], node)):
                yield tuple(current)
                current = []
            if isinstance(node, Construct) and region and fits(node):
                current.append(numbers[id(node)])
            elif isinstance(node, Construct):
                for part in node.parts:
                    yield from visit(part.body)
        if current:
            yield tuple(current)

    for run in visit(routine.body):
        yield from _mergeable(facts, routine, run)


def _mergeable(facts: Facts, routine: Routine, run: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A run of neighbours in pieces in which what is written by one and used by another is one column's own."""
    current: list[int] = []
    inside: dict[int, list[Reference]] = {number: [] for number in run}
    for reference in facts.references[routine.key]:
        for number in reference.at.regions:
            if number in inside:
                inside[number].append(reference)
    for number in run:
        references = [r for n in (*current, number) for r in inside[n] if r.at.loop_of != n]
        if current and (len(current) >= MOST_REGIONS or not _own_columns(facts, routine, number, references)):
            yield tuple(current)
            current = []
        current.append(number)
    yield tuple(current)


def _own_columns(facts: Facts, routine: Routine, number: int, references: Sequence[Reference]) -> bool:
    """Whether what regions over the same points write and use, by these references, is one column's own."""
    iterators = facts.positions.regions[RegionId(routine.key, number)].iterators
    lists: dict[str, list[tuple[Expr | str, ...]]] = {}
    for reference in references:
        data = facts.object(reference.name, routine.key)
        if data is not None and data.rank:
            plan = facts.plan_of(reference, routine.key)
            items = plan.items if plan is not None and plan.items is not None else reference.indices or ()
            lists.setdefault(reference.name, []).append(items)
    written = {r.name for r in references if r.role not in ("read", "inquiry")}
    return all(column_positions(lists[name], iterators) is not None for name in written & lists.keys())


def _declarations(routine: Routine, names: Locals, clones: Clones, used: set[str]) -> Iterator[Edit]:
    indent = " " * (routine.header.segments[0][2] + 2)
    declared = [indent + row for row in names.declarations(used)]
    if declared:
        yield insert_lines(routine.spec_insert + 1, declared, 6, routine.header.first)
    modules = [indent + row for row in clones.modules(routine.module, used)]
    if modules:
        yield insert_lines(routine.uses_row, modules, 1, routine.header.first)


def _put_clones(facts: Facts, clones: Clones, work: _Work) -> None:
    """The blocked forms after the routines they stem from, and their names among what their modules make public."""
    public: dict[str, list[str]] = {}
    for instance, clone in clones.made.items():
        routine = facts.routine(instance.key)
        assert routine.end is not None
        indent = " " * routine.header.segments[0][2]
        lines = [("", routine.header.first), *((indent + row if row else "", line) for row, line in clone.lines)]
        work.edits.setdefault(routine.file, []).append(insert_rows(routine.end.last + 1, lines, 7))
        if routine.module:
            public.setdefault(routine.module, []).append(clones.names[instance])
        work.declared |= {f"{routine.module}::{clones.names[instance]}::{n}" for n in clone.arrays}
    for module, names in public.items():
        home = facts.routine(module)
        if home.spec.default_private:
            indent = " " * (home.header.segments[0][2] + 2)
            work.edits[home.file].append(
                insert_lines(home.spec_insert + 1, [f"{indent}public :: {', '.join(names)}"], 5, home.header.first)
            )
