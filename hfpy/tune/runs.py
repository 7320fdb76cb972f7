"""Which runs of regions there are to tune, with the groupings that are worth a measurement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import HfpyError, UsageError, has_errors
from hfpy.model.expressions import names_in
from hfpy.options import CPU, GPU, Machine, Options
from hfpy.pipeline import settled_application
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.explained import Schedule
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.linearforms import bound
from hfpy.transform.stencil.model import MARCHED, MARCHED_FLAT, ROWS
from hfpy.transform.stencil.optimise import optimise
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.search import Choice, cheapest
from hfpy.transform.stencil.tuned import stages_digest
from hfpy.values import dataclass

# What a size is that nobody gives, by the place of the dimension that it bounds.
DEFAULT_SIZES = (256, 256, 60)
# All sizes of blocks that the model ever takes.
_BLOCKS = tuple(sorted({*ROWS, MARCHED, MARCHED_FLAT}, reverse=True))


@dataclass(frozen=True)
class Run:
    """Regions of one routine that can be grouped. ``choices`` has the best groupings as numbers of regions, the model's
    first; ``rows`` the other sizes of blocks to try with the winner, ``lowerings`` the ways to compute it on a GPU.
    """

    line: int
    stages: str
    choices: tuple[tuple[int, ...], ...]
    rows: tuple[int, ...]
    lowerings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A routine with runs. ``sizes`` are names in bounds with a value for each; ``alone`` says why it cannot be called
    by itself (empty: it can).
    """

    routine: str
    backend: str
    runs: tuple[Run, ...]
    sizes: tuple[tuple[str, int], ...]
    alone: str


def find_work(sources: Sequence[Path], options: Options, wanted: Sequence[str], most: int) -> tuple[Work, ...]:
    """The routines with runs, those of ``wanted`` if it names any (by name or ``module::name``), with up to ``most``
    groupings a run.

    Raises HfpyError for faults of the sources, UsageError for names that are no routine with such a run.
    """
    settled = settled_application(sources, replace(options, tuning=()))
    if has_errors(settled.found):
        raise HfpyError(settled.found)
    facts = analyse(settled.application)
    if has_errors(facts.found):
        raise HfpyError(facts.found)
    result = optimise(facts, Effects(facts), EFFORTS[options.opt])
    machine = options.machine or (GPU if options.target == "gpu" else CPU)
    names = [name.lower() for name in wanted]
    works = []
    for key, schedules in result.schedules.items():
        if names and key not in names and facts.routine(key).name not in names:
            continue
        planned = for_backend(machine, facts.backend(key), EFFORTS[options.opt])
        if runs := tuple(_runs(schedules, planned, options, most)):
            sizes = _sizes(facts, key, [s.program for s in schedules])
            works.append(Work(key, facts.backend(key), runs, sizes, state_of(facts, key)))
    known = {name for work in works for name in (work.routine, facts.routine(work.routine).name)}
    for name in names:
        if name not in known:
            raise UsageError(f"'{name}' is no routine with neighbouring regions that could be grouped in several ways")
    return tuple(works)


def _runs(schedules: Iterable[Schedule], machine: Machine, options: Options, most: int) -> Iterator[Run]:
    for schedule in schedules:
        program = schedule.program
        if len(program.stages) < 2:
            continue
        choices = cheapest(program, machine, options.target, EFFORTS[options.opt], most)
        by_rows = any(made.manner.startswith(("blocks", "rows")) for made in schedule.regions.values())
        if len(choices) > 1 or by_rows or options.target == "gpu":
            sizes = tuple(_group_sizes(choice) for choice in choices)
            rows = _BLOCKS if options.target == "cpu" and len(program.iterators) > 1 else ()
            lowerings = _lowerings(program.iterators) if options.target == "gpu" else ()
            yield Run(program.stages[0].place.line, stages_digest(program), sizes, rows, lowerings)


def _lowerings(iterators: tuple[str, ...]) -> tuple[str, ...]:
    """Ways to compute a group on a GPU, as directives have them: a thread a point, walks, tiles. What a backend or a
    group cannot do gives the text of the model's choice.
    """
    inner, *outer = iterators
    walks = [f"march({iterator}:{size})" for iterator in outer for size in (6, 12, 24)]
    tiles = [f"share({inner}:{wide}, {other}:{deep})" for other in outer for wide, deep in ((32, 8), (64, 4), (128, 8))]
    return (f"march({outer[0]}:1)", *walks, *tiles) if outer else ()


def _group_sizes(choice: Choice) -> tuple[int, ...]:
    return tuple(len(group.stages) for group in choice.groups)


def _sizes(facts: Facts, key: str, programs: Sequence[Program]) -> tuple[tuple[str, int], ...]:
    """A value for each integer variable that is the size of a domain of the regions."""
    found: dict[str, int] = {}
    for program in programs:
        for stage in program.stages:
            domains = stage.region.region.domains if stage.region.region is not None else ()
            sizes = [set(domain.upper.names) for domain in domains]
            spans = [piece.span for piece in stage.pieces if piece.span is not None]
            sizes += [{n for span in spans for n in names_in(bound(span.upper))}] if spans else []
            for names, value in zip(sizes, DEFAULT_SIZES, strict=False):
                for name in sorted(names):
                    variable = facts.scopes.variable(name, key)
                    if variable is not None and not variable.symbol.constant and not variable.symbol.rank:
                        found.setdefault(name, value)
    return tuple(found.items())


def state_of(facts: Facts, key: str, seen: frozenset[str] = frozenset()) -> str:
    """What a routine works on besides its arguments, it or a routine that it calls; empty if there is nothing."""
    for reference in facts.references.get(key, ()):
        variable = facts.scopes.variable(reference.name, key)
        if variable is None or variable.home == key or variable.symbol.constant:
            continue
        shared = facts.application.unit(variable.home).kind in ("module", "submodule")
        if shared and (variable.symbol.rank or variable.symbol.type.base in ("type", "class")):
            return f"it works on '{reference.name}' of the module {facts.application.unit(variable.home).name}"
    for site in facts.graph.sites.get(key, ()):
        if not site.callee:
            return f"it calls '{site.name}', whose source hfpy does not see"
        if site.callee != key and site.callee not in seen:
            reason = state_of(facts, site.callee, seen | {key})
            if reason:
                return f"it calls '{site.name}': {reason}"
    return ""
