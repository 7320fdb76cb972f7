"""What objects of derived types have inside, at any depth: other assignments, final procedures, pointers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from hfpy.model.units import DerivedType, Symbol

Slot = tuple[str, str]  # a type by its unit and name
Lineage = Callable[[str, str], Iterable[tuple[str, DerivedType]]]  # a type and all that it extends


class PartTypes:
    """Answers for the types of a program. Targets of pointers are no components."""

    def __init__(self, types: Mapping[Slot, DerivedType], lineage: Lineage) -> None:
        self.types = types
        self.lineage = lineage

    @cached_property
    def assigned(self) -> frozenset[Slot]:
        """The types with a component for whose type a bound procedure defines the assignment."""
        return self._holding(s for s, t in self.types.items() if any(n == "assignment(=)" for n, _ in t.bindings))

    @cached_property
    def finalized(self) -> frozenset[Slot]:
        """The types that have a final procedure, or components of such a type."""
        own = frozenset(slot for slot, t in self.types.items() if t.finals)
        return own | self._holding(own)

    @cached_property
    def set_on_entry(self) -> frozenset[Slot]:
        """The types with components that have values at the beginning or are allocatable: a dummy with ``intent(out)``
        gets these values, or loses its own (Fortran 2018, 8.5.10 and 9.7.3.2).
        """
        own = frozenset(slot for slot, t in self.types.items() if any(map(_set_on_entry, t.components)))
        return own | self._holding(own)

    @cached_property
    def sized(self) -> frozenset[Slot]:
        """The types with components that are allocatable or pointers: an assignment may give these other bounds."""
        own = frozenset(slot for slot, t in self.types.items() if any(part.dynamic for part in t.components))
        return own | self._holding(own)

    @cached_property
    def pointing(self) -> Mapping[Slot, frozenset[str]]:
        """The names of the pointers in objects of each type that has some."""
        own = {s: frozenset(p.name for p in t.components if "pointer" in p.attributes) for s, t in self.types.items()}
        whole = {slot: set(names) for slot, names in own.items()}
        for slot in (slot for slot, names in own.items() if names):
            for around in self._holding([slot]):
                whole[around] |= own[slot]
        return {slot: frozenset(names) for slot, names in whole.items() if names}

    def _holding(self, wanted: Iterable[Slot]) -> frozenset[Slot]:
        """The types with a component of one of the ``wanted`` types."""
        known, found = set(wanted), set[Slot]()
        more = known
        while more:
            rest = ((slot, t) for slot, t in self.types.items() if slot not in found)
            more = {slot for slot, t in rest if any(self._inside(part, slot[0], known) for part in t.components)}
            found |= more
            known = known | more
        return frozenset(found)

    def _inside(self, part: Symbol, home: str, types: set[Slot]) -> bool:
        """Whether a component, which is no pointer, is of one of some types, or of an extension of one."""
        if not part.type.derived or "pointer" in part.attributes:
            return False
        return any((unit, above.name) in types for unit, above in self.lineage(part.type.derived, home))


def _set_on_entry(part: Symbol) -> bool:
    return part.initial is not None or "allocatable" in part.attributes
