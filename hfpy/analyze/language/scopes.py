"""Names resolved in scopes (design contract 2): declared here, in the host, or in a used module.

Modules whose source hfpy does not have are opaque: names may come from them, nothing more is known.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from hfpy.analyze.language.context import guards_of
from hfpy.analyze.language.implicit import alone_in, intrinsic_by_use, may_be_set, set_alone, undeclared
from hfpy.analyze.language.intrinsics import INTRINSICS, STANDARD_CONSTANTS, STANDARD_MODULES, WITHOUT_USE
from hfpy.analyze.language.opaque import Opaque
from hfpy.analyze.language.ownintrinsics import always_intrinsic, maybe_intrinsic, said_around
from hfpy.analyze.language.parttypes import PartTypes
from hfpy.model.application import Application
from hfpy.model.units import DerivedType, FType, Routine, Symbol, Use
from hfpy.parse.routines import unit_key
from hfpy.parse.text.physical import preprocessed
from hfpy.values import dataclass

_OF_FUNCTIONS = frozenset({"public", "private"})  # attributes that a function may have without being called external


@dataclass(frozen=True, slots=True)
class Found:
    """A resolved name: ``home`` is the key of the unit that declares it."""

    home: str
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Named:
    """The procedures that a name means in a unit: one, or those of a generic name. ``complete`` tells that all of
    a generic name's procedures have source here, ``doubtful`` that compilers may take it for an intrinsic one.
    """

    keys: tuple[str, ...] = ()
    generic: bool = False
    complete: bool = True
    doubtful: bool = False

    def joined(self, other: Named) -> Named:
        """Both together."""
        keys = tuple(dict.fromkeys((*self.keys, *other.keys)))
        return Named(keys, self.generic or other.generic, self.complete and other.complete)


class _Imports:
    """The names that the ``use`` statements of a unit bring in (Fortran 2018, 14.2.2)."""

    def __init__(self, uses: tuple[Use, ...]) -> None:
        self.listed: dict[str, list[tuple[str, str]]] = {}
        self.whole: list[tuple[str, frozenset[str]]] = []
        for use in uses:
            for local, remote in use.only if use.only is not None else use.renames:
                self.listed.setdefault(local, []).append((use.module, remote))
            if use.only is None:
                self.whole.append((use.module, frozenset(remote for _, remote in use.renames)))

    def sources(self, name: str) -> list[tuple[str, str]]:
        """The modules that a local name may come from, each with the name there."""
        found = self.listed.get(name, ())
        hidden = {module for module, _ in found}
        whole = [(m, name) for m, renamed in self.whole if name not in renamed and m not in hidden]
        return [*found, *whole] if found else whole


class Scopes:
    """Answers what a name means in a unit. Results are kept, as the application never changes."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._variables: dict[tuple[str, str], Found | None] = {}
        self._procedures: dict[tuple[str, str], Named] = {}
        self._exports: dict[tuple[str, str, str], Found | None] = {}
        self._implicit: dict[str, frozenset[str]] = {}
        self._with_lines: dict[str, bool] = {}  # for the preprocessor, by file
        self._imports: dict[str, _Imports] = {}
        self._public: dict[tuple[str, str], Named] = {}
        self._types: dict[tuple[str, str], tuple[str, DerivedType] | None] = {}
        self._guards: dict[str, dict[str, frozenset[str]]] = {}

    @cached_property
    def modules(self) -> dict[str, str]:
        """Module name to key, for modules with source."""
        app = self.application
        units = ((key, app.files[file].units[number]) for key, (file, number) in app.units.items())
        return {unit.name: key for key, unit in units if unit.kind in ("module", "submodule")}

    @cached_property
    def separate(self) -> dict[tuple[str, str], str]:
        """Module and name to key, for procedures whose interface is in a module and whose body in a submodule. Those
        that begin with ``module procedure`` and whose arguments cannot be taken from the interface
        (:mod:`hfpy.parse.separate`) hfpy knows as little as procedures without source.
        """
        app = self.application
        found: dict[tuple[str, str], str] = {}
        for key, (file, number) in app.units.items():
            units = app.files[file].units
            parent = units[number].parent
            within = parent is not None and units[parent].kind == "submodule"
            if units[number].kind == "procedure" or not (within or units[number].kind == "submodule"):
                continue
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

    @cached_property
    def opaque(self) -> Opaque:
        """What units may have from modules without source."""
        return Opaque(self.application, self.modules)

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
            return None if self._is_procedure(symbol, routine) else self._found(symbol, routine)
        for module, remote in self.sources(name, key):
            found = self.exported(remote, module, frozenset({key}))
            if found is not None:
                return found
        if routine.host:
            found = self.variable(name, routine.host)
            if found is not None:
                return found
        if name in routine.dummies or name == routine.result:
            return Found(key, Symbol(name, self.implicit_type(name, routine)))
        if name in self._undeclared(routine) and not self.opaque.brings(name, key):
            procedure = self.procedures(name, key)
            if procedure and (procedure != (f"::{name}",) or name not in set_alone(routine)):
                return None  # an external one may have the name of a local variable
            return Found(key, Symbol(name, self.implicit_type(name, routine)))
        return None

    def _undeclared(self, routine: Routine) -> frozenset[str]:
        """The scalars of a routine that nothing declares, if they have no other meaning: the implicit rules give them
        a type (Fortran 2018, 8.7).
        """
        found = self._implicit.get(routine.key)
        if found is None:
            separate = routine.kind == "procedure"  # its interface declares names, too
            typed = not separate and not self.without_implicit(routine) and not self.opaque.seen_by(routine.key)
            found = undeclared(routine) - self._macros(routine.key) if typed else frozenset()
            if found and self._preprocessed(routine):
                found &= may_be_set(routine) | routine.spec.storage  # others may be macros of included files
            self._implicit[routine.key] = found
        return found

    def _macros(self, key: str) -> frozenset[str]:
        """The names that the preprocessor replaces in a unit."""
        known = (*self.application.macros_of(key), *self.application.file(key).macros)
        return frozenset(name.lower() for name in known)

    def _preprocessed(self, routine: Routine) -> bool:
        if routine.file not in self._with_lines:
            file = self.application.file(routine.key)
            self._with_lines[routine.file] = preprocessed(file.source.lines, file.fixed)
        return self._with_lines[routine.file]

    def without_implicit(self, routine: Routine) -> bool:
        """Whether ``implicit none`` holds in a routine: said there, or in a host and nothing else said there."""
        current: Routine | None = routine
        while current is not None:
            if current.spec.implicit_none or current.spec.implicit:
                return current.spec.implicit_none and not current.spec.implicit
            current = self.application.routines.get(current.host)
        return False

    def _is_procedure(self, symbol: Symbol, routine: Routine) -> bool:
        named = symbol.attributes & {"external", "intrinsic"} or self._described(symbol, routine)
        if symbol.type.base == "procedure" or named:
            return "pointer" not in symbol.attributes
        if any(name == symbol.name for name, *_ in routine.spec.statement_functions):
            return True
        # A type declared for an external or intrinsic function: ``real :: f``, and always with arguments.
        if symbol.rank or symbol.name in (*routine.dummies, routine.result) or symbol.initial is not None:
            return False
        if symbol.attributes - _OF_FUNCTIONS:
            return False
        key = f"::{symbol.name}"
        function = key in self.application.units and self.application.unit(key).kind == "function"
        function = function or (symbol.name in WITHOUT_USE and intrinsic_by_use(self.application, routine, symbol))
        return function and not alone_in(self.application, routine, symbol.name)

    @staticmethod
    def _described(symbol: Symbol, routine: Routine) -> bool:
        """Whether an interface body says that a name is a procedure's, and only attributes are declared beside it."""
        return not symbol.type.base and any(symbol.name in i.bodies for i in routine.spec.interfaces)

    def _found(self, symbol: Symbol, routine: Routine) -> Found:
        """A declared variable; where only its shape or another attribute is declared, the implicit rules type it. With
        an interface body of its name it is a procedure pointer.
        """
        if self._described(symbol, routine):
            symbol = replace(symbol, type=FType("procedure", None, symbol.name, "procedure"))
        if not symbol.type.base:
            symbol = replace(symbol, type=self.implicit_type(symbol.name, routine))
        return Found(routine.key, symbol)

    def implicit_type(self, name: str, routine: Routine) -> FType:
        """The type of an undeclared name by the implicit rules of its routine and those around it."""
        current: Routine | None = routine
        while current is not None:
            for letters, ftype in current.spec.implicit:
                if name[0] in letters:
                    return ftype
            current = self.application.routines.get(current.host)
        return FType("integer" if name[0] in "ijklmn" else "real", None, "", "implicit")

    def sources(self, name: str, key: str) -> list[tuple[str, str]]:
        """The modules with source that a name of a unit may come from, each with the name there."""
        imports = self._imports.get(key)
        if imports is None:
            routine = self.application.routines.get(key)
            uses = routine.spec.uses if routine is not None else self.application.unit(key).uses
            imports = self._imports[key] = _Imports(tuple(use for use in uses if use.module in self.modules))
        return imports.sources(name)

    def exported(self, name: str, module: str, seen: frozenset[str] = frozenset()) -> Found | None:
        """A public variable of a module, its own or one that it passes on."""
        key = self.modules.get(module)
        if key is None or key in seen:
            return None
        routine = self.application.routines.get(key)
        if routine is None or not routine.spec.accessible(name):
            return None
        symbol = routine.spec.symbols.get(name)
        if symbol is not None:
            return None if self._is_procedure(symbol, routine) else self._found(symbol, routine)
        for other, remote in self.sources(name, key):
            found = self.exported(remote, other, seen | {key})
            if found is not None:
                return found
        return None

    # -- procedures

    def procedures(self, name: str, key: str) -> tuple[str, ...]:
        """Keys of the routines that a name may call from a unit (several for a generic name); empty if unknown."""
        return self.named(name, key).keys

    def named(self, name: str, key: str) -> Named:
        """The routines that a name may call from a unit, and whether it is generic."""
        slot = (key, name)
        if slot not in self._procedures:
            self._procedures[slot] = self._find_procedures(name, key)
        return self._procedures[slot]

    def _find_procedures(self, name: str, key: str) -> Named:
        """A specific procedure, or all that a generic name means: an interface adds to those of the modules that are
        used, and of hosts (Fortran 2018, 15.5.5.2).
        """
        app = self.application
        current: str | None = key
        found = Named()
        while current:
            if self.statement_function(name, current):
                return Named()  # of the unit or a host, whatever procedures have the name elsewhere
            unit = app.unit(current)
            here = self._named_here(name, current)
            itself = not here.generic and not here.keys and unit.kind in ("subroutine", "function")
            if itself and unit.name == name:
                here = Named((current,))
            found = found.joined(here)
            if here.keys and not here.generic:
                break
            current = self._host(current)
        if found.keys or found.generic:
            return found
        return self._external(name, key) if f"::{name}" in app.units else found

    def _external(self, name: str, key: str) -> Named:
        """What a name means that is an external procedure's, and nothing nearer."""
        external = f"::{name}"
        kind = self.application.unit(external).kind
        always = always_intrinsic(name, kind)
        if not always and not maybe_intrinsic(name, kind):
            return Named((external,))
        said = said_around(name, key, self.application, self._modules_of)
        if said:
            return Named() if said == "intrinsic" else Named((external,))
        return Named() if always else Named((external,), doubtful=True)

    def _modules_of(self, name: str, key: str) -> list[tuple[str, str]]:
        """The keys of the modules that a name of a unit may come from, each with the name there."""
        return [(self.modules[module], remote) for module, remote in self.sources(name, key)]

    def _named_here(self, name: str, key: str) -> Named:
        """What a name means in a unit, hosts apart."""
        app = self.application
        routine = app.routines.get(key)
        found = self._generic(name, routine, key) if routine is not None else Named()
        if not found.generic and f"{key}::{name}" in app.units:
            return Named((f"{key}::{name}",))
        if not found.generic and (key, name) in self.separate:
            return Named((self.separate[key, name],))
        for module, remote in self.sources(name, key):
            if self.modules[module] != key:
                found = found.joined(self._exported_procedures(remote, self.modules[module]))
        return found

    def _host(self, key: str) -> str | None:
        app = self.application
        file, number = app.units[key]
        parent = app.files[file].units[number].parent
        if parent is None:
            unit = app.unit(key)
            outer = unit.uses[0].module if unit.kind == "submodule" and unit.uses else None
            return outer if outer in app.units else None

        return unit_key(app.files[file], parent)

    def _generic(self, name: str, routine: Routine, key: str) -> Named:
        """What the interfaces of a unit give a name."""
        found: list[str] = []
        blocks = [i for i in routine.spec.interfaces if i.name == name]
        complete = True
        for procedure in (p for interface in blocks for p in (*interface.procedures, *interface.bodies)):
            if procedure != name:
                keys = self.procedures(procedure, key)
            elif f"{key}::{procedure}" in self.application.units:
                keys = (f"{key}::{procedure}",)
            else:
                keys = (self.separate[key, procedure],) if (key, procedure) in self.separate else ()
            found += keys
            complete = complete and bool(keys)
        return Named(tuple(dict.fromkeys(found)), bool(blocks), complete)

    def _exported_procedures(self, name: str, module: str) -> Named:
        routine = self.application.routines.get(module)
        if routine is not None and not routine.spec.accessible(name):
            return Named()
        slot = (module, name)
        if slot not in self._public:
            self._public[slot] = Named()  # for modules that use each other
            self._public[slot] = self._named_here(name, module)
        return self._public[slot]

    def statement_function(self, name: str, key: str) -> bool:
        """Whether a name is a statement function of the unit."""
        routine = self.application.routines.get(key)
        return routine is not None and any(n == name for n, *_ in routine.spec.statement_functions)

    def statement_function_type(self, name: str, key: str) -> FType:
        """The type of the value of a statement function of the unit: as declared, else by the implicit rules."""
        routine = self.application.routines[key]
        symbol = routine.spec.symbols.get(name)
        return symbol.type if symbol is not None and symbol.type.base else self.implicit_type(name, routine)

    @cached_property
    def entries(self) -> dict[str, tuple[str, ...]]:
        """The names of all entries of routines beside their own, each with the keys of the routines that have it."""
        found: dict[str, tuple[str, ...]] = {}
        for key, routine in self.application.routines.items():
            for name in routine.entries:
                found[name] = (*found.get(name, ()), key)
        return found

    @cached_property
    def in_namelists(self) -> frozenset[tuple[str, str]]:
        """The variables of namelists, by home and name."""
        named = (
            (m, r.key)
            for r in self.application.routines.values()
            for g in r.spec.groups
            for m in g.members
            if g.kind == "namelist"
        )
        found = (self.variable(name, key) for name, key in named)
        return frozenset((f.home, f.symbol.name) for f in found if f is not None)

    def is_entry(self, name: str, key: str) -> bool:
        """Whether a name, as that of a procedure, may be another entry of a routine."""
        return name in self.entries and not self.procedures(name, key)

    def is_intrinsic(self, name: str, key: str) -> bool:
        """Whether a name means an intrinsic procedure in the unit."""
        return name in INTRINSICS and self.variable(name, key) is None and not self.procedures(name, key)

    def standard_constant(self, name: str, key: str, seen: frozenset[str] = frozenset()) -> int | None:
        """The value of a named constant of ``iso_fortran_env`` or ``iso_c_binding`` by its name in a unit; None for
        other names. ``seen`` are units that ask, in modules that use each other.
        """
        current: str | None = key
        while current and current not in seen:
            routine = self.application.routines.get(current)
            if routine is None or name in routine.spec.symbols:
                return None
            for use in routine.spec.uses:
                value = self._standard_through(use, name, seen | {current})
                if value is not None:
                    return value
            current = routine.host or None
        return None

    def _standard_through(self, use: Use, name: str, seen: frozenset[str]) -> int | None:
        """The same for what one ``use`` statement brings in, also by modules that pass it on."""
        remote = next((remote for local, remote in use.only or use.renames if local == name), None)
        if remote is None and use.only is None and all(remote != name for _, remote in use.renames):
            remote = name
        if remote is None:
            return None
        if use.module in STANDARD_MODULES:
            return STANDARD_CONSTANTS.get(remote)
        module = self.modules.get(use.module)
        there = self.application.routines.get(module) if module is not None else None
        if there is None or not there.spec.accessible(remote):
            return None
        return self.standard_constant(remote, there.key, seen)

    def derived_type(self, name: str, key: str) -> DerivedType | None:
        """The definition of a derived type visible in a unit."""
        found = self.type_at_home(name, key)
        return found[1] if found is not None else None

    def type_at_home(self, name: str, key: str) -> tuple[str, DerivedType] | None:
        """The unit that defines a derived type which is visible in a unit, and the definition."""
        slot = (name, key)
        if slot not in self._types:
            self._types[slot] = None  # of modules that use each other in a circle
            self._types[slot] = self._find_type(name, key)
        return self._types[slot]

    def _find_type(self, name: str, key: str) -> tuple[str, DerivedType] | None:
        routine = self.application.routines.get(key)
        if routine is None:
            return None
        if name in routine.spec.types:
            return key, routine.spec.types[name]
        for module, remote in self.sources(name, key):
            home = self.modules[module]
            there = self.application.routines.get(home) if home != key else None
            found = self.type_at_home(remote, home) if there is not None and there.spec.accessible(remote) else None
            if found is not None:
                return found
        return self.type_at_home(name, routine.host) if routine.host else None

    def lineage(self, name: str, key: str) -> tuple[tuple[str, DerivedType], ...]:
        """A derived type that is visible in a unit and all that it extends, as far as they are known, each with the
        unit that defines it.
        """
        found: list[tuple[str, DerivedType]] = []
        current = self.type_at_home(name, key)
        while current is not None and current not in found:
            found.append(current)
            home, derived = current
            current = self.type_at_home(derived.extends, home) if derived.extends else None
        return tuple(found)

    def extensions(self, name: str, key: str) -> tuple[tuple[str, DerivedType], ...]:
        """All types of the program that extend a type which is visible in a unit, directly or not."""
        base = self.type_at_home(name, key)
        return tuple(made) if base is not None and (made := self._extensions.get((base[0], base[1].name))) else ()

    @cached_property
    def _extensions(self) -> dict[tuple[str, str], list[tuple[str, DerivedType]]]:
        """The extensions of each type, by its unit and name."""
        found: dict[tuple[str, str], list[tuple[str, DerivedType]]] = {}
        for key, routine in self.application.routines.items():
            for derived in routine.spec.types.values():
                for home, above in self.lineage(derived.extends, key) if derived.extends else ():
                    found.setdefault((home, above.name), []).append((key, derived))
        return found

    def component(self, name: str, derived: str, key: str) -> Found | None:
        """The declaration of a component of a type that is visible in a unit, also of one that the type extends."""
        for home, definition in self.lineage(derived, key):
            for symbol in definition.components:
                if symbol.name == name:
                    return Found(home, symbol)
        return None

    def guards(self, name: str, key: str) -> frozenset[str]:
        """The derived types that guards of ``select type`` constructs of a routine give a name."""
        if key not in self._guards:
            routine = self.application.routines.get(key)
            self._guards[key] = guards_of(routine) if routine is not None else {}
        return self._guards[key].get(name, frozenset())

    @cached_property
    def parts(self) -> PartTypes:
        """What the components of derived types have, at any depth."""
        types = {(key, t.name): t for key, r in self.application.routines.items() for t in r.spec.types.values()}
        return PartTypes(types, self.lineage)

    @cached_property
    def extended(self) -> frozenset[str]:
        """The names of all types that others extend. An object of an extension has a component of that name, its
        parent component (Fortran 2018, 7.5.7.2).
        """
        routines = self.application.routines.values()
        return frozenset(t.extends for r in routines for t in r.spec.types.values() if t.extends)
