"""What a search for regions has found out of loops by themselves (:mod:`hfpy.transform.loops.automatic`)."""

from __future__ import annotations

from dataclasses import field

from hfpy.model.directives import Reduction
from hfpy.transform.loops.tried import Accepted, Identity, Tried
from hfpy.values import dataclass


@dataclass
class Findings:
    """By the identities of loops: the ``reductions`` that were found, ``questions`` that a user may answer, and
    ``short`` loops, whose inner ones have more points; the regions in which nothing was found wrong (``seen``), and
    those of them of which that is certain in this application (``accepted``).
    """

    reductions: dict[Identity, tuple[Reduction, ...]] = field(default_factory=dict)
    questions: dict[Identity, str] = field(default_factory=dict)
    short: set[Identity] = field(default_factory=set)
    seen: Accepted = field(default_factory=Accepted)
    accepted: Accepted = field(default_factory=Accepted)

    def accept(self, loop: Tried) -> None:
        """Note that nothing is wrong with a region by itself."""
        self.seen.add(loop)
        self.accepted.add(loop)

    def take_over(self, loop: Identity, earlier: Findings, before: Identity, certain: bool) -> None:
        """What was found out of a loop in an earlier search, where it was ``before``. It is ``certain`` here where
        the routine is as it was, with all that it calls.
        """
        self.short.discard(loop)
        if before in earlier.short:
            self.short.add(loop)
        if before in earlier.reductions:
            self.reductions[loop] = earlier.reductions[before]
        if before in earlier.questions:
            self.questions[loop] = earlier.questions[before]
        self.seen.take_over(loop, earlier.seen, before)
        if certain:
            self.accepted.take_over(loop, earlier.accepted, before)
