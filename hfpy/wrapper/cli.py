"""``hfpy fc`` with options: the scan of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from hfpy.commands.commandline import given_by, show_diagnostics, translation_options


@click.command("fc")
@click.option("--scan", is_flag=True, help="Translate all sources in DIRs, or the project in DIR.")
@click.option("--store", default=".hfpy", show_default=True, metavar="FOLDER", help="Where the translation is kept.")
@click.option("--emulate", is_flag=True, help="Build the GPU's code for the CPU, to test and debug it there.")
@click.argument("words", nargs=-1, metavar="[DIR]... | COMPILER [ARGUMENT]...")
@translation_options
@click.pass_context
def fc(context: click.Context, /, scan: bool, store: str, words: tuple[str, ...], **options: Any) -> int:
    """Compile as COMPILER does, but the translations of the sources: FC="hfpy fc gfortran" in any build.

    The whole program has to be scanned once before: hfpy fc --scan DIR... In the folder of an fpm package, DIRs are
    those of the package, and options may be in its fpm.toml.
    """
    if not scan:
        from hfpy.wrapper.main import main

        if not words:
            raise click.UsageError("name a compiler with its arguments, or --scan with folders")
        return main(words)
    from dataclasses import fields

    from hfpy.build.session import Given
    from hfpy.wrapper.scan import scan as scanned

    given = given_by(options)
    named = {f.name: getattr(given, f.name) for f in fields(Given) if f.name not in ("jobs", "line_markers")}
    if context.get_parameter_source("target") is ParameterSource.DEFAULT:
        del named["target"]  # which fpm.toml may say
    made = scanned(words or (".",), Path(store), named, show_diagnostics)
    changed = sum(1 for one in made.sources.values() if not one.identity)
    click.echo(f"hfpy: {len(made.sources)} sources, {changed} of them translated into {store}")
    return 0
