"""What host code does with arrays that are on the device, as it is gathered for a statement or a construct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from hfpy.values import dataclass


@dataclass
class Touched:
    """The device arrays that host code reads and writes; ``partly`` are those written not for certain as a whole,
    ``moved`` those that may be allocated anew, ``followed`` those that may be so in a routine that works on the device.
    """

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    followed: set[str] = field(default_factory=set)

    @property
    def names(self) -> frozenset[str]:
        """Everything that is touched."""
        return frozenset(self.read | self.written | self.moved | self.followed)

    def take(self, other: Touched, names: frozenset[str]) -> None:
        """Add what other code does with some arrays."""
        for mine, more in zip(self._sets(), other._sets(), strict=True):
            mine |= more & names

    def rename(self, name: str, meant: Sequence[str]) -> None:
        """Put the arrays in the place of a name of which it has parts."""
        for mine in (self.read, self.written, self.partly):
            if name in mine:
                mine.remove(name)
                mine.update(meant)
                self.partly.update(meant if mine is self.written else ())

    def _sets(self) -> tuple[set[str], ...]:
        return self.read, self.written, self.partly, self.moved, self.followed

    @property
    def before(self) -> list[str]:
        """What has to be valid on the host before."""
        return sorted(self.read | self.partly)

    @property
    def after(self) -> list[str]:
        """What has to go to the device afterwards."""
        return sorted(self.written - self.moved)
