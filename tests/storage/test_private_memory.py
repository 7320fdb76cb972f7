"""Local arrays that are private to a point only if nothing else names their memory."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import OPENMP, SEQUENTIAL, Corpus

TEXT = """module NAME
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    call go(a)
    print *, a
  end subroutine run
  subroutine go(a)
    real(8), intent(inout), target :: a(4,3)
    DECLARED
    integer :: i, j
    a = 0
    BEFORE
<ij
    STATEMENT
>
    AFTER
  end subroutine go
end module NAME
"""
POINTER = "real(8), pointer :: p(:,:)"
# Declarations, statements before, in and after the region.
CASES = {
    "pointer": (POINTER, "p => a", "p(i,3) = i", "a(1,1) = j"),
    "pointer_by_points": (POINTER, "P => a", "p(i,j) = i + 10*j", "a(1,1) = 5"),
    "section": (POINTER, "p => a(:,2:3)", "p(i,1) = i", "a(1,1) = 5"),
    "target": (f"real(8), target :: w(4)\n    {POINTER.replace(':,:', ':')}", "p => w", "w(i) = 2*i", "a(:,1) = p"),
    "equivalence": ("real(8) :: w(4), v(4)\n    equivalence (w(1), v(1))", "v = 0", "w(i) = 3*i", "a(:,1) = v"),
    "own": ("real(8) :: w(2)", "", "w(1) = i\n    w(2) = j\n    a(i,j) = w(1)*w(2)", ""),
}
VARIANTS = (SEQUENTIAL, OPENMP)


def _text(name: str) -> str:
    text = TEXT
    for word, value in zip(("DECLARED", "BEFORE", "STATEMENT", "AFTER"), CASES[name], strict=True):
        text = text.replace(word, value)
    return text


PAIRS = [program(name, _text(name).replace("a(1,1) = j", "a(1,1) = 5")) for name in CASES]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("private"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", CASES)
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)


def test_only_what_is_alone_is_private(corpus: Corpus) -> None:
    assert "private(i, j, w)" in corpus.translation("own", OPENMP).text
    for name in ("pointer", "target", "equivalence"):
        assert "private(i, j)" in corpus.translation(name, OPENMP).text
