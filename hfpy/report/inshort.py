"""What the optimiser makes of each region, in a few words, for places where one line is to be had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hfpy.insight.survey import RegionView, RoutineView, Survey
from hfpy.model.units import FileIndex
from hfpy.transform.columns.optimise import InBlocks
from hfpy.transform.pipelines import Lowered, Step
from hfpy.transform.stencil.explained import Schedule
from hfpy.transform.stencil.groups import Group
from hfpy.transform.stencil.optimise import Fused

Lines = Mapping[int, str]


def with_schedules(survey: Survey, made: Lowered | None) -> Survey:
    """The survey with what became of the regions of its routines."""
    return replace(survey, routines=tuple(_routine(r, made) if r.regions else r for r in survey.routines))


def _routine(routine: RoutineView, made: Lowered | None) -> RoutineView:
    reported: dict[int, str] = {}
    for step in made.steps if made is not None else ():
        if routine.key in step.before.application.units:
            reported |= _of_step(step, routine.key)
    return replace(routine, regions=tuple(replace(r, schedule=_schedule(r, reported)) for r in routine.regions))


def _schedule(region: RegionView, reported: Lines) -> str:
    """The remarks on a region, at its first line, or on a statement in it."""
    if not region.active:
        return "no loops on this target"
    last = max(region.last_line, region.line)
    return next((reported[line] for line in range(region.line, last + 1) if line in reported), "as written")


def _of_step(step: Step, key: str) -> dict[int, str]:
    """What a pass says of a routine, by lines of the user's file."""
    index = step.before.application.file(key)
    refusals = step.made.refusals.get(key, ())
    reported = {index.user_line(r.place.line - 1): f"as written: {r.text}" for r in refusals}
    if isinstance(step.made, Fused):
        for schedule in step.made.schedules.get(key, ()):
            reported |= dict(_groups(schedule, index))
    if isinstance(step.made, InBlocks):
        for blocked in step.made.blocked.get(key, ()):
            several = f", {blocked.regions} regions as one" if blocked.regions > 1 else ""
            reported[index.user_line(blocked.line - 1)] = f"in blocks of {blocked.width} columns{several}"
    return reported


def _groups(schedule: Schedule, index: FileIndex) -> Iterator[tuple[int, str]]:
    """The regions of a program: how their group is computed, with which others, and how long that takes by the model
    of the machine.
    """
    for number, (group, cost) in enumerate(zip(schedule.choice.groups, schedule.choice.costs, strict=True)):
        region = schedule.regions.get(number)
        manner = region.manner if region is not None else "as written"
        lines = _lines(group, index)
        for line in lines:
            rest = [str(n) for n in lines if n != line]
            others = f", one with line{'s' if len(rest) > 1 else ''} {', '.join(rest)}" if rest else ""
            yield line, f"{manner}{others}; predicted {cost.seconds * 1e3:.3g} ms"


def _lines(group: Group, index: FileIndex) -> list[int]:
    return list(dict.fromkeys(index.user_line(stage.place.line - 1) for stage in group.stages))
