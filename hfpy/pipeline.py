"""From paths to generated text: parse, analyse, transform (the way of the data, design §2)."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, HfpyError, Place, Related, UsageError, has_errors, ordered
from hfpy.options import Options, Progress, silent
from hfpy.translation import GeneratedFile, Translation
from hfpy.written import generated, untouched, written_beside

if TYPE_CHECKING:
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.insight.survey import Survey
    from hfpy.model.application import Application
    from hfpy.model.units import FileIndex
    from hfpy.options import Outside
    from hfpy.transform.pipelines import Lowered
    from hfpy.transform.settled import Settled


# Python's own limit ends at some hundred terms of a sum; what the parser lets through (hfpy.parse.limits) needs less.
RECURSION = 10_000


def translate(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Translation:
    """Translate files for the target of the options. Writes nothing but its cache; faults of the user's code are
    diagnostics. ``progress`` is told the phases: reading, parsing, analysing, transforming, remembering.

    Raises UsageError for a backend that cannot do what the table of backends says of it.
    """
    from hfpy.parse.allowed import acknowledged

    try:
        with _deep():
            made = _translated(paths, options, progress)
        return replace(made, diagnostics=ordered(acknowledged(made.diagnostics)))
    except HfpyError as fault:
        return Translation((), fault.diagnostics)
    except UsageError:
        raise
    except Exception as fault:
        if os.environ.get("HFPY_DEBUG"):
            raise
        from hfpy.mishaps import unexpected

        return Translation((), (unexpected(fault, Place(str(paths[0]) if paths else "")),))


@contextmanager
def _deep() -> Iterator[None]:
    """Room for deep expressions, and no search for garbage, of which there is little."""
    enabled, depth = gc.isenabled(), sys.getrecursionlimit()
    gc.disable()
    sys.setrecursionlimit(max(depth, RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)
        if enabled:
            gc.enable()


def _translated(paths: Sequence[Path], options: Options, progress: Progress) -> Translation:
    """The translation, without a net."""
    from hfpy.incremental import from_cache, key_now, remember

    kept = from_cache(paths, options, lambda: translate(paths, replace(options, cache_dir=None)))
    if kept is not None:
        return kept
    key = key_now(paths, options) if options.cache_dir is not None else ""
    settled = settled_application(paths, options, progress)
    application, found = settled.application, list(settled.found)
    if has_errors(found):
        return Translation((), ordered([*settled.notes, *_in_source_lines(application.files, found)]))
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.checks import check
    from hfpy.analyze.effects import Effects

    progress("analysing", 0, 0)
    facts = analyse(application)
    effects = Effects(facts)
    found += [*facts.found, *check(facts, effects)]
    before, effects_before = facts, effects
    optimised = None
    if options.opt and not has_errors(found):
        from hfpy.transform.pipelines import LEVELS, lowered

        progress("optimising", 0, 0)
        optimised = lowered(facts, effects, LEVELS[options.opt])
    facts, written, optimised = _written(before, effects_before, optimised, progress)
    found += _said_by_passes(before, optimised) if optimised is not None else []
    application, files = facts.application, written.files
    found += written.found

    diagnostics = ordered([*settled.notes, *_in_source_lines(before.application.files, found)])
    if has_errors(diagnostics):
        files = ()
    beside = _storage_order(application) if files else ()
    asked = _Asked(before, effects_before, optimised)
    translation = Translation(files, diagnostics, asked.explained, written.openmp, beside, asked.scheduled)
    if options.cache_dir is not None:
        progress("remembering", 0, 0)
        looked = effects_before.looked | (optimised.effects.looked if optimised is not None else set())
        remember(paths, options, translation, before, facts, key, looked)
    return replace(translation, survey=asked.surveyed, kernels=asked.dumped, faults=asked.faults)


def settled_application(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Settled:
    """The application of some files as the analyses take it."""
    from hfpy.transform.settled import read_settled

    settled = read_settled(paths, options, progress)
    if not options.directives_as_regions or has_errors(settled.found):
        return settled
    from hfpy.transform.taken import with_parallel_loops

    progress("trying loops as regions", 0, 0)
    return with_parallel_loops(settled, _judged)


def _judged(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """All that is found wrong with an application as it is."""
    from hfpy.analyze.checks import check

    found = [*facts.found, *check(facts, effects)]
    return found if has_errors(found) else [*found, *rewritten(facts, effects, silent).found]


@dataclass(frozen=True)
class _Asked:
    """What can be asked of a translation; it is worked out when somebody asks."""

    facts: Facts
    effects: Effects
    optimised: Lowered | None

    def faults(self, outside: Outside) -> tuple[Diagnostic, ...]:
        """For ``hfpy check``."""
        from hfpy.analyze.faults import faults

        with _deep():
            return _in_source_lines(self.facts.application.files, faults(self.facts, self.effects, outside))

    def explained(self, name: str | None) -> str:
        """For ``hfpy explain``."""
        from hfpy.analyze.states import States
        from hfpy.report.explain import explain

        return explain(self.facts, States(self.facts, self.effects), name)

    def surveyed(self) -> Survey:
        """For the report and the pictures."""
        from hfpy.analyze.states import States
        from hfpy.insight.survey import survey

        return survey(self.facts, States(self.facts, self.effects))

    def scheduled(self, name: str | None) -> str:
        """For ``hfpy explain --schedule``."""
        from hfpy.report.schedule import show_schedules

        return show_schedules(self.facts, self.optimised, name) if self.optimised is not None else ""

    def dumped(self, step: str, name: str | None) -> str:
        """For ``hfpy explain --dump-after``."""
        from hfpy.transform.pipelines import kernels_after

        return kernels_after(self.optimised, step, name) if self.optimised is not None else ""


def _said_by_passes(facts: Facts, optimised: Lowered) -> list[Diagnostic]:
    """What the passes have to say, and which wishes of directives they did not grant."""
    from hfpy.transform.columns.lost import not_in_blocks
    from hfpy.transform.columns.optimise import InBlocks
    from hfpy.transform.stencil.honoured import not_honoured
    from hfpy.transform.stencil.optimise import Fused

    notes = [note for step in optimised.steps for note in step.made.notes]
    for step in optimised.steps:
        if isinstance(step.made, InBlocks):
            notes += not_in_blocks(facts, step.made, step.before)
        if step.done.name == "fuse" and isinstance(step.made, Fused):
            notes += not_honoured(facts, step.made, step.before)
    return notes


@dataclass(frozen=True)
class Rewritten:
    """Generated files, what was found on the way, and whether one of them has OpenMP directives."""

    files: tuple[GeneratedFile, ...]
    found: tuple[Diagnostic, ...]
    openmp: bool


def _written(
    facts: Facts, effects: Effects, optimised: Lowered | None, progress: Progress
) -> tuple[Facts, Rewritten, Lowered | None]:
    """The files of an application as the optimiser left it, its facts, and what the optimiser did in the end: where the
    new text of a file is at fault, the user's is taken. Diagnostics are about the user's text.
    """
    from hfpy.transform.pipelines import lowered

    passes = [step.done for step in optimised.steps] if optimised is not None else []
    without: set[str] = set()
    while optimised is not None and optimised.facts is not facts:
        done = rewritten(optimised.facts, optimised.effects, progress)
        asked = rewritten(facts, effects, silent, optimised.changed)
        if not has_errors(done.found) and not has_errors(asked.found):
            elsewhere = [d for d in done.found if d.place.file not in optimised.changed]
            return optimised.facts, replace(done, found=(*elsewhere, *asked.found)), optimised
        faulty = {d.place.file for d in done.found if d.severity == "error"} & optimised.changed
        if has_errors(asked.found) or not faulty:
            break
        without |= faulty
        optimised = lowered(facts, effects, passes, without)
    return facts, rewritten(facts, effects, progress), optimised


def rewritten(facts: Facts, effects: Effects, progress: Progress, only: Collection[str] | None = None) -> Rewritten:
    """The files of an application (those of ``only``, if given) with all edits."""
    from hfpy.backends.workshop import Backends
    from hfpy.transform.files import FileRewriter

    files: list[GeneratedFile] = []
    found: list[Diagnostic] = []
    openmp = False
    workshop = Backends(facts, effects)
    everything, options = facts.application.files, facts.application.options
    for number, index in enumerate(everything):
        if only is not None and index.path not in only:
            continue
        progress("transforming", number, len(everything))
        if not (index.hybrid or options.layout or options.races or workshop.keeps_data(index)):
            files.append(untouched(index))
            continue
        result = FileRewriter(facts, effects, index, workshop).run()
        found += result.diagnostics
        openmp = openmp or result.openmp
        files.append(generated(index, result, options.line_markers))
        files += [written_beside(index, made) for made in result.beside]
    return Rewritten(tuple(files), tuple(found), openmp)


def _storage_order(application: Application) -> tuple[GeneratedFile, ...]:
    """The macros of the storage-order file for the compiler, where a plain file includes that file by itself."""
    from hfpy.transform.storageorder import plain_macros

    order = application.options.storage_order
    plain_files = (f for f in application.files if not f.hybrid)
    if order is None or not any(Path(name).name == order.name for f in plain_files for name in f.includes):
        return ()
    plain = plain_macros(order, application.options)
    return (GeneratedFile(order, order.name, plain, (0,) * plain.count("\n")),) if plain else ()


def _in_source_lines(files: Sequence[FileIndex], found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Places in preprocessed text turned back into places of the user's file."""
    maps = {f.path: f.expanded for f in files if f.expanded is not None}

    def back(place: Place) -> Place:
        mapped = maps.get(place.file)
        if mapped is None or not 0 < place.line <= len(mapped):
            return place
        return replace(place, line=mapped[place.line - 1])

    return ordered(
        replace(d, place=back(d.place), related=tuple(Related(back(r.place), r.message) for r in d.related))
        for d in found
    )
