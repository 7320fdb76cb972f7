"""Loops that other directives call parallel, written as regions (``--directives-as-regions``).

Which of them can be is found by trying: all are written as regions, as deep as their loops are nested, and the program
is judged. A region with a fault loses its innermost loop, until those are left that the user states; then it stays the
loop that it was, and a note says why. What the user only allows to be parallel has to be proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hfpy.analyze.language.ofthreads import of_threads
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.loops.loopregions import World, world_of
from hfpy.analyze.loops.parallelloops import Kept, candidates
from hfpy.diagnostics import Diagnostic, Place, note
from hfpy.model.application import Application
from hfpy.model.units import FileIndex
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import calls_loops_parallel
from hfpy.transform.loops.tried import Before, Judge, Tried, deep_enough, judged, outermost, written
from hfpy.transform.settled import Settled, without_dropped

_ROUNDS = 40


def with_parallel_loops(settled: Settled, judge: Judge) -> Settled:
    """The application with its parallel loops as regions, and notes on those that stay as they are."""
    application = settled.application
    worlds = _worlds(application)
    loops, kept = _candidates(application, worlds)
    if not loops:
        notes = [_note(application.file(key), row, why) for key, row, why in kept]
        return without_dropped(replace(settled, notes=(*settled.notes, *notes)))
    before: Before = Before(settled, judge)
    for _ in range(_ROUNDS):
        loops = deep_enough(worlds, loops)
        active = [loop for loop in outermost(loops) if not loop.why]
        made = written(settled, worlds, active)
        if not active:
            break
        loops, settled_now = judged(application, made, loops, before)
        if settled_now:
            break
    else:
        loops = [replace(loop, why=loop.why or "too many rounds were needed") for loop in loops]
        made = without_dropped(settled)
    taken = {(x.key, mark.first) for x in outermost(loops) if not x.why for mark in x.candidate.marks}
    reported = [*kept, *((x.key, _first_row(x), x.why) for x in outermost(loops) if x.why)]
    notes = [_note(application.file(key), row, why) for key, row, why in reported if (key, row) not in taken]
    return replace(made, notes=(*made.notes, *dict.fromkeys(notes)))


def _first_row(loop: Tried) -> int:
    return loop.candidate.owner


def _note(index: FileIndex, row: int, why: str) -> Diagnostic:
    found = physical(index.rows[row])
    place = Place(index.path, index.user_line(row), found.column + 1, found.length)
    return note("HF242", f"this stays as it is and becomes no region: {why}", place)


def _worlds(application: Application) -> dict[str, World]:
    scopes = Scopes(application)
    parallel = {f.path for f in application.files if calls_loops_parallel(f.source.lines)}
    private = of_threads(application) if parallel else frozenset()
    return {
        key: world_of(scopes, routine, private)
        for key, routine in application.routines.items()
        if routine.body and routine.file in parallel
    }


def _candidates(
    application: Application, worlds: Mapping[str, World]
) -> tuple[list[Tried], list[tuple[str, int, str]]]:
    loops: list[Tried] = []
    kept: list[tuple[str, int, str]] = []
    for key, world in worlds.items():
        for found in candidates(application.file(key), world):
            if isinstance(found, Kept):
                kept.append((key, found.row, found.why))
            else:
                loops.append(Tried(found, key, found.most))
    return loops, kept
