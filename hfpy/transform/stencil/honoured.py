"""What directives ask of schedules and did not get, reported with the reason (design contract 8: nothing is ignored in
silence).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.model.application import Application
from hfpy.model.directives import Region, StencilScope
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.transform.passes import Refusal
from hfpy.transform.stencil.explained import Schedule
from hfpy.transform.stencil.gpumodel import TEAM_BACKENDS
from hfpy.transform.stencil.lowering import ungranted
from hfpy.transform.stencil.optimise import Fused

_THREADS_OF_BLOCKS = ("cuda-c", "cuda-fortran", "hip", "opencl")
_SAME = "results are the same with and without it"


def not_honoured(facts: Facts, result: Fused, before: Facts) -> list[Diagnostic]:
    """Warnings about ``unroll``, ``tile``, ``march``, ``share``, ``fuse(all)`` that had no effect. At level 0 nothing
    is asked. ``before`` are the facts that the pass worked on, whose text earlier passes may have made.
    """
    if not facts.application.options.opt:
        return []
    rewritten = {
        stage.place
        for schedules in result.schedules.values()
        for schedule in schedules
        for number in schedule.regions
        for stage in schedule.choice.groups[number].stages
    }
    found: list[Diagnostic] = []
    for identity, region in facts.positions.regions.items():
        if identity.routine in result.refusals and region.place not in rewritten:
            construct = regions_of(facts.routine(identity.routine))[identity.number]
            inside = [r for r in result.refusals[identity.routine] if _within(r.place, construct)]
            found += _plain_region(region, facts.backend(identity.routine), facts.target, inside)
    if facts.target == "gpu":
        found += _lowerings(facts, result, before)
    for key, refusals in result.refusals.items():
        routine = facts.routine(key)
        for scope in routine.scopes:
            if scope.fuse == "all":
                found += _apart(routine, scope, result.schedules.get(key, ()), refusals)
    return found


def _lowerings(facts: Facts, result: Fused, before: Facts) -> Iterator[Diagnostic]:
    """Warnings about ``march`` and ``share`` of groups that were rewritten in another way."""
    for key, schedules in result.schedules.items():
        teams = facts.backend(key) in TEAM_BACKENDS
        for schedule in schedules:
            for number in schedule.regions:
                group = schedule.choice.groups[number]
                for name, because in ungranted(group, teams).items():
                    for stage in [s for s in group.stages if _says(s.region, name)][:1]:
                        place = in_users_text(stage.place, facts.application, before.application)
                        yield warning("HF701", f"'{name}' has no effect: {because}", place, _SAME)


def in_users_text(place: Place, first: Application, made: Application) -> Place:
    """A place in text that a pass made, as a place in the text that was read first."""
    read, index = (next((f for f in a.files if f.path == place.file), None) for a in (first, made))
    if read is None or index is None or index.expanded == read.expanded:
        return place
    line = index.user_line(place.line - 1)
    if read.expanded is not None:  # the preprocessor made the text that was read
        line = next((row for row, user in enumerate(read.expanded, 1) if user == line), place.line)
    return replace(place, line=line)


def _says(construct: Construct, name: str) -> bool:
    """Whether a region's directive has an attribute with factors."""
    return construct.region is not None and bool(construct.region.factors(name))


def _plain_region(region: Region, backend: str, target: str, refusals: list[Refusal]) -> Iterator[Diagnostic]:
    unrolled = any(n > 1 for _, n in region.factors("unroll"))
    tiled = bool(region.factors("tile")) and not (target == "gpu" and backend in _THREADS_OF_BLOCKS)
    walks = target == "gpu" and any(n > 1 for _, n in region.factors("march"))
    shares = target == "gpu" and bool(region.factors("share"))
    for name, asked in (("unroll", unrolled), ("tile", tiled), ("march", walks), ("share", shares)):
        if asked:
            because = f": {refusals[0].text}" if refusals else _known(name, region, target)
            yield warning("HF701", f"'{name}' has no effect{because}", region.place, _SAME)


def _known(name: str, region: Region, target: str) -> str:
    """Why a region that could be a stage was not rewritten."""
    if name == "tile" and target == "gpu":
        return ": this backend leaves the shape of blocks to the compiler"
    if name == "share":
        return ": nothing is needed at several points of a tile"
    if name == "tile" and len(region.iterators) < 2:
        return ": a region over one iterator is not cut into tiles"
    return ": the region cannot be written anew here"


def _within(place: Place, region: Construct) -> bool:
    """Whether a refusal speaks of a region or something in it."""
    last = region.end.line.last if region.end is not None else region.header.line.last
    return region.header.line.first < place.line <= last + 1  # places count from 1


def _apart(
    routine: Routine, scope: StencilScope, schedules: tuple[Schedule, ...], refusals: tuple[Refusal, ...]
) -> Iterator[Diagnostic]:
    """Why the regions of a scope that wants one region are more than one."""
    lines = range(scope.line.first + 1, scope.end.first + 1)  # places count from 1
    inside = [s for s in schedules if s.program.stages[0].place.line - 1 in lines]
    groups = [g for s in inside for g in s.choice.groups]
    left = [r for r in refusals if r.place.line - 1 in lines]
    if len(groups) == 1 and not left:
        return
    reasons = [r.text for r in left]
    reasons += [text for s in inside for _, _, text in s.choice.reasons if len(s.choice.groups) > 1]
    because = f": {reasons[0]}" if reasons else ""
    message = f"fuse(all): the regions of this stencil program are not one{because}"
    yield warning("HF701", message, scope.place, _SAME)
