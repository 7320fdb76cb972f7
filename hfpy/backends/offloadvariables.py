"""The variables of a region under directives for a device, by what the directives say of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.backends.unsized import is_unsized
from hfpy.values import dataclass


@dataclass(frozen=True)
class Variables:
    """What a region names.

    ``shared`` are the variables that all points have together, ``plain`` the scalars among them, without ``objects``:
    those of derived type and such like. ``written`` and ``reduced`` are names of what it sets and of its reductions,
    ``asked`` of arrays whose shapes alone are asked, ``own`` of what each point has for itself; ``given`` and
    ``results`` are those of them that have a value before and after the region. ``deep`` are objects with the arrays in
    them that are attached to them on the device, ``in_blocks`` what shares its memory with others by ``common`` or
    ``equivalence``, ``transient`` names of arrays that may not be on the device before.
    """

    shared: tuple[DataObject, ...]
    written: frozenset[str]
    reduced: frozenset[str]
    asked: frozenset[str]
    objects: tuple[DataObject, ...]
    plain: tuple[DataObject, ...]
    own: frozenset[str]
    given: tuple[DataObject, ...]
    results: tuple[DataObject, ...]
    deep: Mapping[str, tuple[str, ...]]
    in_blocks: tuple[DataObject, ...]
    transient: frozenset[str]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of what all points share."""
        return frozenset(d.name for d in self.shared)

    @cached_property
    def arrays(self) -> tuple[str, ...]:
        """The arrays whose elements the region names, and whose sizes are known."""
        return tuple(d.name for d in self.shared if d.rank and d.name not in self.asked and not is_unsized(d))

    @property
    def unsized(self) -> list[DataObject]:
        """The arrays of unknown size."""
        return [d for d in self.shared if is_unsized(d) and d.name not in self.asked]

    @property
    def copied(self) -> tuple[str, ...]:
        """The scalars that come back."""
        return (*(d.name for d in self.plain if d.name in self.written), *sorted(self.reduced))

    @property
    def only_read(self) -> tuple[str, ...]:
        """The scalars that are only read."""
        return tuple(d.name for d in self.plain if d.name not in self.written)

    @property
    def read_objects(self) -> tuple[str, ...]:
        """The objects that are only read, as a whole."""
        return tuple(d.name for d in self.objects if d.name not in self.written and d.name not in self.deep)

    @property
    def changed_objects(self) -> tuple[str, ...]:
        """The objects that are written, as a whole."""
        return tuple(d.name for d in self.objects if d.name in self.written and d.name not in self.deep)

    @property
    def members(self) -> tuple[str, ...]:
        """What shares its memory with others and is on the device: arrays, objects and scalars that come back."""
        by_name = {d.name for d in self.objects} | self.written
        return tuple(d.name for d in self.in_blocks if d.rank or (d.name in by_name and d.name not in self.reduced))
