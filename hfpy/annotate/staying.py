"""How many loops of a program became regions, and what keeps the others serial (``hfpy check --summary``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.loops.ordering import Obstacle
from hfpy.annotate.found import weights_of
from hfpy.annotate.nests import nests_of, on_target
from hfpy.annotate.text import figures, summary
from hfpy.commands.tables import Table
from hfpy.diagnostics import Place
from hfpy.pipeline import in_the_way
from hfpy.transform.loops.obstacles import Hindered
from hfpy.transform.loops.verdicts import Automatic
from hfpy.values import dataclass

_SHOWN = 3  # places of a cause


@dataclass(frozen=True)
class Staying:
    """A loop that stays serial: what is in its way, and its share of the program's work. ``last`` is its last line."""

    place: Place
    last: int
    obstacle: Obstacle
    weight: float


@dataclass(frozen=True)
class Cause:
    """What keeps loops serial: those that have it, most work first, and in how many nothing else is in the way
    (``alone``), or nothing that is known (``unknown``).
    """

    loops: tuple[Staying, ...]
    alone: int
    unknown: int = 0

    @property
    def obstacle(self) -> Obstacle:
        """What it is, as the first loop has it."""
        return self.loops[0].obstacle

    @property
    def frees(self) -> int:
        """How many loops its cure frees; none where there is no cure."""
        return self.alone if self.obstacle.cure else 0

    @property
    def shown_frees(self) -> str:
        """How many it frees, and how many it may free."""
        if not self.unknown or not self.obstacle.cure:
            return str(self.frees)
        return f"{self.frees}+{self.unknown}?" if self.frees else f"{self.unknown}?"

    @property
    def work(self) -> float:
        """The share of its loops in the program's work."""
        return sum(a.weight for a in self.loops if not any(_stands_in(a, b) for b in self.loops))

    def as_dict(self) -> dict[str, object]:
        """The cause as plain data for JSON."""
        return {
            "code": self.obstacle.code,
            "cause": self.obstacle.text,
            "hint": self.obstacle.cure,
            "loops": len(self.loops),
            "frees": self.frees,
            "unknown": self.unknown if self.obstacle.cure else 0,
            "work": self.work,
            "places": [{"file": s.place.file, "line": s.place.line, "why": s.obstacle.said} for s in self.loops],
        }


@dataclass(frozen=True)
class Loops:
    """The loops of a program on its target: how many nests are counted, how many of them are ``parallel``, which
    ``share`` of the work these have, all that in words, and the causes of what stays serial.
    """

    target: str
    nests: int
    parallel: int
    share: float
    words: str
    serial: int
    causes: tuple[Cause, ...]

    def as_dict(self) -> dict[str, object]:
        """The loops as plain data for JSON."""
        return {
            "target": self.target,
            "nests": self.nests,
            "parallel": self.parallel,
            "share": self.share,
            "serial": self.serial,
            "causes": [cause.as_dict() for cause in self.causes],
        }


def staying(automatic: Automatic, wanted: Callable[[str], bool] = lambda _file: True) -> Loops:
    """What became of the loops of a program in the files that are ``wanted``. Those causes come first whose cure frees
    most loops.
    """
    target = automatic.original.options.target
    weights = weights_of(automatic)
    seen = on_target(automatic, weights)
    nests = nests_of({target: replace(seen, said=tuple(s for s in seen.said if wanted(s.place.file)))})
    count, parallel, share = figures(nests, target)
    grouped: dict[Obstacle, list[tuple[Staying, Hindered]]] = {}
    serial = [one for one in in_the_way(automatic) if wanted(one.verdict.place.file)]
    for one in serial:
        v = one.verdict
        weight = weights.get((v.place.file, v.place.line), 0.0)
        for obstacle in one.obstacles:
            grouped.setdefault(obstacle, []).append((Staying(v.place, v.last, obstacle, weight), one))
    causes = [_cause(found) for found in grouped.values()]
    causes.sort(key=lambda c: (-c.frees, not c.obstacle.cure, -c.unknown, -len(c.loops), -c.work, c.loops[0].place))
    return Loops(target, count, parallel, share, summary(nests), len(serial), tuple(causes))


def _cause(found: Sequence[tuple[Staying, Hindered]]) -> Cause:
    alone = [one.all_known for _, one in found if len(one.obstacles) == 1]
    return Cause(tuple(sorted((s for s, _ in found), key=_first)), sum(alone), alone.count(False))


def _stands_in(inner: Staying, outer: Staying) -> bool:
    return inner.place.file == outer.place.file and outer.place.line < inner.place.line <= outer.last


def _first(loop: Staying) -> tuple[float, Place]:
    return -loop.weight, loop.place


def show(made: Loops) -> Iterator[str | Table]:
    """The loops as texts and a table."""
    yield made.words
    if made.causes:
        rows = [(c.shown_frees, str(len(c.loops)), f"{100 * c.work:.1f} %", _report(c)) for c in made.causes]
        head = ("frees", "has", "work", "what keeps loops serial, where, and cure")
        yield Table(head, rows, frozenset((0, 1, 2)))
        guess = "?: where that was not looked at; " if any(c.unknown and c.obstacle.cure for c in made.causes) else ""
        yield (
            f"of {made.serial} serial loop{'s' if made.serial != 1 else ''}; "
            f"frees: in how many nothing else is in the way; {guess}"
            "has: how many have the cause; work: their share in the program's (estimated)"
        )


def _report(cause: Cause) -> str:
    """What is in the way, the loops in which it is most of the work, and what helps."""
    first, *others = cause.loops
    code = f" ({cause.obstacle.code})" if cause.obstacle.code else ""
    more, left = [_place(one) for one in others[:_SHOWN]], len(others) - _SHOWN
    said = first.obstacle.said != cause.obstacle.text
    where = [_place(first) + (f": {first.obstacle.said}" if said else "")]
    if said and more:
        where.append("")
    where[-1] = ", ".join([*([where[-1]] if where[-1] else []), *more, *([f"and {left} more"] if left > 0 else [])])
    rows = [cause.obstacle.text + code, *(f"at {row}" for row in where)]
    return "\n".join([*rows, *([f"cure: {cause.obstacle.cure}"] if cause.obstacle.cure else [])])


def _place(loop: Staying) -> str:
    return f"{loop.place.file}:{loop.place.line}"
