"""Types with their sizes in bytes, as languages without kind parameters know them (design contract 2)."""

from __future__ import annotations

from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type with its size: ``base`` (real, integer, logical, complex, character) and bytes, of a complex number those
    of each part.
    """

    base: str
    bytes: int

    @property
    def size(self) -> int:
        """The bytes in memory."""
        return 2 * self.bytes if self.base == "complex" else self.bytes


INTEGER = Scalar("integer", 4)
LOGICAL = Scalar("logical", 4)
