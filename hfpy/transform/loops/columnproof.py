"""The proof that a stretch for columns side by side may be computed column by column (automatic.md §3).

A stretch does, level by level, what its columns do; as code for one column it does the same in another order. Both give
the same numbers if

* each loop over the columns may run in any order by itself, with variables of its own for each column: so none of them
  carries a value from one column to another, or out of the loop;
* with one loop around all of it, no two columns meet in what they share: so for each column everything that it touches
  is touched in the order that it had;
* what each column then has for itself had one value for all columns, set outside of their loops, or was set and used in
  one turn of a loop over the columns. (Arrays that lost the dimension of the columns had their own element for each.)
  Running counters are none of these, though a loop over the columns may run in any order with them: they count turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hfpy.analyze.analysis import analyse
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.loopvalues import counts_only
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.loops.counters import counters
from hfpy.analyze.loops.foundreductions import found_reductions
from hfpy.analyze.loops.loopregions import NotTaken, World, perfect_nest, world_of
from hfpy.analyze.loops.ordering import Ordering
from hfpy.analyze.loops.parallelloops import Candidate
from hfpy.analyze.loops.stretches import NoColumns
from hfpy.analyze.regions.jumpsinto import jumps_into
from hfpy.analyze.regions.sharing import RoutineSharing, Sharing
from hfpy.diagnostics import has_errors
from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header, constructs, flatten
from hfpy.transform.loops.columnloops import TakenOut, edits
from hfpy.transform.loops.drafts import Draft
from hfpy.transform.loops.tried import Tried, leaving, regions_of_loops, speaks_against
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import Edit
from hfpy.values import dataclass


@dataclass(frozen=True)
class Proved:
    """The application with stretches as code for one column; the loop around each, in it; and those that stay as they
    are, with what is in the way.
    """

    settled: Settled
    loops: tuple[tuple[TakenOut, Construct], ...]
    refused: tuple[tuple[TakenOut, NoColumns], ...]


def proved(settled: Settled, worlds: Mapping[str, World], ordering: Ordering, wanted: Sequence[TakenOut]) -> Proved:
    """Those of some stretches, none of them in another, that are proved."""
    refused: list[tuple[TakenOut, NoColumns]] = []
    free: list[TakenOut] = []
    for taken in wanted:
        ordered = ordering.reason_in(taken.key, taken.stretch.nodes)
        if ordered is None:
            free.append(taken)
        else:
            refused.append((taken, NoColumns(f"the stretch {ordered.does}", ordered.line)))
    own, left = _one_by_one(settled.application, worlds, free, ordering.graph, refused)
    while True:
        made = _with_columns(settled, worlds, left)
        loops = tuple((taken, _loop(made.application, settled.application, taken)) for taken in left)
        if not left:
            return Proved(made, loops, tuple(refused))
        against = _together(made.application, settled.application, loops, own, worlds, ordering.graph)
        if not against:
            return Proved(made, loops, tuple(refused))
        refused += [(taken, against[id(taken)]) for taken in left if id(taken) in against]
        left = [taken for taken in left if id(taken) not in against]


# -- each loop over the columns by itself


@dataclass(frozen=True)
class _Own:
    """The loops over the columns of a stretch, each with the variables that a turn of it has for itself, and those
    that it may set.
    """

    loops: tuple[tuple[Construct, frozenset[str], frozenset[str]], ...]


def _one_by_one(
    application: Application,
    worlds: Mapping[str, World],
    wanted: Sequence[TakenOut],
    graph: CallGraph,
    refused: list[tuple[TakenOut, NoColumns]],
) -> tuple[dict[int, _Own], list[TakenOut]]:
    tried: list[tuple[TakenOut, Construct, Tried]] = []
    left: list[TakenOut] = []
    for taken in wanted:
        depth = len(taken.stretch.iterators)
        try:
            for loop in taken.stretch.loops:
                tried.append((taken, loop, Tried(candidate(worlds[taken.key], loop, depth), taken.key, depth)))
            left.append(taken)
        except NotTaken as fault:
            refused.append((taken, NoColumns(fault.message, fault.line)))
    kept = {id(taken) for taken in left}
    tried = [x for x in tried if id(x[0]) in kept]
    draft = Draft(application, worlds)
    found = draft.write([x for _, _, x in tried]) if tried else []
    if has_errors(found):
        why = next(d.message for d in found if d.severity == "error")
        refused += [(taken, NoColumns(why, taken.stretch.first)) for taken in left]
        return {}, []
    own: dict[int, list[tuple[Construct, frozenset[str], frozenset[str]]]] = {}
    against: dict[int, NoColumns] = {}
    looked = _Looked(draft.application, application, [x for _, _, x in tried], graph) if tried else None
    for taken, loop, one in tried:
        assert looked is not None
        sharing = looked.sharing(one)
        if isinstance(sharing, _Fault):
            against.setdefault(id(taken), NoColumns(sharing.message, loop.header.line))
        else:
            counting = set(_counting(worlds[taken.key], loop, one.depth))
            own.setdefault(id(taken), []).append((loop, _for_itself(sharing) - counting, looked.written(one)))
    refused += [(taken, against[id(taken)]) for taken in left if id(taken) in against]
    made = {key: _Own(tuple(listed)) for key, listed in own.items()}
    return made, [taken for taken in left if id(taken) not in against]


def candidate(world: World, loop: Construct, depth: int) -> Candidate:
    """A loop as a candidate of just so many loops. Raises NotTaken."""
    made = Candidate(loop, (), loop.header.line.first, (), depth, depth, False)
    made.region(world, depth)
    return made


def _for_itself(sharing: Sharing) -> frozenset[str]:
    return frozenset((*sharing.private, *sharing.heap))


@dataclass(frozen=True)
class _Fault:
    """What speaks against a region; the user's line, or the variable that it is about, as far as one is known."""

    message: str
    line: int = 0
    name: str = ""


class _Looked:
    """The regions of a draft by the loops that they come from, each looked at by itself. ``before`` is the application
    that has the loops; ``graph`` is the call graph of that one, or of an earlier one.
    """

    def __init__(self, application: Application, before: Application, tried: Sequence[Tried], graph: CallGraph) -> None:
        self.application = application
        self.facts = analyse(application, earlier=graph)
        self.effects = Effects(self.facts)
        rows = {(x.key, before.user_line(x.key, x.candidate.row)): x for x in tried}
        self._regions = {
            (x.key, x.candidate.row): (construct, number)
            for construct, number, x in regions_of_loops(application, rows)
        }

    def written(self, loop: Tried) -> frozenset[str]:
        """What a region may set."""
        _, number = self._regions[loop.key, loop.candidate.row]
        region = RoutineSharing(self.facts, self.effects, self.facts.routine(loop.key)).region(number)
        return frozenset(region.body.flow().written)

    def entered(self, loop: Tried) -> int:
        """The user's line with a jump that leads into a region from outside; 0 if there is none."""
        found = self._regions.get((loop.key, loop.candidate.row))
        region = found[0].region if found is not None else None
        jumps = jumps_into(self.facts, self.facts.routine(loop.key)) if region is not None else ()
        into = (d.place.line for d in jumps if region is not None and region.place in {r.place for r in d.related})
        return next((self.application.user_line(loop.key, line - 1) for line in into), 0)

    def sharing(self, loop: Tried) -> Sharing | _Fault:
        """What the points of a region share, or what speaks against it."""
        found = self._regions.get((loop.key, loop.candidate.row))
        if found is None or RegionId(loop.key, found[1]) not in self.facts.positions.regions:
            return _Fault("no region can be here")
        construct, number = found
        routine = self.facts.routine(loop.key)
        region = RoutineSharing(self.facts, self.effects, routine).region(number)
        collected = next(iter(found_reductions(region.body)), None)
        if collected is not None:
            return _Fault(f"'{collected.name}' collects a result over the columns", name=collected.name)
        sharing = region.place()
        against = next((d for d in sharing.found if speaks_against(d)), None)
        if against is not None:
            return _Fault(against.message, self.application.user_line(loop.key, against.place.line - 1))
        late = next((n for n in sharing.lastprivate if not counts_only(self.facts, loop.key, n)), "")
        if late:
            return _Fault(f"the value of '{late}' from the last column is used after it", name=late)
        left = leaving(region, sharing, construct, loop)
        return _Fault(left.message) if left is not None else sharing


# -- one loop around all


def _with_columns(settled: Settled, worlds: Mapping[str, World], wanted: Sequence[TakenOut]) -> Settled:
    """The application with stretches as code for one column."""
    changes: dict[str, list[Edit]] = {}
    for key in dict.fromkeys(taken.key for taken in wanted):
        here = [taken for taken in wanted if taken.key == key]
        changes.setdefault(settled.application.file(key).path, []).extend(edits(worlds[key], here))
    return changed(settled, changes, [])


def _loop(made: Application, before: Application, taken: TakenOut) -> Construct:
    """The loop around a stretch in the application that has it."""
    line = before.user_line(taken.key, taken.stretch.first.first)
    for construct in constructs(made.routines[taken.key].body):
        header = construct.header
        over = construct.kind == "do" and isinstance(header, Header) and header.var == taken.stretch.iterators[0]
        if over and made.user_line(taken.key, construct.header.line.first) == line:
            return construct
    raise AssertionError("the loop around a stretch is not in the text that was made of it")


def _together(
    application: Application,
    original: Application,
    loops: Sequence[tuple[TakenOut, Construct]],
    own: Mapping[int, _Own],
    before: Mapping[str, World],
    graph: CallGraph,
) -> dict[int, NoColumns]:
    """What is against stretches as code for one column, by the identity of the stretch. ``before`` are the routines
    with the stretches as they were in the ``original``, which has the ``graph`` of calls.
    """
    scopes = Scopes(application)
    worlds: dict[str, World] = {}
    for taken, _ in loops:
        routine = application.routines[taken.key]
        worlds[taken.key] = world_of(scopes, routine)
    against: dict[int, NoColumns] = {}
    tried: list[tuple[TakenOut, Tried]] = []
    for taken, loop in loops:
        depth = len(taken.stretch.iterators)
        try:
            one = Tried(candidate(worlds[taken.key], loop, depth), taken.key, depth)
        except NotTaken as fault:
            against[id(taken)] = NoColumns(fault.message, taken.stretch.first)
            continue
        counting = next(_counting(worlds[taken.key], loop, depth), "")
        if counting:
            against[id(taken)] = NoColumns(f"'{counting}' counts on in it from turn to turn", taken.stretch.first)
        else:
            tried.append((taken, one))
    if not tried:
        return against
    draft = Draft(application, worlds)
    found = draft.write([x for _, x in tried])
    if has_errors(found):
        why = next(d.message for d in found if d.severity == "error")
        return {id(taken): NoColumns(why, taken.stretch.first) for taken, _ in loops}
    looked = _Looked(draft.application, application, [x for _, x in tried], graph)

    def line_of(taken: TakenOut, fault: _Fault) -> LogicalLine:
        """The line of a stretch that a fault is about, else its first one."""
        statements = [s for s in flatten(list(taken.stretch.nodes)) if not s.line.file]
        index = original.file(taken.key)
        by_place = (s.line for s in statements if index.user_line(s.line.first) == fault.line)
        ids = {id(s) for s in statements}
        listed = (r for r in before[taken.key].references if r.name == fault.name and id(r.at.statement) in ids)
        by_name = (r.at.statement.line for r in listed if r.writes)
        return next(by_place, None) or next(by_name, None) or taken.stretch.first

    def jump_into(taken: TakenOut, one: Tried) -> NoColumns | None:
        """That a jump leads into a stretch: what is before and after it does not matter then."""
        row = looked.entered(one)
        statements = flatten(original.routines[taken.key].body) if row else ()
        lines = (s.line for s in statements if original.user_line(taken.key, s.line.first) == row)
        return NoColumns("a jump leads into the stretch", next(lines, taken.stretch.first)) if row else None

    for taken, one in tried:
        jump = jump_into(taken, one)
        sharing = looked.sharing(one) if jump is None else None
        if jump is not None:
            against[id(taken)] = jump
        elif isinstance(sharing, _Fault):
            against[id(taken)] = NoColumns(sharing.message, line_of(taken, sharing))
        elif sharing is not None:
            other = _from_another(looked.facts, before[taken.key], taken, own[id(taken)], _for_itself(sharing))
            against |= {id(taken): other} if other is not None else {}
    return against


def _counting(world: World, loop: Construct, depth: int) -> Iterator[str]:
    """The running counters of a loop over the columns: their values follow from the order of the turns, which is
    another one with the loop around the stretch.
    """
    return (counter.name for counter in counters(world, perfect_nest(loop, depth)))


def _from_another(facts: Facts, world: World, taken: TakenOut, own: _Own, names: frozenset[str]) -> NoColumns | None:
    """What a column would have for itself, but gets from another one as the stretch is. ``world`` is around that."""
    statements = {id(s) for s in flatten(list(taken.stretch.nodes))}
    for name in sorted(names - taken.one.arrays.keys()):
        references = [r for r in world.references if r.name == name and id(r.at.statement) in statements]
        if fault := next(_values_from_others(facts, taken, own, name, references), None):
            return fault
    return None


def _values_from_others(
    facts: Facts, taken: TakenOut, own: _Own, name: str, references: Sequence[Reference]
) -> Iterator[NoColumns]:
    if not any(name in written for _, _, written in own.loops) or counts_only(facts, taken.key, name):
        return
    for loop, private, _ in own.loops:
        if name not in private and any(_inside(r, loop) for r in references):
            message = f"a column may use '{name}' as another one has set it"
            yield NoColumns(message, loop.header.line)
    for reference in references:
        if not any(_inside(reference, loop) for loop, _, _ in own.loops):
            message = f"'{name}' is used here for all columns, and set by each of them elsewhere"
            yield NoColumns(message, reference.at.statement.line)


def _inside(reference: Reference, loop: Construct) -> bool:
    return any(c is loop for c in reference.at.constructs)
