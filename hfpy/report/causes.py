"""``hfpy check --summary``: causes of errors and warnings, counted, with how many regions each cure would free.

A region is freed by a cure if it is refused for no other cause. What is wrong in a routine that regions call refuses
these regions; what is wrong in a routine with regions, but outside of them, refuses all of its regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.commands.tables import Table
from hfpy.diagnostics import Diagnostic, Place, Severity
from hfpy.insight.survey import RegionView, RoutineView, Survey
from hfpy.values import dataclass

Identity = tuple[str, int]


@dataclass(frozen=True)
class Cause:
    """Diagnostics with one cause: how many regions have it, how many it alone refuses, where it is, and its cure."""

    severity: Severity
    code: str
    text: str
    cure: str
    places: tuple[Place, ...]
    regions: int = 0
    frees: int = 0

    def as_dict(self) -> dict[str, object]:
        """The cause as plain data for JSON."""
        return {
            "severity": self.severity,
            "code": self.code,
            "cause": self.text,
            "hint": self.cure,
            "regions": self.regions,
            "frees": self.frees,
            "places": [{"file": p.file, "line": p.line, "column": p.column} for p in self.places],
        }


@dataclass(frozen=True)
class Summary:
    """All causes, those first whose cure frees most regions, and how many of the active regions are refused."""

    causes: tuple[Cause, ...]
    regions: int = 0
    refused: int = 0

    def as_dict(self) -> dict[str, object]:
        """The summary as plain data for JSON."""
        return {"regions": self.regions, "refused": self.refused, "causes": [c.as_dict() for c in self.causes]}


def summary(diagnostics: Iterable[Diagnostic], survey: Survey | None) -> Summary:
    """Diagnostics by their causes. Without a survey (the sources could not be read) no regions are known."""
    routines = survey.routines if survey is not None else ()
    grouped: dict[tuple[Severity, str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity != "note":
            cause = diagnostic.cause or diagnostic.message
            grouped.setdefault((diagnostic.severity, diagnostic.code, cause), []).append(diagnostic)
    reached = {key: {r for d in found for r in _regions(d.place, routines)} for key, found in grouped.items()}
    against: dict[Identity, int] = {}
    for key, regions in reached.items():
        for region in regions if key[0] == "error" else ():
            against[region] = against.get(region, 0) + 1
    causes = []
    for key, found in grouped.items():
        regions = reached[key]
        frees = sum(against[r] == 1 for r in regions) if key[0] == "error" else 0
        places = tuple(dict.fromkeys(d.place for d in found))
        causes.append(Cause(*key, found[0].hint, places, len(regions), frees))
    causes.sort(key=lambda c: (-c.frees, -c.regions, c.severity, c.places[0]))
    known = {_identity(r) for routine in routines for r in routine.kernels}
    return Summary(tuple(causes), len(known), len(against))


def _identity(region: RegionView) -> Identity:
    return region.file, region.line


def _regions(place: Place, routines: tuple[RoutineView, ...]) -> set[Identity]:
    """The regions that something at a place is against."""
    around = [r for r in routines if r.file == place.file and r.line <= place.line <= r.last_line]
    if not around:
        return set()
    inner = max(around, key=lambda r: r.line)
    within = {_identity(r) for r in inner.kernels if r.line <= place.line <= r.last_line}
    return within or {_identity(r) for r in inner.above} or {_identity(r) for r in inner.kernels}


def show(made: Summary) -> Iterator[str | Table]:
    """The summary as texts and tables."""
    if not made.causes:
        yield "no problems found"
        return
    yield f"{made.refused} of {made.regions} regions are refused"
    errors = [c for c in made.causes if c.severity == "error"]
    if errors:
        rows = [(str(c.frees), str(c.regions), c.code, _report(c)) for c in errors]
        yield Table(("frees", "has", "code", "cause, place and cure"), rows, frozenset((0, 1)))
        yield "frees: how many regions the cure alone frees; has: how many have the cause"
    warnings = [c for c in made.causes if c.severity == "warning"]
    if warnings:
        warned = [(str(c.regions), c.code, _report(c, "hint")) for c in warnings]
        yield Table(("has", "code", "warned of"), warned, frozenset((0,)))


def _report(cause: Cause, word: str = "cure") -> str:
    first, more = cause.places[0], len(cause.places) - 1
    where = f"at {first}, and {more} more" if more else f"at {first}"
    return "\n".join([cause.text, where, *([f"{word}: {cause.cure}"] if cause.cure else [])])
