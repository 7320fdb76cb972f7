"""Dimensions as values: bounds are expressions."""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.model.expressions import Fragment
from hfpy.values import dataclass

ANY_RANK = ".."  # what is written for dimensions of a dummy argument that has as many as its actual argument


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension of a declaration or a directive. ``form``: explicit, deferred (``:`` of allocatable and pointer),
    assumed (``:`` or ``l:`` of a dummy), star. ``lower`` is None where nothing is written, ``upper`` where there is
    none. ``any_rank`` means as many dimensions as the argument has (``a(..)``).
    """

    form: str
    lower: Fragment | None = None
    upper: Fragment | None = None
    any_rank: bool = False

    def __str__(self) -> str:
        """The text."""
        return self.text

    @property
    def text(self) -> str:
        """The dimension as it is written in a declaration."""
        if self.any_rank:
            return ANY_RANK
        lower = f"{self.lower.text}:" if self.lower is not None else ""
        if self.upper is not None:
            return lower + self.upper.text
        return f"{lower}*" if self.form == "star" else lower or ":"

    @property
    def bounds(self) -> tuple[Fragment, ...]:
        """The bounds that are written, lower first."""
        return tuple(b for b in (self.lower, self.upper) if b is not None)

    @property
    def names(self) -> frozenset[str]:
        """Every name that its bounds mention."""
        return frozenset(name for bound in self.bounds for name in bound.names)

    @property
    def open(self) -> bool:
        """Whether its upper bound comes from elsewhere: from an allocation, a target or an argument."""
        return self.upper is None


def shape_text(shape: Iterable[Dim]) -> str:
    """Dimensions as they are written between the parentheses of a declaration."""
    return ",".join(dim.text for dim in shape)
