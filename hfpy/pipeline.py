"""From paths to generated text: parse, analyse, transform (the way of the data, design §2)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, HfpyError, Place, UsageError, has_errors, ordered
from hfpy.making import Made, deep, in_source_lines, made_of, rewritten
from hfpy.options import Options, Progress, silent
from hfpy.translation import GeneratedFile, Translation
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.analyze.effects.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.commands.tables import Table
    from hfpy.insight.survey import Survey
    from hfpy.model.application import Application
    from hfpy.options import Outside
    from hfpy.transform.loops.foundregions import Allowed
    from hfpy.transform.loops.obstacles import Hindered
    from hfpy.transform.loops.verdicts import Automatic, Stated
    from hfpy.transform.pipelines import Lowered
    from hfpy.transform.settled import Settled


def translate(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Translation:
    """Translate files for the target of the options. Writes nothing but its cache; faults of the user's code are
    diagnostics. ``progress`` gets the phases: reading, parsing, analysing, transforming, remembering.

    Raises UsageError for a backend that cannot do what the table of backends says of it.
    """
    from hfpy.parse.text.allowed import acknowledged

    try:
        with deep():
            made = _translated(paths, options, progress)
        return replace(made, diagnostics=ordered(acknowledged(made.diagnostics)))
    except HfpyError as fault:
        return Translation((), fault.diagnostics)
    except UsageError:
        raise
    except Exception as fault:
        if os.environ.get("HFPY_DEBUG"):
            raise
        from hfpy.commands.mishaps import unexpected

        return Translation((), (unexpected(fault, Place(str(paths[0]) if paths else "")),))


def _translated(paths: Sequence[Path], options: Options, progress: Progress) -> Translation:
    """The translation, without a net: from what was kept, or as a whole."""
    from hfpy.store.incremental import Full, from_cache

    def afresh() -> Translation:
        with deep():
            return _whole(paths, options, silent)

    full = Full(lambda: translate(paths, replace(options, cache_dir=None)), afresh)
    kept = from_cache(paths, options, full)
    return kept if kept is not None else _whole(paths, options, progress)


def _whole(paths: Sequence[Path], options: Options, progress: Progress) -> Translation:
    """A translation of all files, which is kept."""
    from hfpy.store.incremental import key_now, remember, remembered_faults

    key = key_now(paths, options) if options.cache_dir is not None else ""
    settled, automatic = _settled(paths, options, progress)
    effects = automatic.effects if automatic is not None else None
    translation, asked, made = _generated(settled, progress, effects)
    translation = replace(translation, loops=lambda: automatic)
    if asked is None or made is None:
        return translation
    if options.cache_dir is not None:
        progress("remembering", 0, 0)
        remember(paths, options, translation, key, asked.effects, made, settled.found)
    faults = remembered_faults(options, key, asked.faults)
    return replace(translation, survey=asked.surveyed, kernels=asked.dumped, faults=faults)


def _generated(
    settled: Settled, progress: Progress, effects: Effects | None = None
) -> tuple[Translation, _Asked | None, Made | None]:
    """The translation of an application, what can be asked of it, and what it was made of; none of these where its text
    has faults. ``effects`` may be those of this application, where some are known.
    """
    application, found = settled.application, list(settled.found)
    if has_errors(found):
        return Translation((), ordered([*settled.notes, *in_source_lines(application.files, found)])), None, None
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.effects.effects import Effects

    progress("analysing", 0, 0)
    if effects is None or effects.facts.application is not application:
        effects = Effects(analyse(application))
    facts = effects.facts
    made = made_of(facts, effects, progress)
    application, files = made.facts.application, made.written.files
    diagnostics = ordered([*settled.notes, *in_source_lines(facts.application.files, [*found, *made.found])])
    if has_errors(diagnostics):
        files = ()
    beside = _storage_order(application) if files else ()
    asked = _Asked(facts, effects, made.optimised)
    translation = Translation(files, diagnostics, asked.explained, bool(made.written.openmp), beside, asked.scheduled)
    return translation, asked, made


def translated(settled: Settled, progress: Progress = silent) -> Translation:
    """The translation of a program as :func:`program_of` gives it; nothing is kept."""
    return _generated(_with_processes(settled), progress)[0]


def settled_application(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Settled:
    """The application of some files as the analyses take it."""
    return _settled(paths, options, progress)[0]


def _settled(paths: Sequence[Path], options: Options, progress: Progress) -> tuple[Settled, Automatic | None]:
    program, automatic = _program_of(paths, options, progress, {})
    return _with_processes(program), automatic


def judged(paths: Sequence[Path], options: Options, texts: Mapping[Path, str]) -> tuple[Diagnostic, ...]:
    """All that is found wrong with a program some of whose files have other texts than on disk. Nothing is kept.

    Raises HfpyError and UsageError as a translation does.
    """
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.effects.effects import Effects

    with deep():
        settled = _with_processes(program_of(paths, options, texts=texts))
        found = settled.found
        if not has_errors(found):
            facts = analyse(settled.application)
            found = [*found, *_judged(facts, Effects(facts))]
        return in_source_lines(settled.application.files, found)


def found_regions(
    paths: Sequence[Path],
    options: Options,
    stated: Stated | None = None,
    allowed: Allowed | None = None,
    progress: Progress = silent,
) -> Automatic:
    """The regions that hfpy finds in plain loops of some files, with the program that they make. ``stated`` are clauses
    of loops, by file and line, ``allowed`` the stretches that may be code for one column (None: all).

    Raises HfpyError if a file cannot be read as Fortran.
    """
    from hfpy.transform.loops.foundregions import with_found_regions
    from hfpy.transform.loops.verdicts import NOTHING

    with deep():
        settled = _read(paths, replace(options, auto=True), progress, {})
        if has_errors(settled.found):
            raise HfpyError(in_source_lines(settled.application.files, settled.found))
        progress("looking for regions", 0, 0)
        try:
            return with_found_regions(settled, _judged, stated if stated is not None else NOTHING, allowed)
        except HfpyError as fault:
            raise HfpyError(in_source_lines(settled.application.files, fault.diagnostics)) from None


def in_the_way(automatic: Automatic) -> tuple[Hindered, ...]:
    """The loops of a program that stay serial, with all that is in their way."""
    from hfpy.transform.loops.obstacles import hindered

    with deep():
        return hindered(automatic, _judged)


def program_of(
    paths: Sequence[Path], options: Options, progress: Progress = silent, texts: Mapping[Path, str] | None = None
) -> Settled:
    """The application of some files with its regions as they are for one process, after the project's scripts.
    ``texts`` are those of files that are not read from disk.
    """
    return _program_of(paths, options, progress, texts or {})[0]


def _program_of(
    paths: Sequence[Path], options: Options, progress: Progress, texts: Mapping[Path, str]
) -> tuple[Settled, Automatic | None]:
    """The same, with what became of plain loops where regions are looked for in them."""
    settled, automatic = _read(paths, options, progress, texts), None
    if options.directives_as_regions and not has_errors(settled.found):
        from hfpy.transform.loops.taken import with_parallel_loops

        progress("trying loops as regions", 0, 0)
        settled = with_parallel_loops(settled, _judged)
    if options.auto and not has_errors(settled.found):
        progress("looking for regions", 0, 0)
        automatic = _with_found_regions(settled)
        settled = automatic.settled if automatic is not None else settled
    if has_errors(settled.found):
        return settled, automatic
    from hfpy.transform.scripts.run import with_scripts
    from hfpy.transform.settled import with_labels_before

    return with_scripts(with_labels_before(settled)), automatic


def _with_found_regions(settled: Settled) -> Automatic | None:
    """A program with the regions that hfpy finds; None if it has errors without these. What comes next finds the same
    errors, and all others, at the user's lines.
    """
    from hfpy.transform.loops.foundregions import with_found_regions

    try:
        return with_found_regions(settled, _judged)
    except HfpyError:
        return None


def _read(paths: Sequence[Path], options: Options, progress: Progress, texts: Mapping[Path, str]) -> Settled:
    """The application of some files, with what its own directives say of its regions written out."""
    from hfpy.transform.loops.columnregions import with_columns
    from hfpy.transform.settled import read_settled

    settled = read_settled(paths, options, progress, texts)
    return settled if has_errors(settled.found) else with_columns(settled)


def _with_processes(settled: Settled) -> Settled:
    """The application with its directives for many processes written out."""
    if has_errors(settled.found) or not any(u.distributed for f in settled.application.files for u in f.units):
        return settled
    from hfpy.transform.distributed.lowering import with_processes

    return with_processes(settled)


def _judged(facts: Facts, effects: Effects, only: Collection[str] | None = None) -> list[Diagnostic]:
    """All that is found wrong with an application as it is; translated are the files of ``only``, or all."""
    from hfpy.analyze.checks import check
    from hfpy.analyze.named import unknown_names

    found = [*facts.found, *unknown_names(facts), *check(facts, effects)]
    return found if has_errors(found) else [*found, *rewritten(facts, effects, silent, only).found]


@dataclass(frozen=True)
class _Asked:
    """What can be asked of a translation; it is worked out when somebody asks."""

    facts: Facts
    effects: Effects
    optimised: Lowered | None

    def faults(self, outside: Outside) -> tuple[Diagnostic, ...]:
        """For ``hfpy check``."""
        from hfpy.analyze.faults.faults import faults

        with deep():
            return in_source_lines(self.facts.application.files, faults(self.facts, self.effects, outside))

    def explained(self, name: str | None) -> tuple[str | Table, ...]:
        """For ``hfpy explain``."""
        from hfpy.analyze.device.states import States
        from hfpy.report.explain import explain

        return explain(self.facts, States(self.facts, self.effects), name)

    def surveyed(self) -> Survey:
        """For the report and the pictures."""
        from hfpy.analyze.device.states import States
        from hfpy.insight.survey import survey
        from hfpy.report.inshort import with_schedules

        return with_schedules(survey(self.facts, States(self.facts, self.effects)), self.optimised)

    def scheduled(self, name: str | None) -> str:
        """For ``hfpy explain --schedule``."""
        from hfpy.report.exchanges import show_exchanges
        from hfpy.report.queues import show_queues
        from hfpy.report.schedule import show_schedules

        made = show_schedules(self.facts, self.optimised, name) if self.optimised is not None else ""
        application = self.facts.application
        last = self.optimised or self
        queues = show_queues(last.facts, last.effects, self.optimised, name)
        sent = show_exchanges(application.sent, application.options, name)
        return "\n\n".join(text for text in (made, queues, sent) if text)

    def dumped(self, step: str, name: str | None) -> str:
        """For ``hfpy explain --dump-after``."""
        from hfpy.transform.pipelines import kernels_after

        return kernels_after(self.optimised, step, name) if self.optimised is not None else ""


def _storage_order(application: Application) -> tuple[GeneratedFile, ...]:
    """The macros of the storage-order file for the compiler, where a plain file includes that file by itself."""
    from hfpy.transform.storageorder import plain_macros

    order = application.options.storage_order
    plain_files = (f for f in application.files if not f.hybrid)
    if order is None or not any(Path(name).name == order.name for f in plain_files for name in f.includes):
        return ()
    plain = plain_macros(order, application.options)
    return (GeneratedFile(order, order.name, plain, (0,) * plain.count("\n")),) if plain else ()
