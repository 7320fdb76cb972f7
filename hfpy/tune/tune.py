"""From a project to the choices that later builds read."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from hfpy.build.files import write_atomically
from hfpy.build.session import Session
from hfpy.build.translated import all_sources
from hfpy.diagnostics import Diagnostic, HfpyError, UsageError
from hfpy.kernels.cache import cache_folder
from hfpy.options import TUNING_FILE, Tuned
from hfpy.pipeline import translate
from hfpy.project import TARGETS, tuned_runs
from hfpy.tune.calls import Calls
from hfpy.tune.programs import Programs
from hfpy.tune.runs import Work, find_work
from hfpy.tune.variations import Measured, Variation, blocks, distinct, groupings

_CALLED = {"cpu": ("sequential", "openmp"), "gpu": ("cuda-c",)}
_BACKENDS = ("sequential", "openmp", "cuda-c")
_DEVICES = ("/dev/nvidiactl", "/dev/dxg")  # what a driver of NVIDIA's GPUs puts there


@dataclass(frozen=True)
class Wish:
    """What is to be tuned and how: routines (none: all), values of sizes, groupings to try for each run, rounds of
    measurements (0: 15 of calls, 5 of programs), whether the whole program is to be run, which, with which arguments.
    """

    routines: tuple[str, ...] = ()
    sizes: Mapping[str, int] | None = None
    best: int = 5
    rounds: int = 0
    program: bool = False
    executable: str | None = None
    arguments: tuple[str, ...] = ()


def tuned(
    session: Session,
    wish: Wish,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    diagnosed: Callable[[Sequence[Diagnostic]], None] = lambda _: None,
) -> Path | None:
    """Tune routines of a project; the file with the choices, None if nothing could be tuned. ``say`` is told each
    result, and why a routine is left out, ``diagnosed`` what there is to say of the sources.

    Raises UsageError for what cannot be tuned at all, HfpyError for faults of the sources, ToolError if something
    cannot be compiled or run.
    """
    _check(session)
    sources = all_sources(session.project)
    diagnosed([d for d in translate(sources, session.options).diagnostics if d.severity != "error"])
    works = find_work(sources, session.options, wish.routines, wish.best)
    if not works:
        raise UsageError("there are no neighbouring regions here that could be grouped in several ways")
    chosen: dict[str, tuple[Tuned, ...]] = {}
    with tempfile.TemporaryDirectory(prefix="hfpy-tune-") as temporary:
        tuner = _Tuner(session, wish, environment, sources, Path(temporary), say)
        for work in works:
            say(f"{work.routine}:")
            if result := tuner.choose(work):
                chosen[work.routine] = result
    return _kept(session, chosen) if chosen else None


def _check(session: Session) -> None:
    options = session.options
    if options.emulate:
        raise UsageError("times of emulated kernels mean nothing: tune on a GPU, without --emulate")
    if options.default_backend not in _BACKENDS:
        raise UsageError(f"hfpy tune knows the backends {', '.join(_BACKENDS)}, not {options.default_backend}")
    if options.target == "gpu" and not any(Path(device).exists() for device in _DEVICES):
        raise UsageError("there is no GPU here (no driver of NVIDIA's); tune on the machine that has one")
    if not options.opt:
        raise UsageError("at --opt 0 there is nothing to tune")


@dataclass(frozen=True)
class _Tuner:
    session: Session
    wish: Wish
    environment: Mapping[str, str]
    sources: Sequence[Path]
    folder: Path
    say: Callable[[str], None]

    def choose(self, work: Work) -> tuple[Tuned, ...]:
        """The best choices for a routine's runs; none if they cannot be measured."""
        first = self._distinct(work, groupings(work))
        reason = "the whole program is asked for" if self.wish.program else self._not_called(work)
        measure, measured = self._calls(work), Measured(reason=reason)
        if not reason:
            measured = measure(first)
        if measured.reason:
            self.say(f"  timed by runs of the program: {measured.reason}")
            measure, reason = self._programs, measured.reason
            measured = measure(first)
        if measured.reason:
            self.say(f"  cannot be tuned: {reason}; and {measured.reason}")
            return ()
        chosen, seconds, model = self._winner(first, measured)
        sizes = self._distinct(work, blocks(work, chosen))
        if len(sizes) > 1:
            ratio = model / seconds
            chosen, seconds, before = self._winner(sizes, measure(sizes))
            model = before * ratio
        return tuple(replace(t, seconds=seconds, model_seconds=model) for t in chosen.tuning)

    def _distinct(self, work: Work, variations: Sequence[Variation]) -> list[Variation]:
        return distinct(work, self.sources, self.session.options, variations)

    def _winner(self, variations: Sequence[Variation], measured: Measured) -> tuple[Variation, float, float]:
        """The winner, its seconds, and those of the first variation; both are told."""
        best = measured.winner()
        for number, variation in enumerate(variations):
            mark = "*" if number == best else " "
            self.say(f"  {mark} {measured.median(number) * 1e3:9.3f} ms  {variation.label(variations[0])}")
        return variations[best], measured.median(best), measured.median(0)

    def _calls(self, work: Work) -> Callable[[Sequence[Variation]], Measured]:
        """Timing by calls with made-up data."""
        cache, sizes = cache_folder(self.environment), self.wish.sizes or {}
        project, options = self.session.project, self.session.options
        calls = Calls(project, options, self.environment, cache, sizes, self.wish.rounds or 15)
        return lambda variations: calls.measure(work, variations)

    def _not_called(self, work: Work) -> str:
        target = self.session.options.target
        if target == "gpu" and importlib.util.find_spec("cupy") is None:
            return "without CuPy no routine can be called on the GPU"
        if work.backend not in _CALLED[target]:
            return f"its backend is {work.backend}"
        return work.alone

    def _programs(self, variations: Sequence[Variation]) -> Measured:
        """Timing by runs of the program."""
        session, wish = self.session, self.wish
        programs = Programs(
            session.project,
            session.options,
            self.environment,
            self.folder,
            wish.executable,
            wish.arguments,
            wish.rounds or 5,
            self.say,
        )
        try:
            return programs.measure(variations)
        except HfpyError as fault:
            if any(d.severity == "error" and d.code == "HF803" for d in fault.diagnostics):
                return Measured(reason="the project has no main program to run")
            raise


def _kept(session: Session, chosen: Mapping[str, tuple[Tuned, ...]]) -> Path:
    """Write the choices beside ``hfpy.toml``; those for other routines, backends and targets stay."""
    root = session.project.root
    backends = {t.backend for entries in chosen.values() for t in entries}
    tables: dict[str, list[dict[str, object]]] = {}
    for target in TARGETS:
        known = list(tuned_runs(root, target))
        if target == session.options.target:
            known = [t for t in known if t.routine not in chosen or t.backend not in backends]
            known += [t for entries in chosen.values() for t in entries]
        tables[target] = [asdict(t) for t in sorted(known, key=lambda t: (t.routine, t.backend))]
    path = root / TUNING_FILE
    write_atomically(path, (json.dumps(tables, indent=2) + "\n").encode())
    return path
