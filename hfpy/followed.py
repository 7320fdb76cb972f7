"""Errors that follow from others are not reported: what is at fault already cannot be written for a kernel either.

The analyses find what is wrong with a program. Backends, which come after them, refuse what they cannot write. Where
the analyses have found an error in a region or in what it calls, the refusal says nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, Place
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.analyze.facts import Facts

# What backends and the passes before them say of a region that they cannot write.
_LATER = frozenset({"HF109", "HF305", "HF307", "HF702", "HF900"})
# Who owns what in a region says nothing about what can be written: one check gives all causes.
_ABOUT_POINTS = "HF5"


@dataclass(frozen=True)
class _Lines:
    """Lines of a file, from 1, that an error may be the reason for others in."""

    file: str
    first: int
    last: int

    def holds(self, place: Place) -> bool:
        return place.file == self.file and self.first <= place.line <= self.last


def without_followed(facts: Facts, before: Iterable[Diagnostic], later: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What is found ``later``, without the errors that follow from others, or from those found ``before``."""
    if not any(d.severity == "error" and d.code in _LATER for d in later):
        return tuple(later)
    listed = (*before, *(d for d in later if d.code not in _LATER))
    errors = [d for d in listed if d.severity == "error" and not d.code.startswith(_ABOUT_POINTS)]
    if not errors:
        return tuple(later)
    lines = {(d.place.file, d.place.line) for d in errors}
    affected = list(_affected(facts, [d.place for d in errors]))

    def follows(found: Diagnostic) -> bool:
        if found.severity != "error" or found.code not in _LATER:
            return False
        place = found.place
        return (place.file, place.line) in lines or any(part.holds(place) for part in affected)

    return tuple(d for d in later if not follows(d))


def with_calls_that_fit(facts: Facts, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What analyses found, without dimensions that do not fit where a call has too few or too many arguments (HF400):
    each argument is compared with the wrong one there.
    """
    wrong = {(d.place.file, d.place.line) for d in found if d.code == "HF400"}
    rows: set[tuple[str, int]] = set()
    for key, sites in facts.graph.sites.items() if wrong else ():
        file = facts.routine(key).file
        for site in sites:
            lines = range(site.at.statement.line.first + 1, site.at.statement.line.last + 2)
            if any((file, line) in wrong for line in lines):
                rows |= {(file, line) for line in lines}
    return [d for d in found if d.code != "HF305" or (d.place.file, d.place.line) not in rows]


def _affected(facts: Facts, places: Sequence[Place]) -> Iterator[_Lines]:
    """The regions that places are in, else their routines; and the regions that call these routines."""
    faulty: list[str] = []
    for key, routine in facts.application.routines.items():
        if routine.kind in ("module", "submodule") or routine.end is None:
            continue
        whole = _Lines(routine.file, routine.header.first + 1, routine.end.last + 1)
        inside = [place for place in places if whole.holds(place)]
        if not inside:
            continue
        regions = [_Lines(routine.file, *_span(facts, key, n)) for n in range(len(routine.regions))]
        held = [region for region in regions if any(region.holds(place) for place in inside)]
        yield from held
        if any(not any(region.holds(place) for region in held) for place in inside):
            yield whole
            faulty.append(key)
    yield from _calling(facts, faulty)


def _span(facts: Facts, key: str, number: int) -> tuple[int, int]:
    construct = facts.routine(key).regions[number]
    assert construct.end is not None
    return construct.header.line.first + 1, construct.end.line.last + 1


def _calling(facts: Facts, faulty: Sequence[str]) -> Iterator[_Lines]:
    """The regions that call routines, directly or not, and the routines on the way."""
    waiting, seen = list(faulty), set(faulty)
    while waiting:
        callee = waiting.pop()
        for key in sorted(facts.graph.callers_of(callee)):
            routine = facts.application.routines.get(key)
            if routine is None or routine.end is None:
                continue
            sites = [site for site in facts.graph.below(key) if site.callee == callee]
            for number in {n for site in sites for n in site.at.regions}:
                yield _Lines(routine.file, *_span(facts, key, number))
            if any(not site.at.regions for site in sites) and facts.positions.get(key).above and key not in seen:
                yield _Lines(routine.file, routine.header.first + 1, routine.end.last + 1)
                seen.add(key)
                waiting.append(key)
