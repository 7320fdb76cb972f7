"""What code that hfpy does not see may use: it takes arrays in their declared order.

``[project] exports`` names procedures and variables of modules. Where it is not given and there is no main program, the
sources are a part of a program or a library: then all public procedures that nothing here calls may be called, and all
public arrays of modules may be used. In a library that the project says it is all public procedures may be called.

A private procedure is called from outside, too, where a public generic name means it, a type binds it, or a procedure
pointer of a module, or in an object, may point to it (Fortran 2018, 8.6.1, 15.4.3.4, 7.5.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from hfpy.analyze.facts import Facts
from hfpy.model.units import DerivedType, Routine, Symbol

_PROCEDURES = ("subroutine", "function")


class Exports:
    """Answers what is visible outside of the sources."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        named = facts.application.options.exports
        self.named = None if named is None else frozenset(name.lower() for name in named)
        units = facts.application.units
        self.library = facts.application.options.library
        self.complete = not self.library and any(facts.application.unit(key).kind == "program" for key in units)

    def uses_dummies(self, routine: Routine) -> bool:
        """Whether code outside may pass arrays to a procedure."""
        return bool(routine.dummies) and self.calls(routine)

    def calls(self, routine: Routine) -> bool:
        """Whether code outside may call a procedure."""
        if routine.kind not in _PROCEDURES:
            return False
        if self.named is not None:
            return self._is_named(routine.module, routine.name) or routine.key in self._by_other_names
        if not self.complete and routine.key in self._by_other_names:
            return self.library or not self.facts.graph.is_called(routine.key)
        host = self.facts.application.routines.get(routine.host)
        if self.complete or (host is not None and (host.kind in _PROCEDURES or not host.spec.accessible(routine.name))):
            return False
        return self.library or not self.facts.graph.is_called(routine.key)

    def uses_variable(self, home: Routine, name: str) -> bool:
        """Whether code outside may use an array of a module."""
        if home.kind not in ("module", "submodule"):
            return False
        if self.named is not None:
            return self._is_named(home.name, name) or (home.key, name) in self._imported
        return not self.complete and home.spec.accessible(name)

    @cached_property
    def _by_other_names(self) -> frozenset[str]:
        """The procedures that code outside may call by a generic name, through an object or by a pointer."""
        found: set[str] = set()
        for module in self._modules():
            for name in self._named_in(module) if self.named is not None else ():
                found.update(self.facts.scopes.procedures(name, module.key))
            for interface in module.spec.interfaces if self.named is None else ():
                if interface.name and self._is_seen(module, interface.name):
                    found.update(*(self.facts.scopes.procedures(name, module.key) for name in interface.procedures))
            for derived in module.spec.types.values():
                found.update(self._bound(module, derived))
            if any(_is_pointer(s) and self._is_seen(module, s.name) for s in module.spec.symbols.values()):
                found |= self.facts.graph.candidates.taken
        return frozenset(found)

    @cached_property
    def _imported(self) -> frozenset[tuple[str, str]]:
        """The variables and types that ``exports`` names as those of a module that has them from another one, each as
        its home and its name there.
        """
        found: set[tuple[str, str]] = set()
        for module in self._modules():
            for name in self._named_in(module):
                if (variable := self.facts.scopes.variable(name, module.key)) is not None:
                    found.add((variable.home, variable.symbol.name))
                if (derived := self.facts.scopes.type_at_home(name, module.key)) is not None:
                    found.add((derived[0], derived[1].name))
        return frozenset(found)

    def _modules(self) -> Iterator[Routine]:
        return (unit for unit in self.facts.application.routines.values() if unit.kind == "module")

    def _named_in(self, module: Routine) -> Iterator[str]:
        """The names of ``exports`` that may be of a module."""
        return (n for home, n in self.facts.application.options.exported if home in ("", module.name))

    def _bound(self, module: Routine, derived: DerivedType) -> Iterator[str]:
        """The procedures of a type: an object may be of a type that is private, if one that it extends is not."""
        if self.named is not None and not any(self._is_seen(*one) for one in self._lineage(module, derived)):
            return
        for _, name in derived.bindings:
            yield from self.facts.scopes.procedures(name, module.key)
        if any(part.type.base == "procedure" for part in derived.components):
            yield from self.facts.graph.candidates.taken

    def _lineage(self, module: Routine, derived: DerivedType) -> Iterator[tuple[Routine, str]]:
        """A type and those that it extends, each with its module."""
        seen: set[tuple[str, str]] = set()
        at: tuple[str, DerivedType] | None = module.key, derived
        while at is not None and (at[0], at[1].name) not in seen:
            key, derived = at
            seen.add((key, derived.name))
            yield self.facts.application.routines[key], derived.name
            at = self.facts.scopes.type_at_home(derived.extends, key) if derived.extends else None

    def _is_seen(self, module: Routine, name: str) -> bool:
        """Whether code outside may use a name of a module."""
        if self.named is None:
            return module.spec.accessible(name)
        return self._is_named(module.name, name) or (module.key, name) in self._imported

    def _is_named(self, module: str, name: str) -> bool:
        return self.named is not None and (name in self.named or f"{module}::{name}" in self.named)


def _is_pointer(symbol: Symbol) -> bool:
    return symbol.type.base == "procedure" and "pointer" in symbol.attributes
