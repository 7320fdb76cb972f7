"""docs/projects.md names every key of hfpy.toml, every command and every option, and none that does not exist;
docs/commands.md is up to date; docs/reference.md has every directive and attribute, in programs that are run."""

import importlib
import re
import sys
import tomllib
from pathlib import Path

import click

from hfpy.build.settings import projectfile
from hfpy.build.settings.projectfile import load_project
from hfpy.cli import cli
from hfpy.commands.commandgroups import GROUPS
from hfpy.parse.directives import dependants, directives, regions, schedules
from tests.docs.markdown import sections

PAGE = (Path(__file__).parents[2] / "docs" / "projects.md").read_text(encoding="utf-8")
FILE = PAGE.split("```toml\n")[1].split("```")[0]
COMMANDS = {name: command for name, command in cli.commands.items() if not command.hidden}


def options() -> set[str]:
    """Every option of every command, as one types it."""
    return {o for c in COMMANDS.values() for p in c.params if isinstance(p, click.Option) for o in p.opts}


def test_the_file_shown_is_read_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text(FILE)
    (tmp_path / "hfpy_scripts").mkdir()
    (tmp_path / "hfpy_scripts" / "domain.py").touch()
    assert load_project(tmp_path).name == "heat"


def test_it_has_every_key() -> None:
    shown = tomllib.loads(FILE)
    assert shown.keys() == set(projectfile._TABLES)
    assert shown["project"].keys() == {
        *projectfile._PROJECT_TEXTS,
        *projectfile._PROJECT_LISTS,
        *projectfile._PROJECT_SWITCHES,
    }
    others = {"opt", "specialise"}
    assert shown["target"]["cpu"].keys() == {*projectfile._TARGET_TEXTS, *projectfile._TARGET_LISTS, *others}


def test_every_command_is_in_a_group_of_the_help() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)


def test_every_command_and_option_is_named() -> None:
    text = PAGE.split("## Commands")[1]
    assert {name for name in COMMANDS if f"`hfpy {name}" not in text} == set()
    assert {o for o in options() if not re.search(rf"(?<![\w-]){re.escape(o)}(?![\w-])", text)} == set()


def test_no_option_is_invented() -> None:
    others = re.compile(r"`[^`]*pkg-config [^`]*`|--param=\S+")  # pkg-config's and gfortran's
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", others.sub("", PAGE)))
    assert named <= options() | {"--help", "--version"}


def test_the_reference_is_up_to_date() -> None:
    docs = Path(__file__).parents[2] / "docs"
    sys.path.insert(0, str(docs))
    made = importlib.import_module("make_commands").page()
    assert (docs / "commands.md").read_text(encoding="utf-8") == made, "run docs/make_commands.py"
    assert {f"## `hfpy {name}`" for name in COMMANDS} <= set(made.splitlines())
    assert {o for o in options() if f"{o} " not in made and f"{o}`" not in made and f"{o}," not in made} == set()


REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"
# Another spelling of one attribute.
TWICE = {"specialize"}


def words() -> set[str]:
    """Every keyword and attribute that the parser knows, in lower case, as a directive spells it."""
    found = {f"@{keyword}" for keyword in directives.KEYWORDS}
    found |= {*regions.REGION_ATTRIBUTES, *regions.REGION_FLAGS, *dependants.DEPENDANT_ATTRIBUTES}
    found |= {*schedules.SCOPE_ATTRIBUTES, *directives.ARCHITECTURES}
    return (found | {*dependants.DEPENDANT_FLAGS, *directives.POSITIONS, *regions.TARGETS}) - TWICE


def test_every_directive_and_attribute_runs_in_an_example() -> None:
    blocks = [b for section in sections(REFERENCE) for b in section.blocks if b.language == "fortran"]
    programs = [b.text for b in blocks if b.file.endswith(".h90") and not b.marks and "end program" in b.text]
    checked = [b.text for b in blocks if b.marks == "by hand" and "backend(" in b.text]  # by a command
    assert len(programs) >= 4 and len(checked) == 1
    used = " ".join(re.findall(r"^.*@.*$", "\n".join(programs + checked), re.MULTILINE)).lower()
    written = set(re.findall(r"@?\w+", used))
    assert words() - written == set()


def test_every_directive_and_attribute_has_its_line() -> None:
    rows = "\n".join(line for line in REFERENCE.read_text(encoding="utf-8").lower().splitlines() if line[:1] == "|")
    assert {word for word in words() if not re.search(rf"(?<![\w@]){re.escape(word)}\b", rows)} == set()
