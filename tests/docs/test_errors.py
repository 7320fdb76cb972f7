"""docs/errors.md is complete, up to date, and its examples give the codes that they stand for."""

import importlib
import sys
from pathlib import Path

import pytest

from hfpy.codes import CODES

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
make_errors = importlib.import_module("make_errors")
ENTRIES = make_errors.ENTRIES

# What depends on the machine, on another kind of project, or on a bug.
WITHOUT_EXAMPLE = {"HF804", "HF805", "HF808", "HF811", "HF900"}


def test_the_page_is_up_to_date() -> None:
    assert (DOCS / "errors.md").read_text(encoding="utf-8") == make_errors.page(), "run docs/make_errors.py"


def test_every_code_has_its_entry() -> None:
    assert list(ENTRIES) == list(CODES)


@pytest.mark.parametrize("code", [code for code in CODES if ENTRIES[code].files])
def test_the_example_gives_its_code(code: str) -> None:
    assert f" {code}: " in make_errors.said(ENTRIES[code])


def test_every_code_that_is_given_has_an_example() -> None:
    """A code that nothing raises yet needs none; the day it is raised it does."""
    given = make_errors.raised() & CODES.keys()
    assert len(given) > 60
    assert {code for code in given if not ENTRIES[code].files} <= WITHOUT_EXAMPLE
