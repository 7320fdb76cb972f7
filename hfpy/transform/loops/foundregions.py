"""The regions that hfpy finds in plain loops, with stretches of columns as code for one column (automatic.md §3).

First loops are searched for. Around serial loops that hold regions stretches are tried; where some are proved, loops
are searched for again in the program that has them. On a GPU a loop over blocks of columns is no region where the
routines that it calls become kernels over columns, whose points lie side by side in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from hfpy.analyze.callgraph.work import Work, turns_of
from hfpy.analyze.loops.stretches import NoColumns
from hfpy.model.statements import LOOPS, Construct, Header, Node, constructs
from hfpy.transform.loops.automatic import Search
from hfpy.transform.loops.columnloops import TakenOut
from hfpy.transform.loops.columnproof import Proved, proved
from hfpy.transform.loops.columnstretches import beside, stretches
from hfpy.transform.loops.tried import Judge
from hfpy.transform.loops.verdicts import NOTHING, Automatic, Loops, Stated, Verdict
from hfpy.transform.settled import Settled

_PIECES = 5  # how often a stretch is cut where a statement is in the way
_POINTS = 32  # fewer are no kernel
_MOST = 0.5  # of a routine's work
Allowed = frozenset[tuple[str, int, tuple[str, ...]]]  # stretches by file, first line, iterators
_Reported = dict[tuple[str, int], str]


def with_found_regions(
    settled: Settled, judge: Judge, stated: Stated = NOTHING, allowed: Allowed | None = None
) -> Automatic:
    """The application with those of its plain loops as regions of which it is proved that they may be. ``stated`` are
    clauses such as ``distinct(idx)`` for loops, by file and line. ``allowed`` are the stretches that may become code
    for one column, if not all may.
    """
    search = Search(settled, judge, stated)
    first = search.done()
    apart = _around_columns(search, allowed) if settled.application.options.target == "gpu" else frozenset()
    if apart:
        search = Search(settled, judge, stated, apart, search)
        first = search.done()
    columns = _Columns(search, allowed)
    made = columns.proved()
    while made.loops:
        then = Search(made.settled, judge, stated, apart, search)
        _over_columns_only(then, made)
        second = then.done()
        regions = {id(v.loop) for v in second.verdicts if v.region}
        lost = [taken for taken, loop in made.loops if id(loop) not in regions]
        if not lost:
            around = {id(loop): taken.stretch.iterators for taken, loop in made.loops}
            return replace(second, verdicts=tuple(_with_columns(second.verdicts, around, columns.reported)))
        left = [taken for taken, _ in made.loops if taken not in lost]
        made = proved(settled, search.worlds, search.ordering, left)
    return replace(first, verdicts=tuple(_with_columns(first.verdicts, {}, columns.reported)))


def _over_columns_only(search: Search, made: Proved) -> None:
    """Let regions around columns have no other loops, as ``columns(…)`` names no others: more may be right in these
    once the loops over the columns are around all.
    """
    depths = {id(loop): len(taken.stretch.iterators) for taken, loop in made.loops}
    search.loops = [replace(x, depth=min(x.depth, depths.get(id(x.candidate.outer), x.depth))) for x in search.loops]


def _with_columns(
    verdicts: Sequence[Verdict], around: Mapping[int, tuple[str, ...]], refused: Mapping[tuple[str, int], str]
) -> Iterator[Verdict]:
    """Verdicts with loops that are around columns, in place of what begins in their lines, and with what is in the
    way of others.
    """
    taken = {(v.place.file, v.place.line) for v in verdicts if id(v.loop) in around}
    for v in verdicts:
        place = (v.place.file, v.place.line)
        if id(v.loop) in around:
            yield replace(v, columns=around[id(v.loop)])
        elif place not in taken:
            yield replace(v, beside="" if v.region or v.clause else refused.get(place, ""))


def _around_columns(search: Search, allowed: Allowed | None) -> Loops:
    """The loops that are regions, and call routines with stretches that are code for one column."""
    calling = {search.at(x.key, x.candidate.outer): search.callees[x.identity] for x in search.active()}
    calling = {loop: callees for loop, callees in calling.items() if search.nested & callees}
    if not calling:
        return frozenset()
    other = Search(search.settled, search.judge, search.stated, frozenset(calling), search)
    other.done()
    found: dict[str, list[TakenOut]] = {}
    for taken, _ in _Columns(other, allowed).proved().loops:
        found.setdefault(taken.key, []).append(taken)
    work = Work(search.settled.application, search.scopes, search.ordering.graph)
    keys = {key for key, listed in found.items() if _are_kernels(work, key, listed)}
    return frozenset(loop for loop, callees in calling.items() if keys & callees)


def _are_kernels(work: Work, key: str, listed: Sequence[TakenOut]) -> bool:
    """Whether stretches of a routine are worth kernels of their own: they have points enough, and loops over their
    columns do most of the routine's work.
    """
    nests = [taken.stretch.nest(taken.stretch.loops[0]) for taken in listed]
    turns = [[turns_of(work.kinds, key, loop) for loop in nest] for nest in nests]
    if all(None not in known and prod(n or 0 for n in known) < _POINTS for known in turns):
        return False
    nodes = {id(node) for taken in listed for node in taken.stretch.nodes}
    columns = {name for taken in listed for name in taken.stretch.iterators}

    def over_columns(node: Node) -> bool:
        header = node.header if isinstance(node, Construct) else None
        return id(node) in nodes or (isinstance(header, Header) and header.var in columns)

    return work.covered(key, over_columns) > _MOST


class _Columns:
    """The stretches of a program in which loops were searched for; what is in the way of others is ``reported``, by
    file and line of the serial loops in them.
    """

    def __init__(self, search: Search, allowed: Allowed | None) -> None:
        self.search = search
        self.application = search.settled.application
        self.allowed = allowed
        self.reported: _Reported = {}

    def proved(self) -> Proved:
        """The stretches that are proved. Where a statement is in the way, what is before and after it is tried."""
        search = self.search
        wanted = self._wanted()
        for _ in range(_PIECES):
            made = proved(search.settled, search.worlds, search.ordering, wanted)
            pieces = []
            for taken, why in made.refused:
                self._tell(taken, why)
                pieces += list(beside(self.application, search.worlds[taken.key], taken, why.line))
            pieces = [piece for piece in pieces if self._may_be(piece)]
            if not pieces:
                break
            wanted = [*(taken for taken, _ in made.loops), *pieces]
        return made

    def _wanted(self) -> list[TakenOut]:
        search = self.search
        active = search.active()
        below = {callee for x in active for callee in search.callees[x.identity]}
        regions: dict[str, list[tuple[Construct, tuple[str, ...]]]] = {}
        for x in active:
            turns = x.candidate.region(search.worlds[x.key], x.depth).turns
            regions.setdefault(x.key, []).append((x.candidate.outer, tuple(t.iterator for t in turns)))
        wanted: list[TakenOut] = []
        for key, listed in regions.items():
            if key not in below:
                found = stretches(self.application, search.worlds[key], listed)
                wanted += filter(self._may_be, found.wanted)
                self.reported |= {search.at(key, loop): self._in_the_way(key, why) for loop, why in found.refused}
        return wanted

    def _may_be(self, taken: TakenOut) -> bool:
        line = self.application.user_line(taken.key, taken.stretch.first.first)
        name = self.application.file(taken.key).path, line, taken.stretch.iterators
        return self.allowed is None or name in self.allowed

    def _tell(self, taken: TakenOut, why: NoColumns) -> None:
        inside = [c for c in constructs(list(taken.stretch.nodes)) if c.kind in LOOPS]
        self.reported |= {self.search.at(taken.key, loop): self._in_the_way(taken.key, why) for loop in inside}

    def _in_the_way(self, key: str, why: NoColumns) -> str:
        return f"{why.message} (line {self.application.at(key, why.line.first)[1]})"
