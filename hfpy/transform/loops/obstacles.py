"""All that is in the way of loops which stay serial, not only what was found first (``hfpy check --summary``).

A search gives a loop up for the first reason in its statements, and does not ask then what its points do to each other.
Here that is asked, as if those reasons were cured: a cure frees a loop if nothing else is in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hfpy.analyze.loops.ordering import Obstacle
from hfpy.analyze.loops.parallelloops import Candidate
from hfpy.analyze.loops.plainloops import Serial, candidate_of
from hfpy.codes import CODES
from hfpy.diagnostics import Diagnostic
from hfpy.model.application import Application
from hfpy.model.statements import Construct
from hfpy.transform.loops.automatic import Search
from hfpy.transform.loops.tried import Judge, Tried
from hfpy.transform.loops.verdicts import NOTHING, Automatic, Verdict
from hfpy.transform.settled import Settled
from hfpy.values import dataclass

_CURES = {"HF405": "let the rest of the iteration be under a condition, instead of the jump"}  # the hint names @exit
_NO_TEXT = "a directive before it makes no text that can be read"
_MEETING = ("HF500", "HF501", "HF502", "HF503", "HF504", "HF505", "HF510", "HF511")


@dataclass(frozen=True)
class Hindered:
    """A loop that stays serial, as it was judged, with what is in the way of it. ``all_known`` says that there is
    nothing else: what its points do to each other was asked.
    """

    verdict: Verdict
    obstacles: tuple[Obstacle, ...]
    all_known: bool


def hindered(automatic: Automatic, judge: Judge) -> tuple[Hindered, ...]:
    """The loops that stay serial. Left out are those that hold regions or are inside one, and those inside another
    serial loop that the same cures would free.
    """
    serial = [v for v in automatic.verdicts if not (v.region or v.inside or v.holds)]
    search = _Cured(automatic, judge, [v.loop for v in serial])
    found = [Hindered(v, tuple(dict.fromkeys(search.obstacles(v))), search.asked(v)) for v in serial]
    return tuple(one for one in found if not any(_around(other, one) for other in found))


def _around(outer: Hindered, inner: Hindered) -> bool:
    """Whether a loop is inside another one that is free as soon as it is: their common cures free the outer one."""
    a, b = outer.verdict, inner.verdict
    if not (a.key == b.key and a.place.line < b.place.line <= a.last):
        return False
    return {*outer.obstacles} <= {*inner.obstacles} or not all(o.cure for o in inner.obstacles)


class _Cured(Search):
    """A search among serial loops with a reason in their statements, or around them, as if that were cured."""

    def __init__(self, automatic: Automatic, judge: Judge, loops: Sequence[Construct]) -> None:
        self._wanted = {id(loop) for loop in loops}
        super().__init__(Settled(automatic.original, []), judge, NOTHING)
        self._serials: dict[int, Serial] = {id(serial.loop): serial for _, serial in self.serial}
        self._look_at_all()
        self._tried = {id(x.candidate.outer): x for x in self.loops}
        seen = (x for x in self.active() if x in self.findings.seen)
        self._asked = {id(x.candidate.outer) for x in (*seen, *(x for x in self.loops if x.against))}

    def _candidates(self, application: Application) -> Iterator[Tried]:
        for _ in super()._candidates(application):
            pass  # these were tried
        for key, serial in self.serial:
            if serial.tried and id(serial.loop) in self._wanted:
                candidate = candidate_of(self.worlds[key], serial.loop)
                if isinstance(candidate, Candidate):
                    yield Tried(candidate, key, candidate.most)

    def _look_at_all(self) -> None:
        """Look at the loops, without those in files that cannot be read with their regions."""
        application = self.settled.application
        while any(not x.why for x in self.loops):
            self._looked_at()
            lost = [x for x in self.loops if not x.why and application.file(x.key).path in self._draft.wrong]
            if not lost:
                return
            for x in lost:
                self._replace(x, replace(x, why=_NO_TEXT))

    def asked(self, verdict: Verdict) -> bool:
        """Whether it was asked what the points of a loop do to each other."""
        return id(verdict.loop) not in self._serials or id(verdict.loop) in self._asked

    def obstacles(self, verdict: Verdict) -> Iterator[Obstacle]:
        """All that is in the way of a loop."""
        serial = self._serials.get(id(verdict.loop))
        if serial is None:
            yield from _against(verdict.against, verdict.why)
            return
        if not serial.ordered:
            yield serial.obstacle
        if serial.tried:
            yield from (r.obstacle for r in self.ordering.reasons(verdict.key, verdict.loop))
            tried = self._tried.get(id(verdict.loop))
            if tried is not None and tried.why and tried.why != _NO_TEXT:
                yield from _against(tried.against, tried.why)


def _against(found: Sequence[Diagnostic], why: str) -> Iterator[Obstacle]:
    """What a region has in its way by diagnostics, or for another reason."""
    for d in found:
        text = CODES[d.code] if d.code in _MEETING else d.cause or d.message
        yield Obstacle(text, _CURES.get(d.code, d.hint), d.code, d.message)
    if not found:
        yield Obstacle(why, said=why)
