"""From facts to generated files: the optimiser, and the edits of files.

A translation makes all files so; after an edit of some bodies it makes those files that depend on them
(:mod:`hfpy.store.incremental`).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hfpy.beside import Pending, beside, worth_two
from hfpy.diagnostics import Diagnostic, Fix, Place, Related, has_errors, ordered
from hfpy.followed import with_calls_that_fit, without_followed
from hfpy.options import Progress, silent
from hfpy.translation import GeneratedFile
from hfpy.values import dataclass
from hfpy.written import generated, untouched, written_beside

if TYPE_CHECKING:
    from hfpy.analyze.effects.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.backends.workshop import Backends
    from hfpy.model.units import FileIndex
    from hfpy.transform.passes import Again
    from hfpy.transform.pipelines import Lowered


# Python's own limit ends at some hundred terms of a sum; what the parser lets through (hfpy.parse.text.limits) needs
# less.
RECURSION = 10_000


@contextmanager
def deep() -> Iterator[None]:
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


@dataclass(frozen=True)
class Part:
    """What became of one source: generated files, what was found on the way, and whether there are OpenMP directives
    in its text.
    """

    path: str
    files: tuple[GeneratedFile, ...]
    found: tuple[Diagnostic, ...] = ()
    openmp: bool = False


_Elsewhere = tuple[tuple[Part, ...], set[tuple[str, str]]]


@dataclass(frozen=True)
class Rewritten:
    """Generated files, what was found on the way, the sources in whose text there are OpenMP directives, and the facts
    after each step to the form from which kernels are printed.
    """

    files: tuple[GeneratedFile, ...]
    found: tuple[Diagnostic, ...]
    openmp: frozenset[str]
    stages: tuple[tuple[str, Facts], ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Part], stages: tuple[tuple[str, Facts], ...] = ()) -> Rewritten:
        """What became of some sources, together."""
        files = tuple(file for part in parts for file in part.files)
        found = tuple(one for part in parts for one in part.found)
        return cls(files, found, frozenset(part.path for part in parts if part.openmp), stages)


@dataclass(frozen=True)
class Given:
    """What becomes of the user's text as it is, without the optimiser: another process finds that out while the
    optimiser runs. ``workshop`` are the backends that it works with.
    """

    workshop: Backends
    pending: Pending[_Elsewhere]

    def parts(self, effects: Effects) -> tuple[Part, ...]:
        """What became of each source. ``effects``, those of the user's text, get the bodies that were asked for."""
        parts, looked = self.pending.result()
        effects.looked |= looked
        return parts

    def stages(self) -> tuple[tuple[str, Facts], ...]:
        """The facts after each step to the form from which kernels are printed."""
        return _stages(self.workshop, "given")


@dataclass(frozen=True)
class Made:
    """What became of an application: its facts in the end, the files, what was found, what of that by looking at the
    program as a whole, and what the optimiser did (None where it did not run, or where nothing of it was taken).
    ``said`` is what of the found only the optimiser says: nothing where there are errors, for which it does not run, or
    did in vain.
    """

    facts: Facts
    written: Rewritten
    found: tuple[Diagnostic, ...]
    whole: tuple[Diagnostic, ...]
    optimised: Lowered | None
    said: tuple[Diagnostic, ...] = ()

    @property
    def in_vain(self) -> bool:
        """Whether there are errors, so that nothing of what the optimiser did counts."""
        return self.optimised is None or has_errors(self.written.found)

    @property
    def stages(self) -> tuple[tuple[str, Facts], ...]:
        """The facts after each pass and each step to the form of kernels, by the names that ``again`` gets."""
        passes = self.optimised.steps if self.optimised is not None else ()
        return (*((step.done.name, step.after) for step in passes), *self.written.stages)


def made_of(
    facts: Facts,
    effects: Effects,
    progress: Progress = silent,
    only: Collection[str] | None = None,
    again: Again | None = None,
) -> Made:
    """Everything after the analyses: checks, passes, files. ``only`` are the paths of the files that are made; what is
    found may be about others, too. ``again`` gives the facts after a pass (else all is analysed again).
    """
    from hfpy.analyze.checks import check
    from hfpy.analyze.named import unknown_names

    options = facts.application.options
    whole = (*facts.found, *(unknown_names(facts) if only is None else ()))
    found = with_calls_that_fit(facts, [*whole, *check(facts, effects)])
    if not options.opt or has_errors(found):
        return _made(facts, effects, found, whole, None, progress, only, again)
    from hfpy.transform.pipelines import LEVELS, lowered

    progress("optimising", 0, 0)
    with _given(facts, effects, only is None and _in_two(facts)) as given:
        optimised = lowered(facts, effects, LEVELS[options.opt], only=only, again=again)
        return _made(facts, effects, found, whole, optimised, progress, only, again, given)


@contextmanager
def _given(facts: Facts, effects: Effects, wanted: bool) -> Iterator[Given | None]:
    """Begin to find out what becomes of the user's text as it is, if that is ``wanted``: nothing on the way of the
    optimiser waits for it.
    """
    if not wanted:
        yield None
        return
    workshop = _workshop(facts, effects)
    with beside(partial(_elsewhere, facts, effects, None, workshop), True, patient=True) as pending:
        yield Given(workshop, pending)


def diagnostics_of(facts: Facts, effects: Effects, only: Collection[str], asked: Collection[str], again: Again) -> Made:
    """What :func:`made_of` finds in files of the paths ``asked``, which are among ``only``. Texts of the optimiser of
    which nothing is said are not made: that it made them right is not looked at here.
    """
    from hfpy.analyze.checks import check
    from hfpy.transform.pipelines import LEVELS, heard

    passes = LEVELS[facts.application.options.opt]
    found = with_calls_that_fit(facts, [*facts.found, *check(facts, effects)])
    said = bool(passes) and not has_errors(found)
    optimised = heard(facts, effects, passes, only, again) if said else None
    texts = asked if optimised is None or optimised.facts is facts else only
    return _made(facts, effects, found, facts.found, optimised, silent, texts, again)


def at_fault(facts: Facts, effects: Effects, only: Collection[str], again: Again) -> Made | None:
    """What :func:`made_of` finds where the user's text has errors: nothing of the optimiser is taken then. None if that
    is not seen without it.
    """
    from hfpy.analyze.checks import check

    found = with_calls_that_fit(facts, [*facts.found, *check(facts, effects)])
    made = _made(facts, effects, found, facts.found, None, silent, only, again)
    return made if has_errors(made.found) else None


def _made(
    facts: Facts,
    effects: Effects,
    found: Sequence[Diagnostic],
    whole: tuple[Diagnostic, ...],
    optimised: Lowered | None,
    progress: Progress,
    only: Collection[str] | None,
    again: Again | None,
    given: Given | None = None,
) -> Made:
    """The files of an application of which something has been found, and which the optimiser has seen."""
    after, written, optimised = _written(facts, effects, optimised, progress, only, again, given)
    written = replace(written, found=without_followed(facts, found, written.found))
    taken = optimised is not None and not has_errors(written.found)
    said = tuple(_said_by_passes(facts, optimised)) if taken and optimised is not None else ()
    return Made(after, written, (*found, *said, *written.found), whole, optimised, said)


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


def _written(
    facts: Facts,
    effects: Effects,
    optimised: Lowered | None,
    progress: Progress,
    only: Collection[str] | None,
    again: Again | None,
    given: Given | None,
) -> tuple[Facts, Rewritten, Lowered | None]:
    """The files of an application as the optimiser left it, its facts, and what the optimiser did in the end: where the
    new text of a file is at fault, the user's is taken. Diagnostics are about the user's text.
    """
    from hfpy.transform.pipelines import lowered

    passes = [step.done for step in optimised.steps] if optimised is not None else []
    without: set[str] = set()
    parts: tuple[Part, ...] | None = None
    while optimised is not None and optimised.facts is not facts:
        changed = optimised.changed if only is None else optimised.changed & frozenset(only)
        done = _optimised(optimised, progress, only, again)
        if given is None:
            asked = rewritten(facts, effects, silent, changed, again)
        else:
            parts = given.parts(effects) if parts is None else parts
            asked = Rewritten.of([part for part in parts if part.path in changed], given.stages())
        if not has_errors(done.found) and not has_errors(asked.found):
            elsewhere = [d for d in done.found if d.place.file not in optimised.changed]
            stages = (*done.stages, *asked.stages)
            return optimised.facts, replace(done, found=(*elsewhere, *asked.found), stages=stages), optimised
        faulty = {d.place.file for d in done.found if d.severity == "error"} & optimised.changed
        if has_errors(asked.found) or not faulty:
            break
        without |= faulty
        optimised = lowered(facts, effects, passes, without, only, again)
    if given is None:
        return facts, rewritten(facts, effects, progress, only, again), optimised
    return facts, Rewritten.of(given.parts(effects) if parts is None else parts, given.stages()), optimised


def _optimised(optimised: Lowered, progress: Progress, only: Collection[str] | None, again: Again | None) -> Rewritten:
    """The files as the optimiser left them. A second process may write the last ones."""
    facts, effects = optimised.facts, optimised.effects
    if only is not None or not _in_two(facts):
        return rewritten(facts, effects, progress, only, again, "optimised")
    first, last = _halves(facts)
    workshop = _workshop(facts, effects)
    with beside(partial(_elsewhere, facts, effects, last, workshop), True) as second:
        parts = [*parts_of(facts, effects, progress, first, workshop)]
        more, looked = second.result()
    effects.looked |= looked
    return Rewritten.of([*parts, *more], _stages(workshop, "optimised"))


def _elsewhere(facts: Facts, effects: Effects, only: Collection[str] | None, workshop: Backends) -> _Elsewhere:
    """What becomes of files in another process, and which bodies it asked for."""
    return tuple(parts_of(facts, effects, silent, only, workshop)), effects.looked


def _workshop(facts: Facts, effects: Effects) -> Backends:
    """The backends for files of a program that two processes write, with what they share worked out."""
    from hfpy.backends.workshop import Backends

    workshop = Backends(facts, effects)
    workshop.prepare()
    return workshop


def _halves(facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
    """The paths of the first files of a program and of the others, which are about as much work."""
    files = facts.application.files
    left = sum(len(f.source.lines) for f in files if f.hybrid) / 2
    first: set[str] = set()
    for index in files:
        left -= len(index.source.lines) if index.hybrid else 0
        if left < 0:
            break
        first.add(index.path)
    return frozenset(first), frozenset(f.path for f in files) - first


def _in_two(facts: Facts) -> bool:
    """Whether two processes may write files of a program. What directives for a device need in a file may depend on the
    files before.
    """
    from hfpy.backendtable import DEVICE_BACKENDS, of_kind

    options = facts.application.options
    backends = {facts.backend(region.routine) for region in facts.positions.regions}
    lines = sum(len(f.source.lines) for f in facts.application.files)
    alone = (DEVICE_BACKENDS - of_kind("kernels")) | dict(options.own_backends).keys()
    return worth_two(options.jobs, lines) and not backends & alone


def rewritten(
    facts: Facts,
    effects: Effects,
    progress: Progress,
    only: Collection[str] | None = None,
    again: Again | None = None,
    name: str = "given",
) -> Rewritten:
    """The files of an application (those of ``only``, if given) with all edits. ``name`` is that of the application
    for ``again``.
    """
    from hfpy.backends.workshop import Backends

    workshop = Backends(facts, effects, *((only, _named(again, name)) if again is not None else ()))
    parts = tuple(parts_of(facts, effects, progress, only, workshop))
    return Rewritten.of(parts, _stages(workshop, name))


def parts_of(
    facts: Facts, effects: Effects, progress: Progress, only: Collection[str] | None, workshop: Backends
) -> Iterator[Part]:
    """What becomes of the files of an application (those of ``only``, if given) by the backends of a workshop."""
    from hfpy.transform.files import FileRewriter
    from hfpy.transform.mainprogram import has_large_main

    everything, options = facts.application.files, facts.application.options
    names = facts.application.outputs.names
    for number, index in enumerate(everything):
        if only is not None and index.path not in only:
            continue
        progress("transforming", number, len(everything))
        wanted = index.hybrid or options.layout or options.races
        if not (wanted or workshop.changes(index) or has_large_main(facts, index)):
            yield Part(index.path, (untouched(index, names[index.path]),))
            continue
        result = FileRewriter(facts, effects, index, workshop).run()
        made = generated(index, names[index.path], result, options.line_markers)
        beside_it = (written_beside(index, file) for file in result.beside)
        yield Part(index.path, (made, *beside_it), tuple(result.diagnostics), result.openmp)


def _stages(workshop: Backends, name: str) -> tuple[tuple[str, Facts], ...]:
    """The facts after each step to the form of kernels, by the names that ``again`` gets."""
    return tuple((f"{name} {number}", after) for number, after in enumerate(workshop.steps))


def _named(again: Again, name: str) -> Again:
    return lambda step, facts, texts: again(f"{name} {step}", facts, texts)


def in_source_lines(files: Sequence[FileIndex], found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The same with places in preprocessed text turned back into places of the user's files, in order."""
    maps = {f.path: f for f in files if f.expanded is not None}

    def back(place: Place) -> Place:
        index = maps.get(place.file)
        mapped = index.expanded if index is not None else None
        if index is None or mapped is None or not 0 < place.line <= len(mapped):
            return place
        file, line = index.at(mapped[place.line - 1])
        return replace(place, file=file, line=line)

    def stays(fix: Fix) -> bool:
        return fix.way == "state" or fix.place.file not in maps  # columns of a made text are not the user's

    return ordered(
        replace(
            d,
            place=back(d.place),
            related=tuple(Related(back(r.place), r.message) for r in d.related),
            fixes=tuple(replace(f, place=back(f.place)) for f in d.fixes if stays(f)),
        )
        for d in found
    )
