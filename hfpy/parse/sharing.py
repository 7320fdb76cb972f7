"""Units that may know the arrays of those that directives reach, by the index and by what these declare.

A layout gives an array another order wherever it is known. So in a program with a layout these units are parsed, too:
those that name the same arrays of modules, those that pass arrays to such units or take some from them, and what is in
one procedure with them. A unit is left out only where none of its names can mean such an array or procedure.
Components of objects keep their order, and so do arrays of common blocks; what sets pointers is parsed anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from hfpy.model.application import Application
from hfpy.model.macros import Macro
from hfpy.model.units import Routine, UnitIndex
from hfpy.parse.edges import own_lines, procedures_by_name
from hfpy.parse.routines import declared_unit, unit_key
from hfpy.parse.text.lexer import includes

Variable = tuple[str, str]  # module, and name there

_MODULES = ("module", "submodule")
_NAME = re.compile(r"[a-z_]\w*")


class Mentions:
    """The names that procedures and main programs have in their texts."""

    def __init__(self, application: Application) -> None:
        """``application`` needs no more than its index."""
        self.application = application
        self.by_name = procedures_by_name(application)
        self.names_of: dict[str, list[str]] = {}  # of procedures, with generic ones
        for name, keys in self.by_name.items():
            for key in keys:
                self.names_of.setdefault(key, []).append(name)
        self._renamed = _renames(application)
        self.names = {k: self._names(k) for k in application.units if application.unit(k).kind not in _MODULES}
        self._pointers = frozenset(_procedure_pointers(application))
        self.callers: dict[str, list[str]] = {}  # who mentions a name of procedures
        for key, names in self.names.items():
            for name in names & self.by_name.keys():
                self.callers.setdefault(name, []).append(key)
        self.unknown = {key for key in self.names if self._is_unknown(key)}
        self.passing: dict[str, bool] = {}  # what was asked of :meth:`Sharing.passes`

    def _names(self, key: str) -> frozenset[str]:
        """The names in a unit, and those that they may have where they are declared."""
        file, number = self.application.units[key]
        lines = own_lines(self.application.files[file], number)
        names = set(_NAME.findall("\n".join(line.text for line in lines).lower()))
        new = names & self._renamed.keys()
        while new:
            meant = set().union(*(self._renamed[name] for name in new)) - names
            names |= meant
            new = meant & self._renamed.keys()
        return frozenset(names)

    def _is_unknown(self, key: str) -> bool:
        """Whether a unit may have names that are not in its text, or arguments that its first line does not show."""
        file, number = self.application.units[key]
        index = self.application.files[file]
        hidden = {*index.macros, *_with_names(self.application.macros), *_with_names(index.definitions)}
        if hidden and {name.lower() for name in hidden} & self.names[key]:
            return True
        if self._pointers & self.names[key]:
            return True  # which procedure it calls is not known
        texts = (line.text.lower() for line in own_lines(index, number))
        return any(text.startswith("entry") or includes(text) for text in texts)


def _renames(application: Application) -> dict[str, set[str]]:
    """The names that ``use`` statements give to what has other names in its module, with those."""
    found: dict[str, set[str]] = {}
    for use in (use for index in application.files for unit in index.units for use in unit.uses):
        for local, name in (*(use.only or ()), *use.renames):
            if local != name:
                found.setdefault(local, set()).add(name)
    return found


def _procedure_pointers(application: Application) -> Iterator[str]:
    """The names in lines that may declare pointers to procedures."""
    for index in application.files:
        for text in (line.text.lower() for line in index.lines if not line.directive):
            if text.startswith("pointer") or ("pointer" in text and text.startswith(("procedure", "external"))):
                yield from set(_NAME.findall(text)) - {"pointer", "procedure", "external", "nopass", "pass", "null"}


def _with_names(macros: Mapping[str, Macro]) -> Iterator[str]:
    """The names of macros whose text has a name in it."""
    return (name for name, macro in macros.items() if _NAME.search(macro.body.lower()))


class Sharing:
    """Finds units that may share arrays with those of an application that are parsed."""

    def __init__(self, application: Application, mentions: Mentions) -> None:
        self.application = application
        self.mentions = mentions
        meanings = _Meanings(application)
        self.variables = {key: self._variables(key, meanings) for key in mentions.names}
        self.knowing: dict[Variable, list[str]] = {}
        for key, known in self.variables.items():
            for variable in known:
                self.knowing.setdefault(variable, []).append(key)

    def _variables(self, key: str, meanings: _Meanings) -> frozenset[Variable]:
        """The arrays of modules that a unit may name."""
        routine = self.application.routines.get(key)
        own = routine.spec.symbols.keys() if routine is not None else ()
        names = self.mentions.names[key].difference(own) & meanings.names
        return frozenset(variable for name in names for variable in meanings.of(name, key))

    def units(self) -> set[str]:
        """The keys of such units. What they use comes with them, and may lead to more."""
        routines = self.application.routines
        seen = self.mentions.unknown | (self.variables.keys() & routines.keys())
        pending = sorted(seen)
        while pending:
            key = pending.pop()
            if self.passes(key) and any("(" in name for name in self.mentions.names_of[key]):
                return set(self.application.units) - routines.keys()  # operators have no names where they are used
            new = set(self._related(key)) - seen
            pending += sorted(new)
            seen |= new
        return seen - routines.keys()

    def _related(self, key: str) -> Iterator[str]:
        """The units that may share arrays with one unit."""
        yield from self._beside(key)
        yield from chain(*(self.knowing.pop(variable, ()) for variable in self.variables[key]))
        for name in self.mentions.names[key] & self.mentions.by_name.keys():
            yield from filter(self.passes, self.mentions.by_name[name])
        if self.passes(key):
            yield from chain(*(self.mentions.callers.get(name, ()) for name in self.mentions.names_of[key]))

    def _beside(self, key: str) -> Iterator[str]:
        """The procedure around an internal one, and those in a procedure: they know the same variables."""
        file, number = self.application.units[key]
        index = self.application.files[file]
        unit = index.units[number]
        near = (*unit.children, *(() if unit.parent is None else (unit.parent,)))
        yield from (unit_key(index, n) for n in near if index.units[n].kind not in _MODULES)

    def passes(self, key: str) -> bool:
        """Whether a procedure may take arrays or procedures as arguments, or give an array."""
        known = self.mentions.passing
        if key not in known:
            known[key] = self._passes(key)
        return known[key]

    def _passes(self, key: str) -> bool:
        file, number = self.application.units[key]
        index = self.application.files[file]
        unit = index.units[number]
        dummies = [name for name in unit.dummies if name != "*"]
        if unit.kind not in ("subroutine", "function"):
            return unit.kind == "procedure"
        if not dummies and unit.kind == "subroutine":
            return False
        routine = self.application.routines.get(key)
        if routine is None:
            routine, problems = declared_unit(index, number, self.application.options)
            if problems:
                return True
        return (index.hybrid and bool(dummies)) or _takes_or_gives(routine, dummies)


def _takes_or_gives(routine: Routine, dummies: list[str]) -> bool:
    """Whether arguments or the result may be more than scalars. A dummy that is not declared may be a procedure."""
    symbols = routine.spec.symbols
    result = symbols.get(routine.result)
    if result is not None and result.rank:
        return True
    found = [symbols.get(name) for name in dummies]
    return any(s is None or s.rank or s.type.base in ("", "procedure") or "external" in s.attributes for s in found)


class _Meanings:
    """What names may mean in units: arrays of the modules that are parsed. Which of several meanings a name has, and
    whether a module lets others use it, is not looked at.
    """

    def __init__(self, application: Application) -> None:
        self.application = application
        self.modules = {u.name: u for f in application.files for u in f.units if u.kind in _MODULES}
        routines = application.routines.values()
        listed = (x.name.lower() for r in routines for block in r.spec.dependants for x in block.names)
        inserted = {name for text in listed for name in _NAME.findall(text)}  # scalars that get dimensions, too
        self.arrays = {
            r.name: {name for name, symbol in r.spec.symbols.items() if symbol.rank or name in inserted}
            for r in routines
            if r.kind in _MODULES
        }
        self.groups = dict(_namelists(application))
        uses = (use for index in application.files for unit in index.units for use in unit.uses)
        pairs = (pair for use in uses for pair in (*(use.only or ()), *use.renames))
        others = (local for local, name in pairs if local != name)
        groups = (name for _, name in self.groups)
        self.names = frozenset(chain(others, groups, *self.arrays.values()))
        self._exported: dict[Variable, frozenset[Variable]] = {}

    def of(self, name: str, key: str) -> set[Variable]:
        """The arrays that a name may mean in a unit: those of its module, and of what it and the units around use."""
        file, number = self.application.units[key]
        index = self.application.files[file]
        found: set[Variable] = set()
        unit: UnitIndex | None = index.units[number]
        while unit is not None:
            found |= self._known_in(unit, name)
            unit = index.units[unit.parent] if unit.parent is not None else None
        return found

    def _known_in(self, unit: UnitIndex, name: str) -> set[Variable]:
        """The arrays that a name may mean by what one unit declares and uses; a namelist means its members."""
        members = self.groups.get((unit.name, name), frozenset()) if unit.kind in _MODULES else frozenset()
        return {variable for one in {name, *members} for variable in self._named_in(unit, one)}

    def _named_in(self, unit: UnitIndex, name: str) -> Iterator[Variable]:
        if unit.kind in _MODULES and name in self.arrays.get(unit.name, ()):
            yield unit.name, name
        for use in unit.uses:
            given = dict(use.only if use.only is not None else use.renames)
            if use.module in self.modules and (use.only is None or name in given):
                yield from self._exports(use.module, given.get(name, name))

    def _exports(self, module: str, name: str) -> frozenset[Variable]:
        """The arrays that a name of a module may mean, its own or those of other modules."""
        slot = (module, name)
        if slot not in self._exported:
            self._exported[slot] = frozenset()  # for modules that use each other
            self._exported[slot] = frozenset(self._known_in(self.modules[module], name))
        return self._exported[slot]


def _namelists(application: Application) -> Iterator[tuple[Variable, frozenset[str]]]:
    """The namelists of modules, each with the names in its statement."""
    for index in application.files:
        for number, unit in enumerate(index.units):
            for line in own_lines(index, number) if unit.kind in _MODULES else ():
                if line.text.lower().startswith("namelist"):
                    names = frozenset(_NAME.findall(line.text.lower()))
                    yield from (((unit.name, name), names) for name in names)
