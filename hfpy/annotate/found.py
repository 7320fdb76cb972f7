"""The regions of a program on its targets, and the proof that the annotated sources are as good as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.analyze.graph import CallGraph
from hfpy.analyze.scopes import Scopes
from hfpy.analyze.work import Work, shares
from hfpy.annotate.nests import Nests, nests_of
from hfpy.build.samples import Samples
from hfpy.build.session import Session
from hfpy.build.translated import all_sources
from hfpy.diagnostics import Diagnostic, HfpyError
from hfpy.options import Options, Progress, silent
from hfpy.pipeline import found_regions, judged
from hfpy.transform.automatic import Automatic, Stated
from hfpy.transform.foundregions import Allowed

Sessions = Mapping[str, Session]


def found(
    sessions: Sessions, stated: Stated, samples: Samples | None = None, progress: Progress = silent
) -> tuple[Nests, tuple[Diagnostic, ...]]:
    """The loops of a program with what was found on each target, and what is wrong with files that are left out.
    Loops weigh as much as ``samples`` say, else as the text of the program makes likely.

    Raises HfpyError if nothing is left.
    """
    made, problems = _on_each(sessions, stated, None, progress)
    if crossed := _crossed(made):  # directives in a stretch would be in the way of it on another target
        every = frozenset().union(*map(_stretches, made.values()))
        made, problems = _on_each(sessions, stated, every - crossed, progress)
    weights: dict[tuple[str, int], float] = {}
    for automatic in made.values():
        new = _weights(automatic, weights) if samples is None else _measured(automatic, samples)
        weights = {**new, **weights}
    return nests_of(made, weights, samples.count if samples is not None else None), tuple(problems)


def _measured(automatic: Automatic, samples: Samples) -> dict[tuple[str, int], float]:
    """The share of each loop in the time of a run, by file and line."""
    return {
        (v.place.file, v.place.line): samples.share(Path(v.place.file).resolve(), v.place.line, v.last)
        for v in automatic.verdicts
    }


def _weights(automatic: Automatic, known: Collection[tuple[str, int]]) -> dict[tuple[str, int], float]:
    """The share of each loop in the program's work, by file and line, but for those that are known."""
    loops = {(v.place.file, v.place.line): (v.key, v.loop) for v in automatic.verdicts}
    loops = {place: loop for place, loop in loops.items() if place not in known}
    if not loops:
        return {}
    scopes = Scopes(automatic.original)
    return shares(Work(automatic.original, scopes, CallGraph(automatic.original, scopes)), loops)


def _on_each(
    sessions: Sessions, stated: Stated, allowed: Allowed | None, progress: Progress
) -> tuple[dict[str, Automatic], dict[Diagnostic, None]]:
    """What is found on each target, and what is wrong with files that are left out."""
    made: dict[str, Automatic] = {}
    problems: dict[Diagnostic, None] = {}
    for target, session in sessions.items():
        made[target], wrong = _of_readable(session, stated, allowed, progress)
        problems |= dict.fromkeys(wrong)
    return made, problems


def _stretches(automatic: Automatic) -> Allowed:
    """The stretches that are code for one column."""
    return frozenset((v.place.file, v.place.line, v.columns) for v in automatic.verdicts if v.columns)


def _crossed(made: Mapping[str, Automatic]) -> Allowed:
    """The stretches of a target in whose lines another target has regions, and not the same stretch."""
    crossed: set[tuple[str, int, tuple[str, ...]]] = set()
    for target, automatic in made.items():
        for v in automatic.verdicts:
            others = (o for other, a in made.items() if other != target for o in a.verdicts if o.region)
            here = [o for o in others if o.place.file == v.place.file and v.place.line <= o.place.line <= v.last]
            if v.columns and here and not any((o.columns, o.place.line) == (v.columns, v.place.line) for o in here):
                crossed.add((v.place.file, v.place.line, v.columns))
    return frozenset(crossed)


def _of_readable(
    session: Session, stated: Stated, allowed: Allowed | None, progress: Progress
) -> tuple[Automatic, list[Diagnostic]]:
    """The regions in the files of a session, but for files that cannot be read as Fortran."""
    paths = list(all_sources(session.project))
    problems: list[Diagnostic] = []
    while True:
        try:
            return found_regions(paths, session.options, stated, allowed, progress), problems
        except HfpyError as fault:
            wrong = {d.place.file for d in fault.diagnostics if d.severity == "error"}
            rest = [path for path in paths if str(path) not in wrong]
            if not rest or len(rest) == len(paths):
                raise
            problems += fault.diagnostics
            paths = rest


def proved(sessions: Sessions, texts: Mapping[str, str], left_out: Sequence[Diagnostic]) -> None:
    """Raises HfpyError if the program with new texts has a fault that it does not have as it is: hfpy's own, which is
    not to get into anybody's sources.
    """
    wrong = {d.place.file for d in left_out}
    for session in sessions.values():
        paths = [path for path in all_sources(session.project) if str(path) not in wrong]
        options = replace(session.options, auto=False)
        before = _faults(paths, options, {})
        after = _faults(paths, options, {Path(path): text for path, text in texts.items()})
        new = [d for key, d in after if key not in Counter(k for k, _ in before)]
        if new:
            raise HfpyError(new)


Fault = tuple[tuple[str, str], Diagnostic]


def _faults(paths: Sequence[Path], options: Options, texts: Mapping[Path, str]) -> list[Fault]:
    """Errors and warnings."""
    found_ = judged(paths, options, texts)
    return [((d.code, d.message), d) for d in found_ if d.severity != "note"]
