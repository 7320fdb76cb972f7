"""Every row of the table of loops: the verdict that an expert gives, and the same bits on all ways to run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from hfpy.transform.loops.verdicts import Verdict
from tests.automatic.rows import HEAD, ROWS, Row, source_of
from tests.support import CUDA_C, OPENACC, OPENMP, Corpus, Pair, Variant, write_files

NAMES = [row.name for row in ROWS]


def _auto(variant: Variant) -> Variant:
    return replace(variant, label=f"auto-{variant.label}", options={**variant.options, "auto": True})


VARIANTS = tuple(_auto(v) for v in (replace(OPENMP, threads=(1, 3)), CUDA_C, OPENACC))
SOON = VARIANTS[:2]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Verdict]]:
    """The verdicts on the loops of all rows, by the number of the row."""
    files = {"held.f90": HEAD, **{f"row{n}.f90": source_of(n, row) for n, row in enumerate(ROWS)}}
    paths = write_files(files, tmp_path_factory.mktemp("rows"))
    found = found_regions(paths, Options(target="gpu", backend="cuda-c"))
    listed: dict[int, list[Verdict]] = {}
    for verdict in sorted(found.verdicts, key=lambda v: v.place.line):
        module, _, routine = verdict.key.partition("::")
        if routine == "work":
            listed.setdefault(int(module.removeprefix("row")), []).append(verdict)
    return listed


def _words(listed: list[Verdict]) -> list[str]:
    """One word for each outermost loop."""
    words: list[str] = []
    end = 0
    for verdict in listed:
        if verdict.loop.header.line.first < end:
            continue
        end = verdict.last
        if verdict.reductions:
            words.append("reduction")
        elif verdict.region:
            words.append(" ".join(("region", *verdict.iterators)))
        elif verdict.holds:
            words.append("holds")
        else:
            words.append("question" if verdict.clause else "serial")
    return words


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_is_an_experts(name: str, verdicts: dict[int, list[Verdict]]) -> None:
    number = NAMES.index(name)
    assert _words(verdicts[number]) == list(ROWS[number].verdicts), [v.why for v in verdicts[number]]


def test_every_serial_loop_has_a_reason(verdicts: dict[int, list[Verdict]]) -> None:
    for listed in verdicts.values():
        assert all(v.region or v.why or v.inside for v in listed)


def _pair(number: int, row: Row) -> Pair:
    files = {f"held{number}.f90": HEAD.replace("held", f"held{number}")}
    files[f"row{number}.f90"] = source_of(number, row).replace("use held", f"use held{number}")
    return Pair(f"row{number}", files, files, f"row{number}")


def _in_turn(variant: Variant) -> list[int]:
    """The rows with a region, of which each has one of the variants that every run of the tests has. Of a row without
    one the program stays as it is.
    """
    found = [n for n, row in enumerate(ROWS) if any(v.startswith(("region", "reduction")) for v in row.verdicts)]
    return found[SOON.index(variant) :: len(SOON)]


@pytest.mark.parametrize("variant", SOON, ids=lambda v: v.label)
def test_the_bits_in_one_way(variant: Variant, tmp_path: Path) -> None:
    assert not _wrong(variant, _in_turn(variant), tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_bits_are_those_of_the_serial_program(variant: Variant, tmp_path: Path) -> None:
    assert not _wrong(variant, range(len(ROWS)), tmp_path)


def _wrong(variant: Variant, numbers: Sequence[int], folder: Path) -> str:
    """What is wrong with some rows in one variant, as text."""
    pairs = [_pair(n, ROWS[n]) for n in numbers]
    corpus = Corpus(pairs, folder, {p.name: (variant,) for p in pairs})
    wrong = []
    for number in numbers:
        try:
            corpus.check_one(f"row{number}", variant)
        except AssertionError as failure:
            wrong.append(f"{ROWS[number].name}: {str(failure)[-300:]}")
    return "\n".join(wrong)
