"""Stencil programs as values: stages that read fields at constant offsets (stencil-optimisation.md §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property

from hfpy.analyze.language.sizes import Linear
from hfpy.diagnostics import Place
from hfpy.model.source import LineKey, compact
from hfpy.model.statements import Construct, Node
from hfpy.values import dataclass

Offset = tuple[int, ...]
SpanKey = tuple[LineKey, int, int]


def shifted(one: Offset, other: Offset) -> Offset:
    """The sum of two offsets."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True, slots=True)
class Version:
    """One value of an array: number 0 is what it holds before the program, each stage that writes it makes a new one
    (stencil-optimisation.md §1, rule 4).
    """

    array: str
    number: int


@dataclass(frozen=True, slots=True)
class Read:
    """A field read by a stage, at an offset from the point (0 in dimensions that the field does not have)."""

    version: Version
    offset: Offset


@dataclass(frozen=True, slots=True)
class Access:
    """A reference of an array in a stage's text: which array, where relative to the point, and whether it is the
    stage's own output. ``row`` is the level that it names where that is the same for all points, in columns only.
    """

    array: str
    offset: Offset
    own: bool = False
    row: Linear | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The points of one dimension from ``lower`` to ``upper``, linear forms (:mod:`hfpy.analyze.language.sizes`)."""

    lower: Linear
    upper: Linear


Box = tuple[Span, ...]


def moved(form: Linear, by: int) -> Linear:
    """A linear form plus a number."""
    terms = dict(form)
    terms[""] = terms.get("", 0) + by
    return tuple(sorted((a, c) for a, c in terms.items() if c))


def distance(one: Linear, other: Linear) -> int | None:
    """``one - other`` where that is a number, else None."""
    terms = dict(one)
    for atom, factor in other:
        terms[atom] = terms.get(atom, 0) - factor
    rest = {a: c for a, c in terms.items() if c}
    constant = rest.pop("", 0)
    return None if rest else constant


def grown(box: Box, offsets: Iterable[Offset]) -> Box:
    """The smallest box around a box moved by each of the offsets."""
    listed = list(offsets)
    spans = []
    for dimension, span in enumerate(box):
        low, high = (f(o[dimension] for o in listed) for f in (min, max))
        spans.append(Span(moved(span.lower, low), moved(span.upper, high)))
    return tuple(spans)


def within(inner: Box, outer: Box) -> bool:
    """Whether a box certainly lies in another."""
    for one, other in zip(inner, outer, strict=True):
        below, above = distance(one.lower, other.lower), distance(other.upper, one.upper)
        if below is None or above is None or below < 0 or above < 0:
            return False
    return True


def hull(boxes: Iterable[Box]) -> Box | None:
    """The smallest box around others; None where bounds cannot be compared."""
    spans: list[Span] = []
    for column in zip(*boxes, strict=True):
        lower, upper = column[0].lower, column[0].upper
        for span in column[1:]:
            below, above = distance(span.lower, lower), distance(span.upper, upper)
            if below is None or above is None:
                return None
            lower = span.lower if below < 0 else lower
            upper = span.upper if above > 0 else upper
        spans.append(Span(lower, upper))
    return tuple(spans)


@dataclass(frozen=True)
class Wishes:
    """What directives ask for: factors by iterator for ``unroll`` and ``tile``, and on GPUs for ``march`` and
    ``share``; ``fuse``: ``no``, the name of a group, or nothing (kernel-metadata-and-transforms.md §2.1).
    """

    unroll: Mapping[str, int] = field(default_factory=dict)
    tile: Mapping[str, int] = field(default_factory=dict)
    fuse: str = ""
    march: Mapping[str, int] = field(default_factory=dict)
    share: Mapping[str, int] = field(default_factory=dict)
    schedule: str = ""
    collapse: int = 0

    @property
    def threads(self) -> tuple[str, int]:
        """What OpenMP is to do with the loops: ``schedule`` and ``collapse``."""
        return compact(self.schedule), self.collapse

    def __bool__(self) -> bool:
        """Whether the loops of a region are to be other than plain ones."""
        return any(n > 1 for n in self.unroll.values()) or bool(self.tile)


@dataclass(frozen=True)
class Piece:
    """Some statements of a column: a loop over ``span``, or one statement outside of loops (``span`` is None).

    ``step`` is 1 for a loop upwards, -1 for one downwards, and 0 where the order of the turns does not matter.
    """

    body: tuple[Node, ...]
    span: Span | None
    step: int


# Levels that a sweep writes and reads are known piece by piece, not as a span: these compare with nothing.
WRITTEN_LEVELS = Span((("?written", 1),), (("?written", 1),))
READ_LEVELS = Span((("?read", 1),), (("?read", 1),))


@dataclass(frozen=True)
class Stage:
    """One region as a stage.

    ``accesses`` has every array reference of the body by its place in the text; ``safe`` are those that can be read at
    every point of the box; ``scalars`` are the names that the body sets for itself; ``keeps`` are outputs that some
    points leave as they were, or whose old value the body reads; ``operations`` counts + - * / comparisons and
    functions of one evaluation. A sweep, which goes along the last iterator in an order, has ``pieces`` (§7).
    """

    number: int
    region: Construct
    body: tuple[Node, ...]
    box: Box
    writes: tuple[Version, ...]
    reads: frozenset[Read]
    accesses: Mapping[SpanKey, Access]
    safe: frozenset[SpanKey]
    scalars: tuple[str, ...]
    keeps: frozenset[str]
    operations: int
    place: Place
    wishes: Wishes
    pieces: tuple[Piece, ...] = ()

    def reached(self, read: Read) -> Box:
        """Where the stage reads a field."""
        box = grown(self.box, [read.offset])
        return (*box[:-1], READ_LEVELS) if self.pieces else box

    def version(self, array: str) -> Version:
        """The version of an array that the stage makes."""
        return next(v for v in self.writes if v.array == array)


@dataclass(frozen=True)
class Pattern:
    """How a program indexes an array: for each dimension an iterator or a text that is the same at all points."""

    name: str
    items: tuple[str, ...]
    type_text: str
    bytes: int
    local: bool
    logical: bool = False


@dataclass(frozen=True)
class Program:
    """Neighbouring regions of one routine over the same iterators (the first is the innermost loop).

    ``live`` are the versions that must be in memory at the end; ``types`` has the types of the scalars of stages.
    ``read_elsewhere`` and ``set_elsewhere`` are arrays that statements outside of the program read, or set; it may run
    ``again`` in one call of the routine, and is ``settled`` if its bounds are the same each time.
    """

    key: str
    iterators: tuple[str, ...]
    stages: tuple[Stage, ...]
    patterns: Mapping[str, Pattern]
    live: frozenset[Version]
    types: Mapping[str, str]
    read_elsewhere: frozenset[str] = frozenset()
    set_elsewhere: frozenset[str] = frozenset()
    again: bool = True
    settled: bool = False

    @cached_property
    def producers(self) -> Mapping[Version, Stage]:
        """The stages by the versions that they make."""
        return {v: s for s in self.stages for v in s.writes}

    def producer(self, version: Version) -> Stage | None:
        """The stage that makes a version; None for what was there before."""
        return self.producers.get(version)

    def placed(self, version: Version, offset: Offset) -> Offset:
        """An offset with 0 in the dimensions that an array does not have."""
        items = self.patterns[version.array].items
        return tuple(o if i in items else 0 for i, o in zip(self.iterators, offset, strict=True))
