"""The first statement of a routine assigns an element of an array that is declared elsewhere: no statement function."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, OPENMP, SEQUENTIAL, Corpus, translate_text

TEXT = """module NAME
  implicit none
  real(8) :: kept(4) = 1, w(4)
contains
  subroutine run()
    real(8) :: own(4)
    integer :: k
    own = 2
    w = 0
    do k = 1, 4
      call count(k)
      call inner(k)
    end do
    call step()
    print *, kept, w, own
  contains
    subroutine inner(x)
      integer, intent(in) :: x
      own(x) = own(x) + 10*x
    end subroutine inner
  end subroutine run
  subroutine count(x)
    integer, intent(in) :: x
    kept(x) = kept(x) + x
  end subroutine count
  subroutine step()
    integer :: i
<i
    w(i) = kept(i)
>
  end subroutine step
end module NAME
"""
VARIANTS = (SEQUENTIAL, OPENMP, CUDA_C)
PAIRS = [program("elements", TEXT), program("upper", TEXT.replace("kept(x) = kept(x) + x", "KEPT (X) = Kept(x) + x"))]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("first"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)


WRITTEN = """module m
  implicit none
  integer, parameter :: n = 4
  real(8) :: kept(n) = 0
contains
  subroutine count(x)
    integer, intent(in) :: x
    kept(1) = kept(1) + x
  end subroutine count
  subroutine other(x)
    integer, intent(in) :: x
    kept(x) = kept(x) + 1
  end subroutine other
  subroutine step()
    @parallelRegion{domName(i), domSize(n)}
    call CALLED(i)
    @end parallelRegion
  end subroutine step
end module m
"""


@pytest.mark.parametrize("called", ["count", "other"])
def test_the_write_is_seen_in_a_region(called: str) -> None:
    """A module variable that a called routine writes is told (HF501)."""
    assert "HF501" in translate_text(WRITTEN.replace("CALLED", called)).codes("warning")
