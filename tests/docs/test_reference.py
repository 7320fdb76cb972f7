"""docs/projects.md names every key of hfpy.toml, every command and every option, and none that does not exist."""

import re
import tomllib
from pathlib import Path

import click

from hfpy.build import projectfile
from hfpy.build.projectfile import load_project
from hfpy.cli import cli

PAGE = (Path(__file__).parents[2] / "docs" / "projects.md").read_text(encoding="utf-8")
FILE = PAGE.split("```toml\n")[1].split("```")[0]
COMMANDS = {name: command for name, command in cli.commands.items() if not command.hidden}


def options() -> set[str]:
    """Every option of every command, as one types it."""
    return {o for c in COMMANDS.values() for p in c.params if isinstance(p, click.Option) for o in p.opts}


def test_the_file_shown_is_read_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text(FILE)
    assert load_project(tmp_path).name == "heat"


def test_it_has_every_key() -> None:
    shown = tomllib.loads(FILE)
    assert shown.keys() == set(projectfile._TABLES)
    assert shown["project"].keys() == {*projectfile._PROJECT_TEXTS, *projectfile._PROJECT_LISTS}
    others = {"opt", "specialise"}
    assert shown["target"]["cpu"].keys() == {*projectfile._TARGET_TEXTS, *projectfile._TARGET_LISTS, *others}


def test_every_command_and_option_is_named() -> None:
    text = PAGE.split("## Commands")[1]
    assert {name for name in COMMANDS if f"`hfpy {name}" not in text} == set()
    assert {o for o in options() if not re.search(rf"(?<![\w-]){re.escape(o)}(?![\w-])", text)} == set()


def test_no_option_is_invented() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert named <= options() | {"--help"}
