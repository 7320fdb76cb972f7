"""The translation of a project on disk: made when an input changed, otherwise taken from the last build."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hfpy.build import codes
from hfpy.build.compile.graph import CompiledFile
from hfpy.build.compile.includes import IncludeScanner, used_modules
from hfpy.build.compile.messages import Origin
from hfpy.build.compile.runtimelib import runtime_sources
from hfpy.build.files import digest, explained, file_digest, read_json, write_if_changed, write_json
from hfpy.diagnostics import Diagnostic, HfpyError, Place, Related, error, has_errors
from hfpy.options import Options, Progress, silent
from hfpy.outputs import outputs_of
from hfpy.project import C_SUFFIXES, Project, fortran_missing, include_folders, source_files
from hfpy.translation import Contents
from hfpy.values import dataclass
from hfpy.version import PACKAGE, VERSION

if TYPE_CHECKING:
    from hfpy.translation import Translation

GENERATED = "generated"
VERIFY_MODULE = "hfpy_verify"
DEBUG_MODULE = "hfpy_debug"
PROFILE_MODULE = "hfpy_profile"
RACES_MODULE = "hfpy_races"
STATE = "translation.json"
_FORMAT = 3


@dataclass(frozen=True)
class Translated:
    """What a translation has put on disk: the files to compile, what was said, and whether they need OpenMP.

    ``beside`` holds names and digests of the files that the others include.
    """

    files: tuple[CompiledFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    openmp: bool
    beside: tuple[tuple[str, str], ...] = ()


def bring_up_to_date(
    sources: Sequence[Path], options: Options, folder: Path, state: Path, progress: Progress = silent
) -> Translated:
    """Translate ``sources`` into ``folder``, unless what is there is still what they would give.

    ``state`` is the file that remembers what was done. Files are replaced whole and only if they change; those
    that were made the last time and are made no more are removed. Raises HfpyError with all diagnostics,
    having written nothing, if there is an error among them.
    """
    progress("looking for changes", 0, 0)
    fingerprint = _fingerprint(sources, options)
    known = read_json(state)
    kept = _kept(known, folder, fingerprint)
    if kept is not None:
        return kept
    translation = _translation(sources, options, progress)
    progress("writing", 0, 0)
    with explained(state):
        state.unlink(missing_ok=True)  # from here on the folder is in between
    translated = _written(translation, folder, options)
    _remove_strays(known, folder, {*(file.name for file in translated.files), *dict(translated.beside)})
    write_json(state, _as_json(translated, fingerprint))
    return translated


def transpile(sources: Sequence[Path], options: Options, folder: Path, progress: Progress = silent) -> Translated:
    """Translate ``sources`` into ``folder``, each file only if it changes, with nothing remembered.

    Raises HfpyError with all diagnostics, having written nothing, if there is an error among them.
    """
    translation = _translation(sources, options, progress)
    progress("writing", 0, 0)
    return _written(translation, folder, options)


def _written(translation: Translation, folder: Path, options: Options) -> Translated:
    """Write the files of a translation; what is on disk then."""
    beside = []
    for file in translation.beside:  # first: the others include them
        data = file.text.encode("utf-8")
        write_if_changed(folder / file.name, data)
        beside.append((file.name, digest(data)))
    files = write_generated(translation, folder, options)
    return Translated(files, tuple(translation.diagnostics), translation.openmp, tuple(beside))


def _translation(sources: Sequence[Path], options: Options, progress: Progress) -> Translation:
    from hfpy.pipeline import translate

    translation = translate(sources, options, progress)
    if has_errors(translation.diagnostics):
        raise HfpyError(translation.diagnostics)
    return translation


def all_sources(project: Project, written: bool = True) -> tuple[Path, ...]:
    """The Fortran sources of a project with those of the runtime library that it uses. ``written`` tells that
    generated files of their names are to be written.

    Raises HfpyError if there are none, or if two would be written to one file.
    """
    sources = source_files(project)
    if not sources:
        raise HfpyError([fortran_missing(project)])
    everything = (*sources, *runtime_sources(sources, source_files(project, C_SUFFIXES)))
    if written:
        names = outputs_of(map(str, everything)).names
        _refuse_equal_names((names[str(path)], path) for path in everything)
    return everything


def write_generated(translation: Translation, folder: Path, options: Options) -> tuple[CompiledFile, ...]:
    """Write the files of a translation that changed into ``folder``.

    A file uses the modules that its units name, and those that files included by it name.

    Raises HfpyError, before anything is written, if two would have the same name; and if one cannot be written.
    """
    _refuse_equal_names((file.name, file.source) for file in translation.files)
    scanner = IncludeScanner(include_folders(options))
    files = []
    for file in translation.files:
        data = file.text.encode("utf-8", "surrogateescape")
        write_if_changed(folder / file.name, data)
        contents = file.contents
        if contents.language == "fortran":
            included = (path.read_bytes() for path in scanner.closure(file.source, data))
            contents = contents.using(name for text in included for name in used_modules(text))
        path = folder / file.name
        files.append(CompiledFile(file.name, file.source, path, digest(data), contents, file.line_map))
    return tuple(files)


def _refuse_equal_names(names: Iterable[tuple[str, Path]]) -> None:
    seen: dict[str, Path] = {}
    problems = []
    for name, source in names:
        first = seen.setdefault(name.lower(), source)  # there are file systems that know no case
        if first is not source:
            message = f"would be written to the same file '{name}' as {first}"
            problems.append(error(codes.NAME_TWICE, message, Place(str(source)), "rename one of the two"))
    if problems:
        raise HfpyError(problems)


def _remove_strays(known: dict[str, Any], folder: Path, wanted: set[str]) -> None:
    """Remove the files that the last translation made and this one did not."""
    names = [*(entry["name"] for entry in known.get("files", ())), *(name for name, _ in known.get("beside", ()))]
    for name in names:
        path = folder / name
        if name not in wanted:
            with explained(path):
                path.unlink(missing_ok=True)


def _fingerprint(sources: Sequence[Path], options: Options) -> str:
    """A digest of everything the translation depends on: sources, what they include, options, hfpy itself."""
    roots = [*sources, *([options.storage_order] if options.storage_order is not None else [])]
    scanner = IncludeScanner(include_folders(options))
    contents: dict[Path, str] = {}
    for path in roots:
        try:
            data = path.read_bytes()
        except OSError:
            contents[path] = "missing"
            continue
        contents[path] = digest(data)
        for included in scanner.closure(path, data):
            if included not in contents:
                contents[included] = file_digest(included)
    parts = [repr(replace(options, jobs=0, cache_dir=None, emulate=False)), own_fingerprint()]
    for path, content in contents.items():
        parts += [str(path), content]
    return digest(*parts)


@functools.cache
def own_fingerprint() -> str:
    """A digest that changes with every change of hfpy itself, an edit of its own sources included.

    What Python keeps beside its modules does not count: other processes write there, under other names first.
    """
    parts = [VERSION]
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and path.parent.name != "__pycache__":
            status = path.stat()
            parts.append(f"{path.relative_to(PACKAGE)} {status.st_size} {status.st_mtime_ns}")
    return digest(*parts)


def _kept(state: dict[str, Any], folder: Path, fingerprint: str) -> Translated | None:
    """The last translation, if it was made from the same inputs and nobody touched its files."""
    if state.get("format") != _FORMAT or state.get("fingerprint") != fingerprint:
        return None
    files = tuple(_file_from_json(entry, folder) for entry in state["files"])
    beside = tuple((str(name), str(content)) for name, content in state["beside"])
    for path, content in [*((f.path, f.digest) for f in files), *((folder / name, d) for name, d in beside)]:
        try:
            if digest(path.read_bytes()) != content:
                return None
        except OSError:
            return None
    diagnostics = tuple(_diagnostic_from_json(entry) for entry in state["diagnostics"])
    return Translated(files, diagnostics, bool(state["openmp"]), beside)


def _as_json(translated: Translated, fingerprint: str) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "fingerprint": fingerprint,
        "openmp": translated.openmp,
        "beside": [list(entry) for entry in translated.beside],
        "diagnostics": [d.as_dict() for d in translated.diagnostics],
        "files": [
            {
                "name": file.name,
                "source": str(file.source),
                "digest": file.digest,
                "contents": asdict(file.contents),
                "lines": packed_lines(file.line_map),
            }
            for file in translated.files
        ],
    }


def _file_from_json(entry: dict[str, Any], folder: Path) -> CompiledFile:
    return CompiledFile(
        name=entry["name"],
        source=Path(entry["source"]),
        path=folder / entry["name"],
        digest=entry["digest"],
        contents=_contents_from(entry["contents"]),
        line_map=unpacked_lines(entry["lines"]),
    )


def _contents_from(entry: dict[str, Any]) -> Contents:
    """What a JSON file tells of a file's contents."""
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in entry.items()}
    return Contents(**values)


def _diagnostic_from_json(entry: dict[str, Any]) -> Diagnostic:
    related = tuple(Related(Place(r["file"], r["line"], r["column"]), r["message"]) for r in entry["related"])
    place = Place(entry["file"], entry["line"], entry["column"], entry["length"])
    return Diagnostic(entry["severity"], entry["code"], entry["message"], place, entry["hint"], related)


def origins(state: Path, folder: Path, names: Iterable[str]) -> list[Origin]:
    """Where some generated files in ``folder`` come from, by their names, from the file that remembers it."""
    wanted = set(names)
    return [
        Origin(folder / entry["name"], Path(entry["source"]), unpacked_lines(entry["lines"]))
        for entry in read_json(state).get("files", ())
        if entry["name"] in wanted
    ]


def all_origins(state: Path, folder: Path) -> list[Origin]:
    """Where all generated files in ``folder`` come from."""
    return origins(state, folder, [entry["name"] for entry in read_json(state).get("files", ())])


def packed_lines(lines: Sequence[int]) -> list[list[int]]:
    """A line map as runs ``[first, count]`` of consecutive lines; a run of zeros is ``[0, count]``."""
    runs: list[list[int]] = []
    for line in lines:
        if runs:
            first, count = runs[-1]
            if line == (first + count if first else 0):
                runs[-1][1] += 1
                continue
        runs.append([line, 1])
    return runs


def unpacked_lines(runs: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """The line map that ``packed_lines`` packed."""
    lines: list[int] = []
    for first, count in runs:
        lines += range(first, first + count) if first else [0] * count
    return tuple(lines)
