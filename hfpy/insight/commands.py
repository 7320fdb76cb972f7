"""The command line of pictures: ``hfpy graph``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hfpy.commands.commandline import PATH, analysed, analysis_options, show_diagnostics, status_of
from hfpy.diagnostics import Diagnostic, UsageError

if TYPE_CHECKING:
    from hfpy.translation import Translation


@click.command()
@click.argument("paths", nargs=-1, type=PATH, metavar="[PROJECT_DIR | FILE...]")
@click.option("-o", "--output", type=PATH, metavar="FILE", help="The picture; default: standard output.")
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
    from hfpy.insight.diagram import diagram
    from hfpy.insight.dot import dot
    from hfpy.insight.selection import selected
    from hfpy.insight.svg import svg

    translation, notes = analysed(paths, options)
    found = (*notes, *translation.diagnostics)
    show_diagnostics([d for d in found if d.severity == "error"])
    survey = translation.survey()
    if survey is None:
        return status_of(found)
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
        write_if_changed(output, text.encode("utf-8", "replace"))
    return status_of(found)


def write_pages(
    translation: Translation,
    found: tuple[Diagnostic, ...],
    routine: str | None,
    paths: tuple[Path, ...],
    folder: Path,
) -> None:
    """Write the pages of ``hfpy explain --html`` into a folder, all or those about the neighbourhood of a routine.

    Raises UsageError for a name that no routine has, HfpyError if the folder cannot be written.
    """
    from hfpy.build.files import write_if_changed
    from hfpy.insight.pages import INDEX, Explained, pages
    from hfpy.insight.selection import selected
    from hfpy.insight.survey import Survey

    survey = selected(translation.survey() or Survey(), routine, 2, False, False)
    files = translation.files
    if routine is not None:
        chosen = {r.file for r in survey.routines}
        files = tuple(f for f in files if str(f.source) in chosen)
    made = pages(Explained(_name(paths), survey, files, found, translation.schedule))
    for name, text in made.items():
        write_if_changed(folder / name, text.encode("utf-8", "replace"))
    files_written = "1 file" if len(made) == 2 else f"{len(made) - 1} files"
    click.echo(f"wrote {folder / INDEX}, with pages of {files_written}")


def _name(paths: tuple[Path, ...]) -> str:
    """The name of the project, or of the file, or how many files there are."""
    from hfpy.build.session import project_at

    if len(paths) > 1:
        return f"{len(paths)} files"
    path = paths[0] if paths else Path(".")
    project = project_at(path, os.environ) if path.is_dir() else None
    return project.name if project is not None else path.resolve().name


def _title(paths: tuple[Path, ...], target: str, around: str | None) -> str:
    near = f", around {around}" if around is not None else ""
    return f"{_name(paths)}: calls on the {target.upper()}{near}"
