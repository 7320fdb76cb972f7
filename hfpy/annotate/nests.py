"""What became of the loops of a program on its targets, as plain values (automatic.md §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hfpy.diagnostics import Place
from hfpy.model.source import LogicalLine
from hfpy.parse.outside import unread_files, unseen_modules
from hfpy.transform.loops.verdicts import Automatic, Verdict
from hfpy.values import dataclass

TARGETS = ("cpu", "gpu")
Span = tuple[str, int, int]
Spot = tuple[str, int]  # a file and a line in it
REGION, REDUCTION, SERIAL, QUESTION, INSIDE = "region", "reduction", "serial", "question", "inside"


@dataclass(frozen=True)
class Found:
    """What one target has to say of a loop: the iterators of its region, outermost first, and its reductions as
    ``+:s``; or why it is none, and the clause that the user could state (``stated``: has stated). ``columns`` says that
    it is around statements whose loops over the iterators were taken out, ``beside`` what is in the way of that.
    """

    iterators: tuple[str, ...] = ()
    reductions: tuple[str, ...] = ()
    why: str = ""
    clause: str = ""
    stated: str = ""
    inside: bool = False
    holds: bool = False
    columns: bool = False
    beside: str = ""

    @property
    def verdict(self) -> str:
        """One word."""
        if self.iterators:
            return REDUCTION if self.reductions else REGION
        if self.inside:
            return INSIDE
        return QUESTION if self.clause else SERIAL


@dataclass(frozen=True)
class Nest:
    """A loop of a routine with what its targets say. ``line`` is its first line, ``last`` its last one, ``nested`` how
    many loops are right in each other from it on; ``weight`` is its share of the program's work.
    """

    place: Place
    routine: str
    line: LogicalLine
    last: int
    nested: int
    found: Mapping[str, Found]
    weight: float = 0.0

    @property
    def verdict(self) -> str:
        """What holds on the target where most does."""
        said = [f.verdict for f in self.found.values()]
        return next(v for v in (REDUCTION, REGION, QUESTION, INSIDE, SERIAL) if v in said)

    @property
    def columns(self) -> bool:
        """Whether it is a stretch whose loops over the iterators were taken out."""
        return any(f.columns for f in self.found.values())

    @property
    def reported(self) -> Found:
        """The first target's word that has that verdict."""
        return next(f for f in self.found.values() if f.verdict == self.verdict)


@dataclass(frozen=True)
class Said:
    """What one target has to say of the loop of a :class:`Nest`. ``stretch`` are the iterators of the columns whose
    loops were taken out of the lines from it on; it ends in the row ``until`` of the text that was read.
    """

    place: Place
    routine: str
    line: LogicalLine
    last: int
    nested: int
    found: Found
    stretch: tuple[str, ...]
    until: int

    @property
    def spot(self) -> Spot:
        """Its file and line."""
        return self.place.file, self.place.line


@dataclass(frozen=True)
class Brought:
    """Arrays that a routine brings to the device for the kernels of what it calls; its directives' indentation."""

    routine: str
    names: tuple[str, ...]
    indent: int


@dataclass(frozen=True)
class OnTarget:
    """What one target has to say of a program: of its loops, how much each weighs, and the arrays that routines bring
    to the device, by file and the user's line (from 0) before which their specification part ends. ``fixed`` are the
    files in fixed form, ``unseen`` the modules that are used and whose source is not there, ``unread`` the included
    files that are not.
    """

    said: tuple[Said, ...]
    weights: Mapping[Spot, float]
    brought: Mapping[Spot, Brought]
    fixed: frozenset[str]
    unseen: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Nests:
    """All loops of a program, by file and line; what is ``brought``, the files in ``fixed`` form, the ``unseen``
    modules and the ``unread`` included files, as targets have it. ``samples`` is the number of those that weights were
    measured by; None: they are estimated.
    """

    nests: tuple[Nest, ...]
    brought: Mapping[Spot, Brought]
    fixed: frozenset[str]
    samples: int | None = None
    unseen: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets that were looked at."""
        return tuple(target for target in TARGETS if any(target in n.found for n in self.nests))

    def counted(self, target: str) -> tuple[Nest, ...]:
        """The nests that a summary counts: regions of a target, and outermost loops that neither are nor hold one."""
        here = [n for n in self.nests if target in n.found]
        regions = [n for n in here if n.found[target].iterators]
        others = [n for n in here if not n.found[target].iterators and not n.found[target].inside]
        serial = [n for n in others if not n.found[target].holds]
        spans = [_span(n) for n in serial]
        return (*regions, *(n for n in serial if not any(_strictly_in(_span(n), s) for s in spans)))

    @property
    def questions(self) -> tuple[Nest, ...]:
        """Loops that a fact of the user's would make regions."""
        return tuple(n for n in self.nests if n.verdict == QUESTION)


def _span(nest: Nest) -> Span:
    return nest.place.file, nest.place.line, nest.last


def nests_of(targets: Mapping[str, OnTarget], samples: int | None = None) -> Nests:
    """The loops of a program from what its targets say."""
    said: dict[Spot, dict[str, Said]] = {}
    weights: dict[Spot, float] = {}
    brought: dict[Spot, Brought] = {}
    for target, one in targets.items():
        for loop in one.said:
            here = said.setdefault(loop.spot, {})
            here[target] = _together(here[target], loop) if target in here else loop
        weights = {**one.weights, **weights}
        brought |= one.brought
    nests = [_nest(said[spot], weights.get(spot, 0.0)) for spot in sorted(said)]
    fixed = frozenset[str]().union(*(t.fixed for t in targets.values()))
    unseen = frozenset[str]().union(*(t.unseen for t in targets.values()))
    unread = frozenset[str]().union(*(t.unread for t in targets.values()))
    return Nests(tuple(nests), brought, fixed, samples, unseen, unread)


def _together(one: Said, other: Said) -> Said:
    """What two loops that begin on a line of a file say together. They are on this line of one routine, or the line is
    in a file that several routines include, or one of them several times.
    """
    first, second = sorted((one, other), key=lambda said: said.line.first)
    if one.routine == other.routine and second.line.first <= first.until:
        return _outermost(one, other)
    if _region(one.found) == _region(other.found):
        return one if other.found.clause else other
    against = other if one.found.iterators else one
    why = against.found.why or "it would be another region"
    if against.found.inside:
        why = "it is in a region"
    return replace(
        one, found=Found(why=f"a directive would be for all that include this file; in '{against.routine}' {why}")
    )


def _region(found: Found) -> tuple[object, ...]:
    """What a directive would say."""
    return found.iterators, frozenset(found.reductions), found.stated, found.columns


def _outermost(one: Said, other: Said) -> Said:
    """The outer one of two loops that begin on a line: a directive before the line is for it. What it says of itself
    names the other, if that one is the region.
    """
    outer, inner = sorted((one, other), key=lambda said: said.line.key)
    if outer.found.iterators or not inner.found.iterators:
        return outer
    names = ", ".join(inner.found.iterators)
    why = f"{outer.found.why}; the loop over {names} on its line is a region with --auto, or on a line of its own"
    return replace(outer, found=replace(outer.found, why=why))


def on_target(automatic: Automatic, weights: Mapping[Spot, float]) -> OnTarget:
    """What was found on a target, as plain values."""
    said = tuple(map(_said, automatic.verdicts))
    fixed = frozenset(f.path for f in automatic.original.files if f.fixed)
    unseen, unread = frozenset(unseen_modules(automatic.original)), frozenset(unread_files(automatic.original))
    return OnTarget(said, weights, _brought(automatic), fixed, unseen, unread)


def _brought(automatic: Automatic) -> dict[Spot, Brought]:
    """The arrays that routines bring to the device."""
    found: dict[Spot, Brought] = {}
    for key, names in automatic.brought.items():
        routine, index = automatic.original.routines[key], automatic.original.file(key)
        indent = 0 if index.fixed else routine.header.segments[0][2] + 2
        path, line = automatic.original.at(key, routine.spec_insert + 1)
        found[path, line - 1] = Brought(routine.name, names, indent)
    return found


def _nest(said: Mapping[str, Said], weight: float) -> Nest:
    one = next(iter(said.values()))
    found = {target: loop.found for target, loop in said.items()}
    nested = max(loop.nested for loop in said.values())
    return Nest(one.place, one.routine, one.line, one.last, nested, found, weight)


def _said(v: Verdict) -> Said:
    until = v.loop.end.line.last if v.loop.end is not None else v.loop.header.line.last
    return Said(v.place, v.key, v.loop.header.line, v.last, v.nested, _found(v), v.columns, until)


def _found(verdict: Verdict) -> Found:
    reductions = tuple(f"{r.op}:{r.name}" for r in verdict.reductions)
    inside = verdict.inside and not verdict.region
    return Found(
        verdict.iterators,
        reductions,
        verdict.why,
        verdict.clause,
        verdict.stated,
        inside,
        verdict.holds,
        bool(verdict.columns),
        verdict.beside,
    )


def _strictly_in(inner: Span, outer: Span) -> bool:
    return inner[0] == outer[0] and outer[1] < inner[1] and inner[2] <= outer[2]
