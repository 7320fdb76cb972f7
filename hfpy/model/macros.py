"""Preprocessor macros as values."""

from __future__ import annotations

from hfpy.values import dataclass


@dataclass(frozen=True)
class Macro:
    """A ``#define``: ``params`` is None for an object-like macro; the last name may be ``...``."""

    name: str
    params: tuple[str, ...] | None
    body: str

    @property
    def pastes(self) -> bool:
        """Whether it puts tokens together, or makes texts of arguments (``##``, ``#``)."""
        return "#" in self.body
