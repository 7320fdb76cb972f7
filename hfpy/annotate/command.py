"""``hfpy annotate``: regions in plain loops, reported, and written into the sources as comments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hfpy.backendtable import ENTRIES
from hfpy.commands.commandline import (
    DONE,
    PATH,
    WithArguments,
    built_session,
    chosen_executable,
    opened,
    program_options,
    require_programs,
    show_diagnostics,
)
from hfpy.diagnostics import UsageError, printable

if TYPE_CHECKING:
    from hfpy.annotate.nests import Nest
    from hfpy.build.compile.samples import Samples


@click.command(cls=WithArguments)
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...] [-- ARGS...]")
@click.option("--write", is_flag=True, help="Write the directives into the sources, as comments.")
@click.option("--patch", type=PATH, metavar="FILE", help="Write a patch with them to FILE instead (-: print it).")
@click.option("--ask", is_flag=True, help="Ask about loops that a fact of yours would make parallel.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="For people, or programs.")
@click.option("--html", type=PATH, metavar="FILE", help="Write a page with the sources and their verdicts to FILE.")
@click.option("--profile", is_flag=True, help="Run the program as it is, with ARGS, and weigh loops by their time.")
@click.option("--exe", metavar="NAME", help="Which executable --profile runs, if the project has several.")
@click.option("--launcher", metavar="COMMAND", help='What starts the program, such as "mpirun -n 2".')
@click.option(
    "--target", type=click.Choice(["cpu", "gpu"]), help="Only this target; default: that of --backend, else both."
)
@program_options
def annotate(
    paths: tuple[Path, ...],
    write: bool,
    patch: Path | None,
    ask: bool,
    form: str,
    html: Path | None,
    behind: tuple[str, ...],
    profile: bool,
    exe: str | None,
    launcher: str | None,
    **options: Any,
) -> int:
    """Find the loops that are parallel, and why others are not; --write puts directives before them."""
    from hfpy.annotate.found import found, proved
    from hfpy.annotate.page import page
    from hfpy.annotate.text import as_values, report
    from hfpy.annotate.writing import annotated
    from hfpy.annotate.writing import patch as as_patch
    from hfpy.build.files import write_if_changed

    if write and patch is not None:
        raise UsageError("--write and --patch exclude each other")
    if not profile and (behind or exe or launcher):
        raise UsageError("--exe, --launcher and the program's arguments are for --profile")
    targets = _targets(options)
    sessions = {target: opened(paths, {**options, "target": target}) for target in targets}
    stated: dict[tuple[str, int], str] = {}
    samples = _samples(paths, options, exe, launcher, behind) if profile else None
    nests, left_out = found(sessions, stated, samples)
    show_diagnostics(left_out)
    while ask and _asked(nests.questions, stated):
        nests, _ = found(sessions, stated, samples)
    texts = annotated(nests)
    if write or patch is not None:
        proved(sessions, texts, left_out)
    root = next(iter(sessions.values())).project.root
    if html is not None:
        write_if_changed(html, page(nests, root.resolve().name).encode("utf-8"))
    if patch is not None:
        _write_patch(patch, as_patch(texts, root))
    if write:
        for path, text in sorted(texts.items()):
            write_if_changed(Path(path), text.encode("utf-8", "surrogateescape"))
    if str(patch) != "-":
        click.echo(json.dumps(as_values(nests), indent=2) if form == "json" else printable(report(nests)))
    return DONE


def _samples(
    paths: tuple[Path, ...], options: dict[str, Any], exe: str | None, launcher: str | None, arguments: Sequence[str]
) -> Samples:
    """Build the program as it is, run it, and take samples of where it is. Raises HfpyError, UsageError, ToolError."""
    import shlex
    from dataclasses import replace

    from hfpy.build.compile.samples import ENOUGH, run_sampled
    from hfpy.build.translated import GENERATED, STATE, all_origins

    session = opened(paths, {**options, "target": "cpu"})
    require_programs(session.project)
    plain = replace(
        session.options, backend="sequential", schemes={}, routines={}, opt=0, auto=False, changes=(), samples=True
    )
    built = built_session(replace(session, options=plain), options)
    program = built.executables[chosen_executable(sorted(built.executables), exe)]
    command = [*shlex.split(launcher or ""), str(program.resolve()), *arguments]
    samples = run_sampled(command, program, all_origins(built.folder / STATE, built.folder / GENERATED))
    if samples.count < ENOUGH:
        click.echo(f"hfpy: the run was short: {samples.count} samples tell little of its time", err=True)
    return samples


def _targets(options: dict[str, Any]) -> tuple[str, ...]:
    """The target that is asked for, by itself or by a backend; else both."""
    from hfpy.annotate.nests import TARGETS

    if options["target"] is not None:
        return (options["target"],)
    if options["backend"] is not None:
        return tuple(e.target for e in ENTRIES if e.name == options["backend"])
    return TARGETS


def _write_patch(path: Path, text: str) -> None:
    from hfpy.build.files import write_if_changed

    if str(path) == "-":
        click.echo(text, nl=False)
        return
    write_if_changed(path, text.encode("utf-8", "surrogateescape"))


def _asked(questions: Sequence[Nest], stated: dict[tuple[str, int], str]) -> bool:
    """Ask about loops that nothing was said of yet; whether a new fact was stated."""
    new = False
    for nest in questions:
        place = (nest.place.file, nest.place.line)
        if place in stated:
            continue
        clause = nest.reported.clause
        click.echo(f"{nest.place.file}:{nest.place.line}: {printable(nest.reported.why)}")
        click.echo(f"    {printable(nest.line.text)}")
        stated[place] = clause if click.confirm(f"Do you state {clause} of this loop?", default=False) else ""
        new = new or bool(stated[place])
    return new
