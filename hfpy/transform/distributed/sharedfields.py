"""What a routine for the whole grid (``@wholeGrid``) shares with other units: fields of which each process has a part,
and what all processes have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.order.allocations import known_size
from hfpy.analyze.processes.decomposed import Cut, Grid, element_type, is_sent, not_of_grid, passes_parts, without_place
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.stencil.locals import Locals
from hfpy.values import dataclass

_SENT_TYPES = ("real", "integer", "logical", "complex")


@dataclass(frozen=True)
class Shared:
    """An array or scalar that the routine gets from other units: its ``cuts`` (none: every process has all of it),
    whether its values are read and set, and whether it is allocated there, perhaps by the routine; ``sizes``
    are those that the program gives it, in words of the routine (empty: they are not the same everywhere).
    """

    name: str
    type: str
    rank: int
    cuts: tuple[Cut, ...]
    reads: bool
    sets: bool
    allocatable: bool
    dummy: bool
    sizes: tuple[str, ...] = ()

    def cut(self, position: int) -> Cut | None:
        """The cut of a dimension."""
        return next((c for c in self.cuts if c.position == position), None)


@dataclass
class SharedFields:
    """The variables that one routine for the whole grid gets from others; what is against it is added to ``found``."""

    facts: Facts
    effects: Effects
    routine: Routine
    index: FileIndex
    grid: Grid
    others: Sequence[Grid]
    setter: str
    line: LogicalLine
    names: Locals
    found: list[Diagnostic]
    modules: dict[str, None] = field(default_factory=dict)

    def _arguments(self) -> Iterator[Shared | None]:
        for name in self.routine.dummies:
            data = self.facts.object(name, self.routine.key)
            if data is not None:
                intent = self.effects.intent(self.routine.key, name)
                yield self._shared(name, data, intent != "out", intent != "in", dummy=True)

    def _module_variables(self) -> Iterator[Shared | None]:
        key = self.routine.key
        here = {r.name for r in self.facts.references[key]}
        named = {found.identity: n for n in sorted(here) if (found := self.facts.object(n, key)) is not None}
        sets, mentions = self.effects.changed(key), self.effects.mentioned(key)
        for identity in sorted(sets | mentions):
            home, name = identity
            if identity in self._sizes() or home == key:
                continue
            data = self.facts.object(name, home)
            if data is None or data.symbol.constant or not (identity in sets or self.grid.cuts(data)):
                continue
            local = named.get(identity) or self._known_as(identity)
            if local:
                yield self._shared(local, data, identity in mentions, identity in sets, dummy=False)

    def _known_as(self, identity: tuple[str, str]) -> str:
        """The name under which the routine knows a variable that only what it calls names; empty, with an error, if it
        cannot know it.
        """
        home, name = identity
        owner = self.facts.routine(home)
        found = self.facts.scopes.variable(name, self.routine.key)
        if found is not None and (found.home, found.symbol.name) == identity:
            return name
        if owner.kind == "module" and owner.spec.accessible(name):
            own = self.names.new("", f"{owner.name}_{name}")
            self.modules[f"use {owner.name}, only: {own} => {name}"] = None
            return own
        hint = f"make '{name}' public, or pass it as an argument"
        self._refuse(f"what it calls works with '{name}' of '{owner.name}', which is not known here", hint)
        return ""

    def _shared(self, name: str, data: DataObject, reads: bool, sets: bool, dummy: bool) -> Shared | None:
        cuts = self.grid.cuts(data)
        if why := not_of_grid(self.grid, self.others, data):
            self._refuse(
                f"'{name}' {why}",
                "pass fields of one decomposition, declared with its local sizes themselves, as in u(nx+1,ny)",
            )
            return None
        if (
            not cuts
            and dummy
            and any(d.extent.form == "assumed" for d in data.full)
            and passes_parts(self.facts, self.grid, self.routine.key, name)
        ):
            hint = f"declare it with the local sizes, or where it begins in @domainDependant: {name}(1-h:)"
            self._refuse(
                f"'{name}' is a decomposed field, and its declaration does not tell along which dimensions", hint
            )
            return None
        if any(d.extent.form == "star" for d in data.full):
            self._refuse(f"'{name}' has assumed size", f"declare its last dimension, as in {name}(nx,ny)")
            return None
        if not cuts and not sets:
            return None
        optional = "optional" in data.symbol.attributes
        known_type = data.symbol.type.base in _SENT_TYPES and is_sent(self.facts, data)
        if not known_type and (data.symbol.type.base != "character" or data.full):
            self._refuse(f"'{name}' is of a type that cannot be sent to other processes")
        elif optional or "pointer" in data.symbol.attributes:
            self._refuse(f"'{name}' is {'optional' if optional else 'a pointer'}")
        elif cuts and not dummy and "allocatable" not in data.symbol.attributes:
            self._refuse(f"'{name}' of a module is not allocatable", "make it allocatable, or pass it as an argument")
        elif any(d.declared is None for d in data.full):
            self._refuse(f"'{name}' has dimensions that its declaration does not show")
        elif any(without_place(cut) for cut in cuts):
            self._refuse(f"'{name}' has assumed shape", f"declare where it begins, as in {name}(1-h:)")
        type_text = element_type(self.facts, data) or data.symbol.type.text
        allocatable = "allocatable" in data.symbol.attributes
        here = self.facts.object(name, self.routine.key) if allocatable and not dummy else None
        known = [known_size(self.facts, here, n) for n in range(here.rank)] if here is not None else []
        sizes = tuple(size.text for size in known if size is not None)
        whole = sizes if len(sizes) == len(known) else ()
        return Shared(name, type_text, len(data.full), cuts, reads, sets, allocatable, dummy, whole)

    def _sizes(self) -> dict[tuple[str, str], int]:
        """The variables of modules that have the local sizes, with the number of the domain."""
        found = {}
        for number, name in enumerate(self.grid.what.local, 1):
            variable = self.facts.scopes.variable(name, self.setter)
            home = self.facts.application.routines.get(variable.home) if variable is not None else None
            if variable is not None and home is not None and home.kind in ("module", "submodule"):
                found[variable.home, variable.symbol.name] = number
        return found

    def _refuse(self, message: str, hint: str = "") -> None:
        self.found.append(
            error(
                "HF654",
                message,
                self.line.place(self.routine.file),
                hint or "call a subroutine of a module here that does it",
            )
        )
