"""What the commands share: options, how they are read, how diagnostics are shown, exit status (design §5).

Imported for every command, so it imports little.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hfpy.backendtable import BACKENDS
from hfpy.diagnostics import Diagnostic, UsageError, printable

if TYPE_CHECKING:
    from hfpy.build.driver import Built, Request
    from hfpy.build.progress import Phases
    from hfpy.build.session import Given, Session
    from hfpy.commands.checking import Checked
    from hfpy.project import Project
    from hfpy.translation import Translation

DONE, USER_FAULT, WRONG_USE, TOOL_FAULT, DIFFERENCE, HFPY_FAULT = 0, 1, 2, 3, 4, 70

Command = Callable[..., Any]


def show_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Print diagnostics to standard error, in the order of their places, with how many there are."""
    from hfpy.commands.colours import diagnostic_printer
    from hfpy.diagnostics import ordered

    found = ordered(diagnostics)
    if not found:
        return
    show = diagnostic_printer()
    for diagnostic in found:
        show(diagnostic)
    counts = [
        f"{n} {kind}{'s' if n != 1 else ''}"
        for kind in ("error", "warning")
        if (n := sum(d.severity == kind for d in found))
    ]
    if counts:
        click.echo(", ".join(counts), err=True)


def as_errors(diagnostics: Sequence[Diagnostic], werror: bool) -> tuple[Diagnostic, ...]:
    """Diagnostics, with warnings as errors if so asked."""
    if not werror:
        return tuple(diagnostics)
    return tuple(replace(d, severity="error") if d.severity == "warning" else d for d in diagnostics)


def status_of(diagnostics: Sequence[Diagnostic]) -> int:
    """The exit status that diagnostics ask for: a fault of hfpy's, one of the user's, or none."""
    errors = {d.code for d in diagnostics if d.severity == "error"}
    return HFPY_FAULT if "HF900" in errors else USER_FAULT if errors else DONE


def stack(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order in the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


PATH = click.Path(path_type=Path)
target_option = click.option("--target", type=click.Choice(["cpu", "gpu"]), default="cpu", show_default=True)
schedule_option = click.option("--schedule", metavar="KIND", help="OpenMP schedule of parallel loops.")
program_options = stack(
    click.option("--backend", type=click.Choice(BACKENDS), help="Backend of the target, instead of the project's."),
    click.option(
        "--routine", "routines", multiple=True, metavar="[MODULE::]NAME=BACKEND", help="Backend of a routine."
    ),
    click.option("--scheme", "schemes", multiple=True, metavar="NAME=BACKEND", help="Backend of a scheme."),
    click.option("--storage-order", type=PATH, metavar="FILE", help="File with the storage order macros."),
    click.option("-D", "define", multiple=True, metavar="NAME[=VALUE]", help="Define a preprocessor macro."),
    click.option("-I", "include_dirs", multiple=True, type=PATH, metavar="DIR", help="Where included files are."),
    click.option("--layout", metavar="ORDER", help='Order of the dimensions, such as "k i j", leftmost contiguous.'),
    click.option(
        "--export", "exports", multiple=True, metavar="[MODULE::]NAME", help="What code outside of the sources uses."
    ),
    click.option(
        "--parse-limit",
        type=click.FloatRange(0),
        metavar="SECONDS",
        help="Give up a routine that takes longer to parse.",
    ),
    click.option("--opt", type=click.IntRange(0, 3), help="Level of the optimiser; default: 2."),
    click.option("--specialise", metavar="NX=N ...", help="Sizes for which regions get versions of their own."),
    click.option(
        "--set", "changes", multiple=True, metavar="CALL.KERNEL=ENTRIES", help="Transform a kernel, as scripts do."
    ),
    click.option(
        "--drop-directives", is_flag=True, help="Drop OpenMP and OpenACC directives of yours where regions are."
    ),
    click.option(
        "--directives-as-regions", is_flag=True, help="Read loops that are called parallel elsewhere as regions."
    ),
    click.option("--auto", is_flag=True, help="Make regions of plain loops that are proved to be parallel."),
    click.option("--trust", is_flag=True, help="Run the project's scripts where a command only looks at it."),
    click.option("--line-markers", is_flag=True, help="Write #line markers that lead to your sources."),
    click.option("--indent", is_flag=True, help="Indent the bodies of regions by the loops around them."),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1),
        help="Processes at a time; default: as HFPY_JOBS says, else one for each core.",
    ),
)
analysis_options = stack(target_option, program_options)
translation_options = stack(
    analysis_options,
    schedule_option,
    click.option("--debug-print", is_flag=True, help="Let the program print values after each kernel."),
)
werror_option = click.option("--werror", is_flag=True, help="Take warnings for errors.")
build_options = stack(
    translation_options,
    werror_option,
    click.option("--emulate", is_flag=True, help="Build the GPU's code for the CPU, to test and debug it there."),
    click.option("--mpi", is_flag=True, help="Build the program for many processes, on MPI."),
    click.option(
        "--poison-halos", is_flag=True, help="Make halos NaN while they are stale, as --emulate does; see mpi.md."
    ),
    click.option("--debug", is_flag=True, help="Compile for debugging, with run-time checks."),
    click.option("-v", "--verbose", is_flag=True, help="Show the compilers' command lines."),
    click.option("--timings", is_flag=True, help="Show how long each phase took."),
)


class WithArguments(click.Command):
    """A command whose words after ``--`` are the program's, apart from its own: the parameter ``behind``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Cut the words at ``--``."""
        cut = args.index("--") if "--" in args else len(args)
        left = super().parse_args(ctx, args[:cut])
        ctx.params["behind"] = tuple(args[cut + 1 :])
        return left


def given_by(options: dict[str, Any]) -> Given:
    """What the options of a command say about the project."""
    from dataclasses import fields

    from hfpy.build.compile.compilers import default_jobs
    from hfpy.build.session import Given

    known = {f.name for f in fields(Given)}
    values = {key: value for key, value in options.items() if key in known}
    values["jobs"] = values.get("jobs") or default_jobs()
    values["line_markers"] = bool(values.get("line_markers") or values.get("debug"))
    return Given(**values)


def checked(paths: tuple[Path, ...], options: dict[str, Any], surveyed: bool) -> tuple[Checked, int]:
    """All diagnostics of a project, or those of some files, with the number of errors in its other files. Files are
    read with the project that they belong to. ``surveyed`` asks for the translation in any case.
    """
    from hfpy.build.progress import Phases
    from hfpy.commands.checking import check, of_files, session_of, unreached
    from hfpy.commands.unreached import together

    files = paths if paths and all(path.is_file() for path in paths) else ()
    project = session_of(files, given_by(options), os.environ) if files else None
    session = project or opened(paths, options)
    with Phases() as phases, unreached(session, files if project is not None else ()).begun() as pending:
        made = check(session, phases.reported, os.environ, surveyed)
        made = replace(made, found=together(made.found, pending.result()))
    if project is None:
        return made, 0
    found, elsewhere = of_files(project, made.found, files)
    return replace(made, found=found), elsewhere


def analysed(paths: tuple[Path, ...], options: dict[str, Any]) -> tuple[Translation, tuple[Diagnostic, ...]]:
    """The translation of files or of a project, with nothing written, and notes on the project."""
    session, translation = _analysed(paths, options)
    return translation, session.notes


def _analysed(paths: tuple[Path, ...], options: dict[str, Any]) -> tuple[Session, Translation]:
    from hfpy.build.progress import Phases
    from hfpy.build.translated import all_sources
    from hfpy.pipeline import translate

    session = opened(paths, options)
    with Phases() as phases:
        return session, translate(all_sources(session.project, written=False), session.options, phases.reported)


def opened(paths: tuple[Path, ...], options: dict[str, Any]) -> Session:
    """The project in a folder (default: here), or files as one, with what the command line says."""
    from hfpy.build.session import open_files, open_project

    given = given_by(options)
    if not paths or (len(paths) == 1 and paths[0].is_dir()):
        return open_project(paths[0] if paths else Path("."), given, os.environ)
    return open_files(paths, given)


def build_request(phases: Phases, options: dict[str, Any]) -> Request:
    """How to build by the options of a command."""
    from hfpy.build.compile.compilers import default_jobs
    from hfpy.build.driver import Request

    def say(text: str) -> None:
        click.echo(printable(text), err=True)

    return Request(
        jobs=options.get("jobs") or default_jobs(),
        environment=dict(os.environ),
        phases=phases,
        debug=bool(options.get("debug")),
        say=say,
        reported=say if options.get("verbose") else lambda _: None,
        exact=bool(options.get("exact")),
        diagnosed=_refused_if_warned if options.get("werror") else show_diagnostics,
    )


def _refused_if_warned(diagnostics: Sequence[Diagnostic]) -> None:
    """Show diagnostics, or raise HfpyError if there is a warning among them."""
    from hfpy.diagnostics import HfpyError, has_errors

    strict = as_errors(diagnostics, werror=True)
    if has_errors(strict):
        raise HfpyError(strict)
    show_diagnostics(strict)


def built_session(session: Session, options: dict[str, Any]) -> Built:
    """The project of a session, built; what there is to say is said. Raises HfpyError, ToolError."""
    from hfpy.build.driver import build
    from hfpy.build.progress import Phases
    from hfpy.commands.tables import print_parts

    show_diagnostics(session.notes)
    phases = Phases()
    try:
        with phases:
            built = build(session.project, session.options, build_request(phases, options))
    finally:
        if options.get("timings"):
            print_parts((phases.report(),), err=True)
    return built


def require_programs(project: Project) -> None:
    """Raises UsageError if a project has nothing that can be run."""
    if project.kind == "library" and not project.executables:
        raise UsageError("the project is a library; name the main programs that are to be built in executables")


def chosen_executable(names: list[str], asked: str | None) -> str:
    """The executable that is asked for, or the only one. Raises UsageError."""
    if asked is None and len(names) > 1:
        raise UsageError(f"the project has several executables, name one with --exe: {', '.join(names)}")
    chosen = names[0] if asked is None else asked
    if chosen not in names:
        raise UsageError(f"no executable '{chosen}' here; there are: {', '.join(names)}")
    return chosen
