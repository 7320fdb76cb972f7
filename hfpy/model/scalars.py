"""Types with their sizes in bytes, as languages without kind parameters know them (design contract 2)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type with its size: ``base`` (real, integer, logical, complex, character) and bytes."""

    base: str
    bytes: int


INTEGER = Scalar("integer", 4)
LOGICAL = Scalar("logical", 4)
