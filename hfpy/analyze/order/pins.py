"""What keeps classes of views in their declared order, as values (:mod:`hfpy.analyze.order.observed` finds it)."""

from __future__ import annotations

from dataclasses import field

from hfpy.analyze.arrays.orders import Node
from hfpy.diagnostics import Place
from hfpy.values import dataclass


@dataclass(frozen=True)
class Reason:
    """Why a class is pinned, as messages say it; ``unseen`` where it is for code that hfpy does not see."""

    text: str
    place: Place | None
    unseen: bool = False


@dataclass
class Pins:
    """Pinned classes with the first reason for each."""

    reasons: dict[Node, Reason] = field(default_factory=dict)
    listed: list[Node] = field(default_factory=list)  # in the order in which they were pinned

    def add(self, node: Node, reason: Reason) -> bool:
        """Pin a class; whether that is news."""
        if node in self.reasons:
            return False
        self.reasons[node] = reason
        self.listed.append(node)
        return True
