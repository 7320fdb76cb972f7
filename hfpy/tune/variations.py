"""What is tried for a routine: groupings first, then sizes of blocks, or ways to use threads, with the winner."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build.files import digest
from hfpy.options import Options, Tuned
from hfpy.pipeline import translate
from hfpy.tune.runs import Work
from hfpy.values import dataclass

# What is no faster than this, in fewer rounds than this, is noise: the model's choice stays.
_BETTER = 0.98
_OFTEN = 0.75


@dataclass(frozen=True)
class Variation:
    """One way to group all runs of a routine."""

    tuning: tuple[Tuned, ...]

    def label(self, against: Variation) -> str:
        """What it does otherwise than another one."""
        parts = []
        for one, other in zip(self.tuning, against.tuning, strict=True):
            if one.groups != other.groups:
                parts.append(spans(one.groups))
            if one.rows != other.rows:
                parts.append(f"blocks of {one.rows} rows")
            if one.lowering != other.lowering:
                parts.append(one.lowering)
        return ", ".join(parts) or " ".join(spans(t.groups) for t in self.tuning)


@dataclass(frozen=True)
class Measured:
    """The seconds of each variation, round by round; or the reason why there are none."""

    seconds: tuple[tuple[float, ...], ...] = ()
    reason: str = ""

    def median(self, number: int) -> float:
        """The median time of a variation."""
        return statistics.median(self.seconds[number])

    def winner(self) -> int:
        """The fastest variation, but the first where the difference may be noise. Measurements of one round are
        compared with one another, since what else the machine does changes from round to round.
        """
        best, lowest = 0, _BETTER
        for number in range(1, len(self.seconds)):
            ratios = [t / f for t, f in zip(self.seconds[number], self.seconds[0], strict=True)]
            often = sum(ratio < 1 for ratio in ratios) >= _OFTEN * len(ratios)
            if often and statistics.median(ratios) < lowest:
                best, lowest = number, statistics.median(ratios)
        return best


def spans(groups: Sequence[int]) -> str:
    """Groups as ``[0-1] [2]``, as ``hfpy explain --schedule`` shows them."""
    parts, first = [], 0
    for size in groups:
        parts.append(f"[{first}-{first + size - 1}]" if size > 1 else f"[{first}]")
        first += size
    return " ".join(parts)


def groupings(work: Work) -> list[Variation]:
    """The model's choice, then each other grouping of one of the runs."""
    base = tuple(Tuned(work.routine, run.stages, work.backend, run.choices[0]) for run in work.runs)
    found = [Variation(base)]
    for number, run in enumerate(work.runs):
        for groups in run.choices[1:]:
            found.append(_changed(found[0], number, replace(base[number], groups=groups)))
    return found


def blocks(work: Work, chosen: Variation) -> list[Variation]:
    """A choice, then each other size of its blocks, or each other way in which a GPU can compute its groups."""
    found = [chosen]
    for number, run in enumerate(work.runs):
        if max(chosen.tuning[number].groups) > 1:
            base = chosen.tuning[number]
            found += [_changed(chosen, number, replace(base, rows=rows)) for rows in run.rows]
            found += [_changed(chosen, number, replace(base, lowering=text)) for text in run.lowerings]
    return found


def _changed(base: Variation, number: int, tuned: Tuned) -> Variation:
    return Variation((*base.tuning[:number], tuned, *base.tuning[number + 1 :]))


def distinct(work: Work, sources: Sequence[Path], options: Options, variations: Sequence[Variation]) -> list[Variation]:
    """The variations that give texts of their own: a group may be such that it cannot be written as one region, and a
    number of rows may be the model's.
    """
    seen: dict[str, Variation] = {}
    for variation in variations:
        done = translate(sources, with_tuning(options, variation))
        seen.setdefault(digest(*(file.text for file in done.files)), variation)
    return list(seen.values())


def with_tuning(options: Options, variation: Variation) -> Options:
    """The options with a variation, and what had been chosen for other routines."""
    routine = variation.tuning[0].routine
    others = tuple(t for t in options.tuning if t.routine != routine)
    return replace(options, tuning=(*others, *variation.tuning))
