"""From a project to the choices that later builds read."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from hfpy.build.files import write_atomically
from hfpy.build.session import Session
from hfpy.build.translated import all_sources
from hfpy.changes import Changes
from hfpy.diagnostics import Diagnostic, UsageError
from hfpy.options import TUNING_FILE, Tuned
from hfpy.pipeline import translate
from hfpy.project import TARGETS, tuned_kernels, tuned_runs
from hfpy.tune.runs import Work, find_work
from hfpy.tune.timing import Routine, Timer, Wish, check_target, reported_winner
from hfpy.tune.variations import Measured, Variation, blocks, distinct, groupings, with_tuning
from hfpy.values import dataclass


def tuned(
    session: Session,
    wish: Wish,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    diagnosed: Callable[[Sequence[Diagnostic]], None] = lambda _: None,
) -> Path | None:
    """Tune routines of a project; the file with the choices, None if nothing could be tuned. ``say`` gets each
    result, and why a routine is left out, ``diagnosed`` what there is to say of the sources.

    Raises UsageError for what cannot be tuned at all, HfpyError for faults of the sources, ToolError if something
    cannot be compiled or run.
    """
    check_target(session.options)
    if not session.options.opt:
        raise UsageError("at --opt 0 there is nothing to tune")
    sources = all_sources(session.project)
    diagnosed([d for d in translate(sources, session.options).diagnostics if d.severity != "error"])
    works = find_work(sources, session.options, wish.routines, wish.best)
    if not works:
        raise UsageError("there are no neighbouring regions here that could be grouped in several ways")
    chosen: dict[str, tuple[Tuned, ...]] = {}
    with tempfile.TemporaryDirectory(prefix="hfpy-tune-") as temporary:
        for work in works:
            say(f"{work.routine}:")
            routine = Routine(work.routine, work.backend, work.sizes, work.alone)
            timer = Timer(session, wish, environment, Path(temporary), say, routine)
            if result := _Tuner(session, sources, say, work, timer).choose():
                chosen[work.routine] = result
    return keep_runs(session, chosen) if chosen else None


@dataclass(frozen=True)
class _Tuner:
    session: Session
    sources: Sequence[Path]
    say: Callable[[str], None]
    work: Work
    timer: Timer

    def choose(self) -> tuple[Tuned, ...]:
        """The best choices for a routine's runs; none if they cannot be measured."""
        first = self._distinct(groupings(self.work))
        measured = self._measure(first)
        if measured.reason:
            self.say(f"  cannot be tuned: {measured.reason}")
            return ()
        chosen, seconds, model = self._winner(first, measured)
        sizes = self._distinct(blocks(self.work, chosen))
        if len(sizes) > 1:
            ratio = model / seconds
            chosen, seconds, before = self._winner(sizes, self._measure(sizes))
            model = before * ratio
        return tuple(replace(t, seconds=seconds, model_seconds=model) for t in chosen.tuning)

    def _measure(self, variations: Sequence[Variation]) -> Measured:
        return self.timer([with_tuning(self.session.options, v) for v in variations])

    def _distinct(self, variations: Sequence[Variation]) -> list[Variation]:
        return distinct(self.work, self.sources, self.session.options, variations)

    def _winner(self, variations: Sequence[Variation], measured: Measured) -> tuple[Variation, float, float]:
        """The winner, its seconds, and those of the first variation; both are reported."""
        best = reported_winner(measured, [v.label(variations[0]) for v in variations], self.say)
        return variations[best], measured.median(best), measured.median(0)


def keep_runs(session: Session, chosen: Mapping[str, tuple[Tuned, ...]]) -> Path:
    """Write groupings of runs beside ``hfpy.toml``; those for other routines, backends and targets stay."""
    backends = {t.backend for entries in chosen.values() for t in entries}
    known = [t for t in session.options.tuning if t.routine not in chosen or t.backend not in backends]
    known += [t for entries in chosen.values() for t in entries]
    return _written(session, runs=sorted(known, key=lambda t: (t.routine, t.backend)))


def keep_kernels(session: Session, chosen: Sequence[Changes], tried: Sequence[tuple[str, str]]) -> Path:
    """Write transformations of kernels beside ``hfpy.toml``. ``tried`` are names and backends of all kernels that were
    tuned: for those without an entry the present form is best. What is there of others stays.
    """
    known = tuned_kernels(session.project.root, session.options.target)
    kept = [*(c for c in known if (c.kernel, c.backend) not in tried), *chosen]
    return _written(session, kernels=sorted(kept, key=lambda c: (c.kernel, c.backend)))


def _written(session: Session, runs: Sequence[Tuned] | None = None, kernels: Sequence[Changes] | None = None) -> Path:
    """The file with all choices, those of one kind and of the session's target replaced."""
    root, asked = session.project.root, session.options.target
    tables: dict[str, Any] = {"kernels": {}}
    for target in TARGETS:
        here = target == asked
        tables[target] = [asdict(t) for t in (runs if runs is not None and here else tuned_runs(root, target))]
        found = kernels if kernels is not None and here else tuned_kernels(root, target)
        tables["kernels"][target] = [
            {"kernel": c.kernel, "backend": c.backend, "text": c.text, "calls": list(c.calls)} for c in found
        ]
    if not any(tables["kernels"].values()):
        del tables["kernels"]
    path = root / TUNING_FILE
    write_atomically(path, (json.dumps(tables, indent=2) + "\n").encode())
    return path
