"""docs/limits.md has a row for each of B1–B37 and L1–L24, and every test it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "limits.md").read_text()
ROWS = re.findall(r"^\| ([BL]\d+) \| (.*) \| (.*) \|$", TABLE, re.MULTILINE)


def test_every_number_has_its_row() -> None:
    wanted = [f"B{n}" for n in range(1, 38)] + [f"L{n}" for n in range(1, 25)]
    assert [number for number, _, _ in ROWS] == wanted


def test_every_row_names_a_test_or_a_reason() -> None:
    for number, _, shown in ROWS:
        assert re.search(r"`tests/\S+::\w+|later|nothing|no such|beside it", shown), number


def test_every_test_named_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)(?:\[(\w+)\])?`", TABLE)
    assert len(named) > 40
    for file, function, parameter in named:
        text = (ROOT / file).read_text()
        assert re.search(rf"^def {function}\(", text, re.MULTILINE), f"{file}::{function}"
        if parameter:
            programs = (ROOT / file).parent / "programs"
            assert list(programs.glob(f"{parameter}.[hHf]90")), f"{function}[{parameter}]"
