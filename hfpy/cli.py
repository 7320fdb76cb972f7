"""The command line: options in, calls out, diagnostics and exit status (design §5) back.

What a command needs is imported within it, so that ``hfpy`` starts fast: it may run once a file in a build.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from hfpy.annotate.command import annotate
from hfpy.commands.commandgroups import Grouped
from hfpy.commands.commandline import (
    DONE,
    HFPY_FAULT,
    PATH,
    TOOL_FAULT,
    USER_FAULT,
    WRONG_USE,
    analysed,
    analysis_options,
    as_errors,
    build_options,
    built_session,
    checked,
    chosen_executable,
    given_by,
    opened,
    require_programs,
    show_diagnostics,
    status_of,
    target_option,
    translation_options,
    werror_option,
)
from hfpy.commands.scalecommand import scale
from hfpy.commands.toolcommands import completion, doctor
from hfpy.commands.transpilecommand import map_messages, transpile
from hfpy.commands.verifycommand import verify
from hfpy.diagnostics import HfpyError, ToolError, UsageError, printable
from hfpy.insight.commands import graph, write_pages
from hfpy.lsp.cli import lsp
from hfpy.tune.commands import tune
from hfpy.version import PACKAGE, VERSION
from hfpy.wrapper.cli import fc

if TYPE_CHECKING:
    from hfpy.build.driver import Built
    from hfpy.build.session import Session
    from hfpy.translation import Translation

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point of ``hfpy``: runs a command and ends the process with its status."""
    # A translation makes millions of objects, next to none of which are garbage before the process ends.
    gc.disable()
    status = run(arguments)
    gc.freeze()  # at its end Python looks for garbage again, among all of them, though their memory goes anyway
    sys.exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status. No exception gets out, whatever happens."""
    try:
        signal.signal(signal.SIGTERM, _terminated)
        status = cli.main(None if arguments is None else list(arguments), "hfpy", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else DONE
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as fault:
        fault.show()
        return WRONG_USE
    except UsageError as fault:
        click.echo(printable(f"hfpy: {fault}"), err=True)
        return WRONG_USE
    except HfpyError as fault:
        show_diagnostics(fault.diagnostics)
        return status_of(fault.diagnostics)
    except ToolError as fault:
        click.echo(printable(str(fault)), err=True)
        return TOOL_FAULT
    except (KeyboardInterrupt, click.Abort):
        click.echo("hfpy: interrupted", err=True)
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else HFPY_FAULT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at its end
        return DONE
    except Exception as fault:
        if os.environ.get("HFPY_DEBUG"):
            raise
        click.echo(_own_fault(fault), err=True)
        return HFPY_FAULT


def _terminated(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _own_fault(fault: Exception) -> str:
    """One paragraph about a bug in hfpy."""
    from hfpy.commands.mishaps import unexpected
    from hfpy.diagnostics import Place, render

    return render(unexpected(fault, Place("hfpy")))


@click.group(cls=Grouped, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="hfpy", message="%(prog)s %(version)s")
@click.option("-C", "folder", type=PATH, metavar="DIR", help="Work in DIR, as if hfpy had been called there.")
def cli(folder: Path | None) -> None:
    """One annotated Fortran source, fast CPU and GPU programs."""
    if folder is None:
        return
    try:
        os.chdir(folder)
    except OSError as fault:
        raise UsageError(f"-C {folder}: {fault.strerror}") from None


@cli.command()
@click.argument("name")
def new(name: str) -> None:
    """Make a folder NAME with a project that builds at once."""
    from hfpy.build.scaffold import new_project

    folder = new_project(Path(name))
    click.echo(f"made {folder}; now: cd {folder} && hfpy build && hfpy run")


@cli.command()
@click.argument("folder", type=PATH, default=".", metavar="[DIR]")
def init(folder: Path) -> None:
    """Write an hfpy.toml for the Fortran sources in DIR (default: here)."""
    from hfpy.commands.beginning import begin

    for line in begin(folder).reported():
        click.echo(line)


@cli.command("build")
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@build_options
def build_command(project: Path, **options: Any) -> None:
    """Translate, compile and link the project in PROJECT_DIR (default: here)."""
    from hfpy.build.compile.messages import user_path
    from hfpy.build.existing.legacy import install
    from hfpy.build.session import open_project

    session = open_project(project, given_by(options), os.environ, runs=True)
    built = built_session(session, options)
    installed = install(session.project, session.options.target, built.executables) if session.project.legacy else {}
    what = f"{len(built.done)} steps done" if built.done else "everything was up to date"
    for name, path in built.executables.items():
        click.echo(f"built {user_path(installed.get(name, path))} ({what})")
    for path in built.library.files if built.library is not None else ():
        click.echo(f"built {user_path(path)} ({what})")


@cli.command("install")
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@click.option("--prefix", type=PATH, required=True, metavar="DIR", help="Where bin, lib and include are.")
@build_options
def install_command(project: Path, prefix: Path, **options: Any) -> None:
    """Build the project and copy executables, libraries, module files and a pkg-config file to folders under DIR."""
    from hfpy.build.install import install
    from hfpy.build.session import open_project

    session = open_project(project, given_by(options), os.environ, runs=True)
    built = built_session(session, options)
    staged = os.environ.get("DESTDIR")
    changed = install(session.project, built, prefix, Path(staged) if staged else None)
    for path in changed:
        click.echo(f"installed {printable(str(path))}")
    if not changed:
        click.echo("everything was up to date")


@cli.command("run")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS...]")
@click.option("-C", "--project", type=PATH, default=".", help="Folder of the project.")
@click.option("--exe", metavar="NAME", help="Which executable, if the project has several.")
@click.option("--launcher", metavar="COMMAND", help='What starts the program, such as "mpirun -n 2".')
@click.option("--profile", is_flag=True, help="Count and time kernels and copies, and say how fast they were.")
@build_options
def run_command(
    arguments: tuple[str, ...], project: Path, exe: str | None, launcher: str | None, profile: bool, **options: Any
) -> int:
    """Build the project and run it with ARGS; the exit status is the program's."""
    import shlex

    from hfpy.build.environment import program_environment
    from hfpy.build.session import open_project

    session = open_project(project, given_by({**options, "profile": profile}), os.environ, runs=True)
    require_programs(session.project)
    built = built_session(session, options)
    chosen = chosen_executable(sorted(built.executables), exe)
    command = [*shlex.split(launcher or ""), str(built.executables[chosen].resolve()), *arguments]
    environment = program_environment(os.environ)
    sys.stdout.flush()  # what scripts print comes before what the program prints, in a file, too
    status = _profiled(command, environment, session, chosen, built) if profile else _run(command, environment)
    on_gpu = session.options.target == "gpu" and "opencl" not in session.options.backends
    if status and on_gpu and not options.get("emulate"):
        _hint_at_emulation()
    return status


def _hint_at_emulation() -> None:
    """Say how kernels run on a machine without a GPU, if this is one."""
    from hfpy.build.machine.doctor import find_gpus

    if not find_gpus():
        click.echo("hfpy: this machine has no GPU that can be used; --emulate runs the kernels on the CPU", err=True)


def _run(command: list[str], environment: dict[str, str]) -> int:
    """Run a program; its exit status. Raises ToolError if it cannot be started."""
    import subprocess

    try:
        status = subprocess.run(command, env=environment, check=False).returncode
    except OSError as fault:
        raise ToolError(f"error HF805: '{command[0]}' cannot be run: {fault.strerror}") from None
    return status if status >= 0 else 128 - status


def _profiled(command: list[str], environment: dict[str, str], session: Session, program: str, built: Built) -> int:
    """Run a program that was built for it and show where its time went; its exit status."""
    import tempfile

    from hfpy.commands.tables import print_parts
    from hfpy.report.profile.command import FOLDER, profile_of, write_profile
    from hfpy.report.profile.text import show

    with tempfile.TemporaryDirectory(prefix="hfpy-profile-") as folder:
        status = _run(command, {**environment, FOLDER: folder})
        profile = profile_of(Path(folder), program, session.project, session.options, os.environ)
    if profile is None:
        click.echo(
            "hfpy: no profile: the program runs no kernel that can be timed, or was ended before it could write one",
            err=True,
        )
        return status
    print_parts(show(profile), err=True)
    for path in write_profile(profile, built.folder):
        click.echo(f"wrote {path}", err=True)
    return status


@cli.command("test")
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@target_option
@click.option("--kind", default="validation", show_default=True, help="Which testConfig_KIND.txt is meant.")
def test_command(project: Path, target: str, kind: str) -> int:
    """Run the tests of an existing Hybrid Fortran project and compare their output with the references."""
    from hfpy.build.existing.testrunner import Result, run_tests

    def reported(result: Result) -> None:
        arguments = "".join(f" {word}" for word in result.arguments)
        click.echo(printable(f"{result.name}{arguments}: {result.fault or 'ok'}"))

    results = run_tests(project, target, kind, os.environ, reported)
    failed = sum(bool(result.fault) for result in results)
    click.echo(f"{len(results) - failed} of {len(results)} test runs ok")
    return USER_FAULT if failed else DONE


@cli.command()
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...]")
@translation_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github", "gitlab"]),
    default="text",
    help="For people, for programs, or for what runs it.",
)
@click.option(
    "--summary",
    "counted",
    is_flag=True,
    help="Count causes, also of serial loops with --auto; cures that free most first.",
)
@werror_option
def check(paths: tuple[Path, ...], form: str, counted: bool, werror: bool, **options: Any) -> int:
    """Show all diagnostics of the project (or those of FILEs in it); only a cache is written, if there is one."""
    from hfpy.commands.formats import shown
    from hfpy.diagnostics import ordered

    if counted and form not in ("text", "json"):
        raise UsageError(f"--summary has no form '{form}': take text or json")
    translation, elsewhere = None, 0
    try:
        made, elsewhere = checked(paths, options, counted)
        found = made.found
        translation = made.translation
    except HfpyError as fault:
        found = fault.diagnostics
    found = as_errors(found, werror)
    if counted:
        from hfpy.commands.counted import show_counted

        show_counted(ordered(found), translation, paths, form)
        return status_of(found)
    if form != "text":
        if text := shown(ordered(found), form):
            click.echo(text)
    else:
        show_diagnostics(found)
        if elsewhere:
            click.echo(
                f"other files of the project have {elsewhere} error{'s' if elsewhere != 1 else ''}: hfpy check",
                err=True,
            )
        elif not found:
            click.echo("no problems found")
    return status_of(found)


@cli.command()
@click.argument("routine", required=False)
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...]")
@click.option(
    "--schedule", "scheduled", is_flag=True, help="Say what the optimiser makes of ROUTINE (or of a kernel), and why."
)
@click.option("--html", type=PATH, metavar="DIR", help="Write pages to DIR: all this, call graph, generated code.")
@click.option(
    "--dump-after", metavar="PASS", help="Show the regions after a pass: arrays, fuse, columns, loops or specialise."
)
@analysis_options
def explain(
    routine: str | None,
    paths: tuple[Path, ...],
    scheduled: bool,
    html: Path | None,
    dump_after: str | None,
    **options: Any,
) -> int:
    """Say for ROUTINE (default: all) where it is, which dimensions and order its data have, and why."""
    from hfpy.commands.tables import print_parts
    from hfpy.diagnostics import has_errors

    routine = routine or None  # an empty name is before the paths of what is explained as a whole
    translation, notes = analysed(paths, options)
    found = (*notes, *translation.diagnostics)
    show_diagnostics([d for d in found if d.severity == "error"])
    if html is not None:
        write_pages(translation, found, routine, paths, html)
        return status_of(found)
    if dump_after is None and not scheduled:
        parts = translation.explained(routine)
    else:
        text = translation.schedule(routine) if dump_after is None else _regions_after(dump_after, routine, translation)
        parts = (text.rstrip("\n"),) if text else ()
    if routine is not None and not parts and not has_errors(found):
        _require_routine(routine, translation)
    if scheduled and not parts:
        parts = ("no region here that the optimiser looks at (at --opt 0 it looks at none)",)
    print_parts(parts, blank=False)
    return status_of(found)


def _regions_after(name: str, routine: str | None, translation: Translation) -> str:
    """The regions of a routine after a pass. Raises UsageError if there is no such pass."""
    from hfpy.transform.pipelines import PASSES

    if name not in PASSES:
        raise UsageError(f"no pass '{name}'; there are {', '.join(PASSES)}")
    return translation.kernels(name, routine) or f"'{name}' is not run here: it is no pass of this level and target"


def _require_routine(name: str, translation: Translation) -> None:
    """Raises UsageError with the nearest name if the program has no such routine that directives reach."""
    import difflib

    survey = translation.survey()
    known = sorted({r.name for r in survey.routines}) if survey is not None else []
    wanted = re.sub(r"^hfk\d+_", "", name.lower()).rsplit("::", 1)[-1]
    if wanted in known:
        return
    near = difflib.get_close_matches(wanted, known, 1, 0.6)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known[:8])}" if known else ""
    raise UsageError(f"no routine '{name}' that directives reach{'; ' if hint else ''}{hint}")


@cli.command("domains")
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...]")
@analysis_options
def domains_command(paths: tuple[Path, ...], **options: Any) -> int:
    """Propose [domains] for hfpy.toml from the sizes and loops of the project (or of FILEs); nothing is written."""
    from hfpy.analyze.loops.proposed import proposals
    from hfpy.build.translated import all_sources
    from hfpy.parse.application import read_application
    from hfpy.report.domains import show_domains

    session = opened(paths, options)
    application, found = read_application(all_sources(session.project, written=False), session.options, everything=True)
    show_diagnostics([d for d in found if d.severity == "error"])
    click.echo(printable(show_domains(proposals(application))))
    return status_of(found)


@cli.command("report")
@click.argument("reference", type=PATH)
@click.argument("hybrid", type=PATH)
@click.option("-o", "output", type=PATH, metavar="DIR", help="Write report.json and report.html to DIR.")
@click.option(
    "--generated",
    "targets",
    multiple=True,
    metavar="TARGET",
    help="Count what hfpy writes for TARGET (cpu, gpu:openacc).",
)
@click.option("--timings", is_flag=True, help="Show how long each phase took.")
def report_command(reference: Path, hybrid: Path, output: Path | None, targets: tuple[str, ...], timings: bool) -> None:
    """Compare the code before, in REFERENCE, with the hybrid code: lines kept, replaced, new, and what for."""
    from hfpy.build.progress import Phases
    from hfpy.commands.tables import print_parts
    from hfpy.report.productivity.command import make_report, write_report
    from hfpy.report.productivity.text import show

    with Phases() as phases:
        made = make_report(reference, hybrid, targets, os.environ, phases.phase)
        phases.phase("writing")
        written = write_report(made, output) if output is not None else ()
    print_parts(show(made))
    for path in written:
        click.echo(f"wrote {path}")
    if timings:
        print_parts((phases.report(),), err=True)


@cli.command()
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@click.option("--target", type=click.Choice(["cpu", "gpu"]), help="Only this target; default: both.")
def clean(project: Path, target: str | None) -> None:
    """Remove what hfpy has built in PROJECT_DIR (default: here)."""
    from hfpy.build.clean import clean_project
    from hfpy.build.session import Given, open_project

    session = open_project(project, Given(target=target or "cpu"), os.environ)
    for folder in clean_project(session.project, [target] if target else ["cpu", "gpu"]):
        click.echo(f"removed {folder}")


@cli.command("probe")
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@click.option("--mpi", is_flag=True, help="Measure messages between two processes instead, for `hfpy scale`.")
@click.option("--launcher", metavar="COMMAND", default="mpirun -n 2", show_default=True, help="What starts them.")
def probe_command(project: Path, mpi: bool, launcher: str) -> None:
    """Measure this machine for the optimiser, and keep what was found in PROJECT_DIR (default: here)."""
    from dataclasses import asdict

    from hfpy.build.machine.networkprobe import measure_network
    from hfpy.build.machine.probe import keep, probe
    from hfpy.build.session import Given, open_project

    session = open_project(project, Given(target="cpu"), os.environ, runs=True)
    if mpi:
        network = measure_network(session.project, os.environ, launcher)
        path = keep(session.project, "network", asdict(network))
        click.echo(
            f"latency {network.latency * 1e6:.3g} µs, overhead {network.overhead * 1e6:.3g} µs, "
            f"gap {network.gap * 1e6:.3g} µs, {network.bandwidth / 1e9:.3g} GB/s: {path}"
        )
        return
    path, machine = probe(session.project, os.environ)
    click.echo(
        f"{machine.bandwidth / 1e9:.3g} GB/s, {machine.rate / 1e9:.3g} Gop/s, {machine.launch * 1e6:.3g} µs a region, "
        f"{machine.cache // 1024} KiB near a thread: {path}"
    )


@cli.command()
@click.option("--hf-dir", is_flag=True, help="Print the folder to use as HF_DIR for existing projects.")
@click.option("--cmake", is_flag=True, help="Print the folder to use as hfpy_DIR for CMake.")
def makefile(hf_dir: bool, cmake: bool) -> None:
    """Print the path of hfpy.mk, for `include $(shell hfpy makefile)`."""
    folder = PACKAGE / "makefiles"
    click.echo(PACKAGE / "cmake" if cmake else folder / "hf" if hf_dir else folder / "hfpy.mk")


for command in (annotate, transpile, map_messages, graph, doctor, completion, fc, lsp, scale, tune, verify):
    cli.add_command(command)
