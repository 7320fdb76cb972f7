"""Vector 22: the same results with 1, 2 and 8 threads, in every order of the macros and of ``[layout]``."""

from itertools import permutations
from pathlib import Path

import pytest

from hfpy.options import DomainSpec
from tests.support import Corpus, Variant, load_pairs

PROGRAMS = Path(__file__).parents[1] / "defects" / "programs"
NAMES = ("b03", "b05", "b33", "l01", "l10", "l12", "l14")
PAIRS = [p for p in load_pairs(PROGRAMS) if p.name in NAMES]
DOMAINS = {d: DomainSpec((f"n{d}",), ("k",) if d == "z" else (d,)) for d in "xyz"}
BY_MACROS = [Variant(f"openmp-{o}", {"backend": "openmp"}, o, (1, 2, 8)) for o in ("IJK", "KIJ", "IKJ")]
ORDERS = (*map(" ".join, permutations("xyz")), "x:2 z x y", "z y:3 x y")
BY_LAYOUT = [
    Variant(f"layout-{n}", {"backend": "openmp", "layout": o, "domains": DOMAINS}, None, (2,))
    for n, o in enumerate(ORDERS)
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    variants = {p.name: (*BY_MACROS, *(BY_LAYOUT if p.name in ("b03", "l01") else ())) for p in PAIRS}
    return Corpus(PAIRS, tmp_path_factory.mktemp("results"), variants)


@pytest.mark.parametrize("name", NAMES)
def test_22_output_equivalence(corpus: Corpus, name: str) -> None:
    corpus.check(name)
