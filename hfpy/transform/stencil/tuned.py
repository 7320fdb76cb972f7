"""Choices that were measured (``hfpy tune``) in the place of the model's, as long as they fit the code."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator

from hfpy.diagnostics import Diagnostic, Place, note
from hfpy.model.statements import flatten
from hfpy.options import TUNING_FILE, Machine, Tuned
from hfpy.transform.stencil.effort import Effort
from hfpy.transform.stencil.groups import Illegal
from hfpy.transform.stencil.lowering import with_lowering
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.search import Choice, choose, grouped
from hfpy.values import dataclass


def stages_digest(program: Program) -> str:
    """A digest of the text of a program's regions, whatever their blanks, letter case and comments."""
    lines = [s.line.compact for stage in program.stages for s in flatten((stage.region,))]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True)
class Decision:
    """What is done with a program: the grouping, and the choice that it follows (None: the model's)."""

    choice: Choice
    tuned: Tuned | None = None


class Tuning:
    """The choices for one routine. ``notes`` tell of those that are of no use."""

    def __init__(self, routine: str, backend: str, tuning: tuple[Tuned, ...], place: Place) -> None:
        self.place = place
        self.known = [t for t in tuning if t.routine == routine and t.backend == backend]
        self.used: set[str] = set()
        self.notes: list[Diagnostic] = []

    def decide(self, program: Program, machine: Machine, target: str, effort: Effort) -> Decision:
        """The tuned grouping of a program if there is one for its text, else the cheapest of the model."""
        digest = stages_digest(program) if self.known else ""
        tuned = next((t for t in self.known if t.stages == digest), None)
        if tuned is not None:
            self.used.add(tuned.stages)
            try:
                asking = with_lowering(program, *tuned.wish) if target == "gpu" else program
                return Decision(grouped(asking, machine, target, effort, tuned.groups), tuned)
            except Illegal as illegal:
                self._ignored(f"its groups {list(tuned.groups)} cannot be: {illegal}")
        return Decision(choose(program, machine, target, effort))

    def finish(self) -> None:
        """Tell of choices for regions that are not there any more."""
        if any(t.stages not in self.used for t in self.known):
            self._ignored("its regions have changed since")

    def _ignored(self, reason: str) -> None:
        message = f"what hfpy tune chose for this routine is not used: {reason}"
        self.notes.append(note("HF704", message, self.place))


def without_routine(tuning: Iterable[Tuned], routines: Container[str]) -> Iterator[Diagnostic]:
    """What is to be said of choices for routines that are not there any more."""
    for name in dict.fromkeys(t.routine for t in tuning if t.routine not in routines):
        yield note("HF704", f"hfpy tune chose something for '{name}', which is not there", Place(TUNING_FILE))
