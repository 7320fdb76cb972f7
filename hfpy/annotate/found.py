"""The regions of a program on its targets, and the proof that the annotated sources are as good as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from hfpy.analyze.callgraph.work import Work, shares
from hfpy.annotate.nests import Nests, OnTarget, Said, Spot, nests_of, on_target
from hfpy.beside import beside, worth_two
from hfpy.build.compile.samples import Samples
from hfpy.build.session import Session
from hfpy.build.translated import all_sources
from hfpy.diagnostics import Diagnostic, HfpyError
from hfpy.model.statements import Construct
from hfpy.options import Options
from hfpy.pipeline import found_regions, judged
from hfpy.transform.loops.foundregions import Allowed
from hfpy.transform.loops.verdicts import Automatic, Stated

Sessions = Mapping[str, Session]
_LINE = 35  # bytes of a line, about


def found(sessions: Sessions, stated: Stated, samples: Samples | None = None) -> tuple[Nests, tuple[Diagnostic, ...]]:
    """The loops of a program with what was found on each target, and what is wrong with files that are left out.
    Loops weigh as much as ``samples`` say, else as the text of the program makes likely.

    Raises HfpyError if nothing is left.
    """
    made, problems = _on_each(sessions, stated, None, samples)
    if crossed := _crossed(made):  # directives in a stretch would be in the way of it on another target
        every = frozenset().union(*map(_stretches, made.values()))
        made, problems = _on_each(sessions, stated, every - crossed, samples)
    return nests_of(made, samples.count if samples is not None else None), tuple(problems)


Seen = tuple[OnTarget, tuple[Diagnostic, ...]]


def _on_each(
    sessions: Sessions, stated: Stated, allowed: Allowed | None, samples: Samples | None
) -> tuple[dict[str, OnTarget], dict[Diagnostic, None]]:
    """What is found on each target, and what is wrong with files that are left out. The last target has a process of
    its own where the program is large: it needs nothing of what the others find.
    """
    *first, (last, session) = sessions.items()
    second = bool(first) and worth_two(session.options.jobs, _lines(session))
    if second:
        first, session = [(target, _alone(one)) for target, one in first], _alone(session)
    with beside(partial(_seen, session, stated, allowed, samples), second) as pending:
        seen = {target: _seen(one, stated, allowed, samples) for target, one in first}
        seen[last] = pending.result()
    problems = dict.fromkeys(d for _, wrong in seen.values() for d in wrong)
    return {target: made for target, (made, _) in seen.items()}, problems


def _alone(session: Session) -> Session:
    """The session with one process for what it does."""
    return replace(session, options=replace(session.options, jobs=1))


def _lines(session: Session) -> int:
    """About how many lines the sources of a session have."""
    return sum(path.stat().st_size for path in all_sources(session.project, written=False)) // _LINE


def _seen(session: Session, stated: Stated, allowed: Allowed | None, samples: Samples | None) -> Seen:
    """What is found on one target."""
    automatic, wrong = _of_readable(session, stated, allowed)
    weights = weights_of(automatic) if samples is None else _measured(automatic, samples)
    return on_target(automatic, weights), tuple(wrong)


def _measured(automatic: Automatic, samples: Samples) -> dict[Spot, float]:
    """The share of each loop in the time of a run."""
    return {
        (v.place.file, v.place.line): samples.share(Path(v.place.file).resolve(), v.place.line, v.last)
        for v in automatic.verdicts
    }


def weights_of(automatic: Automatic) -> dict[Spot, float]:
    """The share of each loop in the program's work."""
    loops: dict[Spot, tuple[str, Construct]] = {}
    for v in automatic.verdicts:
        loops.setdefault((v.place.file, v.place.line), (v.key, v.loop))
    if not loops:
        return {}
    graph = automatic.graph
    return shares(Work(graph.application, graph.scopes, graph), loops)


def _stretches(made: OnTarget) -> Allowed:
    """The stretches that are code for one column."""
    return frozenset((*v.spot, v.stretch) for v in made.said if v.stretch)


def _crossed(made: Mapping[str, OnTarget]) -> Allowed:
    """The stretches of a target in whose lines another target has regions, and not the same stretch."""
    crossed: set[tuple[str, int, tuple[str, ...]]] = set()
    for target, one in made.items():
        others: dict[str, list[Said]] = {}  # the regions of other targets by file
        for o in (o for other, a in made.items() if other != target for o in a.said if o.found.iterators):
            others.setdefault(o.place.file, []).append(o)
        for v in (v for v in one.said if v.stretch):
            here = [o for o in others.get(v.place.file, ()) if v.place.line <= o.place.line <= v.last]
            if here and not any((o.stretch, o.spot) == (v.stretch, v.spot) for o in here):
                crossed.add((*v.spot, v.stretch))
    return frozenset(crossed)


def _of_readable(session: Session, stated: Stated, allowed: Allowed | None) -> tuple[Automatic, list[Diagnostic]]:
    """The regions in the files of a session, but for files that cannot be read as Fortran."""
    paths = list(all_sources(session.project, written=False))
    problems: list[Diagnostic] = []
    while True:
        try:
            return found_regions(paths, session.options, stated, allowed), problems
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
        paths = [path for path in all_sources(session.project, written=False) if str(path) not in wrong]
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
