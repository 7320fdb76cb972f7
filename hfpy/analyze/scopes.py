"""Names resolved in scopes (design contract 2): declared here, in the host, or in a used module.

Modules whose source hfpy does not have are opaque: names may come from them, nothing more is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hfpy.analyze.intrinsics import INTRINSICS
from hfpy.model.application import Application
from hfpy.model.units import DerivedType, FType, Routine, Symbol, Use


@dataclass(frozen=True, slots=True)
class Found:
    """A resolved name: ``home`` is the key of the unit that declares it."""

    home: str
    symbol: Symbol


class Scopes:
    """Answers what a name means in a unit. Results are kept, as the application never changes."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._variables: dict[tuple[str, str], Found | None] = {}
        self._procedures: dict[tuple[str, str], tuple[str, ...]] = {}
        self._exports: dict[tuple[str, str, str], Found | None] = {}
        self._opaque: dict[str, bool] = {}

    @cached_property
    def modules(self) -> dict[str, str]:
        """Module name to key, for modules with source."""
        app = self.application
        return {app.unit(key).name: key for key in app.units if app.unit(key).kind in ("module", "submodule")}

    @cached_property
    def separate(self) -> dict[tuple[str, str], str]:
        """Module and name to key, for procedures whose interface is in a module and whose body in a submodule."""
        app = self.application
        found: dict[tuple[str, str], str] = {}
        for key in app.units:
            host = self._host(key)
            if host is None or app.unit(host).kind != "submodule":
                continue
            seen: set[str] = set()
            while host is not None and host not in seen and app.unit(host).kind == "submodule":
                seen.add(host)
                host = self._host(host)
                if host is not None:
                    found.setdefault((host, app.unit(key).name), key)
        return found

    # -- variables

    def variable(self, name: str, key: str) -> Found | None:
        """The variable or constant that a name means in a unit; None for procedures, intrinsics and unknown names."""
        slot = (key, name)
        if slot not in self._variables:
            self._variables[slot] = self._variable(name, key)
        return self._variables[slot]

    def _variable(self, name: str, key: str) -> Found | None:
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        symbol = routine.spec.symbols.get(name)
        if symbol is not None:
            return None if self._is_procedure(symbol, routine) else Found(key, symbol)
        for use in routine.spec.uses:
            found = self._from_use(name, use, key)
            if found is not None:
                return found
        if routine.host:
            found = self.variable(name, routine.host)
            if found is not None:
                return found
        if name in routine.dummies or name == routine.result:
            return Found(key, Symbol(name, self.implicit_type(name, routine)))
        return None

    def _is_procedure(self, symbol: Symbol, routine: Routine) -> bool:
        if symbol.type.base == "procedure" or "external" in symbol.attributes or "intrinsic" in symbol.attributes:
            return "pointer" not in symbol.attributes
        if any(name == symbol.name for name, *_ in routine.spec.statement_functions):
            return True
        # A type declared for an external function: ``real :: f`` with f in the index and never dimensioned.
        external = f"::{symbol.name}" in self.application.units
        return external and symbol.rank == 0 and symbol.name not in (*routine.dummies, routine.result)

    @staticmethod
    def implicit_type(name: str, routine: Routine) -> FType:
        """The type of an undeclared name by the implicit rules of its routine."""
        for letters, ftype in routine.spec.implicit:
            if name[0] in letters:
                return ftype
        return FType("integer" if name[0] in "ijklmn" else "real", None, "", "implicit")

    def _from_use(self, name: str, use: Use, key: str) -> Found | None:
        if use.module not in self.modules:
            return None
        if use.only is not None:
            remote = next((r for local, r in use.only if local == name), None)
        else:
            remote = next((r for local, r in use.renames if local == name), None)
            if remote is None and not any(r == name for _, r in use.renames):
                remote = name
        if remote is None:
            return None
        return self.exported(remote, use.module, frozenset({key}))

    def exported(self, name: str, module: str, seen: frozenset[str] = frozenset()) -> Found | None:
        """A public variable of a module, its own or one that it passes on."""
        key = self.modules.get(module)
        if key is None or key in seen:
            return None
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        symbol = routine.spec.symbols.get(name)
        if symbol is not None:
            return None if self._is_procedure(symbol, routine) else Found(key, symbol)
        for use in routine.spec.uses:
            if use.module not in self.modules:
                continue
            if use.only is not None:
                remote = next((r for local, r in use.only if local == name), None)
            else:
                remote = next((r for local, r in use.renames if local == name), name)
            if remote is not None:
                found = self.exported(remote, use.module, seen | {key})
                if found is not None:
                    return found
        return None

    # -- procedures

    def procedures(self, name: str, key: str) -> tuple[str, ...]:
        """Keys of the routines that a name may call from a unit (several for a generic name); empty if unknown."""
        slot = (key, name)
        if slot not in self._procedures:
            self._procedures[slot] = self._find_procedures(name, key)
        return self._procedures[slot]

    def _find_procedures(self, name: str, key: str) -> tuple[str, ...]:
        app = self.application
        current: str | None = key
        while current:
            inner = f"{current}::{name}"
            if inner in app.units:
                return (inner,)
            if (current, name) in self.separate:
                return (self.separate[current, name],)
            routine = app.routines.get(current)
            unit = app.unit(current)
            if unit.kind in ("subroutine", "function") and unit.name == name:
                return (current,)
            if routine is not None:
                found = self._generic(name, routine, current) or self._used_procedures(
                    name, routine.spec.uses, {current}
                )
                if found:
                    return found
            else:
                found = self._used_procedures(name, unit.uses, {current})
                if found:
                    return found
            current = self._host(current)
        return (f"::{name}",) if f"::{name}" in app.units else ()

    def _host(self, key: str) -> str | None:
        app = self.application
        file, number = app.units[key]
        parent = app.files[file].units[number].parent
        if parent is None:
            unit = app.unit(key)
            outer = unit.uses[0].module if unit.kind == "submodule" and unit.uses else None
            return outer if outer in app.units else None
        from hfpy.parse.routines import unit_key

        return unit_key(app.files[file], parent)

    def _generic(self, name: str, routine: Routine, key: str) -> tuple[str, ...]:
        found: list[str] = []
        for interface in routine.spec.interfaces:
            if interface.name != name:
                continue
            for procedure in interface.procedures:
                if procedure != name:
                    found += self.procedures(procedure, key)
                elif f"{key}::{procedure}" in self.application.units:
                    found.append(f"{key}::{procedure}")
        return tuple(found)

    def _used_procedures(self, name: str, uses: tuple[Use, ...], seen: set[str]) -> tuple[str, ...]:
        for use in uses:
            if use.only is not None:
                remote = next((r for local, r in use.only if local == name), None)
            else:
                remote = next((r for local, r in use.renames if local == name), name)
            module = self.modules.get(use.module)
            if remote is None or module is None or module in seen:
                continue
            found = self._exported_procedures(remote, module, seen)
            if found:
                return found
        return ()

    def _exported_procedures(self, name: str, module: str, seen: set[str]) -> tuple[str, ...]:
        app = self.application
        if f"{module}::{name}" in app.units:
            return (f"{module}::{name}",)
        if (module, name) in self.separate:
            return (self.separate[module, name],)
        routine = app.routines.get(module)
        if routine is not None:
            found = self._generic(name, routine, module)
            if found:
                return found
        uses = routine.spec.uses if routine is not None else app.unit(module).uses
        return self._used_procedures(name, uses, seen | {module})

    def statement_function(self, name: str, key: str) -> bool:
        """Whether a name is a statement function of the unit."""
        routine = self.application.routines.get(key)
        return routine is not None and any(n == name for n, *_ in routine.spec.statement_functions)

    def is_intrinsic(self, name: str, key: str) -> bool:
        """Whether a name means an intrinsic procedure in the unit."""
        return name in INTRINSICS and self.variable(name, key) is None and not self.procedures(name, key)

    def derived_type(self, name: str, key: str) -> DerivedType | None:
        """The definition of a derived type visible in a unit."""
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        if name in routine.spec.types:
            return routine.spec.types[name]
        for use in routine.spec.uses:
            module = self.modules.get(use.module)
            remote = name
            if use.only is not None:
                remote = next((r for local, r in use.only if local == name), "")
            if module and remote and module != key:
                found = self.derived_type(remote, module)
                if found is not None:
                    return found
        return self.derived_type(name, routine.host) if routine.host else None

    def sees_opaque(self, key: str) -> bool:
        """Whether a unit (or its host) uses a module without source as a whole, so that unknown names may come from
        it.
        """
        if key not in self._opaque:
            self._opaque[key] = self._sees_opaque(key, set())
        return self._opaque[key]

    def _sees_opaque(self, key: str, seen: set[str]) -> bool:
        if key in seen:
            return False
        seen.add(key)
        routine = self.application.routines.get(key)
        if routine is None:
            return True
        for use in routine.spec.uses:
            module = self.modules.get(use.module)
            if module is None and not use.intrinsic and use.only is None:
                return True
            if module is not None and use.only is None and self._sees_opaque(module, seen):
                return True
        return bool(routine.host) and self._sees_opaque(routine.host, seen)

    def imported_opaquely(self, name: str, key: str) -> bool:
        """Whether a name is imported by name from a module without source."""
        current: str | None = key
        while current:
            routine = self.application.routines.get(current)
            if routine is None:
                return False
            for use in routine.spec.uses:
                if use.module not in self.modules and use.only and any(local == name for local, _ in use.only):
                    return True
            current = routine.host or None
        return False
