"""Regions that hfpy finds by itself in plain loops (``--auto``, ``hfpy annotate``; automatic.md §3).

All loops are candidates but for those whose statements speak against it. The outermost ones are written as regions and
looked at, as deep as their loops are nested; a loop in which points meet gives up as many of its inner loops as that
takes, or all, and then the loops in it have their turn. At the end the program with all of its regions is judged as
any program is, and what has a fault there, or a doubt, is no region either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from math import prod

from hfpy.analyze.analysis import analyse
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.callgraph.work import turns_of
from hfpy.analyze.dependence.answers import Witness
from hfpy.analyze.device.gapped import Gapped
from hfpy.analyze.directives.threadsaround import names_asking
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.loops.broughthere import brought_here
from hfpy.analyze.loops.foundreductions import found_reductions
from hfpy.analyze.loops.loopregions import NotTaken, perfect_nest, world_of
from hfpy.analyze.loops.ordering import Ordering
from hfpy.analyze.loops.plainloops import Serial, plain_loops
from hfpy.analyze.regions.sharing import RegionSharing, RoutineSharing
from hfpy.analyze.unchanged import unchanged_routines
from hfpy.diagnostics import HfpyError, Place, has_errors
from hfpy.model.application import Application
from hfpy.model.directives import Reduction
from hfpy.model.statements import Construct
from hfpy.transform.loops.drafts import Draft
from hfpy.transform.loops.findings import Findings
from hfpy.transform.loops.tried import NOTHING as NOTHING_BROUGHT
from hfpy.transform.loops.tried import (
    Before,
    Judge,
    Tried,
    asked,
    asks,
    judged,
    leaving,
    outermost,
    regions_of_loops,
    speaks_against,
    written,
)
from hfpy.transform.loops.verdicts import Automatic, Brought, Loops, Stated, Verdict
from hfpy.transform.ownloops import last_row
from hfpy.transform.settled import Settled

_ROUNDS = 60
_FEW = {"cpu": 4, "gpu": 32}  # points that leave most threads, or most of a GPU, idle
_PROCEDURES = ("program", "subroutine", "function", "procedure")


class Search:
    """The rounds of one application. ``apart`` are loops, by file and line, that shall be no regions, since what they
    call has better ones. ``earlier`` is a search in an application that means the same, with other texts of some
    routines: what it found out of loops whose text is the same is not found out again.
    """

    def __init__(
        self,
        settled: Settled,
        judge: Judge,
        stated: Stated,
        apart: Loops = frozenset(),
        earlier: Search | None = None,
    ) -> None:
        self.settled = settled
        self.apart = apart
        self.judge = judge
        self.stated = stated
        application = settled.application
        self.scopes = Scopes(application)
        before = earlier.ordering.graph if earlier is not None else None
        same = unchanged_routines(before.application, application) if before is not None else frozenset[str]()
        graph = CallGraph(application, self.scopes, before=before, same=same)
        self.ordering: Ordering = Ordering(application, self.scopes, graph)
        self.worlds = {
            key: world_of(self.scopes, routine)
            for key, routine in application.routines.items()
            if routine.body and routine.kind in _PROCEDURES
        }
        self.serial: list[tuple[str, Serial]] = []
        self.loops = list(self._candidates(application))
        self._places = {x.identity: place for place, x in enumerate(self.loops)}
        self.own = {x.identity: x.candidate.attributes for x in self.loops}
        self.findings = Findings()
        self.callees = {x.identity: self.ordering.callees(x.key, x.candidate.outer) for x in self.loops}
        self._draft = Draft(application, self.worlds)
        self.findings.short |= set(self._short_ones(Kinds(self.scopes, application.options.kinds)))
        self._facts: Facts | None = None  # of the last round, if there is no error in them
        self._effects: Effects | None = None  # with which all regions were judged last
        if earlier is not None:
            self._take_over(earlier, same)

    def _take_over(self, earlier: Search, same: frozenset[str]) -> None:
        """What an earlier search found out of loops. ``same`` are the routines that are as they were."""
        self._facts = earlier._facts
        certain = {key for key in same if self.ordering.reached_from(key) <= same}
        known = {earlier.text(x): x for x in earlier.loops}
        for place, x in enumerate(self.loops):
            before = known.get(self.text(x))
            if before is not None:
                self.loops[place] = replace(x, depth=before.depth, why=before.why, against=before.against)
                at = x.identity, earlier.findings, before.identity
                self.findings.take_over(*at, certain=x.key in certain)

    def done(self) -> Automatic:
        """The last round's application, with the verdicts."""
        made, brought = self._judged(self._looked_at())
        return Automatic(made, tuple(self._verdicts()), self.ordering.graph, brought, self._effects)

    # -- candidates

    def _candidates(self, application: Application) -> Iterator[Tried]:
        kinds = Kinds(self.scopes, application.options.kinds)
        asking = names_asking(application)
        for key, world in self.worlds.items():
            index = application.file(key)
            drops = application.options.drops_directives(index.path)
            for found in plain_loops(index, world, self.ordering, kinds, application.options.target, drops, asking):
                if isinstance(found, Serial):
                    self.serial.append((key, found))
                elif self.at(key, found.outer) in self.apart:
                    why = "what it calls has kernels whose points lie side by side in memory"
                    self.serial.append((key, Serial(found.outer, why, found.outer.header.line)))
                else:
                    yield Tried(found, key, found.most)

    def text(self, loop: Tried) -> tuple[str, int, tuple[str, ...]]:
        """The user's lines with a loop: its routine, the first of them, and what is written there."""
        outer = loop.candidate.outer
        rows = self.settled.application.file(loop.key).source.lines[outer.header.line.first : last_row([outer]) + 1]
        return loop.key, self.at(loop.key, outer)[1], tuple(rows)

    def active(self) -> list[Tried]:
        """The loops that are tried: outermost ones, in routines that no other one calls."""
        self.loops = [self._possible(x) for x in self.loops]
        outer = [x for x in outermost(self.loops) if not x.why]
        below = {callee for x in outer for callee in self.callees[x.identity]}
        return [self._with_reductions(x) for x in outer if x.key not in below]

    def _short_ones(self, kinds: Kinds) -> Iterator[tuple[str, int]]:
        """Give up, for now, the loops that have few points, where loops in them may have more: threads or a GPU would
        be idle.
        """
        few = _FEW[self.settled.application.options.target]
        points: dict[str, list[tuple[int, Tried, int | None]]] = {}
        for x in self.loops:
            nest = perfect_nest(x.candidate.outer, x.candidate.most)
            turns = [turns_of(kinds, x.key, loop) for loop in nest]
            known = None if None in turns else prod(n or 0 for n in turns)
            points.setdefault(x.key, []).append((x.candidate.row, x, known))
        for here in points.values():
            for row, x, known in here:
                if known is not None and known < few and not x.why:
                    inner = [n for r, _, n in here if row < r <= last_row([x.candidate.outer])]
                    if any(n is None or n >= few for n in inner):
                        why = f"it has {known} iterations only, and loops in it have more"
                        self._replace(x, replace(x, why=why))
                        yield x.identity

    def _taken_up(self) -> bool:
        """Take up those of the short loops again in which there is no region; whether there are such ones."""
        rows: dict[str, list[int]] = {}
        for x in self.active():
            rows.setdefault(x.key, []).append(x.candidate.row)
        short = [x for x in self.loops if x.identity in self.findings.short]
        free = [x for x in short if not any(_holds(x, row) for row in rows.get(x.key, ()))]
        outer = [x for x in free if not any(y is not x and y.key == x.key and _holds(y, x.candidate.row) for y in free)]
        for x in outer:
            self.findings.short.remove(x.identity)
            self._replace(x, replace(x, why=""))
        return bool(outer)

    @cached_property
    def nested(self) -> frozenset[str]:
        """The routines with candidates in other loops."""
        ends: dict[str, int] = {}
        found = set()
        for x in sorted(self.loops, key=lambda x: x.candidate.row):
            if x.candidate.row <= ends.get(x.key, -1):
                found.add(x.key)
            ends[x.key] = max(ends.get(x.key, -1), last_row([x.candidate.outer]))
        return frozenset(found)

    def _possible(self, loop: Tried) -> Tried:
        """A loop with a depth that its nest has, and bounds that are known there."""
        while not loop.why:
            try:
                found = loop.candidate.region(self.worlds[loop.key], loop.depth)
                return replace(loop, depth=min(loop.depth, len(found.turns)))
            except NotTaken as fault:
                why = self._report(loop.key, Serial(loop.candidate.outer, fault.message, fault.line))
                loop = loop.without_one(why, (fault.error(self.settled.application.file(loop.key).path),))
        return loop

    def _with_reductions(self, loop: Tried) -> Tried:
        found = self._reductions_of(loop)
        clause = self._stated(loop)
        own = self.own[loop.identity]
        attributes = (*own, *((clause,) if clause else ()), *(f"reduction({r.op}:{r.name})" for r in found))
        return replace(loop, candidate=replace(loop.candidate, attributes=attributes))

    def _reductions_of(self, loop: Tried) -> tuple[Reduction, ...]:
        """Those that its own clauses have, and those that were found."""
        return (*loop.candidate.reductions, *self.findings.reductions.get(loop.identity, ()))

    def _stated(self, loop: Tried) -> str:
        place = self._place(loop.key, loop.candidate.outer)
        return self.stated.get((place.file, place.line), "")

    # -- looking at regions alone

    def _looked_at(self) -> Facts | None:
        """Give up loops, or some of their depth, until no region has a fault by itself. Gives the last facts, if there
        is no error in them.
        """
        application = self.settled.application
        facts = self._facts
        draft = self._draft
        graph = self.ordering.graph
        for _ in range(_ROUNDS):
            active = self.active()
            if not active and self._taken_up():
                continue
            if not active or has_errors(draft.write(active)):
                return facts
            facts = analyse(draft.application, facts, graph)
            graph = facts.graph
            effects = Effects(facts)
            gapped = Gapped(facts)
            rows = {(x.key, application.user_line(x.key, x.candidate.row)): x for x in active}
            changed = False
            lost = {x.identity: x for x in active}
            for key, regions in groupby(regions_of_loops(draft.application, rows), lambda found: found[2].key):
                routine = RoutineSharing(facts, effects, facts.routine(key))
                for construct, number, loop in regions:
                    del lost[loop.identity]
                    if loop in self.findings.seen:
                        continue
                    if self._look(routine, gapped, construct, number, loop):
                        changed = True
                    else:
                        self.findings.accept(loop)
            for loop in lost.values():  # what is no region in the text has not been looked at
                changed = self._replace(loop, replace(loop, why="it is where no region can be"))
            facts = self._facts = None if has_errors(facts.found) else facts
            if not changed and not self._taken_up():
                return facts
        return facts

    def _gapped(self, sharing: RegionSharing, gapped: Gapped) -> str:
        """Why a region cannot be a kernel for the way in which arrays lie in memory."""
        if self.settled.application.options.target != "gpu":
            return ""
        name = gapped.first(sharing.body)
        return f"'{name}' may lie in memory with gaps: declare it contiguous, if it has none" if name else ""

    def _look(self, routine: RoutineSharing, gapped: Gapped, construct: Construct, number: int, loop: Tried) -> bool:
        """Look at one region of a routine; whether it has to be another one."""
        if RegionId(loop.key, number) not in routine.facts.positions.regions:
            return self._replace(loop, replace(loop, why="it is where no region can be"))
        sharing = routine.region(number)
        found = tuple(found_reductions(sharing.body))
        if found:
            known = self.findings.reductions.get(loop.identity, ())
            self.findings.reductions[loop.identity] = (*known, *found)
            return True
        # Names can take long, and nothing that is found later changes the verdict of a loop that cannot lose depth.
        last = loop.depth <= loop.candidate.least
        result = sharing.place_until(lambda d: last and speaks_against(d) and (bool(sharing.refuted) or not asks(d)))
        against = next((d for d in result.found if speaks_against(d)), None)
        if against is None:
            if (left := leaving(sharing, result, construct, loop)) is not None:
                return self._replace(loop, replace(loop, why=left.message, against=(left,)))
            why = self._gapped(sharing, gapped)
            return self._replace(loop, replace(loop, why=why)) if why else False
        names = [t.iterator for t in loop.candidate.region(self.worlds[loop.key], loop.depth).turns]
        depth = min((_equal(w, names) for w in sharing.refuted), default=loop.depth - 1)
        if depth < loop.candidate.least:
            against_it, question = asked(sharing, result, construct, loop)
            if question is not None:
                self.findings.questions[loop.identity] = question.clause
            why = question.why if question is not None else against_it[0].message
            return self._replace(loop, replace(loop, why=why, against=against_it))
        return self._replace(loop, replace(loop, depth=min(depth, loop.depth - 1)))

    def _replace(self, before: Tried, after: Tried) -> bool:
        self.loops[self._places[before.identity]] = after
        self.findings.reductions.pop(before.identity, None)
        return True

    # -- judging the program

    def _judged(self, facts: Facts | None) -> tuple[Settled, Brought]:
        """The application with its regions, without those that have a fault in it; and with routines that bring arrays
        to the device for the loops in which they call kernels, as far as nothing is wrong with that. ``facts`` are
        those of the application with other regions, as far as they are known.

        Raises HfpyError if the application has errors without any region.
        """
        before = Before(self.settled, self.judge, self.ordering.graph)
        last: Sequence[Tried] = ()  # the loops whose regions were refused in the last round
        for _ in range(_ROUNDS):
            active = self.active()
            made = written(self.settled, self.worlds, active, known=self._draft.clean)
            self._effects = None
            if not active:
                return made, NOTHING_BROUGHT
            doubtful: Sequence[Tried] = ()
            if not has_errors(made.found):
                facts = analyse(made.application, facts)
                self._effects = Effects(facts)
                better = self._brought(made, active, before, facts, last)
                if isinstance(better, tuple):
                    return better
                doubtful = better or last
            done, settled_now = self._refused(made, active, before, self._effects, doubtful)
            if before.known:  # after an error the other checks do not run
                raise HfpyError(before.known)
            if settled_now:
                return made, NOTHING_BROUGHT
            if facts is not None and has_errors(facts.found):
                facts = None
            changed = [(x, y) for x, y in zip(active, done, strict=True) if (x.depth, x.why) != (y.depth, y.why)]
            for before_it, loop in changed:
                self._replace(before_it, loop)
            last = [loop for _, loop in changed]
            if any(x not in self.findings.seen for x in self.active()):  # loops in those that were refused
                facts = self._looked_at()
        self.loops = [replace(x, why=x.why or "too many rounds were needed") for x in self.loops]
        return written(self.settled, self.worlds, []), NOTHING_BROUGHT

    def _refused(
        self,
        made: Settled,
        active: Sequence[Tried],
        before: Before,
        effects: Effects | None,
        doubtful: Sequence[Tried],
    ) -> tuple[list[Tried], bool]:
        """The loops without those whose region is refused, and whether all were kept. The files around ``doubtful``
        ones are judged first, unless they are most of the program: if one of them is refused, the rest has its turn in
        the next round.
        """
        application = self.settled.application
        keys = {x.key for x in doubtful}.union(*(self.callees[x.identity] for x in doubtful))
        only = {application.file(key).path for key in keys}
        lines = {f.path: len(f.source.lines) for f in application.files}
        first = [frozenset(only)] if 0 < 2 * sum(lines[path] for path in only) < sum(lines.values()) else []
        for part in (*first, None):
            looked_at = judged(application, made, active, before, effects, self.findings.accepted, part)
            if not looked_at[1]:
                break
        return looked_at

    def _brought(
        self, made: Settled, active: Sequence[Tried], before: Before, facts: Facts, last: Sequence[Tried]
    ) -> tuple[Settled, Brought] | list[Tried]:
        """An application, of whose facts nothing is wrong, with what routines bring to the device for its kernels. If
        something is wrong with it, the loops whose regions are refused in it; no loops if routines bring nothing.
        ``last`` are those whose regions were refused in the last round.
        """
        if self.settled.application.options.target != "gpu" or has_errors(facts.found):
            return []
        brought = {key: names for key, names in brought_here(facts).items() if key in self.worlds}
        done = written(self.settled, self.worlds, active, brought, self._draft.clean) if brought else made
        if not brought or has_errors(done.found):
            return []
        effects = Effects(analyse(done.application, facts))
        kept, settled_now = self._refused(done, active, before, effects, last)
        if settled_now:
            self._effects = effects
            return done, brought
        return [x for x, y in zip(active, kept, strict=True) if (x.depth, x.why) != (y.depth, y.why)]

    # -- verdicts

    def _verdicts(self) -> Iterator[Verdict]:
        active = self.active()
        regions = {x.identity for x in active}
        spans: dict[str, list[tuple[int, int]]] = {}
        for x in active:
            spans.setdefault(x.key, []).append((x.candidate.row, last_row([x.candidate.outer])))
        below = {callee for x in active for callee in self.callees[x.identity]}
        for key, serial in self.serial:
            yield self._placed(self._verdict(key, serial.loop, why=self._report(key, serial)), spans, below)
        for x in self.loops:
            loop = x.candidate.outer
            made = self._verdict(x.key, loop, nested=x.candidate.most)
            if x.identity in regions:
                names = tuple(t.iterator for t in x.candidate.region(self.worlds[x.key], x.depth).turns)
                found = self._reductions_of(x)
                yield replace(made, iterators=names, reductions=found, stated=self._stated(x))
            else:
                clause = self.findings.questions.get(x.identity, "")
                made = replace(made, why=x.why, clause=clause, against=x.against)
                yield self._placed(made, spans, below)

    def _placed(self, verdict: Verdict, spans: Mapping[str, list[tuple[int, int]]], below: set[str]) -> Verdict:
        """The verdict of a loop that is no region, with where it is to those that are."""
        first, last = verdict.loop.header.line.first, last_row([verdict.loop])
        here = spans.get(verdict.key, ())
        inside = verdict.key in below or any(a < first <= b for a, b in here)
        holds = any(first < a <= last for a, _ in here)
        holds = holds or any(spans.get(callee) for callee in self.ordering.callees(verdict.key, verdict.loop))
        return replace(verdict, inside=inside, holds=holds)

    def _verdict(self, key: str, loop: Construct, nested: int = 1, why: str = "") -> Verdict:
        _, last = self.settled.application.at(key, last_row([loop]))
        return Verdict(key, loop, self._place(key, loop), last, nested=nested, why=why)

    def at(self, key: str, loop: Construct) -> tuple[str, int]:
        """The user's file and line of a loop."""
        place = self._place(key, loop)
        return place.file, place.line

    def _place(self, key: str, loop: Construct) -> Place:
        line = loop.header.line
        path, number = self.settled.application.at(key, line.first)
        return replace(line.place(path), line=number)

    def _report(self, key: str, serial: Serial) -> str:
        if serial.line is serial.loop.header.line:
            return serial.why
        return f"{serial.why} (line {self.settled.application.at(key, serial.line.first)[1]})"


def _holds(loop: Tried, row: int) -> bool:
    return loop.candidate.row < row <= last_row([loop.candidate.outer])


def _equal(witness: Witness, names: Sequence[str]) -> int:
    """In how many outer loops of a nest two points that meet are one. ``names`` are its variables, outermost first; the
    points have theirs in the order of the region's domains.
    """
    first, second = dict(witness.first), dict(witness.second)
    return next((n for n, name in enumerate(names) if first.get(name) != second.get(name)), len(names))
