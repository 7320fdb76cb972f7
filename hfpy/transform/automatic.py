"""Regions that hfpy finds by itself in plain loops (``--auto``, ``hfpy annotate``; automatic.md §3).

All loops are candidates but for those whose statements speak against it. The outermost ones are written as regions and
looked at, as deep as their loops are nested; a loop in which points meet gives up as many of its inner loops as that
takes, or all, and then the loops in it have their turn. At the end the program with all of its regions is judged as
any program is, and what has a fault there, or a doubt, is no region either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from hfpy.analyze.analysis import analyse
from hfpy.analyze.broughthere import brought_here
from hfpy.analyze.context import located
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.foundreductions import found_reductions
from hfpy.analyze.gapped import Gapped
from hfpy.analyze.graph import CallGraph
from hfpy.analyze.kinds import Kinds
from hfpy.analyze.loopregions import NotTaken, World
from hfpy.analyze.ordering import Ordering
from hfpy.analyze.plainloops import Serial, plain_loops
from hfpy.analyze.positions import RegionId
from hfpy.analyze.scopes import Scopes
from hfpy.analyze.sharing import RegionSharing, RoutineSharing
from hfpy.analyze.stretches import NoColumns
from hfpy.analyze.uses import uses
from hfpy.diagnostics import Diagnostic, Place, has_errors
from hfpy.model.application import Application
from hfpy.model.directives import Reduction
from hfpy.model.statements import LOOPS, Construct, constructs
from hfpy.transform.columnloops import TakenOut
from hfpy.transform.columnproof import Proved, proved
from hfpy.transform.columnstretches import beside, stretches
from hfpy.transform.drafts import Draft
from hfpy.transform.ownloops import last_row
from hfpy.transform.settled import Settled
from hfpy.transform.tried import NOTHING as NOTHING_BROUGHT
from hfpy.transform.tried import (
    Before,
    Judge,
    Tried,
    judged,
    leaving,
    outermost,
    regions_of_loops,
    speaks_against,
    written,
)

_ROUNDS = 60
_PIECES = 5  # how often a stretch is cut where a statement is in the way
_PROCEDURES = ("program", "subroutine", "function", "procedure")


@dataclass(frozen=True)
class Verdict:
    """What became of one loop of a routine: the iterators of its region, outermost first, and the reductions of that;
    or why it is none. ``nested`` are the loops that stand right in each other from this one on. ``inside`` says that it
    stands in a region, or in a routine that is called in one. ``clause`` would make a region of it, if the user can
    state that. ``last`` is its last line. ``columns`` are iterators of a stretch whose loops over them were taken out;
    ``beside`` says what is in the way of code for one column around a serial loop. Lines are the user's.
    """

    key: str
    loop: Construct
    place: Place
    last: int
    iterators: tuple[str, ...] = ()
    nested: int = 1
    reductions: tuple[Reduction, ...] = ()
    why: str = ""
    clause: str = ""
    stated: str = ""
    inside: bool = False
    holds: bool = False
    columns: tuple[str, ...] = ()
    beside: str = ""

    @property
    def region(self) -> bool:
        """Whether the loop has become a region."""
        return bool(self.iterators)


@dataclass(frozen=True)
class Automatic:
    """An application with the regions that were found, what became of each loop, and the application without them.
    ``brought`` are arrays that routines bring to the device for what they call.
    """

    settled: Settled
    verdicts: tuple[Verdict, ...]
    original: Application
    brought: Mapping[str, tuple[str, ...]]


Stated = Mapping[tuple[str, int], str]
Allowed = frozenset[tuple[str, int, tuple[str, ...]]]  # stretches by file, first line, iterators
NOTHING: Stated = MappingProxyType({})


def with_found_regions(
    settled: Settled, judge: Judge, stated: Stated = NOTHING, allowed: Allowed | None = None
) -> Automatic:
    """The application with those of its plain loops as regions of which it is proved that they may be. ``stated`` are
    clauses such as ``distinct(idx)`` for loops, by file and line. ``allowed`` are the stretches that may become code
    for one column, if not all may.
    """
    search = _Search(settled, judge, stated)
    first = search.done()
    made, refused = search.columns(allowed)
    while made.loops:
        second = _Search(made.settled, judge, stated).done()
        regions = {id(v.loop) for v in second.verdicts if v.region}
        lost = [taken for taken, loop in made.loops if id(loop) not in regions]
        if not lost:
            around = {id(loop): taken.stretch.iterators for taken, loop in made.loops}
            return replace(second, verdicts=tuple(_with_columns(second.verdicts, around, refused)))
        made = proved(settled, search.worlds, search.ordering, [taken for taken, _ in made.loops if taken not in lost])
    return replace(first, verdicts=tuple(_with_columns(first.verdicts, {}, refused)))


def _with_columns(
    verdicts: Sequence[Verdict], around: Mapping[int, tuple[str, ...]], refused: Mapping[tuple[str, int], str]
) -> Iterator[Verdict]:
    """Verdicts with loops that stand around columns, in place of what begins in their lines, and with what is in the
    way of others.
    """
    taken = {(v.place.file, v.place.line) for v in verdicts if id(v.loop) in around}
    for v in verdicts:
        place = (v.place.file, v.place.line)
        if id(v.loop) in around:
            yield replace(v, columns=around[id(v.loop)])
        elif place not in taken:
            yield replace(v, beside="" if v.region or v.clause else refused.get(place, ""))


class _Search:
    """The rounds of one application."""

    def __init__(self, settled: Settled, judge: Judge, stated: Stated) -> None:
        self.settled = settled
        self.judge = judge
        self.stated = stated
        application = settled.application
        self.scopes = Scopes(application)
        graph = CallGraph(application, self.scopes)
        self.ordering = Ordering(application, self.scopes, graph)
        self.worlds = {
            key: World(self.scopes, routine, uses(located(routine)), application.options.domains)
            for key, routine in application.routines.items()
            if routine.body and routine.kind in _PROCEDURES
        }
        self.serial: list[tuple[str, Serial]] = []
        self.loops = list(self._candidates(application))
        self.own = {self._id(x): x.candidate.attributes for x in self.loops}
        self.reductions: dict[tuple[str, int], tuple[Reduction, ...]] = {}
        self.questions: dict[tuple[str, int], str] = {}
        self.callees = {self._id(x): self.ordering.callees(x.key, x.candidate.outer) for x in self.loops}

    def done(self) -> Automatic:
        """The last round's application, with the verdicts."""
        self._looked_at()
        made, brought = self._brought(self._judged())
        return Automatic(made, tuple(self._verdicts()), self.settled.application, brought)

    # -- candidates

    def _candidates(self, application: Application) -> Iterator[Tried]:
        kinds = Kinds(self.scopes, application.options.kinds)
        target = application.options.target
        for key, world in self.worlds.items():
            index = application.file(key)
            drops = application.options.drops_directives(index.path)
            for found in plain_loops(index, world, self.ordering, kinds, target, drops):
                if isinstance(found, Serial):
                    self.serial.append((key, found))
                else:
                    yield Tried(found, key, found.most)

    @staticmethod
    def _id(loop: Tried) -> tuple[str, int]:
        return loop.key, id(loop.candidate.outer)

    def _active(self) -> list[Tried]:
        """The loops that are tried: outermost ones, in routines that no other one calls."""
        self.loops = [self._possible(x) for x in self.loops]
        outer = [x for x in outermost(self.loops) if not x.why]
        below = {callee for x in outer for callee in self.callees[self._id(x)]}
        return [self._with_reductions(x) for x in outer if x.key not in below]

    def _possible(self, loop: Tried) -> Tried:
        """A loop with a depth that its nest has, and bounds that are known there."""
        while not loop.why:
            try:
                found = loop.candidate.region(self.worlds[loop.key], loop.depth)
                return replace(loop, depth=min(loop.depth, len(found.turns)))
            except NotTaken as fault:
                loop = loop.without_one(fault.message)
        return loop

    def _with_reductions(self, loop: Tried) -> Tried:
        found = self._reductions_of(loop)
        clause = self._stated(loop)
        own = self.own[self._id(loop)]
        attributes = (*own, *((clause,) if clause else ()), *(f"reduction({r.op}:{r.name})" for r in found))
        return replace(loop, candidate=replace(loop.candidate, attributes=attributes))

    def _reductions_of(self, loop: Tried) -> tuple[Reduction, ...]:
        """Those that its own clauses have, and those that were found."""
        return (*loop.candidate.reductions, *self.reductions.get(self._id(loop), ()))

    def _stated(self, loop: Tried) -> str:
        place = self._place(loop.key, loop.candidate.outer)
        return self.stated.get((place.file, place.line), "")

    # -- looking at regions alone

    def _looked_at(self) -> None:
        """Give up loops, or some of their depth, until no region has a fault by itself."""
        application = self.settled.application
        facts: Facts | None = None
        accepted: set[tuple[str, int, int, tuple[str, ...]]] = set()
        draft = Draft(application, self.worlds)
        for _ in range(_ROUNDS):
            active = self._active()
            if not active or has_errors(draft.write(active)):
                return
            facts = analyse(draft.application, facts)
            effects = Effects(facts)
            gapped = Gapped(facts, effects)
            rows = {(x.key, application.user_line(x.key, x.candidate.row)): x for x in active}
            changed = False
            lost = {self._id(x): x for x in active}
            for construct, number, loop in regions_of_loops(draft.application, rows):
                del lost[self._id(loop)]
                # What a region is by itself does not depend on the others.
                region = (*self._id(loop), loop.depth, loop.candidate.attributes)
                if region in accepted:
                    continue
                if self._look(facts, effects, gapped, construct, number, loop):
                    changed = True
                else:
                    accepted.add(region)
            for loop in lost.values():  # what is no region in the text has not been looked at
                changed = self._replace(loop, replace(loop, why="it stands where no region can be"))
            if not changed:
                return
            if has_errors(facts.found):
                facts = None

    def _gapped(self, sharing: RegionSharing, gapped: Gapped) -> str:
        """Why a region cannot be a kernel for the way in which arrays lie in memory."""
        if self.settled.application.options.target != "gpu":
            return ""
        names = sorted(sharing.body.names())
        name = next((n for n in names if gapped.may_have_gaps(n, sharing.key)), "")
        return f"'{name}' may lie in memory with gaps: declare it contiguous, if it has none" if name else ""

    def _look(
        self, facts: Facts, effects: Effects, gapped: Gapped, construct: Construct, number: int, loop: Tried
    ) -> bool:
        """Look at one region; whether it has to be another one."""
        if RegionId(loop.key, number) not in facts.positions.regions:
            return self._replace(loop, replace(loop, why="it stands where no region can be"))
        sharing = RoutineSharing(facts, effects, facts.routine(loop.key)).region(number)
        found = tuple(found_reductions(sharing.body))
        if found:
            known = self.reductions.get(self._id(loop), ())
            self.reductions[self._id(loop)] = (*known, *found)
            return True
        result = sharing.place()
        against = next((d for d in result.found if speaks_against(d)), None)
        if against is None:
            why = leaving(facts, effects, construct, number, loop) or self._gapped(sharing, gapped)
            return self._replace(loop, replace(loop, why=why)) if why else False
        depth = min((_equal(w.first, w.second) for w in sharing.refuted), default=loop.depth - 1)
        if depth < loop.candidate.least:
            if not sharing.refuted:
                self._ask(loop, result.found)
            return self._replace(loop, replace(loop, why=against.message))
        return self._replace(loop, replace(loop, depth=min(depth, loop.depth - 1)))

    def _ask(self, loop: Tried, found: Sequence[Diagnostic]) -> None:
        """Note what the user could state of a loop: it counts if there is nothing else against a region."""
        clauses = {next((f.text for f in d.fixes if f.way == "state"), "") for d in found if speaks_against(d)}
        if len(clauses) == 1:
            self.questions[self._id(loop)] = clauses.pop()

    def _replace(self, before: Tried, after: Tried) -> bool:
        outer = before.candidate.outer
        self.loops = [after if x.candidate.outer is outer and x.key == before.key else x for x in self.loops]
        self.reductions.pop(self._id(before), None)
        return True

    # -- judging the program

    def _judged(self) -> Settled:
        """The application with its regions, without those that have a fault in it."""
        before = Before(self.settled, self.judge)
        for _ in range(_ROUNDS):
            active = self._active()
            made = written(self.settled, self.worlds, active)
            if not active:
                return made
            done, settled_now = judged(self.settled.application, made, active, before)
            if settled_now:
                return made
            for before_it, loop in zip(active, done, strict=True):
                if (before_it.depth, before_it.why) != (loop.depth, loop.why):
                    self._replace(before_it, loop)
        self.loops = [replace(x, why=x.why or "too many rounds were needed") for x in self.loops]
        return written(self.settled, self.worlds, [])

    def _brought(self, made: Settled) -> tuple[Settled, Mapping[str, tuple[str, ...]]]:
        """The same with routines that bring arrays to the device for the loops in which they call kernels, as far as
        nothing is wrong with that.
        """
        if self.settled.application.options.target != "gpu" or has_errors(made.found):
            return made, NOTHING_BROUGHT
        brought = brought_here(analyse(made.application))
        brought = {key: names for key, names in brought.items() if key in self.worlds}
        done = written(self.settled, self.worlds, self._active(), brought) if brought else made
        if not brought or has_errors(done.found):
            return made, NOTHING_BROUGHT
        facts = analyse(done.application)
        found = self.judge(facts, Effects(facts))
        return (made, NOTHING_BROUGHT) if has_errors(found) else (done, brought)

    # -- columns

    def stretches(self, allowed: Allowed | None) -> tuple[list[TakenOut], dict[tuple[str, int], str]]:
        """The stretches that may become code for one column, and what is in the way around other serial loops, by file
        and line.
        """
        active = self._active()
        below = {callee for x in active for callee in self.callees[self._id(x)]}
        regions: dict[str, list[tuple[Construct, tuple[str, ...]]]] = {}
        for x in active:
            turns = x.candidate.region(self.worlds[x.key], x.depth).turns
            regions.setdefault(x.key, []).append((x.candidate.outer, tuple(t.iterator for t in turns)))
        wanted: list[TakenOut] = []
        refused: dict[tuple[str, int], str] = {}
        for key, listed in regions.items():
            if key not in below:
                found = stretches(self.settled.application, self.worlds[key], listed)
                wanted += (x for x in found.wanted if allowed is None or self._named(x) in allowed)
                refused |= {self._at(key, loop): self._in_the_way(key, why) for loop, why in found.refused}
        return wanted, refused

    def columns(self, allowed: Allowed | None) -> tuple[Proved, dict[tuple[str, int], str]]:
        """The stretches that are proved; and what is in the way of others, by file and line of the serial loops in
        them. Where a statement is in the way, what stands before and behind it is tried.
        """
        wanted, told = self.stretches(allowed)
        application = self.settled.application
        for _ in range(_PIECES):
            made = proved(self.settled, self.worlds, self.ordering, wanted)
            told |= self._told_of(made.refused)
            pieces = [p for t, why in made.refused for p in beside(application, self.worlds[t.key], t, why.line)]
            pieces = [p for p in pieces if allowed is None or self._named(p) in allowed]
            if not pieces:
                break
            wanted = [*(taken for taken, _ in made.loops), *pieces]
        return made, told

    def _told_of(self, refused: Sequence[tuple[TakenOut, NoColumns]]) -> dict[tuple[str, int], str]:
        """What is in the way of stretches, by file and line of the serial loops in them."""
        found: dict[tuple[str, int], str] = {}
        for taken, why in refused:
            inside = [c for c in constructs(list(taken.stretch.nodes)) if c.kind in LOOPS]
            found |= {self._at(taken.key, loop): self._in_the_way(taken.key, why) for loop in inside}
        return found

    def _named(self, taken: TakenOut) -> tuple[str, int, tuple[str, ...]]:
        application = self.settled.application
        line = application.user_line(taken.key, taken.stretch.first.first)
        return application.file(taken.key).path, line, taken.stretch.iterators

    def _at(self, key: str, loop: Construct) -> tuple[str, int]:
        place = self._place(key, loop)
        return place.file, place.line

    def _in_the_way(self, key: str, why: NoColumns) -> str:
        return f"{why.message} (line {self.settled.application.user_line(key, why.line.first)})"

    # -- verdicts

    def _verdicts(self) -> Iterator[Verdict]:
        active = self._active()
        regions = {self._id(x) for x in active}
        spans: dict[str, list[tuple[int, int]]] = {}
        for x in active:
            spans.setdefault(x.key, []).append((x.candidate.row, _last(x.candidate.outer)))
        below = {callee for x in active for callee in self.callees[self._id(x)]}
        for key, serial in self.serial:
            yield self._placed(self._verdict(key, serial.loop, why=self._told(key, serial)), spans, below)
        for x in self.loops:
            loop = x.candidate.outer
            made = self._verdict(x.key, loop, nested=x.candidate.most)
            if self._id(x) in regions:
                names = tuple(t.iterator for t in x.candidate.region(self.worlds[x.key], x.depth).turns)
                found = self._reductions_of(x)
                yield replace(made, iterators=names, reductions=found, stated=self._stated(x))
            else:
                made = replace(made, why=x.why, clause=self.questions.get(self._id(x), ""))
                yield self._placed(made, spans, below)

    def _placed(self, verdict: Verdict, spans: Mapping[str, list[tuple[int, int]]], below: set[str]) -> Verdict:
        """The verdict of a loop that is no region, with where it stands to those that are."""
        first, last = verdict.loop.header.line.first, _last(verdict.loop)
        here = spans.get(verdict.key, ())
        inside = verdict.key in below or any(a < first <= b for a, b in here)
        holds = any(first < a <= last for a, _ in here)
        holds = holds or any(spans.get(callee) for callee in self.ordering.callees(verdict.key, verdict.loop))
        return replace(verdict, inside=inside, holds=holds)

    def _verdict(self, key: str, loop: Construct, nested: int = 1, why: str = "") -> Verdict:
        last = self.settled.application.user_line(key, _last(loop))
        return Verdict(key, loop, self._place(key, loop), last, nested=nested, why=why)

    def _place(self, key: str, loop: Construct) -> Place:
        application, line = self.settled.application, loop.header.line
        return replace(line.place(application.file(key).path), line=application.user_line(key, line.first))

    def _told(self, key: str, serial: Serial) -> str:
        if serial.line is serial.loop.header.line:
            return serial.why
        return f"{serial.why} (line {self.settled.application.user_line(key, serial.line.first)})"


def _last(loop: Construct) -> int:
    return last_row([loop])


def _equal(first: Sequence[tuple[str, int]], second: Sequence[tuple[str, int]]) -> int:
    """In how many outer loops two points of a region are one."""
    count = 0
    for one, other in zip(first, second, strict=True):
        if one != other:
            break
        count += 1
    return count
