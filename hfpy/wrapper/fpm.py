"""``fpm.toml``: the folders of an fpm package that have sources, and the options of a scan in ``[extra.hfpy]``.

Keys and defaults are those of fpm's manifest: ``source-dir`` of the library, the programs, tests and examples, the
library's ``include-dir``, the macros for the preprocessor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from hfpy.backendtable import BACKENDS
from hfpy.build.settings.tomlreader import TomlReader, read_toml
from hfpy.diagnostics import HfpyError
from hfpy.options import schedule_fault, sizes_of
from hfpy.project import TARGETS
from hfpy.values import dataclass

MANIFEST = "fpm.toml"
_EXTRA = ("extra", "hfpy")
_FOLDERS = (("library", "src"), ("executable", "app"), ("test", "test"), ("example", "example"))
# What the keys of [extra.hfpy] are among the options of a scan.
_TEXTS = ("target", "backend", "layout", "schedule", "specialise", "storage-order")
_LISTS = ("define", "include-dirs", "exports", "routines", "schemes")
_SWITCHES = ("emulate", "drop-directives", "directives-as-regions", "auto", "debug-print")


@dataclass(frozen=True)
class Package:
    """An fpm package: its folders with sources, and options of a scan, named as ``Given`` has them."""

    folders: tuple[str, ...]
    given: Mapping[str, Any] = field(default_factory=dict)


def read_package(folder: Path) -> Package:
    """The package in a folder that has a manifest. Raises HfpyError with all that is wrong in what hfpy reads of it."""
    file = folder / MANIFEST
    reader = _Manifest(read_toml(file), str(file))
    package = Package(tuple(dict.fromkeys(reader.folders(folder))), reader.given(folder))
    if reader.diagnostics:
        raise HfpyError(reader.diagnostics)
    return package


def says(value: object) -> bool:
    """Whether the value of an option says anything; 0 does."""
    return value is not None and value is not False and value not in ((), "")


def with_manifest(given: Mapping[str, Any], package: Package) -> dict[str, Any]:
    """A manifest's options with those of the command line over them; lists are joined."""
    merged = dict(package.given)
    for key, value in given.items():
        before = merged.get(key)
        if isinstance(before, tuple):
            merged[key] = (*before, *value)
        else:
            merged[key] = value
    return merged


class _Manifest(TomlReader):
    """What hfpy reads of a manifest; the rest is fpm's."""

    def folders(self, root: Path) -> Iterable[str]:
        """The folders with sources that are there."""
        for table, default in _FOLDERS:
            value = self.data.get(table, {})
            entries = value if isinstance(value, list) else [value]
            for entry in [e for e in entries if isinstance(e, dict)] or [{}]:
                name = entry.get("source-dir", default)
                if isinstance(name, str) and (root / name).is_dir():
                    yield str((root / name).resolve())

    def given(self, root: Path) -> dict[str, Any]:
        """The options of ``[extra.hfpy]``, with fpm's own macros and include folders."""
        table = self.table(self.table(self.data, "extra", ()), "hfpy", ("extra",))
        self.only(table, _EXTRA, (*_TEXTS, *_LISTS, *_SWITCHES, "opt"))
        given: dict[str, Any] = {key: self.string(table, _EXTRA, key) for key in _TEXTS}
        given |= {key: self.switch(table, key) for key in _SWITCHES}
        lists = {key: self.strings(table, _EXTRA, key, one=True) or () for key in _LISTS}
        lists["define"] = (*self.macros(), *lists["define"])
        lists["include-dirs"] = tuple(
            str((root / name).resolve()) for name in (*self.includes(root), *lists["include-dirs"])
        )
        given |= lists
        given["opt"] = self.level(table)
        self.require_words(given)
        if given["storage-order"]:
            given["storage-order"] = (root / given["storage-order"]).resolve()
        return {key.replace("-", "_"): value for key, value in given.items() if says(value)}

    def macros(self) -> tuple[str, ...]:
        """The macros that fpm gives the preprocessor; ``{version}`` is the package's."""
        table = self.table(self.table(self.data, "preprocess", ()), "cpp", ("preprocess",))
        version = str(self.data.get("version", "0"))
        macros = self.strings(table, ("preprocess", "cpp"), "macros") or ()
        return tuple(macro.replace("{version}", version) for macro in macros)

    def includes(self, root: Path) -> tuple[str, ...]:
        """The library's folders of included files that are there."""
        table = self.table(self.data, "library", ())
        names = self.strings(table, ("library",), "include-dir", one=True) or ("include",)
        return tuple(name for name in names if (root / name).is_dir())

    def switch(self, table: Mapping[str, Any], key: str) -> bool:
        """``true`` or ``false``."""
        value = table.get(key, False)
        if not isinstance(value, bool):
            self.wrong((*_EXTRA, key), "must be true or false")
        return value is True

    def level(self, table: Mapping[str, Any]) -> int | None:
        """The optimiser's level."""
        value = table.get("opt")
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3):
            return value
        self.wrong((*_EXTRA, "opt"), "must be 0, 1, 2 or 3")
        return None

    def require_words(self, given: Mapping[str, Any]) -> None:
        """Targets, backends, schedules and sizes are such as there are."""
        if given["target"] is not None:
            self.one_of(given["target"], TARGETS, (*_EXTRA, "target"), "target")
        if given["backend"] is not None:
            self.one_of(given["backend"], BACKENDS, (*_EXTRA, "backend"), "backend")
        if given["schedule"] is not None and (fault := schedule_fault(given["schedule"])):
            self.wrong((*_EXTRA, "schedule"), f"is not possible: {fault}")
        if given["specialise"] is not None and sizes_of(given["specialise"]) is None:
            self.wrong((*_EXTRA, "specialise"), 'must be sizes with values, such as "nx=256 ny=128"')
