"""Faults in files without directives: what cannot be parsed there, and names that nothing declares.

What a region depends on is parsed by every translation. The rest of a program passes through as text, and is read for
``hfpy check`` alone, file by file: what a file says does not depend on the others, so that it can be kept with a digest
of its text. The names that nothing declares are found at the end, from all files together, by the words in their
specification parts (:mod:`hfpy.analyze.faults.undeclared` has the rule).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from math import inf
from pathlib import Path

from hfpy.analyze.facts import BRANCHES
from hfpy.analyze.faults.undeclared import declared_by, local_index, with_indices
from hfpy.analyze.language.context import Located, located
from hfpy.analyze.language.gnu import EXTENSIONS
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.analyze.language.uses import uses
from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.model.macros import Macro
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Opaque, Specification
from hfpy.model.units import FileIndex, Routine, UnitIndex, Use
from hfpy.parse.outside import included_rows, lacks_included
from hfpy.parse.routines import parse_unit
from hfpy.parse.text.physical import names_in_rows
from hfpy.values import dataclass

_OUTER = ("module", "submodule")
_ANY = WITHOUT_USE | EXTENSIONS
_HINT = "it goes to the compiler as it is: no region depends on it"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that nothing in its file declares, in a routine that sees all public names of some modules."""

    name: str
    routine: str
    place: Place
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlainFile:
    """What a file says by itself: the names of its units; the words in the specification parts of its modules, but for
    modules that include a file which is not here, and the modules that these use as a whole; of a file without
    directives what is wrong with it, and the names to look for, if it was ``read`` in full.
    """

    units: frozenset[str] = frozenset()
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    whole: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    read: bool = True


def plain_file(
    index: FileIndex,
    macros: Mapping[str, Macro],
    include_dirs: tuple[Path, ...] = (),
    limit: float = inf,
    read: bool = True,
) -> PlainFile:
    """What a file says. It is parsed if ``read`` and if it has no directives; ``macros`` are those of the project."""
    outer = [(unit, _declaring(index, unit)) for unit in index.units if unit.kind in _OUTER]
    modules = [
        (unit, (*(line.text for line in lines), *rows))
        for unit, lines in outer
        if not lacks_included(index, lines, include_dirs)
        and (rows := included_rows(index, lines, include_dirs)) is not None
    ]
    parsed = read and not index.hybrid and not any(d.severity == "error" for d in index.diagnostics)
    problems, unknown = _Reader(index, macros, include_dirs, limit).found() if parsed else ((), ())
    return PlainFile(
        frozenset(unit.name for unit in index.units),
        {unit.name: names_in_rows(rows) for unit, rows in modules},
        {unit.name: _whole(unit.uses) for unit, _ in modules},
        problems,
        unknown,
        read,
    )


def _declaring(index: FileIndex, unit: UnitIndex) -> tuple[LogicalLine, ...]:
    """The lines of a module before its procedures."""
    return index.lines[unit.first : unit.contains if unit.contains >= 0 else unit.last]


def _whole(found: Sequence[Use]) -> tuple[str, ...]:
    """The modules that are used without a list of names."""
    return tuple(use.module for use in found if use.only is None)


class _Reader:
    """Reads all units of a file."""

    def __init__(
        self, index: FileIndex, macros: Mapping[str, Macro], include_dirs: tuple[Path, ...], limit: float
    ) -> None:
        self.index = index
        self.given = macros
        self.macros = frozenset(m.lower() for m in (*macros, *index.macros, *index.definitions))
        self.include_dirs = include_dirs
        self.limit = limit

    def found(self) -> tuple[tuple[Diagnostic, ...], tuple[Unknown, ...]]:
        """What is wrong, and the names to look for; nothing where a part of the text is in a file that is not here: it
        may declare names, and define macros.
        """
        if lacks_included(self.index, self.index.lines, self.include_dirs):
            return (), ()
        routines: dict[str, Routine] = {}
        problems: list[Diagnostic] = []
        unknown: list[Unknown] = []
        for number in range(len(self.index.units)):
            routine, faults = parse_unit(self.index, number, self.include_dirs, self.limit, self.given)
            routines[routine.key] = routine
            statements = located(routine) if routine.kind not in _OUTER else ()
            problems += [*faults, *self._opaque(routine, statements)]
            if not faults and self._explicit(routine, routines):
                unknown += self._in_declarations(routine, routines)
                unknown += self._unknown(routine, routines, statements)
        entries = {name for routine in routines.values() for name in routine.entries}
        found = tuple(_report(d) for d in problems if d.place.file == self.index.path)
        return found, tuple(u for u in unknown if u.name not in entries)

    def _opaque(self, routine: Routine, statements: tuple[Located, ...]) -> Iterator[Diagnostic]:
        """Statements that hfpy does not understand."""
        for at in statements:
            statement = at.statement
            if isinstance(statement, Opaque) and not statement.legal and statement.reason not in BRANCHES:
                message = f"this statement cannot be parsed: {statement.reason}"
                yield error("HF110", message, statement.line.place(routine.file))

    def _explicit(self, routine: Routine, routines: Mapping[str, Routine]) -> bool:
        """Whether ``implicit none`` holds in a routine, and all around it is in its file."""
        for unit in _around(routine, routines):
            if unit.spec.implicit_none or unit.spec.implicit:
                return not unit.spec.implicit and not self._open(routine, routines)
        return False

    def _open(self, routine: Routine, routines: Mapping[str, Routine]) -> bool:
        """Whether a name may be one of another file that is not looked at: of the parent of a submodule, or of the
        interface of a ``module procedure``.
        """
        units = list(_around(routine, routines))
        return bool(units[-1].host) or any(unit.kind in ("submodule", "procedure") for unit in units)

    def _in_declarations(self, routine: Routine, routines: Mapping[str, Routine]) -> Iterator[Unknown]:
        """The names in kinds, shapes and values of a unit's declarations that nothing in its file declares."""
        around = list(_around(routine, routines))
        known = {*self.macros, *declared_by(routine)}
        for unit in around[1:]:
            known |= {*declared_by(unit), *names_in_rows(line.text for line in (unit.header, *unit.spec.lines))}
        modules = tuple(dict.fromkeys(m for unit in around for m in _whole(unit.spec.uses)))
        for symbol in routine.spec.symbols.values():
            for name in sorted(symbol.names - known - _ANY) if symbol.line is not None and not symbol.line.file else ():
                assert symbol.line is not None
                known.add(name)
                yield Unknown(name, routine.name, symbol.line.place(routine.file, *symbol.entity_span), modules)

    def _unknown(
        self, routine: Routine, routines: Mapping[str, Routine], statements: tuple[Located, ...]
    ) -> Iterator[Unknown]:
        """The names in statements of a routine that nothing in its file declares, where they are first."""
        around = list(_around(routine, routines))
        blocks = [at.statement for at in statements if isinstance(at.statement, (Specification, Opaque))]
        known = {*self.macros, *names_in_rows(s.line.text for s in blocks)}
        if "use" in known:
            return  # a block uses a module
        for unit in around:
            known |= {unit.name, unit.result, *unit.dummies, *unit.spec.symbols, *unit.spec.types}
            known |= names_in_rows(line.text for line in (unit.header, *unit.spec.lines))
        modules = tuple(dict.fromkeys(m for unit in around for m in _whole(unit.spec.uses)))
        lines = with_indices(statements)
        for reference in uses(statements):
            name, line = reference.name, reference.at.statement.line
            if name in known or name in _ANY or line.file or local_index(reference, lines):
                continue
            known.add(name)
            place = line.place(routine.file, reference.node.start, reference.node.start + len(name))
            yield Unknown(name, routine.name, place, modules)


def _around(routine: Routine, routines: Mapping[str, Routine]) -> Iterator[Routine]:
    """A routine and its hosts, as far as its file has them."""
    current: Routine | None = routine
    while current is not None:
        yield current
        current = routines.get(current.host)


def _report(found: Diagnostic) -> Diagnostic:
    """What is wrong with a text that only the compiler reads."""
    return warning(found.code, found.message, found.place, found.hint or _HINT, found.related)


def undeclared_in(files: Sequence[PlainFile]) -> Iterator[Diagnostic]:
    """The names that nothing declares, in routines whose modules are all among some files."""
    procedures = frozenset[str]().union(*(f.units for f in files))
    words: dict[str, frozenset[str]] = {}
    whole: dict[str, tuple[str, ...]] = {}
    for one in files:  # modules of one name are of several programs
        words |= {name: found | words.get(name, frozenset()) for name, found in one.words.items()}
        whole |= {name: (*found, *whole.get(name, ())) for name, found in one.whole.items()}
    known: dict[tuple[str, ...], frozenset[str] | None] = {}
    for unknown in (u for f in files for u in f.unknown if u.name not in procedures):
        if unknown.modules not in known:
            known[unknown.modules] = _seen(unknown.modules, words, whole)
        seen = known[unknown.modules]
        if seen is not None and unknown.name not in seen:
            message = f"'{unknown.name}' is not declared, and 'implicit none' holds in '{unknown.routine}'"
            yield error("HF250", message, unknown.place)


def _seen(
    modules: Collection[str], words: Mapping[str, frozenset[str]], whole: Mapping[str, tuple[str, ...]]
) -> frozenset[str] | None:
    """The words of some modules and of those that they pass on as a whole; None where one of them is not here."""
    left, reached = list(modules), set(modules)
    while left:
        name = left.pop()
        if name not in words:
            return None
        more = set(whole[name]) - reached
        reached |= more
        left += more
    return frozenset[str]().union(*(words[name] for name in reached))
