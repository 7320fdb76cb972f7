"""Routines with several entries: their arrays keep the declared order, and the device is refused."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import LAYOUT, LAYOUT_OPENMP, OPENMP, SEQUENTIAL, Corpus, Variant, translate_text

TEXT = """\
module NAME
  implicit none
contains
  subroutine whole(a, b)
    real(8), intent(inout) :: a(4,3), b(4,3), c(4,3)
    integer :: i, j
<ij
    b(i,j) = b(i,j) + a(i,j) + i + 10*j
>
    return
    entry part(OTHER)
    OTHER(2,1) = OTHER(2,1) + 7
    OTHER(1,2) = 8
  end subroutine whole
  subroutine run()
    real(8) :: a(4,3), b(4,3), only_here(4,3)
    integer :: i, j
<ij
    a(i,j) = i - j
    b(i,j) = i*j
    only_here(i,j) = i + j
>
    call whole(a, b)
    call part(only_here)
    call part(b)
<ij
    only_here(i,j) = only_here(i,j)*2
>
    print '(4f8.1)', a, b, only_here
  end subroutine run
end module NAME
"""
PAIRS = [
    program("same", TEXT.replace("OTHER", "a").replace(", c(4,3)", "")),
    program("another", TEXT.replace("OTHER", "c")),
]
VARIANTS = (SEQUENTIAL, OPENMP, LAYOUT, LAYOUT_OPENMP)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("entries"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, variant: Variant, corpus: Corpus) -> None:
    corpus.check_one(name, variant)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "openacc", "openmp-target"])
@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_the_device_is_refused(name: str, backend: str) -> None:
    pair = next(p for p in PAIRS if p.name == name)
    done = translate_text(dict(pair.hybrid), target="gpu", backend=backend)
    assert "HF408" in [d.code for d in done.errors]
