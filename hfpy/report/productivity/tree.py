"""A tree of sources as lists of lines that count, cut into program units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hfpy.model.source import LogicalLine
from hfpy.model.units import UnitIndex
from hfpy.parse.files import FORTRAN_SUFFIXES
from hfpy.parse.index import index_units
from hfpy.parse.text.sourceform import is_fixed
from hfpy.project import STORAGE_ORDER_FILE
from hfpy.report.productivity.sanitise import Line, sanitised, sanitised_c
from hfpy.values import dataclass

C_SUFFIXES = (".cu", ".cuh", ".c", ".h", ".hpp")


@dataclass(frozen=True, slots=True)
class Unit:
    """A program unit and the lines that are its own: indices in its file, without those of units inside it.

    What is outside all units of a file is a unit of kind ``file`` without a name.
    """

    kind: str
    name: str
    path: str
    lines: tuple[int, ...]

    @property
    def routine(self) -> bool:
        """Whether it is a subroutine, a function or the like, and no module, program or file."""
        return self.kind in ("subroutine", "function", "procedure")


@dataclass(frozen=True, slots=True)
class File:
    """A file: its name in the tree, how many lines it has, those that count, its units, whether it holds the macros of
    the storage order, and its path, if it was read.
    """

    name: str
    raw: int
    lines: tuple[Line, ...]
    units: tuple[Unit, ...]
    storage_order: bool = False
    path: Path | None = None


@dataclass(frozen=True)
class Tree:
    """All files of one side."""

    files: tuple[File, ...]

    @property
    def raw(self) -> int:
        """Lines as an editor counts them."""
        return sum(f.raw for f in self.files)

    @property
    def count(self) -> int:
        """Lines that count."""
        return sum(len(f.lines) for f in self.files)


def fortran_files(folder: Path) -> tuple[Path, ...]:
    """Every Fortran file below a folder (or the file itself), hidden folders aside, in order."""
    if folder.is_file():
        return (folder,) if folder.suffix in FORTRAN_SUFFIXES else ()
    found = (p for p in folder.rglob("*") if p.suffix in FORTRAN_SUFFIXES and p.is_file())
    return tuple(sorted(p for p in found if not any(part.startswith(".") for part in p.relative_to(folder).parts)))


def read_tree(root: Path, paths: Iterable[Path], storage_order: Path | None = None) -> Tree:
    """The tree of the files at ``paths``, named from ``root`` on. Raises OSError for what cannot be read."""
    files = []
    macros = storage_order.resolve() if storage_order is not None else None
    for path in paths:
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        named = path.resolve() == macros if macros is not None else None
        files.append(replace(read_text(name, text, named), path=path.resolve()))
    return Tree(tuple(files))


def read_text(name: str, text: str, storage_order: bool | None = None) -> File:
    """A file with the given text. ``storage_order``: whether it has the macros of the storage order; None: by name."""
    if storage_order is None:
        storage_order = Path(name).name.lower() == STORAGE_ORDER_FILE.lower()
    physical = text.splitlines()
    suffix = Path(name).suffix
    if suffix in C_SUFFIXES:
        lines = sanitised_c(text)
        return File(name, len(physical), lines, (Unit("file", "", "", tuple(range(len(lines)))),))
    lines = sanitised(physical, is_fixed(Path(name), physical))
    return File(name, len(physical), lines, _units(name, lines), storage_order)


def _units(name: str, lines: tuple[Line, ...]) -> tuple[Unit, ...]:
    """The units of a file, each with its own lines; the last is the file itself, if it has lines outside."""
    numbers = [n for n, line in enumerate(lines) if line.text[0] not in "!#"]
    logical = [
        LogicalLine(
            lines[n].text.lstrip("0123456789 "),
            ((0, lines[n].first - 1, 0),),
            lines[n].last - 1,
            "",
            lines[n].directive,
        )
        for n in numbers
    ]
    found = index_units(name, logical).units
    owner = [-1] * len(lines)
    for number, unit in enumerate(found):  # in the order of their begins: inner units overwrite outer ones
        first, last = numbers[unit.first], numbers[unit.last]
        owner[first : last + 1] = [number] * (last + 1 - first)
    own: dict[int, list[int]] = {}
    for line, number in enumerate(owner):
        own.setdefault(number, []).append(line)
    units = [Unit(u.kind, u.name, _path(found, n), tuple(own.get(n, ()))) for n, u in enumerate(found)]
    if -1 in own:
        units.append(Unit("file", "", "", tuple(own[-1])))
    return tuple(units)


def _path(units: tuple[UnitIndex, ...], number: int) -> str:
    """The name of a unit with those around it, as ``module::routine``."""
    names = []
    at: int | None = number
    while at is not None:
        names.append(units[at].name or "main program")
        at = units[at].parent
    return "::".join(reversed(names))
