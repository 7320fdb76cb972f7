"""The command line of ``hfpy verify``: two builds compared, or one watched for races."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from hfpy.backendtable import TABLE
from hfpy.commands.commandline import (
    DIFFERENCE,
    DONE,
    PATH,
    WithArguments,
    built_session,
    chosen_executable,
    given_by,
    program_options,
    require_programs,
    schedule_option,
)
from hfpy.diagnostics import ToolError, UsageError, printable

REFERENCE = "reference"  # the name of the sequential build at level 0, beside the sides that the user names
# Options that say how a program is built; the others say what the program is, and hold for the reference, too.
HOW_IT_IS_BUILT = (
    "routines",
    "schemes",
    "layout",
    "schedule",
    "opt",
    "specialise",
    "changes",
    "line_markers",
    "indent",
)


@click.command(cls=WithArguments)
@click.argument("words", nargs=-1, metavar="[[FIRST] SECOND] [-- ARGS...]")
@click.option("-C", "--project", type=PATH, default=".", help="Folder of the project.")
@click.option("--exe", metavar="NAME", help="Which executable, if the project has several.")
@click.option("--tolerance", type=float, default=1e-12, show_default=True, help="Relative difference that is let pass.")
@click.option("--emulate", is_flag=True, help="Run the GPU's code on the CPU.")
@click.option("--races", is_flag=True, help="Run one sequential build and say which points of regions meet.")
@program_options
@schedule_option
def verify(
    words: tuple[str, ...],
    behind: tuple[str, ...],
    project: Path,
    exe: str | None,
    races: bool,
    backend: str | None,
    **options: Any,
) -> int:
    """Build the project for SECOND (cpu, gpu, TARGET:BACKEND; default: gpu) and for FIRST (default: sequential, at
    level 0), run both with ARGS, and say where their arrays differ first. Options of a build hold for both, those about
    how it is built not for the default of FIRST. With --races: build it for SECOND (cpu, gpu; default: cpu, and gpu if
    there are regions of GPUs alone), and say which points of its regions meet in an element that one of them sets."""
    if races:
        if len(words) > 1 or (words and words[0] not in ("cpu", "gpu")):
            raise UsageError("--races watches one target, cpu or gpu; the program's arguments are after --")
        if backend:
            raise UsageError("--races watches a sequential build; it has no --backend")
        return _watched_targets(words, behind, project, exe, options)
    sides = _with_backend(words[:2], backend) if backend else words[:2] or ("gpu",)
    return _compared(sides, (*words[2:], *behind), project, exe, options)


def _with_backend(words: tuple[str, ...], backend: str) -> tuple[str, ...]:
    """The sides where ``--backend`` says the backend of SECOND. Raises UsageError where a side says one, too."""
    *first, second = words or (TABLE[backend].target,)
    if second not in ("cpu", "gpu"):
        raise UsageError(f"'{second}' and --backend {backend}: say the backend of SECOND once")
    if second != TABLE[backend].target:
        raise UsageError(f"{backend} is a backend of the {TABLE[backend].target}, not of the {second}")
    return (*first, f"{second}:{backend}")


def _compared(
    sides: tuple[str, ...], arguments: tuple[str, ...], project: Path, exe: str | None, options: dict[str, Any]
) -> int:
    """Build twice, run both, compare; the exit status."""
    from hfpy.build.session import open_project
    from hfpy.build.verify.verify import Side, agreement, run_and_compare, side
    from hfpy.extras import require

    require("numpy", "python", "hfpy verify")
    tolerance = options.pop("tolerance")
    chosen = [(word, side(word), options) for word in sides]
    if len(chosen) == 1:
        plain = {name: value for name, value in options.items() if name not in HOW_IT_IS_BUILT}
        chosen.insert(0, (REFERENCE, Side("cpu", "sequential"), {**plain, "opt": 0}))
    if chosen[0][1] == chosen[1][1] and _same_build(chosen[0][2], options):
        raise UsageError("the two sides are the same build")
    programs = {}
    for name, one, asked in chosen:
        emulate = options["emulate"] and one.target == "gpu"
        given = {**asked, "target": one.target, "backend": one.backend or None, "emulate": emulate}
        given |= {"trace": True, "exact": tolerance == 0}
        session = open_project(project, given_by(given), os.environ, runs=True)
        require_programs(session.project)
        built = built_session(session, given)
        programs[name] = built.executables[chosen_executable(sorted(built.executables), exe)]
    verdict = run_and_compare(programs, arguments, Path.cwd(), tolerance, lambda t: click.echo(t, err=True))
    if verdict.problem:
        click.echo(printable(verdict.problem))
    if verdict.difference is not None:
        click.echo(printable(verdict.difference.text(*programs)))
    if verdict.problem or verdict.difference is not None:
        return DIFFERENCE
    compared = f"{verdict.compared} arrays are the same on both sides {agreement(tolerance)}"
    click.echo(f"{compared} ({verdict.passed_over} are only on one)")
    return DONE


def _same_build(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether all that is said about how two builds of a backend are made is the same."""
    said = [{name: given.get(name) for name in HOW_IT_IS_BUILT} for given in (one, other)]
    first, second = ({n: v for n, v in x.items() if v is not None and v is not False and v != ()} for x in said)
    return first == second


def _watched_targets(
    asked: tuple[str, ...], arguments: tuple[str, ...], project: Path, exe: str | None, options: dict[str, Any]
) -> int:
    """Watch the regions of the target that was asked for; without one those of the CPU and, where others are of GPUs
    alone, those of GPUs, so that each stated fact is looked at. The exit status.
    """
    if asked:
        return _watched(asked[0], arguments, project, exe, options)
    status = _watched("cpu", arguments, project, exe, options)
    if _has_regions_of_gpus_alone(project, options):
        click.echo("there are regions of GPUs alone; they are watched in a run of their own")
        status = _watched("gpu", arguments, project, exe, options) or status
    return status


def _has_regions_of_gpus_alone(project: Path, options: dict[str, Any]) -> bool:
    """Whether a region of the project has loops on GPUs and none on the CPU."""
    from hfpy.analyze.callgraph.positions import active_regions
    from hfpy.build.session import open_project
    from hfpy.pipeline import settled_application

    session = open_project(project, given_by({**options, "target": "cpu"}), os.environ, runs=True)
    application = settled_application(session.sources, session.options).application
    return bool(active_regions(application, "gpu").keys() - active_regions(application, "cpu").keys())


def _watched(target: str, arguments: tuple[str, ...], project: Path, exe: str | None, options: dict[str, Any]) -> int:
    """Build the project so that it watches for races, run it, and show what it found; the exit status."""
    from dataclasses import replace

    from hfpy.build.compile.races import run_watched
    from hfpy.build.session import open_project
    from hfpy.build.translated import GENERATED, STATE, all_origins

    given = {**options, "target": target, "races": True, "opt": 0}
    session = open_project(project, given_by(given), os.environ, runs=True)
    require_programs(session.project)
    plain = replace(session.options, backend="sequential", schemes={}, routines={}, emulate=False)
    built = built_session(replace(session, options=plain), given)
    program = built.executables[chosen_executable(sorted(built.executables), exe)]
    found = run_watched(program, arguments, Path.cwd(), all_origins(built.folder / STATE, built.folder / GENERATED))
    click.echo(printable(found.messages), err=True, nl=False)
    for line in (*found.unwatched, *(meeting.text() for meeting in found.meetings)):
        click.echo(printable(line))
    if found.races:
        click.echo(f"{len(found.races)} races")
    if found.status:
        raise ToolError(f"error HF805: the program ended with status {found.status}")
    if found.races:
        return DIFFERENCE
    click.echo(f"no races: {found.points} points of {found.launches} regions were watched")
    return DONE
