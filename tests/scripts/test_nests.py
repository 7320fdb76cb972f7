"""Random transformations of random loops: what is legal changes no bit, and what is refused would."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import ScriptFolder
from hfpy.transform.scripts import cuts, inlined, legality
from tests.scripts.nests import SCRIPT, pair_of
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP, SEQUENTIAL, Corpus, Pair, Variant, translate_text

COUNT = int(os.environ.get("HFPY_TRANSFORMED", "12"))
FIRST = int(os.environ.get("HFPY_TRANSFORMED_FROM", "0"))
ALL = 48  # the few programs from here on use each transformation
DONE = re.compile(r"! by changes\.py:\d+: (\w+)")


def with_script(variant: Variant, folder: Path, forced: tuple[int, ...] = ()) -> Variant:
    """A way to translate programs with the script over them."""
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "changes.py").write_text(SCRIPT.format(forced=forced))
    options = {**variant.options, "scripts": ScriptFolder(scripts, "changes", "", True)}
    return replace(variant, options=options)


def refused_anyway(pair: Pair, variant: Variant) -> bool:
    """Whether a program is refused without the script, too."""
    return bool(translate_text(pair.hybrid, **{**variant.options, "scripts": None}).errors)


def failures(variant: Variant, numbers: range, folder: Path) -> tuple[list[str], dict[str, int]]:
    """The programs that print something else than their plain twins, and how often each transformation was done."""
    pairs = [pair_of(n) for n in numbers]
    corpus = Corpus(pairs, folder, {p.name: (variant,) for p in pairs})
    done: dict[str, int] = {}
    wrong = []
    for pair in pairs:
        made = corpus.translation(pair.name, variant)
        if made.errors and refused_anyway(pair, variant):
            continue  # a value that no turn may have set is used after its loop
        if made.errors:
            wrong.append(f"{pair.name}: {made.errors[0]}")
            continue
        for call in DONE.findall(made.text):
            done[call] = done.get(call, 0) + 1
        try:
            corpus.check_one(pair.name, variant)
        except AssertionError as failure:
            wrong.append(f"{pair.name}: {str(failure)[:300]}")
    return wrong, done


def test_what_is_legal_changes_nothing(tmp_path: Path) -> None:
    changes_nothing(SEQUENTIAL, COUNT // 2, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("variant", [SEQUENTIAL, OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC], ids=lambda v: v.label)
def test_what_is_legal_in_more_programs(variant: Variant, tmp_path: Path) -> None:
    changes_nothing(variant, COUNT, tmp_path)


def changes_nothing(variant: Variant, count: int, folder: Path) -> None:
    """Each transformation was done, and all programs print what their twins print."""
    wrong, done = failures(with_script(variant, folder), range(FIRST + ALL, FIRST + ALL + count), folder)
    assert not wrong, "\n".join(wrong[:4])
    assert all(done.get(call, 0) > count // 8 for call in ("interchange", "split", "unroll")), done
    others = ("fission", "jam", "fuse", "inline", "privatise")
    assert all(done.get(call, 0) >= max(1, count // 24) for call in others), done


@pytest.mark.parametrize(
    ("forced", "programs", "least"),
    [
        pytest.param((0, 5), 12, {"interchange": 6, "fission": 2}, id="interchange and fission"),
        pytest.param((10,), 40, {"fuse": 8}, id="fuse", marks=pytest.mark.full),
        pytest.param((11,), 40, {"inline": 8}, id="inline", marks=pytest.mark.full),
        pytest.param((12,), 40, {"privatise": 8}, id="privatise", marks=pytest.mark.full),
    ],
)
def test_what_is_refused_would_change_results(
    forced: tuple[int, ...], programs: int, least: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = (
        (legality, "check_interchange"),
        (cuts, "check_fission"),
        (cuts, "check_privatise"),
        (inlined, "check_same"),
    )
    for module, rule in rules:
        monkeypatch.setattr(module, rule, getattr(module, rule))  # what the script does to them is undone
    wrong, done = failures(with_script(SEQUENTIAL, tmp_path, forced), range(FIRST, FIRST + programs), tmp_path)
    assert len(wrong) > 2 and any("differs" in w for w in wrong), (len(wrong), done)
    assert all(done[call] > count for call, count in least.items()), done
