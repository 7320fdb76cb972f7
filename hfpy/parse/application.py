"""All files of a project to one application: index everything, parse what directives reach (design contract 1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import networkx as nx

from hfpy.beside import beside, halves
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.application import Application
from hfpy.model.macros import Macro
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options, Progress, silent
from hfpy.parse.edges import index_edges, units_with_pointers
from hfpy.parse.files import index_file, index_text, is_fortran, project_macros, text_digest
from hfpy.parse.includedstatements import with_included_statements
from hfpy.parse.namesakes import Names, namesakes, without_namesakes
from hfpy.parse.routines import unit_for, unit_key
from hfpy.parse.separate import as_before, with_interfaces
from hfpy.parse.sharing import Mentions, Sharing
from hfpy.parse.splitconditions import with_split_conditions
from hfpy.values import dataclass

NO_TEXTS: Mapping[Path, str] = MappingProxyType({})
_DEEPEST = 20  # levels of included files
_BYTES_OF_LINE = 40


def read_application(
    paths: Sequence[Path],
    options: Options,
    progress: Progress = silent,
    everything: bool = False,
    texts: Mapping[Path, str] = NO_TEXTS,
) -> tuple[Application, list[Diagnostic]]:
    """Read all Fortran files among the paths; what is wrong with them is collected. ``everything`` parses units that
    no directive reaches, too. ``texts`` are those of files that are not read from disk.
    """
    macros, found = project_macros(options)
    files = _indexed(paths, options, macros, texts, progress)
    found += [problem for index in files for problem in index.diagnostics]
    renamed: Names = {}
    if options.legacy:
        files, renamed = without_namesakes(files, options, macros)
    files = _apart(with_interfaces(files))
    units: dict[str, tuple[int, int]] = {}
    for number, index in enumerate(files):
        for unit in range(len(index.units)):
            key = unit_key(index, unit)
            if key in units:
                other = files[units[key][0]]
                first = other.lines[other.units[units[key][1]].first].place(other.path)
                here = index.lines[index.units[unit].first].place(index.path)
                message = f"'{key.lstrip(':')}' is defined twice"
                found.append(error("HF108", message, here, "", [Related(first, "the first definition")]))
            while key in units:
                key += "'"
            units[key] = (number, unit)
    found += namesakes(files, renamed)
    found += circles(files)
    application = Application(options, tuple(files), units, {}, macros)
    wanted = list(units) if everything else reached(application)
    routines, said = _parse_units(application, wanted, options, progress)
    for more in () if everything else _sharing_units(application, routines):
        parsed, problems = _parse_units(application, more, options, progress)
        routines |= parsed
        said = {path: [*said.get(path, ()), *problems.get(path, ())] for path in {**said, **problems}}
    routines = {key: routines[key] for key in units if key in routines}
    application, routines, said = _with_inclusions(application, routines, said, progress)
    files = [*application.files]
    split = {r.file: r for r in routines.values() if r.spec.split is not None}
    if split:
        files = [with_split_conditions(f, routines, options, macros) if f.path in split else f for f in files]
        application = replace(application, files=tuple(files))
        routines, said = _parsed_again(application, split, routines, said, progress)
    found += [problem for problems in said.values() for problem in problems]
    return replace(application, routines=routines, reworded=bool(renamed or split)), found


def _indexed(
    paths: Sequence[Path],
    options: Options,
    macros: Mapping[str, Macro],
    texts: Mapping[Path, str],
    progress: Progress,
) -> list[FileIndex]:
    """The indices of all Fortran files among some, of many the last ones by a second process."""
    storage = options.storage_order.resolve() if options.storage_order is not None else None
    sources = [p for p in paths if is_fortran(p) and (storage is None or p.resolve() != storage)]

    def index(path: Path) -> FileIndex:
        given = texts.get(path)
        return index_file(path, options, macros) if given is None else index_text(path, given, options, macros)

    first, second = halves(sources, _lines_guessed, options.jobs)
    with beside(lambda: [index(path) for path in second], bool(second)) as pending:
        files: list[FileIndex] = []
        for number, path in enumerate(first):
            progress("reading", number, len(sources))
            files.append(index(path))
        return [*files, *pending.result()]


def _lines_guessed(path: Path) -> int:
    """About how many lines a file has that is not read yet."""
    try:
        return path.stat().st_size // _BYTES_OF_LINE
    except OSError:
        return 0


def _with_inclusions(
    application: Application, routines: dict[str, Routine], said: dict[str, list[Diagnostic]], progress: Progress
) -> tuple[Application, dict[str, Routine], dict[str, list[Diagnostic]]]:
    """The same with the statements of routines that are in included files, level by level."""
    for _ in range(_DEEPEST):
        including: dict[str, list[Routine]] = {}
        for routine in (r for r in routines.values() if r.included):
            including.setdefault(routine.file, []).append(routine)
        if not including:
            break
        options, macros = application.options, application.macros
        files = tuple(
            with_included_statements(f, including[f.path], options, macros) if f.path in including else f
            for f in application.files
        )
        if files == application.files:
            break
        application = replace(application, files=files)
        routines, said = _parsed_again(application, including, routines, said, progress)
    return application, routines, said


def _parsed_again(
    application: Application,
    paths: Collection[str],
    routines: dict[str, Routine],
    said: dict[str, list[Diagnostic]],
    progress: Progress,
) -> tuple[dict[str, Routine], dict[str, list[Diagnostic]]]:
    """The units, and by file what is wrong with them, with those of some files parsed anew: these have another text."""
    keys = [key for key, routine in routines.items() if routine.file in paths]
    again, reported = _parse_units(application, keys, application.options, progress)
    return {**routines, **again}, {**said, **reported}


def _apart(files: Sequence[FileIndex]) -> list[FileIndex]:
    """The files, of which those know it whose main program has the name of one before: a project may have many programs
    of one name, or without a name, and each is one of its own.
    """
    before: dict[str, int] = {}
    made = []
    for index in files:
        name = next((unit.name for unit in index.units if unit.kind == "program"), None)
        count = before.get(name, 0) if name is not None else 0
        made.append(replace(index, namesakes=count) if count else index)
        if name is not None:
            before[name] = count + 1
    return made


def circles(files: Sequence[FileIndex]) -> list[Diagnostic]:
    """Modules that use each other, or themselves: one error for each group of them."""
    modules = {u.name: (f, u) for f in files for u in f.units if u.kind == "module"}
    net = nx.DiGraph()
    for index in files:
        for number, unit in enumerate(index.units):
            home = unit_key(index, number).split("::")[0]
            if home in modules:
                net.add_edges_from((home, use.module) for use in unit.uses if use.module in modules)
    found = []
    for group in nx.strongly_connected_components(net):
        names = sorted(group)
        if len(names) == 1 and not net.has_edge(names[0], names[0]):
            continue
        index, unit = modules[names[0]]
        way = [b for _, b in nx.find_cycle(net.subgraph(group), names[0])]
        message = f"modules use each other in a circle: {' → '.join([way[-1], *way])}"
        place = index.lines[unit.first].place(index.path)
        related = []
        for name in way[:-1]:
            other, at = modules[name]
            related.append(Related(other.lines[at.first].place(other.path), f"module '{name}'"))
        found.append(error("HF810", message, place, "move what both need into a module of its own", related))
    return found


Texts = Mapping[str, tuple[str, tuple[int, ...]]]  # by path, with the lines of the user's files


def with_texts(
    application: Application, texts: Texts, known: Application | None = None
) -> tuple[Application, list[Diagnostic]]:
    """The application with other texts in the place of some files. Units keep their names, and new ones may come.

    ``texts`` has by path the text, and the line of the user's file that each of its lines stems from. Files that
    ``known``, one with other texts of the same application, has with the same text are taken from it: nothing was
    wrong with them.
    """
    files, routines, units = list(application.files), dict(application.routines), dict(application.units)
    found: list[Diagnostic] = []
    new: list[int] = []
    for number, index in enumerate(application.files):
        if index.path not in texts:
            continue
        if known is None or not _has(known.files[number], texts[index.path]):
            new.append(number)
            continue
        files[number] = same = known.files[number]
        for unit in range(len(same.units)):
            key = unit_key(same, unit)
            units[key] = (number, unit)
            if key in known.routines:
                routines[key] = known.routines[key]
    for number, made in zip(new, _reread_all(application, texts, new), strict=True):
        files[number] = made.file
        found += made.found
        units |= {unit_key(made.file, unit): (number, unit) for unit in range(len(made.file.units))}
        routines |= made.routines
    return replace(application, files=tuple(files), routines=routines, units=units), found


@dataclass(frozen=True)
class _Reread:
    """A file with another text, those units of it that are parsed, and what is wrong with them."""

    file: FileIndex
    routines: Mapping[str, Routine]
    found: tuple[Diagnostic, ...]


def _reread_all(application: Application, texts: Texts, numbers: Sequence[int]) -> list[_Reread]:
    """The files of some numbers with other texts, of many the last ones by a second process."""

    def rows(number: int) -> int:
        return len(texts[application.files[number].path][1])

    first, second = halves(numbers, rows, application.options.jobs)
    with beside(partial(_reread_some, application, texts, second), bool(second)) as pending:
        return [*_reread_some(application, texts, first), *pending.result()]


def _reread_some(application: Application, texts: Texts, numbers: Sequence[int]) -> list[_Reread]:
    return [
        _reread(application, application.files[number], texts[application.files[number].path]) for number in numbers
    ]


def _reread(application: Application, index: FileIndex, text: tuple[str, tuple[int, ...]]) -> _Reread:
    """A file with another text. Units that were not parsed before are not parsed now."""
    options = application.options
    made = reindexed(index, text, options, application.macros)
    unparsed = {unit_key(index, unit) for unit in range(len(index.units))} - application.routines.keys()
    routines: dict[str, Routine] = {}
    found = [*made.diagnostics]
    for unit in range(len(made.units)):
        key = unit_key(made, unit)
        if key not in unparsed:
            routines[key], problems = unit_for(made, unit, options)
            found += problems
    return _Reread(made, routines, tuple(found))


def _has(index: FileIndex, text: tuple[str, tuple[int, ...]]) -> bool:
    """Whether a file has just this text, from the same lines of the user's."""
    return index.expanded == text[1] and index.digest == text_digest(text[0])


def completed(application: Application, everything: bool = False) -> tuple[Application, list[Diagnostic]]:
    """The application with all that directives reach, after new ones have come, or with ``everything``."""
    routines = dict(application.routines)
    found: list[Diagnostic] = []
    wanted = list(application.units) if everything else reached(application)
    for keys in chain([wanted], () if everything else _sharing_units(application, routines)):
        for key in keys:
            if key not in routines:
                file, number = application.units[key]
                routines[key], problems = unit_for(application.files[file], number, application.options)
                found += problems
    return replace(application, routines=routines), found


def reindexed(
    index: FileIndex, text: tuple[str, tuple[int, ...]], options: Options, macros: Mapping[str, Macro]
) -> FileIndex:
    """The index of a file with another text, given with the line of the user's file for each of its lines."""
    made = as_before(index_text(Path(index.path), text[0], options, macros, text[1]), index)
    known = {line: line for line in index.source.lines}  # lines of both texts are there once
    source = replace(made.source, lines=tuple(known.get(line, line) for line in made.source.lines))
    return replace(
        made,
        source=source,
        original=index.original or index.source.text,
        hybrid=True,
        namesakes=index.namesakes,
        included=index.included,
    )


def _parse_units(
    application: Application, wanted: Sequence[str], options: Options, progress: Progress
) -> tuple[dict[str, Routine], dict[str, list[Diagnostic]]]:
    """Some units, parsed, and by file what is wrong with them; of many the last ones by a second process."""
    progress("parsing", 0, 0)

    def rows(key: str) -> int:
        unit = application.unit(key)
        return unit.last - unit.first

    first, second = halves(wanted, rows, options.jobs)
    lines = [line for index in application.files for line in index.lines]
    with beside(partial(_parsed, application, second, options, silent), bool(second), lines) as pending:
        parsed = [*_parsed(application, first, options, progress), *pending.result()]
    said: dict[str, list[Diagnostic]] = {}
    for key, (_, problems) in zip(wanted, parsed, strict=True):
        index = application.file(key)
        said.setdefault(index.path, [])
        if not any(d.code == "HF109" for d in index.diagnostics):  # else it is not known where its units end
            said[index.path] += problems
    return {key: routine for key, (routine, _) in zip(wanted, parsed, strict=True)}, said


def _parsed(
    application: Application, keys: Sequence[str], options: Options, progress: Progress
) -> list[tuple[Routine, list[Diagnostic]]]:
    parsed = []
    for number, key in enumerate(keys):
        progress("parsing", number, len(keys))
        parsed.append(unit_for(application.file(key), application.units[key][1], options))
    return parsed


def reached(application: Application) -> list[str]:
    """Keys of the units that directives reach: units of hybrid files, their callers and callees, and the modules all
    these use, with what operators and types of such modules call; and all that may set pointers, with their callers,
    since an array may have other names through them. With some options, of all units.
    """
    net = nx.DiGraph(index_edges(application))
    seeds = {k for k in application.units if application.file(k).hybrid}
    wanted = set(seeds)
    for key in seeds:
        unit = application.unit(key)
        if unit.regions:
            wanted |= nx.ancestors(net, key)
        wanted |= nx.descendants(net, key)
    for key in units_with_pointers(application) if seeds else ():
        wanted |= {key} | nx.ancestors(net, key)
    return list(application.units) if application.options.reads_all else _with_modules(application, net, wanted)


def _sharing_units(application: Application, routines: Mapping[str, Routine]) -> Iterator[list[str]]:
    """The units that are parsed for the sake of a layout (:mod:`hfpy.parse.sharing`): their keys in steps, each of
    which is to be among the ``routines`` before the next one is asked for.
    """
    if not application.options.reads_sharing or not any(index.hybrid for index in application.files):
        return
    mentions, net = Mentions(application), None
    while found := Sharing(replace(application, routines=routines), mentions).units():
        net = nx.DiGraph(index_edges(application)) if net is None else net
        wanted = _with_modules(application, net, found)
        yield [key for key in wanted if key not in routines]


def _with_modules(application: Application, net: nx.DiGraph, wanted: set[str]) -> list[str]:
    """Units with the modules that they use, and what operators and types of such modules call, in their order."""
    wanted, stack = set(wanted), list(wanted)
    by_name = {
        application.unit(k).name: k for k in application.units if application.unit(k).kind in ("module", "submodule")
    }
    while stack:
        key = stack.pop()
        file, number = application.units[key]
        index = application.files[file]
        needed = [by_name[u.module] for u in index.units[number].uses if u.module in by_name]
        parent = index.units[number].parent
        if parent is not None:
            needed.append(unit_key(index, parent))
        if index.units[number].kind in ("module", "submodule"):
            needed += sorted(nx.descendants(net, key))
        for other in needed:
            if other not in wanted:
                wanted.add(other)
                stack.append(other)
    return [k for k in application.units if k in wanted]
