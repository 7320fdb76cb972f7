"""Parallel constructs of the user's that go because directives go on which their threads rely (``--drop-directives``).

``!$omp do``, ``single``, ``critical``, ``atomic`` and others are for the threads of a parallel construct around them,
in their routine or in one that calls it. Where they go with a region, each of these threads would do all of the region,
or several would meet in an element. So the construct goes, too, and all is done as without directives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import networkx as nx

from hfpy.analyze.directives.dropped import Dropped, nothing_between, own, pairs_of
from hfpy.analyze.directives.owndirectives import heeded_sentinels
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.application import Application
from hfpy.model.statements import constructs
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.edges import called_names, index_edges, names_between, pointer_names, procedures_by_name
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import (
    OwnDirective,
    asks_for_number,
    calls_loops_parallel,
    names_of_number,
    shares_by_number,
)
from hfpy.values import dataclass

_MANY = frozenset({"parallel", "teams", "target"})
_FOR_THREADS = frozenset(
    "atomic critical do loop masked master ordered scope sections single task taskgroup taskloop workshare".split()
)
_AMONG_ALL = frozenset({"atomic", "critical"})  # for all threads that there are, not for those of one construct

_COPIED = "each thread of this construct would copy arrays between host and device, for statements in it"
_COPIED_HINT = "end it before, make its loop a region, or take the directive away"
_MEANWHILE = "tasks of this construct may run while arrays are copied between host and device, for statements in it"
_MEANWHILE_HINT = "wait for the tasks before ('!$omp taskwait'), or take the directives away"
_KEPT = "threads of yours would do work that nothing shares out: the directives for it are dropped with a region"
_KEPT_HINT = "let hfpy drop directives of this file, too, or none"
_NUMBERED = (
    "this directive is dropped with a region, but threads share out work by their numbers here ('omp_get_thread_num')"
)
_NUMBERED_HINT = (
    "share it out by a loop ('!$omp do'), or ask for the number of threads in here, with 'omp_get_num_threads'"
)


@dataclass(frozen=True)
class _Parallel:
    """A parallel construct: its directives, and its last line, counted from 0."""

    opened: OwnDirective
    closed: tuple[OwnDirective, ...]
    last: int

    def holds(self, row: int) -> bool:
        return self.opened.first < row <= self.last


def drop_around(application: Application, made: Mapping[str, Dropped]) -> list[Diagnostic]:
    """Adds such constructs to what goes of files, by path. An error for each in a file of which nothing may go, and for
    each construct that goes though its threads share out work by their numbers.
    """
    threads = _Threads(application, made)
    return [*threads.reported(), *threads.numbered()]


def parallel_blocks(index: FileIndex, routine: Routine) -> list[tuple[int, int]]:
    """First and last lines of the parallel constructs that hold all up to an end directive."""
    return [(p.opened.first, p.last) for p in _parallels(index, routine) if not p.opened.for_loop]


def copied_by_threads(facts: Facts, routine: Routine, row: int) -> Diagnostic | None:
    """An error if what is before a line is done by each thread of a parallel construct that a compiler heeds."""
    if "omp" not in heeded_sentinels(facts):
        return None
    index = facts.application.file(routine.key)
    around = [p.opened for p in _parallels(index, routine) if p.holds(row)]
    listed = list(own(index, routine))
    by_one = [(a, b) for a, b in pairs_of(listed) if a.for_one and a.first < row <= b.first]
    if not around:
        return None
    if not by_one:
        return _error(index, around[-1], _COPIED, _COPIED_HINT)
    opened, closed = by_one[0]
    within = [d for d in listed if opened.first < d.first < closed.first]
    return _error(index, opened, _MEANWHILE, _MEANWHILE_HINT) if _amid_tasks(routine, within, row) else None


def _amid_tasks(routine: Routine, directives: Sequence[OwnDirective], row: int) -> bool:
    """Whether tasks among some directives may run while a thread is before a line: they have begun, in an earlier turn
    of a loop, too, and nothing waits for them.
    """
    waits = [d.first for d in directives if "taskwait" in d.words]
    loops = [(c.header.line.first, c.end.line.last) for c in constructs(routine.body) if c.kind == "do" and c.end]
    for task in (d.first for d in directives if "task" in d.words and not d.ends):
        again = any(first < min(task, row) and max(task, row) <= last for first, last in loops)
        if (task < row or again) and not any(task < w < row or (w > task and row < task) for w in waits):
            return True
    return False


def shared_by_number(index: FileIndex, routine: Routine, names: frozenset[str]) -> list[tuple[int, int]]:
    """First and last lines of blocks in which threads of the user's share out work by their numbers, for which they ask
    by one of some names.
    """
    rows = index.rows
    return [(a, b) for a, b in parallel_blocks(index, routine) if shares_by_number(rows[a : b + 1], names)]


def names_asking(application: Application) -> frozenset[str]:
    """The names by which the program asks for the number of a thread."""
    return names_of_number([f.source.text for f in application.files])


class _Threads:
    def __init__(self, application: Application, made: Mapping[str, Dropped]) -> None:
        self.application = application
        self.made = made
        self.gone: set[tuple[str, OwnDirective]] = set()
        paths = {f.path for f in application.files if calls_loops_parallel(f.source.lines)}
        self.routines = {key: r for key, r in application.routines.items() if r.file in paths}
        self.parallels = {key: list(_parallels(application.file(key), r)) for key, r in self.routines.items()}

    def reported(self) -> list[Diagnostic]:
        """Goes on as long as more constructs go, since others may rely on what goes with them."""
        found: list[Diagnostic] = []
        while gone := list(self._more()):
            for key, one in gone:
                path = self.routines[key].file
                self.gone.add((path, one.opened))
                if path in self.made:
                    self._drop(key, one)
                else:
                    found.append(_error(self.application.file(key), one.opened, _KEPT, _KEPT_HINT))
        return found

    def numbered(self) -> Iterator[Diagnostic]:
        """An error for each block that goes in which threads share out work by their numbers, or in what is called."""
        if not any(asks_for_number(f.source.text) for f in self.application.files):
            return
        names = names_asking(self.application)
        for key, parallels in self.parallels.items():
            index = self.application.file(key)
            gone = self.made[index.path].around if index.path in self.made else frozenset()
            for one in parallels:
                goes = one.opened in gone and not one.opened.for_loop
                if goes and shares_by_number(self._all_rows(key, one), names):
                    yield _error(index, one.opened, _NUMBERED, _NUMBERED_HINT)

    def _all_rows(self, key: str, one: _Parallel) -> Iterator[str]:
        """The lines of a construct, and those of all that is called there."""
        index = self.application.file(key)
        yield from index.rows[one.opened.first : one.last + 1]
        names = names_between(index, one.opened.first, one.last)
        called = {k for name in names for k in self._named.get(name, ())}
        for other in called.union(*(nx.descendants(self._net, k) for k in called if k in self._net)):
            file, unit = self.application.file(other), self.application.unit(other)
            yield from file.rows[file.lines[unit.first].first : file.lines[unit.last].last + 1]

    def _more(self) -> Iterator[tuple[str, _Parallel]]:
        """The constructs that have to go and have not gone yet, with their routines."""
        lost = {key: self._lost(key) for key in self.routines}
        needed = {key for key, listed in lost.items() if self._by_callers(key, listed)}
        reaching = needed.union(*(nx.ancestors(self._net, k) for k in needed if k in self._net))
        for key, parallels in self.parallels.items():
            path = self.routines[key].file
            around = self.made[path].around if path in self.made else frozenset()
            for one in parallels:
                stays = one.opened not in around and (path, one.opened) not in self.gone
                if stays and (any(one.holds(d.first) for d in lost[key]) or self._calls(key, one, reaching)):
                    yield key, one

    def _drop(self, key: str, one: _Parallel) -> None:
        made = self.made[self.routines[key].file]
        held = {d for d in own(self.application.file(key), self.routines[key]) if one.holds(d.first) and d.sentinel}
        held = {d for d in held if not d.declares} - made.within
        made.others |= {d for d in {one.opened, *held} if d.for_loop} - made.around
        made.around |= {one.opened, *one.closed, *held}

    def _lost(self, key: str) -> list[OwnDirective]:
        """What a routine loses of directives for threads of a construct around them."""
        routine = self.routines[key]
        if routine.file not in self.made:
            return []
        made = self.made[routine.file]
        gone = made.within | made.around
        return [d for d in own(self.application.file(key), routine) if d in gone and _for_threads(d)]

    def _by_callers(self, key: str, lost: Sequence[OwnDirective]) -> bool:
        """Whether directives that a routine loses are for threads of its callers."""
        held = (any(p.holds(d.first) for p in self.parallels[key]) for d in lost)
        if not all(held) or any(_AMONG_ALL & set(d.words) for d in lost):
            return True
        path = self.routines[key].file
        gone = self.made[path].around if path in self.made else frozenset()
        blocks = (p for p in self.parallels[key] if p.opened in gone and not p.opened.for_loop)
        return any(self._calls(key, one, self._orphaned) for one in blocks)

    @cached_property
    def _orphaned(self) -> set[str]:
        """The routines that call such as have directives for threads of their callers, and these: without the construct
        around the call the directives would be for threads of one further out.
        """
        found = set()
        for key, routine in self.routines.items():
            listed = (d for d in own(self.application.file(key), routine) if _for_threads(d))
            if any(not any(p.holds(d.first) for p in self.parallels[key]) for d in listed):
                found.add(key)
        return found.union(*(nx.ancestors(self._net, k) for k in found if k in self._net))

    def _calls(self, key: str, one: _Parallel, reaching: Collection[str]) -> bool:
        """Whether one of some routines may be called in a construct."""
        if not reaching:
            return False
        names = names_between(self.application.file(key), one.opened.first, one.last)
        met = (self._named.get(name, set()) for name in names)
        return bool(names & self._unknown(key)) or any(not keys.isdisjoint(reaching) for keys in met)

    @cached_property
    def _net(self) -> nx.DiGraph[str]:
        return nx.DiGraph(index_edges(self.application))

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        return procedures_by_name(self.application)

    @cached_property
    def _pointers(self) -> frozenset[str]:
        return pointer_names(self.application)

    def _unknown(self, key: str) -> frozenset[str]:
        """Names of procedures that a routine calls and only the run knows: dummy procedures, pointers to procedures."""
        unit = self.application.unit(key)
        return frozenset(n for n in called_names(unit) & {*self._pointers, *unit.dummies} if not self._named.get(n))


def _for_threads(directive: OwnDirective) -> bool:
    words = set(directive.words)
    return directive.sentinel == "omp" and not directive.ends and bool(_FOR_THREADS & words) and not _MANY & words


def _error(index: FileIndex, directive: OwnDirective, message: str, hint: str) -> Diagnostic:
    row = physical(index.rows[directive.first])
    place = Place(index.path, directive.first + 1, row.column + 1, row.length)
    return error("HF216", message, place, hint)


def _parallels(index: FileIndex, routine: Routine) -> Iterator[_Parallel]:
    """The parallel constructs of OpenMP in a routine, loops with such a directive among them."""
    rows = index.rows
    listed = [d for d in own(index, routine) if d.sentinel == "omp" and not d.declares]
    if not any("parallel" in d.words for d in listed):
        return
    for opened, closed in pairs_of(listed):
        if "parallel" in opened.words:
            yield _Parallel(opened, (closed,), closed.first)
    loops = {c.header.line.first: c for c in constructs(routine.body) if c.kind == "do"}
    for directive in (d for d in listed if d.for_loop and "parallel" in d.words):
        row = min((row for row in loops if row > directive.last), default=-1)
        end = loops[row].end if row >= 0 and nothing_between(rows, directive.last + 1, row) else None
        if end is not None:
            last = end.line.last
            ends = (d for d in listed if d.ends and d.words[1:] == directive.words and d.first > last)
            closed_by = tuple(d for d in ends if nothing_between(rows, last + 1, d.first))
            yield _Parallel(directive, closed_by, last)
