"""An application as the analyses take it: directives of the user's own around regions and in them are settled.

Where something changes, the files get new texts, which are read again (as with the optimiser's), with a map to the
user's lines. The rest of an application stays as it was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from hfpy.analyze.directives.dropped import dropped
from hfpy.analyze.directives.threadsaround import drop_around
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.loops.loopregions import world_of
from hfpy.analyze.loops.sharedends import Endings
from hfpy.diagnostics import Diagnostic, Place, has_errors
from hfpy.model.application import Application
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options, Progress, silent
from hfpy.parse.application import NO_TEXTS, read_application, with_texts
from hfpy.transform.leniencies import (
    iterators_elsewhere,
    logical_equalities,
    logical_values,
    loops_in_themselves,
    whole_arguments,
)
from hfpy.transform.ownends import ends_around
from hfpy.transform.ownloops import open_regions, written_out
from hfpy.transform.passes import edited, with_text
from hfpy.transform.regions.regionlabels import labels_before
from hfpy.transform.regions.runningcounters import known_counters
from hfpy.transform.text.edits import Edit, replace_lines
from hfpy.transform.turnedindices import turned_indices
from hfpy.values import dataclass


@dataclass(frozen=True)
class Settled:
    """The application with what was ``found`` wrong in its texts, and ``notes`` on what was settled, whose places are
    those of the user's files.
    """

    application: Application
    found: list[Diagnostic]
    notes: tuple[Diagnostic, ...] = ()


def read_settled(
    paths: Sequence[Path], options: Options, progress: Progress = silent, texts: Mapping[Path, str] = NO_TEXTS
) -> Settled:
    """The application of some files, settled; where directives are read as regions, none is dropped yet. ``texts`` are
    those of files that are not read from disk.
    """
    application, found = read_application(paths, options, progress, texts=texts)
    made = Settled(application, found)
    steps = (without_leniencies, with_open_regions, with_counters)
    for step in (*steps, *(() if options.directives_as_regions else (without_dropped,))):
        made = made if has_errors(made.found) else step(made)
    return made


def with_open_regions(settled: Settled, keys: Collection[str] | None = None) -> Settled:
    """The application with the directives written out whose domains come from the loops after them, in some routines
    if their keys are given.
    """
    application = settled.application
    routines = ((k, r) for k, r in application.routines.items() if keys is None or k in keys)
    nests = {key: found for key, r in routines if (found := open_regions(r))}
    changes: dict[str, dict[Edit, None]] = {}  # loops around two regions are changed for both in the same way
    problems: list[Diagnostic] = []
    scopes = Scopes(application)
    for key, found in nests.items():
        routine, index = application.routines[key], application.file(key)
        world = world_of(scopes, routine)
        for nest in found:
            edits, faults = written_out(index, world, nest)
            changes.setdefault(index.path, {}).update(dict.fromkeys(edits))
            problems += faults
    if problems:
        return replace(settled, found=[*settled.found, *problems])
    return changed(settled, {path: list(edits) for path, edits in changes.items()}, [])


def with_counters(settled: Settled, keys: Collection[str] | None = None) -> Settled:
    """The application in which points of regions with loops of their own know what counts in these
    (:mod:`hfpy.transform.regions.runningcounters`), in some routines if their keys are given.
    """
    application = settled.application
    changes: dict[str, list[Edit]] = {}
    scopes = Scopes(application)
    for key, routine in application.routines.items():
        if routine.regions and (keys is None or key in keys):
            index = application.file(key)
            changes.setdefault(index.path, []).extend(known_counters(scopes, index, routine))
    return changed(settled, {path: edits for path, edits in changes.items() if edits}, [])


def with_labels_before(settled: Settled, keys: Collection[str] | None = None) -> Settled:
    """The application with labels before the regions to which jumps lead (:mod:`hfpy.transform.regions.regionlabels`),
    and for a GPU with ends of their own for loops around regions (:mod:`hfpy.transform.ownends`); in some routines if
    their keys are given.
    """
    application = settled.application
    device = application.options.target == "gpu"
    changes: dict[str, list[Edit]] = {}
    for key, routine in application.routines.items():
        if routine.regions and (keys is None or key in keys):
            index = application.file(key)
            edits = [*labels_before(routine), *(_own_ends(index, routine) if device else ())]
            changes.setdefault(index.path, []).extend(edits)
    return changed(settled, {path: edits for path, edits in changes.items() if edits}, [])


def _own_ends(index: FileIndex, routine: Routine) -> Iterable[Edit]:
    """The edits that give loops around the regions of a routine ends behind which copies may be."""
    endings = Endings(routine)
    return dict.fromkeys(edit for region in routine.regions for edit in ends_around(index, region, endings, True))


def without_leniencies(settled: Settled, keys: Collection[str] | None = None) -> Settled:
    """The application of an existing project in standard Fortran where old compilers took less, in some routines if
    their keys are given, with a warning for each repair; in all projects, indices in the order of the declaration.
    """
    application = settled.application
    legacy = application.options.legacy
    if not legacy and not application.macros:
        return settled
    scopes = Scopes(application)
    whole = partial(whole_arguments, target=application.options.target)
    changes: dict[str, list[Edit]] = {}
    notes: list[Diagnostic] = []
    for key, routine in application.routines.items():
        if (keys is not None and key not in keys) or routine.kind in ("module", "submodule", "blockdata"):
            continue
        index = application.file(key)
        if not index.hybrid:
            continue
        repairs = (
            (logical_equalities, logical_values, loops_in_themselves, iterators_elsewhere, whole) if legacy else ()
        )
        for repair in (turned_indices, *repairs):
            edits, warned = repair(scopes, routine)
            if edits:
                changes.setdefault(index.path, []).extend(edits)
                notes += [_at_user(w, index) for w in warned]
    return changed(settled, changes, notes)


def _at_user(found: Diagnostic, index: FileIndex) -> Diagnostic:
    """A diagnostic of a file, with the user's lines in the place of those that were read."""
    related = tuple(replace(r, place=_line_of(r.place, index)) for r in found.related)
    return replace(found, place=_line_of(found.place, index), related=related)


def _line_of(place: Place, index: FileIndex) -> Place:
    return replace(place, line=index.user_line(place.line - 1))


def without_dropped(settled: Settled) -> Settled:
    """The application without directives of the user's that have to go (``drop_directives``), and notes on them."""
    application = settled.application
    notes: list[Diagnostic] = []
    changes: dict[str, list[Edit]] = {}
    files = [f for f in application.files if application.options.drops_directives(f.path)]
    gone = {f.path: dropped(application, f, application.routines_in(f.path)) for f in files}
    faults = drop_around(application, gone) if any(made.all for made in gone.values()) else []
    if faults:
        return replace(settled, found=[*settled.found, *faults])
    for index in files:
        if (made := gone[index.path]).all:
            notes.append(made.reported(index))
            changes[index.path] = [replace_lines(d.first, d.last, ()) for d in made.all]
    return changed(settled, changes, notes)


def changed(
    settled: Settled, changes: dict[str, list[Edit]], notes: list[Diagnostic], known: Application | None = None
) -> Settled:
    """The application with edits of some files, by path, which are read again, but for those that ``known`` has
    already: an application that was made of this one in the same way, with whose texts nothing is wrong.
    """
    if not changes:
        return replace(settled, notes=(*settled.notes, *notes))
    application = settled.application
    macros = application.macros
    files = [f for f in application.files if f.path in changes]
    texts = {f.path: with_text(f, edited(f, changes[f.path], macros)) for f in files}
    application, problems = with_texts(application, texts, known)
    found = [d for d in settled.found if d.place.file not in changes]  # what is wrong there is found again
    return Settled(application, [*found, *problems], (*settled.notes, *notes))
