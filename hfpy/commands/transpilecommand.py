"""``hfpy transpile``: the generated sources for builds by other tools; what such builds ask for besides."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hfpy.commands.commandline import PATH, given_by, show_diagnostics, translation_options
from hfpy.diagnostics import HfpyError

if TYPE_CHECKING:
    from hfpy.build.session import Session


@click.command()
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE...]")
@click.option("-o", "output", type=PATH, required=True, metavar="DIR", help="Where the sources are written.")
@click.option("--cache-dir", type=PATH, metavar="DIR", help="Remember in DIR what does not have to be done again.")
@click.option("--depfile", type=PATH, metavar="FILE", help="Write dependencies for make to FILE.")
@translation_options
@click.option("--timings", is_flag=True, help="Show how long each phase took.")
@click.option("--emulate", is_flag=True, help="For a build of the GPU's code for the CPU.")
@click.option("--library", is_flag=True, help="The sources are a library: other code calls its public procedures.")
@click.option("--plan", is_flag=True, help="Write nothing: list what would be written, and what a build needs.")
def transpile(
    files: tuple[Path, ...], output: Path, cache_dir: Path | None, depfile: Path | None, plan: bool, **options: Any
) -> None:
    """Translate FILEs (default: those of the project here) and write the sources to DIR."""
    from dataclasses import replace

    from hfpy.build import translated as translation
    from hfpy.build.makedeps import write_depfile
    from hfpy.build.progress import Phases
    from hfpy.build.session import open_files, open_project, settings_left_out

    given = given_by({**options, "trust": True})
    folder = depfile.parent if depfile is not None else output
    session = open_files(files, given, folder) if files else open_project(Path("."), given, os.environ)
    if plan:
        _show_plan(session, cache_dir)
        return
    show_diagnostics(settings_left_out(files, given))
    remembered = cache_dir or (depfile.parent / "cache" if depfile is not None else None)
    with Phases() as phases:
        sources = translation.all_sources(session.project)
        if remembered is None:
            translated = translation.transpile(sources, session.options, output, phases.reported)
        else:
            kept = replace(session.options, cache_dir=remembered)
            state = (depfile.parent if depfile is not None else remembered) / translation.STATE
            translated = translation.bring_up_to_date(sources, kept, output, state, phases.reported)
        if depfile is not None:
            phases.phase("writing dependencies")
            write_depfile(depfile, session.project, session.options, translated, os.environ)
    show_diagnostics((*session.notes, *translated.diagnostics))
    if options.get("timings"):
        click.echo(phases.report(), err=True)


def _show_plan(session: Session, cache: Path | None) -> None:
    """What a translation would write, and what a build needs beside it."""
    from dataclasses import replace

    from hfpy.build.plan import planned
    from hfpy.build.translated import all_sources
    from hfpy.diagnostics import has_errors
    from hfpy.pipeline import translate

    done = translate(all_sources(session.project), replace(session.options, cache_dir=cache))
    if has_errors(done.diagnostics):
        raise HfpyError((*session.notes, *done.diagnostics))
    for line in planned(done, session.options):
        click.echo(line)


@click.command("map-messages", hidden=True)
@click.argument("folder", type=PATH)
@click.argument("names", nargs=-1)
def map_messages(folder: Path, names: tuple[str, ...]) -> None:
    """Copy a compiler's messages from standard input to standard error, led back to the sources; for hfpy.mk."""
    from hfpy.build.compile.messages import mapped
    from hfpy.build.translated import GENERATED, STATE, origins

    with open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False) as stream:
        output = stream.read()
    click.echo(mapped(output, origins(folder / STATE, folder / GENERATED, names)).rstrip("\n"), err=True)
