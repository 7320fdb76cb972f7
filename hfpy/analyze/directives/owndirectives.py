"""Directives of OpenMP or OpenACC that users wrote themselves, where a region gets some from hfpy.

To hfpy they are comments, which stay where they are. Around a loop that has hfpy's directive, too, they are an error
for the compiler at best; in a parallel region of the user's every thread would do the whole loop. The latter holds for
backends without directives, too, if the compiler heeds the user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.backendtable import DEVICE_BACKENDS
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.units import Routine
from hfpy.parse.text.physical import physical
from hfpy.values import dataclass

_SENTINELS = {"openmp": "omp", "openmp-target": "omp", "openacc": "acc"}
# What shares out a loop, or is for the loop that follows.
_LOOPS = frozenset({"do", "distribute", "loop", "kernels", "workshare", "taskloop", "simd"})
# What holds up to its end directive, for all that is between.
_BY_ONE = frozenset({"single", "master", "masked", "sections", "task"})  # of these one thread does each
_BLOCKS = frozenset({"parallel", "teams", "single", "master", "masked", "sections", "task", "critical", "workshare"})


@dataclass(frozen=True)
class _Directive:
    """A directive of the user's: its line, counted from 0, and its words before the clauses."""

    line: int
    words: frozenset[str]


def own_directives(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """An error for each active region that has directives of the user's around it, at its beginning, or in it."""
    sentinel = _SENTINELS.get(facts.backend(routine.key))
    if sentinel is None:
        for heeded in sorted(heeded_sentinels(facts)):
            yield from _done_by_every_thread(facts, routine, heeded)
        return
    lines = _rows(facts, routine)
    states = _states(lines[: _end(routine, lines)], routine.header.last + 1, sentinel)
    for number, construct in enumerate(regions_of(routine)):
        region = construct.region
        if region is None or region.vector or RegionId(routine.key, number) not in facts.positions.regions:
            continue
        last = construct.end.line.first if construct.end is not None else region.line.last
        found = _around(states.at(region.line.first))
        if found is None and facts.backend(routine.key) == "openmp":  # the others look into their regions themselves
            found = _within(lines, region.line.last + 1, last, sentinel)
        if found is not None:
            place = _place(routine, lines, found)
            message = f"a region that gets directives from hfpy has '!${sentinel}' directives of yours"
            hint = "take yours away, as the region says the same, or let hfpy do it: --drop-directives"
            yield error("HF216", message, place, hint, [Related(region.place, "the region")])


def within_directives(facts: Facts, routine: Routine, row: int) -> bool:
    """Whether directives of the user's are open at a physical line (0-based) of a routine, or are right before it."""
    lines = _rows(facts, routine)
    first = routine.header.last + 1
    return any(_around(_states(lines[:row], first, s).at(row)) is not None for s in set(_SENTINELS.values()))


def heeded_sentinels(facts: Facts) -> frozenset[str]:
    """The sentinels of directives that the compiler heeds: by its flags, or for the sake of some routine's backend."""
    options = facts.application.options
    backends = options.backends
    return frozenset(options.directives) | {_SENTINELS[b] for b in backends if b in _SENTINELS}


def _done_by_every_thread(facts: Facts, routine: Routine, sentinel: str) -> Iterator[Diagnostic]:
    """An error for each active region in a parallel region of the user's that nothing shares out among its threads."""
    lines = _rows(facts, routine)
    kernels = facts.backend(routine.key) in DEVICE_BACKENDS
    around = {id(at.statement): at.constructs for at in facts.graph.statements[routine.key]}
    states = _states(lines[: _end(routine, lines)], routine.header.last + 1, sentinel)
    for number, construct in enumerate(regions_of(routine)):
        region = construct.region
        if region is None or RegionId(routine.key, number) not in facts.positions.regions:
            continue
        opened, before = states.at(region.line.first)
        loops = [c for c in around.get(id(construct.header), ()) if c.kind == "do"]
        rows = [loop.header.line.first for loop in loops]
        found_before = [states.at(row)[1] for row in rows]
        found_before += [] if kernels else [before]
        shared = any(found is not None and found.words & _LOOPS - {"simd"} for found in found_before)
        if shared or not opened or opened[-1][0] in _BY_ONE:
            continue
        found = opened[-1][1]
        place = _place(routine, lines, found)
        message = "each thread of a parallel region of yours would do a whole region of hfpy's"
        hint = (
            "end yours before, let one thread do it (single, master), share out a loop around it, or --drop-directives"
        )
        yield error("HF216", message, place, hint, [Related(region.place, "the region")])


def _rows(facts: Facts, routine: Routine) -> tuple[str, ...]:
    index = facts.application.file(routine.key)
    return index.rows


def _end(routine: Routine, lines: Sequence[str]) -> int:
    """The row after a routine: what comes there is no concern of its regions, and may be long."""
    return routine.end.last + 1 if routine.end is not None else len(lines)


def _place(routine: Routine, lines: Sequence[str], number: int) -> Place:
    found = physical(lines[number])
    return Place(routine.file, number + 1, found.column + 1, found.length)


_State = tuple[tuple[tuple[str, int], ...], _Directive | None]


def _around(state: _State) -> int | None:
    """The line of a directive that is open where a region begins, or that is right before it."""
    opened, before = state
    if opened:
        return opened[-1][1]
    return before.line if before is not None else None


@dataclass(frozen=True)
class _States:
    """The blocks of directives that are open before each row from ``first`` on, outermost first, with their lines; and
    the line of a directive for a loop right before the row.
    """

    first: int
    rows: tuple[_State, ...]

    def at(self, row: int) -> _State:
        """Before a row."""
        return self.rows[max(0, min(row - self.first, len(self.rows) - 1))]


def _states(lines: Sequence[str], first: int, sentinel: str) -> _States:
    """What is open before each row of a text from ``first`` on, and after the last."""
    opened: tuple[tuple[str, int], ...] = ()
    before: _Directive | None = None
    states: list[_State] = [(opened, before)]
    for number in range(first, len(lines)):
        row = physical(lines[number])
        words = row.words
        if not words or row.sentinel != sentinel:
            if not row.apart:
                before = None
            states.append((opened, before))
            continue
        combined = bool(_LOOPS & set(words))
        before = _Directive(number, frozenset(words)) if words[0] != "end" and combined else None
        name = next((w for w in words if w in _BLOCKS), "")
        if words[0] == "end" and name and not combined:
            opened = tuple(o for o in opened if o[0] != name)
        elif words[0] != "end" and name and not combined:
            opened = (*opened, (name, number))
        states.append((opened, before))
    return _States(first, tuple(states))


def _within(lines: Sequence[str], first: int, last: int, sentinel: str) -> int | None:
    """The line of a directive in a region that shares out work once more."""
    for number in range(first, last):
        row = physical(lines[number])
        words = set(row.words) if row.sentinel == sentinel else set()
        if "end" not in words and words & ((_LOOPS | _BLOCKS) - {"simd", "critical"}):
            return number
    return None
