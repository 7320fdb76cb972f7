"""The kernel optimiser as a pass over an application: neighbouring regions fused where that pays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.referenced import meant_otherwise
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.beside import beside, worth_two
from hfpy.diagnostics import Diagnostic
from hfpy.model.statements import Construct, all_names
from hfpy.model.units import Routine
from hfpy.options import CPU, GPU, Machine, Tuned
from hfpy.parse.text.physical import preprocessed
from hfpy.transform.passes import Made, Refusal, edited_files
from hfpy.transform.samekinds import CONVERSION, SameKinds
from hfpy.transform.stencil.blocks import in_blocks
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.evenrows import (
    COUNTING,
    declared_threads,
    in_even_blocks,
    may_declare_threads,
    rows_counted,
)
from hfpy.transform.stencil.explained import Schedule, explained
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.lowering import POINTS, Lowering
from hfpy.transform.stencil.model import rows_of
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.regions import RegionCode, names_in_bounds, region_code
from hfpy.transform.stencil.removal import removable, removals
from hfpy.transform.stencil.runs import RunFinder
from hfpy.transform.stencil.sweeps import ColumnGroup
from hfpy.transform.stencil.tuned import Tuning, without_routine
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines, replace_rows
from hfpy.transform.text.remade import remade
from hfpy.values import dataclass

# Intrinsic functions that passes write. New regions are read again as the user's text is, where an array or a function
# of such a name would be taken for what is meant.
_WRITTEN = frozenset({"max", "merge", "min", "modulo", CONVERSION})
BACKENDS = frozenset({"sequential", "openmp", "cuda-c", "cuda-fortran", "hip", "opencl", "openacc", "openmp-target"})


@dataclass(frozen=True)
class Fused(Made):
    """What fusing made: schedules by routine."""

    schedules: Mapping[str, tuple[Schedule, ...]] = field(default_factory=dict)

    def only(self, accepted: Collection[str], facts: Facts) -> Fused:
        """What was done in the files whose text is accepted."""
        dropped = self.files.keys() - accepted
        kept = {key: s for key, s in self.schedules.items() if facts.routine(key).file not in dropped}
        return replace(super().only(accepted, facts), schedules=kept)


@dataclass(frozen=True)
class Fuse:
    """The pass that fuses neighbouring regions where that pays."""

    effort: Effort
    name: str = "fuse"
    needs: frozenset[str] = frozenset()
    whole: bool = False

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """Why regions are no stages of a program, by routine."""
        return {r.key: RunFinder(facts, RoutineSharing(facts, effects, r)).search().refusals for r in _routines(facts)}

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Fused:
        """New texts with regions fused."""
        return optimise(facts, effects, self.effort, only=only)

    def explain(self, made: Made, facts: Facts, key: str) -> Iterator[str]:
        """The programs of a routine with their groups, and why the alternatives lost."""
        schedules = made.schedules.get(key, ()) if isinstance(made, Fused) else ()
        for number, schedule in enumerate(schedules, 1):
            yield from explained(number, schedule, facts.target, facts.application.file(key))


def _routines(facts: Facts, only: Collection[str] | None = None) -> Iterator[Routine]:
    """The routines with regions that can be optimised, those of some files if their paths are given."""
    for key, routine in facts.application.routines.items():
        if not facts.graph.has(routine, only):
            continue
        if facts.hybrid(key) and facts.positions.get(key).own and facts.backend(key) in BACKENDS:
            yield routine


def optimise(
    facts: Facts,
    effects: Effects,
    effort: Effort,
    machine: Machine | None = None,
    only: Collection[str] | None = None,
) -> Fused:
    """Fuse what pays; in some files only where their paths are given."""
    options = facts.application.options
    chosen = machine or options.machine or (GPU if options.target == "gpu" else CPU)
    notes = tuple(without_routine(options.tuning, facts.application.routines)) if only is None else ()
    routines, lines = list(_routines(facts, only)), sum(len(f.source.lines) for f in facts.application.files)
    first, second = routines[: len(routines) // 2], routines[len(routines) // 2 :]
    two = only is None and worth_two(options.jobs, lines)
    with beside(partial(_found, facts, effects, second, chosen, effort), two) as pending:
        halves = _found(facts, effects, first, chosen, effort), pending.result()
    edits: dict[str, list[Edit]] = {}
    for half in halves:
        effects.looked |= half.looked
        for path, made in half.edits.items():
            edits.setdefault(path, []).extend(made)
    one, other = halves
    notes = (*notes, *one.notes, *other.notes)
    schedules = {**one.schedules, **other.schedules}
    return Fused(edited_files(facts, edits), {**one.refusals, **other.refusals}, notes, schedules=schedules)


@dataclass
class _Found:
    """What becomes of some routines, and the routines whose bodies were asked for."""

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    schedules: dict[str, tuple[Schedule, ...]] = field(default_factory=dict)
    refusals: dict[str, tuple[Refusal, ...]] = field(default_factory=dict)
    notes: list[Diagnostic] = field(default_factory=list)
    looked: set[tuple[str, str]] = field(default_factory=set)


def _found(facts: Facts, effects: Effects, routines: Sequence[Routine], machine: Machine, effort: Effort) -> _Found:
    found = _Found()
    for routine in routines:
        work = _RoutineWork(facts, effects, routine, machine, effort)
        made = list(work.edits())
        found.notes += work.tuning.notes
        found.schedules[routine.key], found.refusals[routine.key] = tuple(work.schedules), work.refusals
        if made:
            found.edits.setdefault(routine.file, []).extend(made)
    found.looked = effects.looked
    return found


class _RoutineWork:
    """The optimisation of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, machine: Machine, effort: Effort) -> None:
        self.facts = facts
        self.routine = routine
        self.machine = for_backend(machine, facts.backend(routine.key), effort)
        self.target = facts.target
        self.effort = effort
        tuning = facts.application.options.tuning
        self.tuning = Tuning(routine.key, facts.backend(routine.key), tuning, routine.place())
        self.index = facts.application.file(routine.key)
        found = RunFinder(facts, RoutineSharing(facts, effects, routine)).search()
        self.programs = found.programs
        self.refusals = found.refusals
        self.schedules: list[Schedule] = []
        self.names = Locals.of(self.index, self.routine)
        self.replaced: list[Group] = []

    def edits(self) -> Iterator[Edit]:
        """The new regions, the declarations of what they need, and none of what has vanished."""
        used: set[str] = set()
        even = False
        for program in self.programs:
            decision = self.tuning.decide(program, self.machine, self.target, self.effort)
            regions: dict[int, RegionCode] = {}
            before: dict[str, tuple[str, ...]] = {}  # what sets a number of rows, by its variable
            for number, group in enumerate(decision.choice.groups):
                lowering = decision.choice.costs[number].lowering
                if not self._rewritten(group, lowering) or not self._replaceable(group):
                    continue
                rows = self._rows(group, decision.tuned, len(before))
                made = self._of_one_kind(region_code(group, self.names, self.target, rows, lowering))
                if self._hides(made, rows):
                    continue
                if isinstance(rows, str):
                    before[rows] = rows_counted(rows, group.box[1], self._openmp, self._kinds)
                regions[number] = made
                used |= names_of(made.region)
                self.replaced.append(group)
                yield self._replacement(group, made)
            self.schedules.append(Schedule(program, decision.choice, regions, decision.tuned))
            if before:
                even = True
                yield self._before(program, [line for lines in before.values() for line in lines])
        self.tuning.finish()
        if not used:
            return
        indent = " " * (self.routine.header.segments[0][2] + 2)
        declared = [indent + row for row in self.names.declarations(used)]
        declared += [indent + declared_threads()] if even and self._openmp else []
        declared += [f"{indent}integer :: {', '.join(missing)}"] if (missing := self._undeclared(used)) else []
        if declared:
            yield insert_lines(self.routine.spec_insert + 1, declared, 5, self.routine.header.first)
        yield from removals(self.routine, self._vanished(used))
        yield from self._without_temporaries()

    def _without_temporaries(self) -> Iterator[Edit]:
        """The stencil programs without the names of temporaries, which may not be declared any more."""
        for scope in self.routine.scopes:
            indent = " " * scope.line.segments[0][2]
            sign = "!@" if scope.line.comment else "@"
            text = f"{indent}{sign}stencilProgram{{fuse({scope.fuse})}}"
            yield replace_lines(scope.line.first, scope.line.last, [text])

    def _undeclared(self, used: set[str]) -> list[str]:
        """Iterators that are loop variables now and that nothing declares."""
        names = {i for g in self.replaced for i in g.program.iterators}
        return sorted(n for n in names & used if self.facts.scopes.variable(n, self.routine.key) is None)

    @property
    def _openmp(self) -> bool:
        return self.facts.backend(self.routine.key) == "openmp"

    def _rows(self, group: Group, tuned: Tuned | None, number: int) -> int | str:
        """The rows of a block, or a variable for them, the ``number``-th of its program."""
        measured = tuned.rows if tuned is not None else 0
        if isinstance(group, ColumnGroup) or measured:
            return measured
        even = self.target == "cpu" and in_even_blocks(group)
        if even and (not self._openmp or may_declare_threads(self.facts, self.routine, self.names.taken)):
            return self.names.scalar(group.program.iterators[1], f"_rows{number + 1 if number else ''}", "integer")
        return rows_of(group, self.machine)

    @property
    def _kinds(self) -> SameKinds:
        counters = (name for name, type_text in self.names.types.items() if type_text == "integer")
        return SameKinds(self.facts, self.routine.key, counters)

    def _of_one_kind(self, made: RegionCode) -> RegionCode:
        region = self._kinds.node(made.region)
        assert isinstance(region, Construct)
        return replace(made, region=region)

    def _hides(self, made: RegionCode, rows: int | str) -> bool:
        """Whether the routine gives another meaning to an intrinsic function in the text of a new region."""
        needed = _WRITTEN & names_of(made.region) | (COUNTING if isinstance(rows, str) else frozenset())
        return bool(meant_otherwise(needed, self.routine.key, self.facts.scopes))

    def _before(self, program: Program, statements: Sequence[str]) -> Edit:
        """Statements before all regions of a program, so that nothing is between them."""
        header = program.stages[0].region.header.line
        scope = self.routine.scope(header)
        indent = " " * header.segments[0][2]
        first = scope.line.first if scope is not None else header.first
        return insert_lines(first, [indent + statement for statement in statements], 6)

    def _replaceable(self, group: Group) -> bool:
        """Whether the lines of a group can be replaced: no preprocessor lines, sizes that a declaration may have."""
        first, last = self._lines(group)
        lines = self.index.source.lines[first : last + 1]
        if preprocessed(lines) or self.index.fixed:
            return False
        if self.target == "gpu" or isinstance(group, ColumnGroup):
            return True
        for name in {n for box in group.required.values() for n in names_in_bounds(box)}:
            data = self.facts.object(name, self.routine.key)
            if data is not None and data.local and not data.symbol.constant:
                return False
        return True

    def _rewritten(self, group: Group, lowering: Lowering) -> bool:
        """Whether a group is written anew."""
        if isinstance(group, ColumnGroup):
            return group.rewritten(self.target)
        return len(group.stages) > 1 or lowering != POINTS or self._asked(group)

    def _asked(self, group: Group) -> bool:
        """Whether a region alone is to have other loops; ``tile`` on a GPU is for the backend."""
        if not group.stored:
            return False  # nobody uses what it computes
        if group.wishes.collapse and in_blocks(group, self.target):
            return False  # for the loops as they are
        unrolled = any(n > 1 for n in group.wishes.unroll.values())
        return unrolled or (bool(group.wishes.tile) and self.target == "cpu" and len(group.program.iterators) > 1)

    @staticmethod
    def _lines(group: Group) -> tuple[int, int]:
        last = group.stages[-1].region.end
        assert last is not None
        return group.stages[0].region.header.line.first, last.line.last

    def _replacement(self, group: Group, made: RegionCode) -> Edit:
        first, last = self._lines(group)
        names = [", ".join(v.array for v in s.writes) for s in group.stages]
        indent = " " * group.stages[0].region.header.line.segments[0][2]
        what = f"{len(names)} regions as one" if len(names) > 1 else "a region"
        head = f"{indent}! {what}, by {made.manner}: {'; '.join(names)}"
        return replace_rows(first, last, [(head, first), *remade(self.index, (made.region,), indent, first, last)])

    def _vanished(self, used: set[str]) -> set[str]:
        """Local variables of the replaced regions that nothing mentions any more."""
        regions = {id(s.region) for g in self.replaced for s in g.stages}
        rest = {
            r.name
            for r in self.facts.references[self.routine.key]
            if not any(id(c) in regions for c in r.at.constructs)
        }
        rest |= {n for s in self.routine.spec.symbols.values() for d in s.shape for n in d.names} | used
        names = {n for g in self.replaced for n, p in g.program.patterns.items() if p.local}
        names |= {n for g in self.replaced for s in g.stages for n in s.scalars}
        return {n for n in names - rest if removable(self.routine, n)}


def names_of(region: Construct) -> set[str]:
    """The names that a new region mentions, in its body or its directive."""
    made = region.region
    assert made is not None
    sizes = {n for d in made.domains for n in d.extent.names}
    return all_names((region,)) | {*made.iterators, *made.private} | made.bound_names | sizes
