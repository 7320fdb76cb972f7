"""From paths to generated text: parse, analyse, transform (the way of the data, design §2)."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, HfpyError, Place, Related, has_errors, ordered
from hfpy.options import Options, Progress, silent
from hfpy.project import output_name

if TYPE_CHECKING:
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.insight.survey import Survey
    from hfpy.model.units import FileIndex
    from hfpy.transform.files import FileResult
    from hfpy.transform.stencil.lowered import Lowered
    from hfpy.transform.workshop import Beside


# Python's own limit ends at some hundred terms of a sum; what the parser lets through (hfpy.parse.limits) needs less.
RECURSION = 10_000


@dataclass(frozen=True)
class GeneratedFile:
    """One file that comes out: the user's file, its output name, text, and for each output line the source line (0:
    none).
    """

    source: Path
    name: str
    text: str
    line_map: tuple[int, ...]


@dataclass(frozen=True)
class FileUnits:
    """What a file provides and needs, for build dependencies (names in lower case)."""

    provides: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Translation:
    """The result of a translation; ``files`` is empty if there are errors.

    ``beside`` are files for the compiler to include. ``survey`` tells what is known of the program, None if it could
    not be read.
    """

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    units: Mapping[Path, FileUnits] = field(default_factory=dict)
    explain: Callable[[str | None], str] = lambda _name: ""
    openmp: bool = False
    beside: tuple[GeneratedFile, ...] = ()
    schedule: Callable[[str | None], str] = lambda _name: ""
    survey: Callable[[], Survey | None] = lambda: None


def holds_selections(text: str) -> bool:
    """Whether a generated text has selections by ``merge`` that the optimiser made of branches."""
    from hfpy.transform.stencil.selects import holds_selections as holds

    return holds(text)


def translate(paths: Sequence[Path], options: Options, progress: Progress = silent) -> Translation:
    """Translate files for the target of the options. Writes nothing but its cache; faults of the user's code are
    diagnostics. ``progress`` is told the phases: reading, parsing, analysing, transforming, remembering.
    """
    enabled, depth = gc.isenabled(), sys.getrecursionlimit()
    gc.disable()
    sys.setrecursionlimit(max(depth, RECURSION))
    try:
        return _translated(paths, options, progress)
    except HfpyError as fault:
        return Translation((), fault.diagnostics)
    except Exception as fault:
        if os.environ.get("HFPY_DEBUG"):
            raise
        from hfpy.mishaps import unexpected

        return Translation((), (unexpected(fault, Place(str(paths[0]) if paths else "")),))
    finally:
        sys.setrecursionlimit(depth)
        if enabled:
            gc.enable()


def _translated(paths: Sequence[Path], options: Options, progress: Progress) -> Translation:
    """The translation, without a net."""
    from hfpy.incremental import from_cache, remember
    from hfpy.parse.application import read_application
    from hfpy.report.explain import explain

    kept = from_cache(paths, options)
    if kept is not None:
        return kept
    application, found = read_application(paths, options, progress)
    units = {Path(f.path): _units(f) for f in application.files}
    if has_errors(found):
        return Translation((), _in_source_lines(application.files, found), units)
    from hfpy.analyze.analysis import analyse
    from hfpy.analyze.checks import check
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.states import States
    from hfpy.transform.storageorder import plain_macros

    progress("analysing", 0, 0)
    facts = analyse(application)
    effects = Effects(facts)
    found += facts.found + check(facts, effects)
    before, effects_before = facts, effects
    optimised = None
    if options.opt and not has_errors(found):
        from hfpy.transform.stencil.honoured import not_honoured
        from hfpy.transform.stencil.lowered import lowered

        progress("optimising", 0, 0)
        optimised = lowered(facts, effects)
    facts, written, optimised = _written(before, effects_before, optimised, progress)
    if optimised is not None:
        found += [*optimised.stencils.notes, *not_honoured(before, optimised.stencils), *optimised.sizes.notes]
    application, files = facts.application, written.files
    found += written.found
    units = {Path(f.path): _units(f) for f in application.files}

    def explained(name: str | None) -> str:
        return explain(before, States(before, effects_before), name)

    def surveyed() -> Survey:
        from hfpy.insight.survey import survey

        return survey(before, States(before, effects_before))

    def scheduled(name: str | None) -> str:
        from hfpy.report.schedule import show_schedules

        if optimised is None:
            return ""
        return show_schedules(before, optimised, name)

    diagnostics = _in_source_lines(before.application.files, found)
    if has_errors(diagnostics):
        files = ()
    beside: list[GeneratedFile] = []
    order = options.storage_order
    if files and order is not None and _included(application.files, order):
        plain = plain_macros(order, options)
        beside += [GeneratedFile(order, order.name, plain, (0,) * plain.count("\n"))] if plain else []
    translation = Translation(files, diagnostics, units, explained, written.openmp, tuple(beside), scheduled)
    if options.cache_dir is not None:
        progress("remembering", 0, 0)
        looked = effects_before.looked | (optimised.effects.looked if optimised is not None else set())
        remember(paths, options, translation, before, facts, looked)
    return replace(translation, survey=surveyed)


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
    new text of a file is at fault, the user's is taken. What is to be said is said of the user's text.
    """
    from hfpy.transform.stencil.lowered import lowered

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
        optimised = lowered(facts, effects, without)
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


def _included(files: Sequence[FileIndex], storage_order: Path) -> bool:
    """Whether a plain file includes the storage-order file by itself."""
    return any(Path(name).name == storage_order.name for f in files if not f.hybrid for name in f.includes)


def untouched(index: FileIndex) -> GeneratedFile:
    """A file that passes through byte for byte."""
    path = Path(index.path)
    return GeneratedFile(path, output_name(path), index.source.text, tuple(range(1, len(index.source.lines) + 1)))


def generated(index: FileIndex, result: FileResult, markers: bool) -> GeneratedFile:
    """A file with its edits applied."""
    source = index.source
    lines = result.edited.lines
    line_map = result.edited.line_map
    if markers and index.path.endswith(("90", "F")) and not index.path.endswith(".f90"):
        lines, line_map = with_markers(lines, line_map, index)
    text = (
        source.mark
        + source.newline.join(lines)
        + (source.newline if source.final_newline or any(result.edited.changed) else "")
    )
    if not any(result.edited.changed) and index.expanded is None:
        text = source.text
    if index.expanded is not None:
        line_map = tuple(index.expanded[n - 1] if 0 < n <= len(index.expanded) else 0 for n in line_map)
    path = Path(index.path)
    return GeneratedFile(path, output_name(path), text, line_map)


def written_beside(index: FileIndex, made: Beside) -> GeneratedFile:
    """A file that comes with a generated Fortran file."""
    text = "".join(f"{line}\n" for line, _ in made.lines)
    return GeneratedFile(Path(index.path), made.name, text, tuple(origin + 1 for _, origin in made.lines))


def with_markers(
    lines: tuple[str, ...], line_map: tuple[int, ...], index: FileIndex
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Insert ``#line`` markers wherever the next line does not stem from the next source line (contract 3, B26).

    None stands inside a continued statement, which a preprocessor line would cut.
    """
    out: list[str] = []
    mapped: list[int] = []
    expected = -1
    for line, number in zip(lines, line_map, strict=True):
        source = index.expanded[number - 1] if index.expanded and 0 < number <= len(index.expanded) else number
        continued = bool(out) and out[-1].split("!")[0].rstrip().endswith("&")
        if source and source != expected and not continued:
            out.append(f'#line {source} "{index.path}"')
            mapped.append(number)
        out.append(line)
        mapped.append(number)
        expected = source + 1 if source else -1
    return tuple(out), tuple(mapped)


def _units(index: FileIndex) -> FileUnits:
    provides = tuple(u.name for u in index.units if u.kind in ("module", "submodule"))
    used = {use.module: None for u in index.units for use in u.uses if not use.intrinsic}
    programs = tuple(u.name or Path(index.path).stem for u in index.units if u.kind == "program")
    return FileUnits(provides, tuple(m for m in used if m not in provides), programs, index.includes)


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
