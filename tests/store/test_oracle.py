"""Translations with a cache are those without one, byte for byte: random programs are edited at random places again
and again, and every version is translated both ways.

``HFPY_EDITS`` is the number of edits, ``HFPY_EDITS_FROM`` the first seed.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.synthetic import generate
from hfpy.diagnostics import has_errors
from hfpy.options import DomainSpec, Options, Outside
from hfpy.pipeline import translate
from hfpy.store import incremental
from hfpy.translation import Translation
from tests.random.programs import DOMAINS, program_pair
from tests.store.edits import Files, edited

FIRST = int(os.environ.get("HFPY_EDITS_FROM", "0"))
FULL = int(os.environ.get("HFPY_EDITS", "1000"))
PER_PROGRAM = 10
GRID = {"x": DomainSpec(("nx",), ("x", "i")), "y": DomainSpec(("ny",), ("y", "j")), "z": DomainSpec(("nz",), ("k",))}
OUTSIDE = Outside(complete=True, libraries=False, unknown=False)
Way = Mapping[str, Any]
PLAIN: tuple[Way, ...] = (
    {"backend": "openmp", "opt": 2},
    {"backend": "openmp", "opt": 2, "layout": "k i j", "domains": DOMAINS},
    {"backend": "openmp", "opt": 2, "layout": "i:2 k i j", "domains": DOMAINS},
    {"backend": "sequential", "opt": 3},
    {"target": "gpu", "backend": "cuda-c", "opt": 2},
    {"target": "gpu", "backend": "openacc", "opt": 2},
    {"target": "gpu", "backend": "cuda-fortran", "opt": 2, "layout": "k i j", "domains": DOMAINS},
)
COLUMNS: tuple[Way, ...] = (
    {"backend": "openmp", "opt": 2},
    {"backend": "openmp", "opt": 2, "layout": "x:32 z x y", "domains": GRID},
    {"target": "gpu", "backend": "cuda-c", "opt": 1},
    {"target": "gpu", "backend": "cuda-c", "opt": 2, "layout": "x y z", "domains": GRID},
    {"target": "gpu", "backend": "openmp-target", "opt": 2},
)


def program(number: int) -> tuple[Files, Way]:
    """A program and how it is translated: every fourth has chains of calls across files."""
    if number % 4 == 0:
        files = generate(900, seed=number + 1).files
        return {Path(name).name: text for name, text in files.items()}, COLUMNS[number // 4 % len(COLUMNS)]
    pair = program_pair(Random(number), f"p{number}")
    return dict(pair.hybrid), PLAIN[number % len(PLAIN)]


def write(files: Files, folder: Path) -> list[Path]:
    """The files in a folder, which has no others."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in sorted(files)]


def shown(made: Translation) -> tuple[object, ...]:
    """All that a translation writes and says."""
    return made.files, made.beside, made.diagnostics, made.openmp


def differences(number: int, edits: int, folder: Path, counted: Counter[str]) -> Iterator[str]:
    """What differs after edits of a program; how many versions were taken from the cache, or refused, is counted."""
    rng = Random(number)
    files, way = program(number)
    options = Options(**way)
    kept = replace(options, cache_dir=folder / "cache")
    translate(write(files, folder / "source"), kept).faults(OUTSIDE)
    before = files
    for turn in range(edits):
        now = before if rng.random() < 0.15 else edited(files, rng)
        before, files = files, now
        paths = write(files, folder / "source")
        cold = translate(paths, options)
        warm = translate(paths, kept)
        counted["refused" if has_errors(cold.diagnostics) else "taken"] += 1
        asked = not has_errors(cold.diagnostics) and turn % 2 == 0
        if shown(warm) != shown(cold) or (asked and set(warm.faults(OUTSIDE)) != set(cold.faults(OUTSIDE))):
            yield f"program {number}, edit {turn}, { ({k: v for k, v in way.items() if k != 'domains'}) }"
        if has_errors(cold.diagnostics) and rng.random() < 0.8:
            files = before


def check(first: int, count: int, edits: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of some numbers with edits each."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    monkeypatch.setenv("HFPY_DEBUG", "1")  # what goes wrong with kept facts is not hidden by a full translation
    counted: Counter[str] = Counter()
    quick = incremental.from_cache

    def from_cache(*given: Any) -> Translation | None:
        made = quick(*given)
        counted["from the cache"] += made is not None
        return made

    monkeypatch.setattr(incremental, "from_cache", from_cache)
    found = [d for n in range(first, first + count) for d in differences(n, edits, folder / str(n), counted)]
    print(dict(counted))
    assert not found, "\n".join(found)
    assert counted["from the cache"] and counted["taken"] >= counted["refused"]


def test_edited_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(FIRST, 2, 4, tmp_path, monkeypatch)


@pytest.mark.full
@pytest.mark.parametrize("first", range(FIRST, FIRST + FULL // PER_PROGRAM, 10))
def test_programs_edited_a_thousand_times(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(first, 10, PER_PROGRAM, tmp_path, monkeypatch)
