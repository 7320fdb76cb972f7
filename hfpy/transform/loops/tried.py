"""Loops that are tried as regions: written as such, judged with the rest of the program, and given up where they fail.

A region with a fault loses its innermost loop, until those are left that surely are the region's; then the loop stays
as it is. A loop that is in one that becomes a region waits until that is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hfpy.analyze.analysis import analyse
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.loopvalues import counts_only
from hfpy.analyze.facts import Facts
from hfpy.analyze.loops.loopregions import LoopRegion, NotTaken, World
from hfpy.analyze.loops.parallelloops import Candidate
from hfpy.analyze.regions.lasting import below_region
from hfpy.analyze.regions.sharing import RegionSharing, RoutineSharing, Sharing
from hfpy.diagnostics import Diagnostic, Place, has_errors, warning
from hfpy.model.application import Application
from hfpy.model.statements import Construct, flatten
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.application import completed
from hfpy.parse.files import directive_sign
from hfpy.parse.statements.nests import own_nest
from hfpy.questions import Question, question_of
from hfpy.transform.ownends import end_rank, ends_around
from hfpy.transform.ownloops import as_loops, directive_rows, last_row
from hfpy.transform.regions.runningcounters import counter_edits
from hfpy.transform.settled import Settled, changed, without_dropped
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines
from hfpy.values import dataclass

# Says what is wrong with an application, as far as it is known before compiling; its third argument has the files
# that are translated for that: all, if it is None.
Judge = Callable[[Facts, Effects, Collection[str] | None], list[Diagnostic]]


Identity = tuple[str, int]  # of a loop: its routine, and the identity of its construct


@dataclass(frozen=True)
class Tried:
    """A candidate in its routine; ``depth`` is the number of loops that are tried, ``why`` says what is against it,
    ``against`` has all of that, as far as it is known.
    """

    candidate: Candidate
    key: str
    depth: int
    why: str = ""
    against: tuple[Diagnostic, ...] = ()

    @property
    def identity(self) -> Identity:
        """What tells the loop from others."""
        return self.key, id(self.candidate.outer)

    def without_one(self, why: str, against: tuple[Diagnostic, ...] = ()) -> Tried:
        """The same with a loop less, or given up."""
        if self.depth > self.candidate.least:
            return replace(self, depth=self.depth - 1)
        return replace(self, why=why, against=against)


def deep_enough(worlds: Mapping[str, World], loops: Sequence[Tried]) -> list[Tried]:
    """The loops with a depth that their nests have, and bounds that are known there."""
    made = []
    for loop in loops:
        while not loop.why:
            try:
                region = loop.candidate.region(worlds[loop.key], loop.depth)
            except NotTaken as fault:
                loop = loop.without_one(fault.message)
                continue
            count = len(region.turns)
            if count < loop.candidate.least:
                loop = replace(loop, why="its loops are not right in each other")
            loop = replace(loop, depth=min(loop.depth, count))
            break
        made.append(loop)
    given_up = {(x.key, x.candidate.owner): x.why for x in made if x.why}
    return [replace(x, why=x.why or given_up.get((x.key, x.candidate.owner), "")) for x in made]


def outermost(loops: Sequence[Tried]) -> list[Tried]:
    """The loops that are not in one that becomes a region."""
    ends: dict[str, int] = {}  # the last line of the region that is open in a routine
    inside: set[int] = set()
    for loop in sorted(loops, key=lambda x: x.candidate.row):
        first = loop.candidate.row
        if first <= ends.get(loop.key, -1):
            inside.add(id(loop))
        elif not loop.why:
            ends[loop.key] = last_row([loop.candidate.outer])
    return [loop for loop in loops if id(loop) not in inside]


# -- text


NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def written(
    settled: Settled,
    worlds: Mapping[str, World],
    loops: Sequence[Tried],
    brought: Mapping[str, tuple[str, ...]] = NOTHING,
    known: Application | None = None,
) -> Settled:
    """The application with loops as regions, and with directives for arrays that routines bring to the device. Files
    are taken from ``known`` where their texts are the same there.
    """
    application = settled.application
    changes: dict[str, dict[Edit, None]] = {}
    for loop in loops:
        index = application.file(loop.key)
        region = loop.candidate.region(worlds[loop.key], loop.depth)
        edits = changes.setdefault(index.path, {})
        edits |= dict.fromkeys(region_edits(index, worlds[loop.key], loop.candidate, region))
    for key, names in brought.items():
        index, routine = application.file(key), application.routines[key]
        indent = 0 if index.fixed else routine.header.segments[0][2] + 2
        rows = [" " * indent + row for row in transfer_rows(names, directive_sign(index.path))]
        edit = insert_lines(routine.spec_insert + 1, rows, 5, routine.header.first)
        changes.setdefault(index.path, {})[edit] = None
    made = changed(settled, {path: list(edits) for path, edits in changes.items()}, [], known)
    whole, problems = completed(made.application)
    made = Settled(whole, [*made.found, *problems], made.notes)
    return made if has_errors(made.found) else without_dropped(made)


def transfer_rows(names: Sequence[str], sign: str) -> list[str]:
    """The directive by which a routine brings arrays to the device; ``sign`` begins directives in its file."""
    listed = [f"{sign if sign != '@' else ''}  {name}" for name in names]
    return [f"{sign}domainDependant{{attribute(transferHere)}}", *listed, f"{sign}end domainDependant"]


def region_edits(index: FileIndex, world: World, candidate: Candidate, region: LoopRegion) -> Iterator[Edit]:
    """The directive in the place of the user's, and the end after the loops."""
    header = candidate.outer.header.line
    for mark in candidate.marks:
        yield replace_lines(mark.first, mark.last, ())
    column = 0 if index.fixed else header.segments[0][2]
    sign = directive_sign(index.path)
    rows = directive_rows(column, [*region.attributes, *candidate.attributes], sign)
    end = f"{' ' * column}{sign}end parallelRegion"
    if candidate.outer.kind != "doconcurrent":
        yield insert_lines(header.first, rows, 9, header.first)
        last = last_row([candidate.outer])
        yield insert_lines(last + 1, [end], end_rank(candidate.outer, world.endings), last)
        known = [*(r.name for r in candidate.reductions), *candidate.private]
        yield from counter_edits(index, world, region.loops, known)
        yield from ends_around(index, candidate.outer, world.endings, world.scopes.application.options.target == "gpu")
        return
    yield from as_loops(world, candidate.outer, region, rows, [end])


# Warnings that leave it open whether points meet, or what a call does.
_AGAINST = ("HF500", "HF501", "HF505", "HF510", "HF511")


# -- judgement


def speaks_against(diagnostic: Diagnostic) -> bool:
    """Whether an error, or a warning that leaves it open whether points meet, keeps a loop from being a region."""
    return diagnostic.severity == "error" or (diagnostic.severity == "warning" and diagnostic.code in _AGAINST)


def asks(diagnostic: Diagnostic) -> bool:
    """Whether a user may state something that answers a diagnostic."""
    return any(fix.way == "state" for fix in diagnostic.fixes)


@dataclass
class Before:
    """What is wrong with the application as it is, looked for when it is asked. ``graph`` is its call graph, if it
    is known."""

    settled: Settled
    judge: Judge
    graph: CallGraph | None = None
    _errors: tuple[Diagnostic, ...] | None = None

    @property
    def known(self) -> tuple[Diagnostic, ...]:
        """The errors that were asked for: none where nothing asked, as there were none among what was found."""
        return self._errors or ()

    def has(self, diagnostic: Diagnostic) -> bool:
        """Whether an error is there without any new region."""
        if self._errors is None:
            facts = analyse(self.settled.application, earlier=self.graph)
            found = self.judge(facts, Effects(facts), None)
            self._errors = tuple(d for d in found if d.severity == "error")
        return (diagnostic.code, diagnostic.message) in {(d.code, d.message) for d in self._errors}


class Accepted:
    """Loops as regions, with their depths and attributes, in which nothing is wrong by themselves."""

    def __init__(self) -> None:
        self._forms: dict[Identity, set[tuple[int, tuple[str, ...]]]] = {}

    def __contains__(self, loop: Tried) -> bool:
        return (loop.depth, loop.candidate.attributes) in self._forms.get(loop.identity, ())

    def add(self, loop: Tried) -> None:
        """Note a region."""
        self._forms.setdefault(loop.identity, set()).add((loop.depth, loop.candidate.attributes))

    def take_over(self, loop: Identity, earlier: Accepted, before: Identity) -> None:
        """The forms in which a loop was accepted when it was another one, with the same text."""
        if before in earlier._forms:
            self._forms[loop] = set(earlier._forms[before])


def judged(
    application: Application,
    made: Settled,
    loops: Sequence[Tried],
    before: Before,
    effects: Effects | None = None,
    accepted: Accepted | None = None,
    only: Collection[str] | None = None,
) -> tuple[list[Tried], bool]:
    """Judges the regions of loops in the program. Gives the loops, without those whose region is refused, and whether
    all were kept. ``effects`` are those of the program with the regions, where they are known. Of ``accepted`` regions
    it is known that nothing is :func:`leaving` them; the others of which that turns out are added. ``only`` has the
    files that are translated for the judgement, if not all are.
    """
    accepted = accepted if accepted is not None else Accepted()
    active = [x for x in outermost(loops) if not x.why]
    rows = {(x.key, application.user_line(x.key, x.candidate.row)): x for x in active}
    faults: dict[int, Diagnostic] = {}
    if has_errors(made.found):
        for d in made.found:
            if d.severity == "error":
                faults = {**{id(x): d for x in _in_text(application, made.application, d, active)}, **faults}
    else:
        effects = effects or Effects(analyse(made.application))
        facts = effects.facts
        found = before.judge(facts, effects, only)
        regions = list(regions_of_loops(made.application, rows))
        spans_of = _spans(regions)
        for d in found:
            blamed = _blamed(d, spans_of)
            for loop in blamed:
                if _counts(d, loop):
                    faults.setdefault(id(loop), d)
            if not blamed and d.severity == "error" and not before.has(d):
                faults = {**{id(x): d for x in _near(facts, d, regions)}, **faults}
        for construct, number, x in regions:
            if id(x) in faults or x in accepted or RegionId(x.key, number) not in facts.positions.regions:
                continue
            region = RoutineSharing(facts, effects, facts.routine(x.key)).region(number)
            if (why := leaving(region, region.place(), construct, x)) is not None:
                faults[id(x)] = why
            else:
                accepted.add(x)
    new = [x.without_one(faults[id(x)].message, (faults[id(x)],)) if id(x) in faults else x for x in loops]
    return new, not faults


Regions = list[tuple[Construct, int, Tried]]


def regions_of_loops(
    application: Application, rows: Mapping[tuple[str, int], Tried]
) -> Iterator[tuple[Construct, int, Tried]]:
    """The regions that loops have become."""
    for key, routine in application.routines.items():
        for number, construct in enumerate(routine.regions):
            nest = own_nest(construct.body, construct.region.iterators) if construct.region is not None else []
            if nest:
                loop = rows.get((key, application.user_line(key, nest[0].header.line.first)))
                if loop is not None:
                    yield construct, number, loop


Spans = Mapping[str, Sequence[tuple[int, int, Tried]]]


def _spans(regions: Regions) -> Spans:
    """The lines of regions, counted from 1, with their loops, by file."""
    found: dict[str, list[tuple[int, int, Tried]]] = {}
    for construct, _, loop in regions:
        assert construct.end is not None and construct.region is not None
        lines = construct.header.line.first + 1, construct.end.line.last + 1
        found.setdefault(construct.region.place.file, []).append((*lines, loop))
    return found


def _blamed(diagnostic: Diagnostic, regions: Spans) -> list[Tried]:
    """The loops whose regions a diagnostic is about: by its place, else by the first one that it names; of two regions
    in each other through a call, the inner one; all of those whose iterator is read behind them.
    """
    places = [diagnostic.place, *(r.place for r in diagnostic.related)]
    iterator = diagnostic.code == "HF319" and bool(diagnostic.related)
    if diagnostic.code == "HF402":
        places.reverse()
    found = [
        loop
        for place in (places[1:] if iterator else places)
        for first, last, loop in regions.get(place.file, ())
        if first <= place.line <= last
    ]
    return found if iterator else found[:1]


def _near(facts: Facts, diagnostic: Diagnostic, regions: Regions) -> list[Tried]:
    """The loops that an error outside of them may come from: those that lead to its routine, else those in it (in the
    outermost block around the error, if there are some), else those of routines that call it, else those of its file,
    else all.
    """
    place = diagnostic.place
    units = facts.application.routines.items()
    holding = [(r.header.first, k) for k, r in units if r.file == place.file and _holds(r, place)]
    key = max(holding)[1] if holding else ""  # the procedure itself, not the one that it is internal to
    above = facts.positions.get(key).above
    leading = [loop for _, number, loop in regions if RegionId(loop.key, number) in above]
    inside = [(construct, loop) for construct, _, loop in regions if loop.key == key]
    if leading or inside:
        around = _outermost_around(facts.routine(key), place) if inside else range(0)
        close = [loop for construct, loop in inside if construct.header.line.first + 1 in around]
        return leading or close or [loop for _, loop in inside]
    callers = facts.graph.callers_above([key])
    calling = [loop for _, _, loop in regions if loop.key in callers]
    beside = [loop for _, _, loop in regions if facts.routine(loop.key).file == place.file]
    return calling or beside or [loop for _, _, loop in regions]


def _outermost_around(routine: Routine, place: Place) -> range:
    """The lines, counted from 1, of the outermost block of a routine that a place is in; none if it is in no block."""
    blocks = (range(n.header.line.first + 1, last_row([n]) + 2) for n in routine.body if isinstance(n, Construct))
    return next((rows for rows in blocks if place.line in rows), range(0))


def _in_text(application: Application, made: Application, diagnostic: Diagnostic, active: list[Tried]) -> list[Tried]:
    """The loops that an error in a text with regions may come from: those around its line, else those of its routine,
    else those of its file. ``application`` is the one without the regions.
    """
    there = [x for x in active if application.file(x.key).path == diagnostic.place.file]
    if not there:
        return []
    line = made.file(there[0].key).user_line(diagnostic.place.line - 1)

    def holds(x: Tried, first: int, last: int) -> bool:
        return application.user_line(x.key, first) <= line <= application.user_line(x.key, last)

    around = [x for x in there if holds(x, x.candidate.row, last_row([x.candidate.outer]))]
    units = [(x, application.routines[x.key]) for x in there]
    inside = [x for x, unit in units if unit.end is not None and holds(x, unit.header.first, unit.end.last)]
    return around or inside or there


def _holds(routine: Routine, place: Place) -> bool:
    last = routine.end.last if routine.end is not None else -1
    return routine.kind not in ("module", "submodule") and routine.header.first < place.line <= last + 1


def _counts(diagnostic: Diagnostic, loop: Tried) -> bool:
    """Whether a diagnostic speaks against a region. What the user states to be parallel may be doubtful, as in regions
    that he writes, if all that is in doubt is whether points meet in an element.
    """
    if diagnostic.severity != "warning":
        return diagnostic.severity == "error"
    if diagnostic.code not in _AGAINST:
        return False
    stated = loop.candidate.stated and loop.depth <= loop.candidate.least
    return not (stated and diagnostic.code == "HF500")


def leaving(region: RegionSharing, sharing: Sharing, construct: Construct, loop: Tried) -> Diagnostic | None:
    """What is against a region, whose names are placed as ``sharing`` says, by the values of scalars: one goes from
    point to point, or out of the loop though it is private there, as iterators are.
    """
    facts = region.facts
    for name in construct.region.iterators if construct.region is not None else ():
        if used := _used_elsewhere(region.body.effects, loop.key, name):
            message = f"{used} may use the value that '{name}' has after the loop"
            return warning("HF502", message, region.region.place, "let the loop count with a local variable")
    for name in sharing.lastprivate:
        if name in loop.candidate.private and not counts_only(facts, loop.key, name):
            message = f"'{name}' is private in it, but its value is used after the loop"
            return warning("HF502", message, region.region.place, f"set '{name}' after the loop")
    set_in_it = {s.target.name for s in flatten(construct.body) if hasattr(s, "target") and hasattr(s.target, "name")}
    for name in sharing.firstprivate:
        data = facts.object(name, loop.key)
        if name in set_in_it and name not in region.set_first and (data is None or not data.rank):
            message = f"'{name}' is read before it is set, so that it goes from point to point"
            return warning("HF504", message, region.region.place, f"set '{name}' in each iteration before it is read")
    return None


def asked(
    region: RegionSharing, sharing: Sharing, construct: Construct, loop: Tried
) -> tuple[tuple[Diagnostic, ...], Question | None]:
    """All that is against a region with a fault, and the question that would answer it. It counts only if there is
    nothing else against the region: what the judgement of the program would find is looked for here.
    """
    found = tuple(filter(speaks_against, sharing.found))
    if region.refuted or question_of(found) is None:
        return found, None
    if (same := _alike(region, construct)) is not None:
        return (same,), None
    left = leaving(region, sharing, construct, loop)
    more = (*filter(speaks_against, below_region(region.body)), *((left,) if left is not None else ()))
    return (*more, *found), question_of((*more, *found))


def _alike(region: RegionSharing, construct: Construct) -> Diagnostic | None:
    """What is against a region in which no statement tells one point from another, as in a loop that repeats a
    computation: that no two points meet is no question there.
    """
    names = construct.region.iterators if construct.region is not None else ()
    if any(r.name in names and r.role != "write" for r in region.body.references):
        return None
    message = f"its iterations do the same, as none uses '{', '.join(names)}', so that they meet in what they write"
    return warning("HF504", message, region.region.place, "loops in it, and in what it calls, may be regions")


def _used_elsewhere(effects: Effects, key: str, name: str) -> str:
    """Who may use the value that a variable of a loop has when the routine is left, or in its next call; empty if
    nobody does. A caller may use that of a dummy argument, any routine that of a module, a host or a common block, and
    a pointer that of its target.
    """
    facts = effects.facts
    data = facts.object(name, key)
    if data is None:
        return ""
    if data.dummy:
        return "" if "value" in data.symbol.attributes else "a caller"
    if facts.storage.joint(data.identity) is not None:
        return "another routine"
    if facts.storage.pointed_to(data.identity):
        return "a pointer"
    users = effects.values_read.get(data.identity, set())
    if data.home == key:
        users = users - {key}  # what is read after the loop is looked for there
    return f"'{facts.routine(min(users)).name}'" if users else ""
