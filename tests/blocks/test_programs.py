"""A program of many sorts of arrays writes the same in every order, blocks among them, as its plain twin does."""

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import DomainSpec
from tests.support import Corpus, Variant, load_pairs

DOMAINS = {
    "i": DomainSpec(("nx",), ("i",)),
    "j": DomainSpec(("ny",), ("j",)),
    "k": DomainSpec(("nz", "0:nz"), ("k",)),
}
PAIR = replace(load_pairs(Path(__file__).parent / "programs")[0], layout={"domains": DOMAINS})
# Blocks that end with the row or do not, longer than rows, of several dimensions, not first, not a power of two.
WAYS = {
    "k i j": ("openmp", 2),
    "i:4 k i j": ("openmp", 2),
    "i:16 k i j": ("sequential", 2),
    "i:2 j:2 k j i": ("openmp", 0),
    "k i:3 j i": ("sequential", 0),
}


def variant(layout: str) -> Variant:
    backend, level = WAYS[layout]
    options = {"backend": backend, "opt": level, "layout": layout}
    return Variant(layout.replace(" ", "_").replace(":", ""), options, None, (1, 2), layout=True)


VARIANTS = tuple(variant(layout) for layout in WAYS)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus([PAIR], tmp_path_factory.mktemp("blocks"), {PAIR.name: VARIANTS})


def test_the_same_in_every_order(corpus: Corpus) -> None:
    corpus.check(PAIR.name)


def test_what_keeps_its_declared_order(corpus: Corpus) -> None:
    """Nothing where i is in blocks, so that the comparison is one of blocks; what is used along j where j is."""
    for way in VARIANTS[1:]:
        made = corpus.translation(PAIR.name, way).require()
        kept = {d.message.split("'")[1] for d in made.diagnostics if d.code == "HF310"}
        assert kept == ({"copy", "u", "wide"} if "j2" in way.label else set()), way.label
        assert "hf_i_n" in made.text


def test_no_warning_of_the_compiler(corpus: Corpus) -> None:
    """Blocks of a power of two are counted by shifts; of others by divisions, which gfortran warns of."""
    found = [w for w in corpus.new_warnings(PAIR.name) if "unused-function" not in w]  # only its blocked form is called
    assert [w for w in found if not w.startswith("k_i3")] == []
