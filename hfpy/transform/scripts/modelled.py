"""What the optimiser's model says of a kernel by itself (stencil-optimisation.md §9 to §11)."""

from __future__ import annotations

from dataclasses import dataclass

from hfpy.analyze.sharing import RoutineSharing
from hfpy.options import CPU, GPU
from hfpy.transform.scripts.work import Work, lines_of
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.model import cost
from hfpy.transform.stencil.runs import RunFinder
from hfpy.transform.stencil.sweeps import group_of


@dataclass(frozen=True)
class Stats:
    """Bytes that must move and operations, for each point, and seconds for as many points as the model plans for."""

    bytes: int
    operations: float
    seconds: float


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
                return Stats(made.bytes, made.operations, made.seconds)
    first, last = lines_of(construct)
    said = [r.text for r in found.refusals if first < r.place.line <= last + 1]
    return said[0] if said else "the model knows regions over points, and loops along columns, alone"
