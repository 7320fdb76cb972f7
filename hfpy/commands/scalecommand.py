"""``hfpy scale``: what a program does on many processes, predicted."""

from __future__ import annotations

from pathlib import Path

import click

from hfpy.commands.commandline import PATH


def _counts(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, ...]:
    try:
        counts = tuple(sorted({int(word) for word in text.split(",")})) if text else ()
    except ValueError:
        counts = (0,)
    if any(count < 1 for count in counts):
        raise click.BadParameter("numbers above 0 with commas in between, such as 1,2,4")
    return counts


@click.command()
@click.argument("plan", type=PATH, metavar="FILE")
@click.option("--processes", callback=_counts, metavar="N,N...", help="Numbers of processes, instead of the file's.")
@click.option("--weak", "is_weak", is_flag=True, help="Each process has the whole grid of FILE for itself.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--plot", type=PATH, metavar="PICTURE", help="Draw it, as .svg or .png (needs matplotlib).")
def scale(plan: Path, processes: tuple[int, ...], is_weak: bool, as_json: bool, plot: Path | None) -> None:
    """Predict the time of a step on many processes, by figures of a machine and a program in FILE; see scale.md."""
    import json
    from dataclasses import replace

    from hfpy.commands.tables import print_parts
    from hfpy.scale.plot import draw
    from hfpy.scale.report import as_values, shown, strong, weakly
    from hfpy.scale.scalefile import read_plan

    read = read_plan(plan)
    asked = replace(read, processes=processes or read.processes)
    rows = weakly(asked) if is_weak else strong(asked)
    title = "as many points for each process" if is_weak else "the same grid for all"
    if as_json:
        click.echo(json.dumps(as_values(asked, rows), indent=2))
    else:
        print_parts(shown(asked, rows, title))
    if plot is not None:
        draw(plot, f"{asked.name}: {title}", rows)
        click.echo(f"wrote {plot}", err=True)
