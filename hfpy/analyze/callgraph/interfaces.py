"""Interfaces of procedure pointers and dummy procedures, and keywords of calls through them.

A keyword means the argument that has that name in the interface of what is called (Fortran 2018, 15.5.2.1). The
procedure that it leads to may have other names for its arguments (15.3.1): they correspond by position.
"""

from __future__ import annotations

from dataclasses import replace

from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component_at_home
from hfpy.analyze.language.uses import declared_in_block
from hfpy.model.application import Application
from hfpy.model.expressions import Component, Expr, Keyword
from hfpy.model.units import Symbol

# The name that no argument has: for keywords of which it is not known which argument they mean.
NO_NAME = ""


class Interfaces:
    """What interfaces call the arguments of procedures that are called through variables."""

    def __init__(self, application: Application, scopes: Scopes) -> None:
        self.application = application
        self.scopes = scopes

    def of_variable(self, name: str, key: str, at: Located) -> tuple[str, ...] | None:
        """The names of the arguments of a dummy procedure or a procedure pointer of a unit; None if its interface is
        not known.
        """
        own = declared_in_block(name, at)
        return self._declared(own, key) if own is not None else self._named(name, key, frozenset())

    def of_component(self, designator: Component, key: str) -> tuple[str, ...] | None:
        """The same for a component."""
        found = component_at_home(designator, key, self.scopes)
        return self._declared(found.symbol, found.home) if found is not None else None

    def _declared(
        self, symbol: Symbol, home: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> tuple[str, ...] | None:
        if symbol.type.base != "procedure" or not symbol.type.derived:
            return None
        return self._named(symbol.type.derived, home, seen)

    def _named(self, name: str, key: str, seen: frozenset[tuple[str, str]]) -> tuple[str, ...] | None:
        """The names of the arguments in the interface that a name has in a unit: the name is that of an interface body,
        of a procedure, or of a variable with such an interface.
        """
        if (name, key) in seen:
            return None
        seen |= {(name, key)}
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        for interface in routine.spec.interfaces:
            described = dict(zip(interface.bodies, interface.dummies, strict=True))
            if name in described:
                return described[name]
        symbol = routine.spec.symbols.get(name)
        if symbol is not None:
            return self._declared(symbol, key, seen)
        called = self.scopes.named(name, key)
        if len(called.keys) == 1 and not called.generic:
            return self.application.unit(called.keys[0]).dummies
        for module, remote in self.scopes.sources(name, key):
            home = self.scopes.modules[module]
            there = self.application.routines.get(home)
            found = self._named(remote, home, seen) if there is not None and there.spec.accessible(remote) else None
            if found is not None:
                return found
        return self._named(name, routine.host, seen) if routine.host else None


def corresponding(
    args: tuple[Expr, ...], interface: tuple[str, ...] | None, dummies: tuple[str, ...]
) -> tuple[Expr, ...]:
    """The arguments of a call as a procedure gets them: keywords are names of its own arguments, in the place of those
    in the interface; ``NO_NAME`` where the interface is not known, or has no such argument.
    """
    names = dict(zip(interface or (), dummies, strict=False))
    return tuple(replace(a, name=names.get(a.name, NO_NAME)) if isinstance(a, Keyword) else a for a in args)
