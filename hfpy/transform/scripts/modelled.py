"""What the optimiser's model says of a kernel by itself (stencil-optimisation.md §9 to §11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from hfpy.analyze.language.sizes import Linear, constant, linear
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import UsageError
from hfpy.model.statements import Construct
from hfpy.options import CPU, GPU
from hfpy.transform.scripts.work import Work, lines_of
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.model import cost
from hfpy.transform.stencil.program import Span, Stage
from hfpy.transform.stencil.runs import RunFinder
from hfpy.transform.stencil.sweeps import group_of


@dataclass(frozen=True)
class Totals:
    """What a kernel does once, for given sizes: points (those of columns with all their levels), operations, bytes that
    must move between memory and processor.
    """

    points: int
    operations: float
    bytes: int

    @property
    def intensity(self) -> float:
        """Operations a byte: what a roofline model puts a kernel's place by."""
        return self.operations / self.bytes if self.bytes else 0.0


@dataclass(frozen=True)
class Stats:
    """Bytes that must move and operations, for each point, and seconds for as many points as the model plans for.
    Called with sizes by their names, it gives the figures of the whole kernel.
    """

    bytes: int
    operations: float
    seconds: float
    spans: tuple[tuple[Span, ...], ...] = field(default=(), repr=False)
    constants: Mapping[str, int] = field(default_factory=dict, repr=False)

    def __call__(self, **sizes: int) -> Totals:
        """The figures of the kernel for sizes; raises UsageError where one that matters is not given."""
        known = {**self.constants, **{name.lower(): n for name, n in sizes.items()}}
        points = prod(_length(spans, known) for spans in self.spans)
        return Totals(points, self.operations * points, self.bytes * points)


def _length(spans: tuple[Span, ...], known: Mapping[str, int]) -> int:
    """How many indices there are from the lowest to the highest of some spans; empty ones do not count."""
    ends = [(_value(span.lower, known), _value(span.upper, known)) for span in spans]
    ends = [(low, high) for low, high in ends if low <= high]
    return max(high for _, high in ends) - min(low for low, _ in ends) + 1 if ends else 0


def _value(form: Linear, known: Mapping[str, int]) -> int:
    missing = [atom for atom, _ in form if atom and atom not in known]
    if missing:
        raise UsageError(f"the number of points depends on '{missing[0]}': give it, as in stats({missing[0]}=100)")
    return sum(factor * (known[atom] if atom else 1) for atom, factor in form)


def stats_of(work: Work, key: str, number: int) -> Stats | str:
    """The figures of a region; why there are none where the model knows no such kernels."""
    facts = work.facts
    routine = work.routine(key)
    found = RunFinder(facts, RoutineSharing(facts, work.effects, routine)).search()
    construct = routine.regions[number]
    for program in found.programs:
        for stage in program.stages:
            if stage.region is construct:
                group = group_of(program, (stage,))
                options = facts.application.options
                machine = options.machine or (GPU if options.target == "gpu" else CPU)
                made = cost(group, for_backend(machine, facts.backend(key), EFFORTS[2]), options.target)
                spans = tuple(s for s in (*_of_region(construct), _levels(stage)) if s)
                return Stats(made.bytes, made.operations, made.seconds, spans, _constants(work, key, spans))
    first, last = lines_of(construct)
    said = [r.text for r in found.refusals if first < r.place.line <= last + 1]
    return said[0] if said else "the model knows regions over points, and loops along columns, alone"


def _of_region(construct: Construct) -> Iterator[tuple[Span]]:
    """The points of a region along each of its loops."""
    region = construct.region
    assert region is not None
    for low, high in zip(region.starts, region.ends, strict=True):
        yield (Span(linear(low.expr), linear(high.expr)),)


def _levels(stage: Stage) -> tuple[Span, ...]:
    """The levels of the columns that a stage goes along in loops."""
    return tuple(piece.span for piece in stage.pieces if piece.span is not None)


def _constants(work: Work, key: str, spans: Iterable[tuple[Span, ...]]) -> dict[str, int]:
    """The named constants among the names that bounds depend on."""
    found = {}
    every = (form for listed in spans for span in listed for form in (span.lower, span.upper))
    for name in {atom for form in every for atom, _ in form if atom}:
        variable = work.facts.scopes.variable(name, key)
        initial = variable.symbol.initial if variable is not None and variable.symbol.constant else None
        value = constant(initial.expr) if initial is not None else None
        if value is not None:
            found[name] = value
    return found
