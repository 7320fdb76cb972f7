"""Routines outside of modules, as units that call them know them: by interfaces and declarations."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts
from hfpy.model.units import Routine


def described_here(facts: Facts, routine: Routine) -> Iterator[tuple[str, str]]:
    """The routines outside of modules that a module has interfaces of, by name and key: those who use the module can
    say nothing of them.
    """
    for interface in routine.spec.interfaces if routine.kind == "module" else ():
        for name in interface.bodies:
            for key in facts.scopes.procedures(name, routine.key):
                called = facts.application.routines.get(key)
                if called is not None and called.name == name and not called.module and not called.host:
                    yield name, key


def described_by_module(facts: Facts, name: str, routine: Routine) -> bool:
    """Whether a name comes from an interface in a module, which the routine uses or is in."""
    for unit in _around(facts, routine):
        own = any(name == i.name or name in i.bodies for i in unit.spec.interfaces)
        if own or name in unit.spec.symbols:
            return own and unit.kind == "module"
        if _passed_on(facts, name, unit.key, frozenset()):
            return True
    return False


def _passed_on(facts: Facts, name: str, key: str, seen: frozenset[str]) -> bool:
    """Whether a module that a unit uses has such an interface, or passes it on."""
    for module, remote in facts.scopes.sources(name, key):
        home = facts.scopes.modules[module]
        routine = facts.application.routines.get(home)
        if routine is None or home in seen or not routine.spec.accessible(remote):
            continue
        own = any(i.bodies and (remote == i.name or remote in i.bodies) for i in routine.spec.interfaces)
        if own or _passed_on(facts, remote, home, seen | {home}):
            return True
    return False


def known_as_procedure(facts: Facts, name: str, routine: Routine) -> bool:
    """Whether a routine, or one around it, says that a name is a procedure's."""
    for unit in _around(facts, routine):
        symbol = unit.spec.symbols.get(name)
        if symbol is not None and ("external" in symbol.attributes or symbol.type.base == "procedure"):
            return True
        if any(name in interface.bodies for interface in unit.spec.interfaces):
            return True
    return False


def _around(facts: Facts, routine: Routine) -> Iterator[Routine]:
    """A routine and the units around it, from the inside."""
    unit: Routine | None = routine
    while unit is not None:
        yield unit
        unit = facts.application.routines.get(unit.host) if unit.host else None
