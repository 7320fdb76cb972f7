"""docs/errors.md is complete, up to date, and its examples give the codes that they mean."""

import importlib
import sys
from functools import cache
from pathlib import Path

import pytest

from hfpy.codes import CODES, HINTS

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
make_errors = importlib.import_module("make_errors")
ENTRIES = make_errors.ENTRIES

# What hfpy says about an example is asked for the page, and once more for each code.
_CODES = {id(entry): code for code, entry in ENTRIES.items()}
_asked = make_errors.said
said = cache(lambda code: _asked(ENTRIES[code]))
make_errors.said = lambda entry: said(_CODES[id(entry)])

# What depends on the compiler, or on a bug, is shown as it looks.
SHOWN_ONLY = {"HF805", "HF814", "HF815", "HF816", "HF900"}


def test_the_page_is_up_to_date() -> None:
    assert (DOCS / "errors.md").read_text(encoding="utf-8") == make_errors.page(), "run docs/make_errors.py"


def test_every_code_has_its_entry() -> None:
    assert list(ENTRIES) == list(CODES)


@pytest.mark.parametrize("code", [code for code in CODES if ENTRIES[code].files])
def test_the_example_gives_its_code(code: str) -> None:
    assert f" {code}: " in said(code)


def test_every_code_has_cause_example_and_cure() -> None:
    assert len(make_errors.raised() & CODES.keys()) == len(CODES)
    assert {code for code in CODES if not ENTRIES[code].files} == SHOWN_ONLY
    assert {code for code in CODES if ENTRIES[code].looks} == SHOWN_ONLY
    assert all(f"{code}: " in ENTRIES[code].looks for code in SHOWN_ONLY)
    assert [code for code in CODES if not ENTRIES[code].cause or not (ENTRIES[code].cure or HINTS.get(code))] == []
