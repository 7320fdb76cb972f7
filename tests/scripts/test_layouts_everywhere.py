"""Arrays of many programs in orders and with sizes drawn at random: results stay; what would change them is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import ScriptFolder
from hfpy.transform.scripts import padding
from tests.support import CUDA_C, OPENMP, SEQUENTIAL, Corpus, Pair, Variant, load_pairs, translate_text

TESTS = Path(__file__).parents[1]
FOLDERS = ("language", "defects", "realcode", "optimiser")
SCRIPT = """from random import Random

from hfpy.api import IllegalTransform


def annotate(kernel, annotations, context):
    rng = Random(kernel.name + str(kernel.source.line))
    for name, array in kernel.arrays.items():
        order = list(range(array.rank))
        rng.shuffle(order)
        if array.rank > 1 and order != sorted(order):
            try:
                kernel = kernel.layout(name, *order)
            except IllegalTransform:
                pass
    return kernel
"""


PADS = """from random import Random

from hfpy.api import IllegalTransform
from hfpy.transform.scripts import padding

if {forced}:
    padding._Padding._reference = lambda *_: None


def annotate(kernel, annotations, context):
    for name, array in kernel.arrays.items():
        rng = Random(name)
        try:
            if array.rank > 1:
                kernel = kernel.pad(name, {{rng.randrange(array.rank): rng.choice([1, 2, 5])}})
        except IllegalTransform:
            pass
    return kernel
"""


AOS = """from itertools import combinations

from hfpy.api import IllegalTransform
from hfpy.model.extents import shape_text


def annotate(kernel, annotations, context):
    alike = {}
    for name, symbol in kernel.work.routine(kernel.key).spec.symbols.items():
        if symbol.rank > 1:
            alike.setdefault((symbol.type.text, shape_text(symbol.shape)), []).append(name)
    for names in alike.values():
        for group in (names, *combinations(names, 2)):
            try:
                kernel = kernel.aos(*group)
            except IllegalTransform:
                pass
    return kernel
"""


def with_orders(variant: Variant, folder: Path, script: str = SCRIPT) -> Variant:
    """A way to translate programs with the script over them. Two kernels may draw different orders for an array."""
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    (scripts / "orders.py").write_text(script)
    options = {**variant.options, "scripts": ScriptFolder(scripts, "orders", "", True)}
    return replace(variant, label=f"{variant.label}-orders", options=options)


def failures(pairs: list[Pair], variant: Variant, folder: Path, script: str = SCRIPT) -> tuple[list[str], int]:
    """The programs that print something else than their plain twins, though they do not without the script, and how
    many were run with another order.
    """
    way = with_orders(variant, folder, script)
    able = [p for p in pairs if p.reference and not translate_text(p.hybrid, **variant.options).errors]
    done = {p.name: way.translated(p) for p in able}
    contradictory = {name for name, d in done.items() if d.codes() == ["HF670"]}
    able = [p for p in able if p.name not in contradictory]
    chosen = [p for p in able if any(f"{call}(" in done[p.name].text for call in ("layout", "pad", "aos"))]
    wrong = [f"{n}: {d.errors[0]}" for n, d in done.items() if d.errors and n not in contradictory]
    corpus = Corpus(chosen, folder, {p.name: (variant, way) for p in chosen})
    for pair in chosen:
        fault = _fault(corpus, pair, way)
        if fault and not _fault(corpus, pair, variant):
            wrong.append(f"{pair.name}: {fault[:1500]}")
    return wrong, len(chosen)


def _fault(corpus: Corpus, pair: Pair, variant: Variant) -> str:
    """What is wrong with a program in a variant; empty if nothing is."""
    try:
        corpus.check_one(pair.name, variant)
    except AssertionError as failure:
        return str(failure) or "it differs"
    return ""


@pytest.mark.full
@pytest.mark.parametrize("variant", [SEQUENTIAL, OPENMP, CUDA_C], ids=lambda v: v.label)
@pytest.mark.parametrize("name", FOLDERS)
def test_programs(name: str, variant: Variant, tmp_path: Path) -> None:
    wrong, run = failures(load_pairs(TESTS / name / "programs"), variant, tmp_path)
    assert not wrong, "\n".join(wrong[:4])
    assert run > 3


@pytest.mark.full
@pytest.mark.parametrize("variant", [SEQUENTIAL, OPENMP, CUDA_C], ids=lambda v: v.label)
@pytest.mark.parametrize("name", FOLDERS)
def test_sizes(name: str, variant: Variant, tmp_path: Path) -> None:
    wrong, run = failures(load_pairs(TESTS / name / "programs"), variant, tmp_path, PADS.format(forced=False))
    assert not wrong, "\n".join(wrong[:4])
    assert run > 2


@pytest.mark.full
@pytest.mark.parametrize("variant", [SEQUENTIAL, OPENMP, CUDA_C], ids=lambda v: v.label)
@pytest.mark.parametrize("name", ("realcode", "optimiser"))
def test_arrays_as_one(name: str, variant: Variant, tmp_path: Path) -> None:
    wrong, run = failures(load_pairs(TESTS / name / "programs"), variant, tmp_path, AOS)
    assert not wrong, "\n".join(wrong[:4])
    assert run > 0


@pytest.mark.full
def test_what_is_refused_would_change_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padding._Padding, "_reference", padding._Padding._reference)  # the script changes it
    pairs = load_pairs(TESTS / "language" / "programs")
    wrong, run = failures(pairs, SEQUENTIAL, tmp_path, PADS.format(forced=True))
    assert run > 3 and any("differs" in w for w in wrong), (run, wrong)
