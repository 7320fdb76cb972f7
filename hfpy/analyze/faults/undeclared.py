"""Names that nothing declares, where ``implicit none`` holds (Fortran 2018, 8.7).

A name is reported only where everything that may declare it is known: the unit, its hosts and all modules that they
use as a whole are parsed, and no file that they include is missing. What is anywhere in one of their specification
parts counts as declared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.gnu import EXTENSIONS
from hfpy.analyze.language.intrinsics import WITHOUT_USE
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.expressions import ImpliedDo, walk
from hfpy.model.source import LineKey
from hfpy.model.statements import OneLine, Opaque, Specification, expressions
from hfpy.model.units import Routine
from hfpy.parse.outside import lacks_included
from hfpy.parse.text.physical import names_in_rows

_OWN_INDICES = frozenset({"forall", "doconcurrent"})


class Undeclared:
    """Finds them in the parsed routines of an application."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.scopes = facts.scopes
        self.iterators = facts.positions.iterators
        self._words: dict[str, frozenset[str]] = {}
        self._lacking: dict[str, bool] = {}

    def found(self) -> Iterator[Diagnostic]:
        """One error for each name of each routine, where it is first."""
        for key in self.facts.graph.with_statements():
            routine = self.facts.routine(key)
            known = not self.scopes.opaque.seen_by(key) and not self.lacks_text(key)
            if known and self.scopes.without_implicit(routine):
                yield from self._in_declarations(routine)
                yield from self._in(routine)

    def lacks_text(self, key: str) -> bool:
        """Whether a file is missing that a specification part includes: of a unit, a host, or a module used there."""
        if key not in self._lacking:
            self._lacking[key] = False  # of modules that use each other
            application = self.facts.application
            unit = application.routines[key]
            modules = [self.scopes.modules.get(use.module) for use in unit.spec.uses if use.only is None]
            others = [k for k in (unit.host, *modules) if k and k in application.routines]
            index, folders = application.file(key), application.options.include_dirs
            missing = lacks_included(index, unit.spec.lines, folders) or any(map(self.lacks_text, others))
            self._lacking[key] = missing
        return self._lacking[key]

    def _in_declarations(self, routine: Routine) -> Iterator[Diagnostic]:
        """One error for each name in kinds, shapes and values of a unit's declarations."""
        key = routine.key
        known = {*self._macros(key), *declared_by(routine)}
        for symbol in routine.spec.symbols.values():
            line = symbol.line
            for name in sorted(symbol.names - known) if line is not None and not line.file else ():
                known.add(name)
                if not self._imported(name, key) and not self._in_modules(name, routine):
                    assert line is not None
                    yield self._report(name, routine, line.place(routine.file, *symbol.entity_span))

    def _macros(self, key: str) -> frozenset[str]:
        facts = self.facts
        return frozenset(m.lower() for m in (*facts.application.macros_of(key), *facts.application.file(key).macros))

    @staticmethod
    def _report(name: str, routine: Routine, place: Place) -> Diagnostic:
        return error("HF250", f"'{name}' is not declared, and 'implicit none' holds in '{routine.name}'", place)

    def _in(self, routine: Routine) -> Iterator[Diagnostic]:
        key = routine.key
        macros = self._macros(key)
        reported: set[str] = set()
        lines = with_indices(self.facts.graph.statements.get(key, ()))
        for reference in self.facts.references[key]:
            name = reference.name
            if name in reported or name in macros or name in self.iterators or not self.facts.live(reference.at, key):
                continue
            if reference.at.statement.line.file or self.known(name, key) or local_index(reference, lines):
                continue
            if any(c.kind == "block" for c in reference.at.constructs) and self._uses_in_blocks(routine):
                continue
            reported.add(name)
            node = reference.node
            place = reference.at.statement.line.place(routine.file, node.start, node.start + len(name))
            yield self._report(name, routine, place)

    def _imported(self, name: str, key: str) -> bool:
        """Whether a name is intrinsic, or one that a scope has."""
        standard = name in WITHOUT_USE or name in EXTENSIONS
        if standard or name in self.scopes.entries or self.scopes.variable(name, key) is not None:
            return True
        return bool(self.scopes.procedures(name, key)) or self.scopes.opaque.brings(name, key)

    def _in_modules(self, name: str, routine: Routine) -> bool:
        """Whether the specification part of a host, or of a module that is used as a whole, has a name."""
        modules = [self.scopes.modules.get(use.module) for use in routine.spec.uses if use.only is None]
        units = self.facts.application.routines
        around = [key for key in (routine.host, *modules) if key and key in units]
        return any(name in self._mentioned(key, frozenset()) for key in around) or (
            routine.host in units and self._in_modules(name, units[routine.host])
        )

    def known(self, name: str, key: str) -> bool:
        """Whether a name is declared, or may be."""
        if self._imported(name, key):
            return True
        current: Routine | None = self.facts.routine(key)
        while current is not None:
            if name in self._mentioned(current.key, frozenset()):
                return True
            current = self.facts.application.routines.get(current.host)
        return False

    def _uses_in_blocks(self, routine: Routine) -> bool:
        """Whether a block of a routine uses a module."""
        return "use" in self._in_blocks(routine)

    def _mentioned(self, key: str, seen: frozenset[str]) -> frozenset[str]:
        """Every word in the specification part of a unit, and of the modules that it uses as a whole."""
        if key not in self._words:
            routine = self.facts.routine(key)
            words = set(names_in_rows(line.text for line in routine.spec.lines))
            words |= {routine.name, routine.result, *routine.dummies}
            words |= self._in_blocks(routine)
            for use in routine.spec.uses:
                module = self.scopes.modules.get(use.module)
                if (
                    use.only is None
                    and module is not None
                    and module not in seen
                    and module in self.facts.application.routines
                ):
                    words |= self._mentioned(module, seen | {key})
            self._words[key] = frozenset(words)
        return self._words[key]

    def _in_blocks(self, routine: Routine) -> frozenset[str]:
        """Every word in the specification parts of blocks; modules that these use as a whole may bring any name."""
        statements = (at.statement for at in self.facts.graph.statements.get(routine.key, ()))
        return names_in_rows(s.line.text for s in statements if isinstance(s, (Specification, Opaque)))


def declared_by(unit: Routine) -> set[str]:
    """The names that a unit declares, or lists."""
    spec = unit.spec
    used = (local for use in spec.uses for local, _ in (*(use.only or ()), *use.renames))
    generic = (n for i in spec.interfaces for n in (i.name, *i.procedures, *i.bodies))
    functions = (name for name, *_ in spec.statement_functions)
    return {unit.name, unit.result, *unit.dummies, *spec.symbols, *spec.types, *used, *generic, *functions}


def with_indices(statements: Iterable[Located]) -> frozenset[LineKey]:
    """The lines with a ``forall`` of one statement, whose indices may be declared in its header."""
    found = (at.statement for at in statements if isinstance(at.statement, OneLine))
    return frozenset(s.line.key for s in found if s.kind in _OWN_INDICES)


def local_index(reference: Reference, lines: Collection[LineKey]) -> bool:
    """Whether a name may be one of a construct around, or the variable of an implied loop. ``lines`` are those that
    have indices of their own.
    """
    at: Located = reference.at
    if any(c.kind in _OWN_INDICES for c in at.constructs) or reference.name in aliases_of(at):
        return True
    if at.statement.line.key in lines:
        return True
    nodes = (n for top in expressions(at.statement) for n in walk(top))
    return any(isinstance(n, ImpliedDo) and n.var == reference.name for n in nodes)
