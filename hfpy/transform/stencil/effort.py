"""How far the optimiser goes: what each of its levels lets it do to win memory traffic."""

from __future__ import annotations

from hfpy.values import dataclass


@dataclass(frozen=True)
class Effort:
    """``again``: a stage may be computed at more than one point for each that is stored. ``gain``: on a GPU another
    lowering than a thread a point is taken if it is predicted to take at most this share of the time.
    """

    again: bool
    gain: float


CLEARLY = 0.9
EFFORTS = (Effort(False, 0.0), Effort(False, 0.0), Effort(True, CLEARLY), Effort(True, 1.0))  # by level
