"""Commands about the machine and the shell: what is there, and what the shell completes."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hfpy.commands.commandline import DONE, PATH, TOOL_FAULT


@click.command()
@click.argument("project", type=PATH, default=".", metavar="[PROJECT_DIR]")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def doctor(project: Path, as_json: bool) -> int:
    """Say what this machine has and what each backend lacks; status 3 if a backend of the project here lacks something
    that it cannot do without."""
    import json

    from hfpy.build.machine.doctor import as_parts, as_values, examine
    from hfpy.build.session import project_at
    from hfpy.commands.tables import print_parts

    checkup = examine(os.environ, project_at(project, os.environ))
    if as_json:
        click.echo(json.dumps(as_values(checkup), indent=2))
    else:
        print_parts(as_parts(checkup), blank=False)
    return TOOL_FAULT if checkup.faults else DONE


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that lets SHELL complete commands and options of hfpy."""
    from click.shell_completion import get_completion_class

    chosen = get_completion_class(shell)
    assert chosen is not None, "click knows these shells"
    whole = click.get_current_context().find_root().command
    click.echo(chosen(whole, {}, "hfpy", "_HFPY_COMPLETE").source())
