"""Members of common blocks: where each lies, and by which names other units have the same storage.

The block's storage decides what a name means, not the name (Fortran 2018, 8.10.2): `common /c/ a, b` in one unit and
`common /c/ x, y` in another one give `a` and `x` the same memory. Two members are one variable for hfpy if they begin
at the same place and have the same type, kind and bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from hfpy.analyze.facts import block_of
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.model.application import Application
from hfpy.model.kernel import Slot
from hfpy.model.scalars import Scalar
from hfpy.model.units import Routine
from hfpy.values import dataclass

#: Where a member begins, in bytes from the block's beginning: without room between members, and with the room that
#: compilers leave so that each begins at a multiple of its size. Members agree if both do.
Begin = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Member:
    """A variable of a common block (``block``, empty for the blank one) as the unit ``home`` declares it. ``length`` is
    that of a text; 0 for others.
    """

    home: str
    name: str
    block: str
    begin: Begin
    scalar: Scalar
    bounds: tuple[tuple[int, int], ...] = ()
    length: int = 0

    @property
    def slot(self) -> Slot:
        """The key of the variable, the same in all units."""
        bounds = ",".join(f"{low}:{high}" for low, high in self.bounds)
        what = f"{self.scalar.base}{self.scalar.bytes}*{self.length}({bounds})"
        return f"/{self.block}/", f"{self.begin[0]} {self.begin[1]} {what}"

    @property
    def bytes(self) -> int:
        """The size in memory."""
        elements = 1
        for low, high in self.bounds:
            elements *= max(high - low + 1, 0)
        return elements * self.scalar.size * max(self.length, 1)


@dataclass
class Members:
    """The members of all blocks of a program, by the units that declare them. What is asked for is kept."""

    application: Application
    scopes: Scopes
    kinds: Kinds
    _layouts: dict[tuple[str, str], tuple[Member | None, ...]] = field(default_factory=dict)
    _slots: dict[Slot, Slot] = field(default_factory=dict)
    _units: dict[str, list[str]] | None = None

    def slot(self, home: str, name: str) -> Slot:
        """The key of a variable, the same in all units: its home and name, or its place in a common block."""
        if (home, name) not in self._slots:
            member = self.member(home, name)
            self._slots[home, name] = member.slot if member is not None else (home, name)
        return self._slots[home, name]

    def member(self, home: str, name: str) -> Member | None:
        """A variable as a member of a common block; None if it is in none, if ``equivalence`` gives memory of the
        block further names, or if its place is not known.
        """
        routine = self.application.routines.get(home)
        block = block_of(routine, name) if routine is not None else None
        if block is None or self.tangled(home, block):
            return None
        return next((m for m in self.layout(home, block) if m is not None and m.name == name), None)

    def tangled(self, home: str, block: str) -> bool:
        """Whether ``equivalence`` gives memory of a block further names in a unit."""
        members = {*self._names(home, block)}
        groups = self.application.routines[home].spec.groups
        return any(g.kind == "equivalence" and members & {*g.members} for g in groups)

    def tangled_anywhere(self, block: str) -> bool:
        """The same of all units."""
        return any(self.tangled(home, block) for home in self._declaring(block))

    def layout(self, home: str, block: str) -> tuple[Member | None, ...]:
        """The members of a block as a unit declares it, in order; None for those whose place is not known."""
        if (home, block) not in self._layouts:
            self._layouts[home, block] = tuple(self._members(self.application.routines[home], block))
        return self._layouts[home, block]

    def _members(self, routine: Routine, block: str) -> Iterator[Member | None]:
        begin: Begin | None = (0, 0)
        for name in self._names(routine.key, block):
            found = self.scopes.variable(name, routine.key)
            made = self._member(found, block, begin) if found is not None and begin is not None else None
            begin = (made.begin[0] + made.bytes, made.begin[1] + made.bytes) if made is not None else None
            yield made

    def _member(self, found: Found, block: str, begin: Begin) -> Member | None:
        symbol = found.symbol
        scalar = self.kinds.scalar(symbol.type, found.home)
        if scalar is None or symbol.dynamic:
            return None
        length = 0
        if scalar.base == "character":
            given = symbol.type.length
            known = 1 if given is None else self.kinds.value(given.expr, found.home)
            if known is None:
                return None
            length = known
        bounds = self.kinds.bounds(symbol, found.home)
        if bounds is None:
            return None
        step = scalar.bytes
        aligned = -(-begin[1] // step) * step
        return Member(found.home, symbol.name, block, (begin[0], aligned), scalar, tuple(bounds), length)

    def name_in(self, slot: Slot, key: str) -> str | None:
        """The name that a unit has for a member of a block: its own or its host's, or that of a module that it uses.
        None if it declares the block nowhere. Raises Otherwise where it, or what it uses, declares the block in
        another way.
        """
        block = slot[0][1:-1]
        around = self._around(block, key)
        modules = [h for h in self._declaring(block) if self.application.routines[h].kind in ("module", "submodule")]
        for home in (*around, *(m for m in modules if m not in around)):
            names = [n for n in self._names(home, block) if self._means(n, home, key)]
            if not names and home not in around:
                continue  # a module that the unit does not use
            if self.tangled(home, block):
                raise Otherwise(home, True)
            name = next((m.name for m in self.layout(home, block) if m is not None and m.slot == slot), None)
            if name is None:
                raise Otherwise(home)
            if name in names:
                return name
        return None

    def _means(self, name: str, home: str, key: str) -> bool:
        found = self.scopes.variable(name, key)
        return found is not None and (found.home, found.symbol.name) == (home, name)

    def _names(self, home: str, block: str) -> list[str]:
        groups = self.application.routines[home].spec.groups
        return [n for g in groups if g.kind == "common" and g.name == block for n in g.members]

    def _around(self, block: str, key: str) -> list[str]:
        """The unit and its hosts, as far as they declare a block."""
        found = []
        unit = self.application.routines.get(key)
        while unit is not None:
            if any(g.kind == "common" and g.name == block for g in unit.spec.groups):
                found.append(unit.key)
            unit = self.application.routines.get(unit.host) if unit.host else None
        return found

    def _declaring(self, block: str) -> list[str]:
        """The units that declare a block."""
        if self._units is None:
            self._units = {}
            for key, routine in self.application.routines.items():
                for name in dict.fromkeys(g.name for g in routine.spec.groups if g.kind == "common"):
                    self._units.setdefault(name, []).append(key)
        return self._units.get(block, [])


class Otherwise(Exception):
    """A unit, by its key, that divides a block in another way; ``tangled``: its members have further names by
    ``equivalence``.
    """

    def __init__(self, key: str, tangled: bool = False) -> None:
        super().__init__(key)
        self.key = key
        self.tangled = tangled
