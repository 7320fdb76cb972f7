"""The command line of ``hfpy tune``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from hfpy.commands.commandline import DONE, PATH, analysis_options, given_by, require_programs, show_diagnostics
from hfpy.diagnostics import UsageError


def _sizes(given: tuple[str, ...]) -> dict[str, int]:
    """Values from ``nx=256,ny=256``. Raises UsageError."""
    from hfpy.options import sizes_of

    sizes = sizes_of(" ".join(given))
    if sizes is None:
        raise UsageError(f"--size wants NAME=NUMBER, not '{' '.join(given)}'")
    return dict(sizes)


@click.command()
@click.argument("routines_wanted", nargs=-1, metavar="[ROUTINE...]")
@click.option(
    "--script", metavar="MODULE[:FUNCTION]", help="Time forms of kernels that a script proposes; ROUTINE names kernels."
)
@click.option("-C", "--project", type=PATH, default=".", help="Folder of the project.")
@click.option("--size", multiple=True, metavar="NX=N,NY=N", help="Values of integer arguments; may be repeated.")
@click.option("--best", type=click.IntRange(1, 20), default=5, show_default=True, help="Groupings to try for each run.")
@click.option("--rounds", type=click.IntRange(1), help="Measurements of each; default: 15 of calls, 5 of programs.")
@click.option("--program", is_flag=True, help="Time runs of the whole program, not calls with made-up data.")
@click.option("--exe", metavar="NAME", help="Which executable, if the project has several.")
@click.option("--arguments", metavar="ARGS", default="", help="What the program is run with.")
@click.option("--emulate", is_flag=True, hidden=True)
@analysis_options
def tune(
    routines_wanted: tuple[str, ...], project: Path, size: tuple[str, ...], script: str | None, **options: Any
) -> int:
    """Time the best few groupings of the regions of ROUTINE (default: all) on this machine, and keep the winners.

    With --script the forms of kernels that a script of the project proposes are timed.
    """
    import gc
    import shlex

    from hfpy.build.session import open_project
    from hfpy.extras import require

    require("numpy", "python", "hfpy tune")
    from hfpy.tune.kernels import tuned_by_script
    from hfpy.tune.timing import Wish
    from hfpy.tune.tune import tuned

    gc.enable()  # there are many translations, one after the other
    session = open_project(project, given_by(options), os.environ, runs=True)
    show_diagnostics(session.notes)
    if options["program"]:
        require_programs(session.project)
    wish = Wish(
        routines_wanted,
        _sizes(size),
        options["best"],
        options["rounds"] or 0,
        options["program"],
        options["exe"],
        tuple(shlex.split(options["arguments"])),
    )
    if script:
        path: Path | None = tuned_by_script(session, wish, script, os.environ, click.echo)
    else:
        path = tuned(session, wish, os.environ, click.echo, show_diagnostics)
    if path is None:
        raise UsageError("nothing could be tuned")
    click.echo(f"kept in {path}")
    return DONE
