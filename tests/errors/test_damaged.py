"""Damaged sources: whatever is cut, doubled or garbled, hfpy ends with diagnostics, never with an exception."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.support import load_pairs, storage_order, translate_text

TESTS = Path(__file__).parents[1]
FOLDERS = ("realcode", "defects", "language")
PAIRS = [p for folder in FOLDERS for p in load_pairs(TESTS / folder / "programs")]
COUNT = int(os.environ.get("HFPY_DAMAGED", "400"))
PER_TEST = 50


def delete_line(rng: Random, lines: list[str]) -> None:
    del lines[rng.randrange(len(lines))]


def double_line(rng: Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    lines.insert(rng.randrange(len(lines)), lines[at])


def move_line(rng: Random, lines: list[str]) -> None:
    lines.insert(rng.randrange(len(lines)), lines.pop(rng.randrange(len(lines))))


def cut_file(rng: Random, lines: list[str]) -> None:
    del lines[rng.randrange(len(lines)) + 1 :]


def delete_character(rng: Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    place = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + lines[at][place + 1 :]


def insert_character(rng: Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    place = rng.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + rng.choice("()'\"&!@{},:;%=*/<>.#`\\ \t1aé~$?[]") + lines[at][place:]


def cut_line(rng: Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def swap_words(rng: Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    words = lines[at].split(" ")
    rng.shuffle(words)
    lines[at] = " ".join(words)


DAMAGES: tuple[Callable[[Random, list[str]], None], ...] = (
    delete_line,
    double_line,
    move_line,
    cut_file,
    delete_character,
    insert_character,
    cut_line,
    swap_words,
)


def damaged(rng: Random, text: str) -> str:
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(DAMAGES)(rng, lines)
        if not lines:
            return ""
    return "\n".join(lines)


SOON = 200  # by default; the others are for the full run


@pytest.mark.parametrize(
    "first", [pytest.param(n, marks=[pytest.mark.full] * (n >= SOON)) for n in range(0, COUNT, PER_TEST)]
)
def test_damaged_sources_give_diagnostics(first: int) -> None:
    faults = []
    for number in range(first, first + PER_TEST):
        rng = Random(number)
        p = rng.choice(PAIRS)
        files = dict(p.hybrid)
        name = rng.choice([n for n in files if not n.endswith((".h", ".inc"))])
        files[name] = damaged(rng, files[name])
        backend, target = rng.choice((("sequential", "cpu"), ("openmp", "cpu"), (None, "gpu")))
        options = {"backend": backend} if backend else {}
        try:
            result = translate_text(files, storage_order(), target=target, **options)
        except Exception as fault:
            faults.append(f"number {number}: {p.name}, {target}: {type(fault).__name__}: {fault}\n{files[name]}")
            continue
        if "HF900" in result.codes():
            faults.append(f"number {number}: {p.name}: {[d for d in result.diagnostics if d.code == 'HF900']}")
        for d in result.diagnostics:
            lines = files.get(Path(d.place.file).name, "").split("\n")
            if Path(d.place.file).name in files and not 0 <= d.place.line <= len(lines):
                faults.append(f"number {number}: {p.name}: {d.code} points to line {d.place.line} of {len(lines)}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:4])
