#!/usr/bin/env python3
"""Writes docs/commands.md from the command line itself: ``make_commands.py [--check]``.

``--check`` writes nothing and ends with status 1 if the page is not what would be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))
sys.path.insert(0, str(DOCS))

from generated_page import write  # noqa: E402

from hfpy.cli import cli  # noqa: E402

HEAD = """# Command reference

<!-- Written by docs/make_commands.py from hfpy's command line. -->

Every command with every option, as `hfpy COMMAND --help` tells them. What they are for, and exit status:
[projects and commands](projects.md#commands).
"""


def page() -> str:
    """The whole page."""
    commands = {name: command for name, command in sorted(cli.commands.items()) if not command.hidden}
    lines = [HEAD, "| command | |", "|---|---|"]
    lines += [f"| [`hfpy {name}`](#hfpy-{name}) | {_cell(_first(command))} |" for name, command in commands.items()]
    for name, command in commands.items():
        lines += ["", *section(name, command)]
    return "\n".join(lines) + "\n"


def section(name: str, command: click.Command) -> Iterator[str]:
    """The lines about one command. The texts are made here, not by click, whose releases differ."""
    arguments = [p.metavar or p.human_readable_name for p in command.params if isinstance(p, click.Argument)]
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    yield f"## `hfpy {name}`"
    yield ""
    yield "    " + " ".join([f"hfpy {name}", *(["[OPTIONS]"] if options else []), *arguments])
    yield ""
    yield _cell(" ".join((command.help or "").split()))
    if options:
        yield ""
        yield "| option | meaning |"
        yield "|---|---|"
        yield from (f"| `{_names(option)}` | {_meaning(option)} |" for option in options)


def _names(option: click.Option) -> str:
    """An option as one types it."""
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {option.metavar or option.opts[-1].strip('-').upper()}"


def _meaning(option: click.Option) -> str:
    """What an option does, what it may be, and what holds without it."""
    texts = [_cell(option.help)] if option.help else []
    if isinstance(option.type, click.Choice):
        texts.append(f"One of {', '.join(f'`{choice}`' for choice in option.type.choices)}.")
    if isinstance(option.type, click.IntRange | click.FloatRange):
        low, high = option.type.min, option.type.max
        texts.append(f"From {low} to {high}." if high is not None else f"At least {low}.")
    if option.multiple:
        texts.append("May be repeated.")
    if option.show_default and option.default is not None:
        texts.append(f"Default: `{option.default}`.")
    return " ".join(texts)


def _first(command: click.Command) -> str:
    """The first sentence of a command's help."""
    text = " ".join((command.help or "").split())
    return text.partition("; ")[0].partition(". ")[0].rstrip(".") + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(write(DOCS / "commands.md", page))
