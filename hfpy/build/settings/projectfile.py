"""Reading ``hfpy.toml`` (design §5): every key is known, of the right type, or a diagnostic says where it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hfpy.backendtable import BACKENDS
from hfpy.build import codes
from hfpy.build.settings.tomlplaces import find_key
from hfpy.build.settings.tomlreader import TomlReader, read_toml
from hfpy.diagnostics import HfpyError, error
from hfpy.nosources import no_project, no_sources
from hfpy.options import EXCHANGES, REDUCTIONS, DebugPrint, Decompositions, DomainSpec, schedule_fault, sizes_of
from hfpy.project import KINDS, PROJECT_FILE, TARGETS, Project, Scripts, TargetSettings

_PROJECT_TEXTS = ("name", "kind", "version", "storage_order", "build_dir")
_PROJECT_LISTS = (
    "sources",
    "executables",
    "define",
    "exclude",
    "exports",
    "include_dirs",
    "libraries",
    "ldflags",
    "cflags",
    "nvccflags",
)
_PROJECT_SWITCHES = ("drop_directives", "directives_as_regions", "auto")
_TARGET_TEXTS = ("backend", "compiler", "c_compiler", "arch", "schedule")
_TARGET_LISTS = ("flags", "cflags", "ldflags", "define")
_TARGET_OTHERS = ("opt", "specialise")
_TABLES = (
    "project",
    "target",
    "domains",
    "layout",
    "schemes",
    "routines",
    "files",
    "debug_print",
    "decomposition",
    "scripts",
    "specialise",
)


def load_project(folder: Path) -> Project:
    """The project described by ``folder/hfpy.toml``.

    Raises HfpyError with all that is wrong in the file: unreadable, unknown keys (with a suggestion),
    values of a wrong type, unknown targets and backends, missing ``sources``.
    """
    file = folder / PROJECT_FILE
    reader = _Reader(read_toml(file, "" if file.exists() else no_project(folder)), str(file))
    project = reader.project(folder)
    if reader.diagnostics:
        raise HfpyError(reader.diagnostics)
    return project


class _Reader(TomlReader):
    """Turns the values of one file into a Project and collects diagnostics on the way."""

    def project(self, folder: Path) -> Project:
        """The whole file; what is wrong goes to ``diagnostics``."""
        self.only(self.data, (), _TABLES)
        project = self.table(self.data, "project", ())
        target = dict.fromkeys((*_TARGET_TEXTS, *_TARGET_LISTS, *_TARGET_OTHERS), "[target.cpu] or [target.gpu]")
        self.only(project, ("project",), _PROJECT_TEXTS + _PROJECT_LISTS + _PROJECT_SWITCHES, target)
        texts = {key: self.string(project, ("project",), key) for key in _PROJECT_TEXTS}
        lists = {key: self.strings(project, ("project",), key) or () for key in _PROJECT_LISTS}
        if not lists["sources"]:
            hint = no_sources(folder)
            place = find_key(self.text, ("project",), self.file)
            self.diagnostics.append(error(codes.NO_SOURCES, "[project] names no sources", place, hint))
        if texts["kind"] is not None:
            self.one_of(texts["kind"], KINDS, ("project", "kind"), "kind")
        layout = self.table(self.data, "layout", ())
        arrays = self.table(layout, "arrays", ("layout",))
        return Project(
            root=folder,
            name=texts["name"] or folder.resolve().name,
            kind=texts["kind"] or "program",
            version=texts["version"] or "0",
            storage_order=texts["storage_order"],
            build_dir=texts["build_dir"] or "build",
            targets=self.targets(),
            domains=self.domains(),
            layout=self.per_target({k: v for k, v in layout.items() if k != "arrays"}, ("layout",), ("arrays",)),
            layout_arrays=self.names_per_target(arrays, ("layout", "arrays")),
            schemes={n.upper(): b for n, b in self.backends("schemes").items()},
            routines={n.lower(): b for n, b in self.backends("routines").items()},
            file_flags=self.files(),
            debug_print=self.debug_print(),
            decomposition=self.decomposition(),
            sources=lists["sources"],
            executables=lists["executables"],
            define=lists["define"],
            exclude=lists["exclude"],
            exports=self.strings(project, ("project",), "exports"),
            include_dirs=lists["include_dirs"],
            libraries=lists["libraries"],
            ldflags=lists["ldflags"],
            cflags=lists["cflags"],
            nvccflags=lists["nvccflags"],
            drop_directives=self.patterns(project, "drop_directives"),
            directives_as_regions=self.switch(project, "directives_as_regions"),
            auto=self.switch(project, "auto"),
            scripts=self.scripts(folder),
            sizes_listed=self.sizes_listed(),
        )

    def patterns(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """``true`` for all files, or patterns of files."""
        value = table.get(key, False)
        if isinstance(value, bool):
            return ("*",) if value else ()
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return tuple(value)
        self.wrong(("project", key), 'must be true, false or a list of files, such as ["physics/*.f90"]')
        return ()

    def switch(self, table: Mapping[str, Any], key: str) -> bool:
        """``true`` or ``false``."""
        value = table.get(key, False)
        if not isinstance(value, bool):
            self.wrong(("project", key), "must be true or false")
        return value is True

    def targets(self) -> dict[str, TargetSettings]:
        """``[target.cpu]`` and ``[target.gpu]``."""
        tables = self.table(self.data, "target", ())
        self.only(tables, ("target",), TARGETS)
        return {name: self.target(tables, name) for name in TARGETS if name in tables}

    def target(self, tables: Mapping[str, Any], name: str) -> TargetSettings:
        """One ``[target.NAME]``."""
        path = ("target", name)
        table = self.table(tables, name, ("target",))
        known = (*_TARGET_TEXTS, *_TARGET_LISTS, *_TARGET_OTHERS)
        self.only(table, path, known, dict.fromkeys(_PROJECT_SWITCHES, "[project]"))
        texts = {key: self.string(table, path, key) for key in _TARGET_TEXTS}
        if texts["backend"] is not None:
            self.one_of(texts["backend"], BACKENDS, (*path, "backend"), "backend")
        if texts["schedule"] is not None and (fault := schedule_fault(texts["schedule"])):
            place = find_key(self.text, (*path, "schedule"), self.file)
            self.diagnostics.append(error(codes.WRONG_VALUE, fault, place))
        opt = table.get("opt")
        if opt is not None and (not isinstance(opt, int) or isinstance(opt, bool) or not 0 <= opt <= 3):
            self.wrong((*path, "opt"), "must be 0, 1, 2 or 3")
            opt = None
        return TargetSettings(
            **texts,
            flags=self.strings(table, path, "flags"),
            cflags=self.strings(table, path, "cflags") or (),
            ldflags=self.strings(table, path, "ldflags") or (),
            define=self.strings(table, path, "define") or (),
            opt=opt,
            specialise=self.sizes(table, path, "specialise"),
        )

    def sizes(self, table: Mapping[str, Any], path: tuple[str, ...], key: str) -> tuple[tuple[str, int], ...]:
        """The sizes in a text such as ``"nx=256 ny=128"``."""
        text = self.string(table, path, key)
        sizes = sizes_of(text or "")
        if sizes is None:
            self.wrong((*path, key), 'must be sizes with values, such as "nx=256 ny=128"')
        return sizes or ()

    def domains(self) -> dict[str, DomainSpec]:
        """``[domains]``: for each domain its sizes and iterators."""
        table = self.table(self.data, "domains", ())
        domains = {}
        for name in table:
            path = ("domains", name)
            entry = self.table(table, name, ("domains",))
            self.only(entry, path, ("size", "iterators"))
            size = self.strings(entry, path, "size", one=True) or ()
            iterators = self.strings(entry, path, "iterators", one=True) or ()
            domains[name] = DomainSpec(size, iterators)
        return domains

    def backends(self, table: str) -> dict[str, dict[str, str]]:
        """``[schemes]`` or ``[routines]``: a backend for each target."""
        named = self.names_per_target(self.table(self.data, table, ()), (table,))
        for name, values in named.items():
            for backend in dict.fromkeys(values.values()):
                self.one_of(backend, BACKENDS, (table, name), "backend")
        return named

    def files(self) -> dict[str, tuple[str, ...]]:
        """``[files."NAME"] flags``."""
        table = self.table(self.data, "files", ())
        flags = {}
        for name in table:
            entry = self.table(table, name, ("files",))
            self.only(entry, ("files", name), ("flags",))
            flags[name] = self.strings(entry, ("files", name), "flags") or ()
        return flags

    def debug_print(self) -> DebugPrint:
        """``[debug_print]``: the point, and which routines and arrays."""
        path = ("debug_print",)
        table = self.table(self.data, "debug_print", ())
        self.only(table, path, ("point", "routines", "arrays"))
        point = self.table(table, "point", path)
        for name, index in point.items():
            if not isinstance(index, int) or isinstance(index, bool):
                self.wrong((*path, "point", name), "must be a whole number, the index to print")
        routines, arrays = (
            tuple(name.lower() for name in self.strings(table, path, key) or ()) for key in ("routines", "arrays")
        )
        return DebugPrint(False, tuple((n, i) for n, i in point.items() if isinstance(i, int)), routines, arrays)

    def decomposition(self) -> Decompositions:
        """``[decomposition]``: what holds where the directive says nothing."""
        path = ("decomposition",)
        table = self.table(self.data, "decomposition", ())
        known = {"exchange": EXCHANGES, "reductions": REDUCTIONS}
        self.only(table, path, known)
        said = {key: self.string(table, path, key) for key in known}
        for key, word in said.items():
            if word is not None:
                self.one_of(word, known[key], (*path, key), key)
        return Decompositions(**{key: word or "" for key, word in said.items()})

    def scripts(self, folder: Path) -> Scripts | None:
        """``[scripts]``: the folder, in the project, and the module with ``annotate``."""
        table = self.table(self.data, "scripts", ())
        self.only(table, ("scripts",), ("dir", "annotate"))
        if not table:
            return None
        name = self.string(table, ("scripts",), "dir") or "hfpy_scripts"
        if Path(name).is_absolute() or ".." in Path(name).parts or not (folder / name).is_dir():
            self.wrong(("scripts", "dir"), f"'{name}' is no folder in the project")
            return None
        annotate = self.string(table, ("scripts",), "annotate") or ""
        if annotate and not (folder / name / f"{annotate}.py").is_file():
            self.wrong(("scripts", "annotate"), f"there is no {annotate}.py in {name}")
        return Scripts(name, annotate)

    def sizes_listed(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """``[specialise]``: numbers for names of sizes."""
        table = self.table(self.data, "specialise", ())
        found = {}
        for name, value in table.items():
            numbers = value if isinstance(value, list) else [value]
            if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in numbers):
                self.wrong(("specialise", name), "must be numbers above 0, such as [5, 7, 9]")
            else:
                found[name.lower()] = tuple(dict.fromkeys(numbers))
        return tuple(found.items())

    def names_per_target(self, table: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, dict[str, str]]:
        """For each name a text for both targets, or a table of texts for each target."""
        named = {}
        for name, value in table.items():
            if isinstance(value, str):
                named[name] = dict.fromkeys(TARGETS, value)
            elif isinstance(value, dict):
                named[name] = self.per_target(value, (*path, name))
            else:
                self.wrong((*path, name), "must be a text, or a table with cpu and gpu")
        return named

    def per_target(self, table: Mapping[str, Any], path: tuple[str, ...], also: tuple[str, ...] = ()) -> dict[str, str]:
        """The texts under ``cpu`` and ``gpu``; ``also`` are keys known besides them, for the suggestion."""
        self.only(table, path, (*TARGETS, *also))
        texts = {target: self.string(table, path, target) for target in TARGETS}
        return {target: text for target, text in texts.items() if text is not None}
