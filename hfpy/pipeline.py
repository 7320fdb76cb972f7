"""From paths to generated text: parse, analyse, transform (the way of the data, design §2)."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, Place, Related, error, has_errors, ordered
from hfpy.options import Options

if TYPE_CHECKING:
    from hfpy.analyze.facts import Facts
    from hfpy.model.units import FileIndex
    from hfpy.transform.files import FileResult


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

    ``unwritable`` says why the files must not be written although the code has no fault: a region's backend is not
    there yet. ``beside`` are files for the compiler to include.
    """

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    units: Mapping[Path, FileUnits] = field(default_factory=dict)
    explain: Callable[[str | None], str] = lambda _name: ""
    openmp: bool = False
    unwritable: tuple[Diagnostic, ...] = ()
    beside: tuple[GeneratedFile, ...] = ()


def output_name(path: Path) -> str:
    """The name of the generated file: ``.h90`` and ``.H90`` become ``.F90``."""
    return path.stem + ".F90" if path.suffix in (".h90", ".H90") else path.name


def translate(paths: Sequence[Path], options: Options) -> Translation:
    """Translate files for the target of the options. Writes nothing but its cache; faults of the user's code are
    diagnostics.
    """
    from hfpy.incremental import from_cache, remember
    from hfpy.parse.application import read_application
    from hfpy.report.explain import explain

    enabled = gc.isenabled()
    gc.disable()
    try:
        kept = from_cache(paths, options)
        if kept is not None:
            return kept
        application, found = read_application(paths, options)
        units = {Path(f.path): _units(f) for f in application.files}
        if has_errors(found):
            return Translation((), _in_source_lines(application.files, found), units)
        from hfpy.analyze.checks import check
        from hfpy.analyze.effects import Effects
        from hfpy.analyze.facts import analyse
        from hfpy.backends.registry import backend
        from hfpy.transform.files import FileRewriter
        from hfpy.transform.storageorder import plain_macros

        facts = analyse(application)
        effects = Effects(facts)
        found += facts.found + check(facts, effects)
        files: list[GeneratedFile] = []
        openmp = False
        for index in application.files:
            touched = index.hybrid or bool(options.layout)
            if not touched:
                files.append(untouched(index))
                continue
            result = FileRewriter(facts, effects, index, backend).run()
            found += result.diagnostics
            openmp = openmp or result.openmp
            files.append(generated(index, result, options.line_markers))

        def explained(name: str | None) -> str:
            return explain(facts, name)

        diagnostics = _in_source_lines(application.files, found)
        if has_errors(diagnostics):
            files = []
        beside: list[GeneratedFile] = []
        order = options.storage_order
        if files and order is not None and _included(application.files, order):
            plain = plain_macros(order, options)
            beside += [GeneratedFile(order, order.name, plain, (0,) * plain.count("\n"))] if plain else []
        translation = Translation(
            tuple(files), diagnostics, units, explained, openmp, _missing_backends(facts, backend), tuple(beside)
        )
        remember(paths, options, translation, facts)
        return translation
    finally:
        if enabled:
            gc.enable()


def _missing_backends(facts: Facts, backend: Callable[[str], object]) -> tuple[Diagnostic, ...]:
    """One error for each active region whose backend cannot write code yet."""
    found = []
    for identity, region in facts.positions.regions.items():
        name = facts.backend(identity.routine)
        if backend(name) is None:
            hint = "hfpy check and explain work for it; to get code, choose a backend of the CPU: sequential or openmp"
            found.append(error("HF700", f"the backend '{name}' is not there yet", region.place, hint))
    return tuple(found)


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
