"""Language beyond the predecessor's, and its corners: programs that run as their plain twins do, in every order."""

from pathlib import Path

import pytest

from tests.support import Corpus, load_pairs

PAIRS = load_pairs(Path(__file__).parent / "programs")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("language"))


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_program(corpus: Corpus, name: str) -> None:
    corpus.check(name)


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_no_warning_that_hfpy_caused(corpus: Corpus, name: str) -> None:
    assert not corpus.new_warnings(name)
