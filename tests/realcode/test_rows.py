"""Constructs of real codes, one program a row: r01–r52 by rank, t01–t11 semantic traps.

A program runs as its plain twin does (``programs/r05.h90`` and ``r05.ref.f90``; a file with directives in comments is
its own twin), or says in a line ``! expect: refused HF405`` that hfpy must refuse it, or ``! expect: warned HF504``.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import DomainSpec
from tests.support import LAYOUT, LAYOUT_OPENMP, Corpus, Pair, load_pairs, storage_order, translate_text

ALL = load_pairs(Path(__file__).parent / "programs")


def expectation(pair: Pair) -> tuple[str, str]:
    """What the header asks for: ("runs", ""), ("refused", code) or ("warned", codes with slashes between)."""
    text = "".join(pair.hybrid.values())
    found = re.search(r"^! expect: (refused|warned) (\S+)", text, re.MULTILINE)
    return (found[1], found[2]) if found else ("runs", "")


RUNNING = [p for p in ALL if expectation(p)[0] == "runs"]
DIAGNOSED = [p for p in ALL if expectation(p)[0] != "runs"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(RUNNING, tmp_path_factory.mktemp("rows"))


NAMES = {"x": ("nx",), "y": ("ny",), "z": ("nz", "levels")}
HYBRID_LAYOUT = {
    "layout": "z x y",
    "domains": {d: DomainSpec(sizes, ("k",) if d == "z" else (d,)) for d, sizes in NAMES.items()},
}
PLAIN_LAYOUT = {"layout": "j i", "domains": {"i": DomainSpec((), ("i",)), "j": DomainSpec((), ("j",))}}


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """All running programs in another order of data, as far as hfpy accepts that."""
    pairs = [replace(p, layout=PLAIN_LAYOUT if p.in_comments else HYBRID_LAYOUT) for p in RUNNING]
    variants = (LAYOUT, LAYOUT_OPENMP)
    return Corpus(pairs, tmp_path_factory.mktemp("layouts"), {p.name: variants for p in pairs})


@pytest.mark.parametrize("name", [p.name for p in RUNNING])
def test_layout_never_changes_what_a_program_means(layouts: Corpus, name: str) -> None:
    """Another order either is refused, with the reason, or gives the same results."""
    refused = layouts.translation(name, LAYOUT).errors
    if refused:
        assert {d.code[:3] for d in refused} == {"HF3"}, refused
    else:
        layouts.check(name)


def test_most_programs_accept_a_layout(layouts: Corpus) -> None:
    accepted = [name for name in layouts.pairs if not layouts.translation(name, LAYOUT).errors]
    assert len(accepted) > len(layouts.pairs) / 2


def test_every_row_is_there() -> None:
    names = {p.name for p in ALL}
    assert {f"r{n:02d}" for n in range(1, 53)} | {f"t{n:02d}" for n in range(1, 12)} <= names


@pytest.mark.parametrize("name", [p.name for p in RUNNING])
def test_runs(corpus: Corpus, name: str) -> None:
    corpus.check(name)


@pytest.mark.parametrize("pair", DIAGNOSED, ids=[p.name for p in DIAGNOSED])
def test_diagnosed(pair: Pair) -> None:
    what, code = expectation(pair)
    result = translate_text(pair.hybrid, storage_order(), backend="openmp")
    if what == "refused":
        assert code in result.codes("error")
        assert not result.files
    else:
        assert set(code.split("/")) & {*result.codes("warning"), *result.codes("error")}


@pytest.mark.parametrize("pair", ALL, ids=[p.name for p in ALL])
def test_analysis_for_the_gpu_ends_well(pair: Pair) -> None:
    result = translate_text(pair.hybrid, storage_order(), target="gpu")
    assert "HF900" not in result.codes()


@pytest.mark.parametrize("name", [p.name for p in RUNNING])
def test_no_warning_that_hfpy_caused(corpus: Corpus, name: str) -> None:
    assert not corpus.new_warnings(name)
