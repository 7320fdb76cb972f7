"""The command line of pictures: ``hfpy graph``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hfpy.commandline import PATH, USER_FAULT, analysed, analysis_options, show_diagnostics
from hfpy.diagnostics import UsageError


@click.command()
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...]")
@click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Where the picture is written; default: standard output."
)
@click.option("--format", "form", type=click.Choice(["svg", "dot"]), help="Default: what FILE ends with, else svg.")
@click.option("--around", metavar="ROUTINE", help="Only ROUTINE and what is near to it.")
@click.option("--depth", type=click.IntRange(0), default=2, show_default=True, help="How many calls away is near.")
@click.option("--kernels-only", is_flag=True, help="Only routines that hold kernels, lead to them or run in them.")
@click.option("--data", is_flag=True, help="Show which arrays calls pass, and on a GPU where they are.")
@click.option("--all", "everything", is_flag=True, help="Show routines, too, that no directive reaches.")
@analysis_options
def graph(paths: tuple[Path, ...], output: Path | None, form: str | None, **options: Any) -> int:
    """Draw who calls whom: kernels, what leads to them and what runs in them, for a target."""
    from hfpy.build.files import write_if_changed
    from hfpy.diagnostics import has_errors
    from hfpy.insight.diagram import diagram
    from hfpy.insight.dot import dot
    from hfpy.insight.selection import selected
    from hfpy.insight.svg import svg

    translation, notes = analysed(paths, options)
    found = (*notes, *translation.diagnostics)
    show_diagnostics([d for d in found if d.severity == "error"])
    survey = translation.survey()
    if survey is None:
        return USER_FAULT
    around = options["around"]
    chosen = selected(survey, around, options["depth"], options["kernels_only"], options["everything"])
    if not chosen.routines:
        raise UsageError("there is nothing to draw: no directive reaches any routine (--all draws them all the same)")
    view = diagram(chosen, _title(paths, survey.target, around), options["data"])
    suffix = output.suffix.lower() if output is not None else ""
    text = dot(view) if (form or suffix.lstrip(".")) in ("dot", "gv") else svg(view)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_if_changed(output, text.encode())
    return USER_FAULT if has_errors(found) else 0


def _title(paths: tuple[Path, ...], target: str, around: str | None) -> str:
    what = (
        paths[0].resolve().name
        if len(paths) <= 1 and paths
        else Path.cwd().name
        if not paths
        else f"{len(paths)} files"
    )
    near = f", around {around}" if around is not None else ""
    return f"{what}: calls on the {target.upper()}{near}"
